"""Where the frozen program begins."""

import os
import sys
from pathlib import Path

if sys.stdout is None or sys.stderr is None:  # Windows, without a console
    nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until it ends
    sys.stdout = sys.stdout or nowhere
    sys.stderr = sys.stderr or nowhere

from ui.__main__ import main

sys.exit(main())
