"""What a block needs, in a student's words, with numbers and suggested fixes.

Torch's analysis finds the shapes; these checks speak before it, where torch's own message would be
poor or where its meta device is more lenient than real execution.
"""

from blocks.checks.ports import port_problems
from blocks.signature import Signature
from blocks.spec import Block, Inputs, Problem, Settings

__all__ = ["block_problems", "block_warnings", "port_problems"]


def block_problems(block: Block, settings: Settings, inputs: Inputs) -> list[Problem]:
    """Check a block whose required ports are all connected: its ports, then its own checks.

    settings: every setting, given, default or inferred; a setting that could not be inferred may
    be missing, and is then reported here.
    """
    found = port_problems(block, settings, inputs)
    if found or any(s.name not in settings for s in block.settings):
        return found
    if any(isinstance(s, Signature) and s.is_size for s in inputs.values()):
        return []  # the numbers in the settings do not hold; the run on the meta device tells
    return [problem for check in block.checks for problem in check(settings, inputs)]


def block_warnings(block: Block, settings: Settings, inputs: Inputs) -> list[Problem]:
    """Name what is legal in torch yet rarely meant, on a block without problems."""
    return [problem for check in block.warnings for problem in check(settings, inputs)]
