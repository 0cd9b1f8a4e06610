"""A fake ssh that runs the command on this machine, in another home folder with its own PATH.

`install` puts it into a folder for PATH. The machine "gone" never answers; "locked" refuses a key.
"""

import shlex
import sys
from pathlib import Path

SCRIPT = """#!/bin/sh
while [ $# -gt 0 ]; do
  case "$1" in -T) shift;; -o) shift 2;; *) break;; esac
done
host="$1"; shift
case "$host" in
  gone) echo "ssh: connect to host gone port 22: Connection refused" >&2; exit 255;;
  locked) echo "locked: Permission denied (publickey)." >&2; exit 255;;
esac
[ ! -e {cut} ] || {{ echo "ssh: connect to host $host port 22: No route to host" >&2; exit 255; }}
unset LAYERLOOM_WORKSPACE LAYERLOOM_ROOTS LAYERLOOM_OPEN LAYERLOOM_BESIDE LAYERLOOM_RUNS
export HOME={home} LAYERLOOM_HOME={home}/state LAYERLOOM_SPARE=0
cd
[ ! -e {sent} ] || {{ head -c "$(cat {sent})" | sh -c "$*"; exit 255; }}
[ ! -e {back} ] || {{ sh -c "$*" | head -c "$(cat {back})"; exit 255; }}
exec sh -c "$*"
"""


def install(folder: Path, home: Path, layerloom: str | None = None) -> None:
    """Write ssh into a folder. layerloom: what that command is there; None for ours.

    A file `cut` in the home folder there cuts the connection; `sent` and `back` do after the bytes
    that they name.
    """
    (home / "bin").mkdir(parents=True, exist_ok=True)
    folder.mkdir(exist_ok=True)
    ours = f'exec {shlex.quote(str(Path(sys.executable).with_name("layerloom")))} "$@"'
    text = layerloom if layerloom is not None else ours
    if text:
        root = shlex.quote(str(Path(__file__).parents[3]))
        (home / "bin" / "layerloom").write_text(
            f"#!/bin/sh\nPYTHONPATH={root}; export PYTHONPATH\n{text}\n"
        )
        (home / "bin" / "layerloom").chmod(0o755)
    (home / ".profile").write_text(f"PATH={shlex.quote(str(home))}/bin:/usr/bin:/bin\n")
    quoted = shlex.quote(str(home))
    cuts = {name: f"{quoted}/{name}" for name in ("cut", "sent", "back")}
    (folder / "ssh").write_text(SCRIPT.format(home=quoted, **cuts))
    (folder / "ssh").chmod(0o755)
