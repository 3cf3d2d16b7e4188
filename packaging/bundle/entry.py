"""Where the frozen program begins."""

import os
import sys

if sys.stdout is None or sys.stderr is None:  # Windows, without a console
    nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the program lives
    sys.stdout = sys.stdout or nowhere
    sys.stderr = sys.stderr or nowhere

from ui.__main__ import main

sys.exit(main())
