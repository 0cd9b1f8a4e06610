"""Starting two processes by torchrun on this machine, and what they print."""

import subprocess
import sys
from pathlib import Path

# Without an address the processes meet at the machine's own name, which need not lead anywhere.
HERE = {"GLOO_SOCKET_IFNAME": "lo", "PET_LOCAL_ADDR": "127.0.0.1"}


def torchrun(folder: Path, environment: dict[str, str], *arguments: str) -> str:
    """What two processes of a script, started in this folder, print.

    Raises:
        AssertionError: They failed; it has what they wrote on standard error.
    """
    started = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    done = subprocess.run(
        [*started, "--nproc-per-node", "2", *arguments],
        cwd=folder,
        env=environment | HERE,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[:4000]
    return done.stdout
