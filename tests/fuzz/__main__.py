"""`python -m tests.fuzz [--seconds N] [TARGET ...]`: atheris looks for bytes that break a reader.

Needs atheris (`uv pip install atheris`, Linux, Python 3.11 to 3.13), which is in no lock. Without a
name all targets have their turn; what broke one is left in the folder that is printed.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def fuzz(name: str, corpus: Path, seconds: int) -> None:
    """Fuzz one target; ends the process."""
    import atheris

    with atheris.instrument_imports(include=["app"]):
        from tests.fuzz.targets import TARGETS
    for number, seed in enumerate(TARGETS[name].seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
    options = [
        *(f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=3000", "-max_len=20000"),
        *("-verbosity=0", "-print_final_stats=1", f"-artifact_prefix={corpus.parent}/"),
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], TARGETS[name].run)
    atheris.Fuzz()


def main() -> int:
    """Fuzz in one process for each target; how many of them broke."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help="names; all without")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--corpus", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.corpus is not None:
        fuzz(options.targets[0], options.corpus, options.seconds)
    from tests.fuzz.targets import TARGETS

    broken = 0
    for name in options.targets or TARGETS:
        folder = Path(tempfile.mkdtemp(prefix="fuzz "))
        (folder / "corpus").mkdir()
        words = [sys.executable, "-m", "tests.fuzz", name, "--corpus", str(folder / "corpus")]
        began = time.monotonic()
        done = subprocess.run(
            [*words, "--seconds", str(options.seconds)], stderr=subprocess.PIPE, check=False
        )
        told = done.stderr.decode(errors="replace").splitlines()
        runs = next((line.split()[-1] for line in told if "number_of_executed" in line), "?")
        took = time.monotonic() - began
        sys.stdout.write(f"{name}: {runs} runs in {took:.0f} s, {done.returncode or 'good'}\n")
        sys.stdout.flush()
        if not done.returncode:
            shutil.rmtree(folder)
        else:
            broken += 1
            sys.stdout.write(f"  {folder}\n" + "\n".join(told[-30:]) + "\n")
    return min(broken, 1)


if __name__ == "__main__":
    sys.exit(main())
