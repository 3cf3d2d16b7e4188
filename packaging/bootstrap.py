"""Set up this checkout and run, test or measure it; needs nothing but Python.

    python3 packaging/bootstrap.py run [COMMAND ...]    open the window, or run a headless command
    python3 packaging/bootstrap.py test [PYTEST ARGS]   install what the tests need and run them all
    python3 packaging/bootstrap.py bench [ARGS]         measure speed and memory
    python3 packaging/bootstrap.py screenshots FOLDER   take a picture of every page
    python3 packaging/bootstrap.py build [--check]      make what people install, or only try it

Any Python has to understand this file, so that one that does not fit says so in a sentence.
"""

import sys

OLDEST, NEWEST = (3, 11), (3, 14)
UNFIT = (
    "Tavernkeep needs Python %d.%d to %d.%d, and this is %d.%d. "
    "Start it with another one, for example: python3.13 packaging/bootstrap.py run\n"
)


def main():
    version = tuple(sys.version_info[:2])
    if not OLDEST <= version <= NEWEST:
        sys.stderr.write(UNFIT % (OLDEST + NEWEST + version))
        return 2
    # Only now: what follows is written for the Pythons that fit.
    from provision.command_line import main as provision

    return provision(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
