"""Write packaging/locks anew from pyproject.toml; needs uv.

    python packaging/lock.py            keep the versions that still fit
    python packaging/lock.py --upgrade  take the newest that fit

run.txt holds what the program needs, dev.txt the same versions and what the tests need besides,
build.txt what makes bundles (build.in) and no more. All serve every supported Python and system,
with the hashes of all their files.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
LOCKS = CHECKOUT / "packaging" / "locks"
TOOLS = LOCKS / "build.in"
OLDEST_PYTHON = "3.11"

# No address of an index may get into the files: each machine uses the one it is set up for.
COMPILE = [
    *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes"),
    *("--python-version", OLDEST_PYTHON, "--no-emit-index-url", "--no-emit-find-links"),
    *("--no-annotate", "--custom-compile-command", "python packaging/lock.py"),
]


def main() -> int:
    upgrade = ["--upgrade"] if "--upgrade" in sys.argv[1:] else []
    run, dev, build = LOCKS / "run.txt", LOCKS / "dev.txt", LOCKS / "build.txt"
    LOCKS.mkdir(exist_ok=True)
    compile_lock = [*COMPILE, *upgrade, "pyproject.toml"]
    commands = (
        [*compile_lock, "--output-file", str(run)],
        [*compile_lock, "--group", "dev", "--constraints", str(run), "--output-file", str(dev)],
        [*COMPILE, *upgrade, str(TOOLS), "--constraints", str(run), "--output-file", str(build)],
    )
    for command in commands:
        done = subprocess.run(command, cwd=CHECKOUT)
        if done.returncode != 0:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
