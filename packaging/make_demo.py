"""Make the demo tavern in resources/demo, or any other, from a labelled story.

python packaging/make_demo.py STORY.json [FOLDER]
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
DEMO = CHECKOUT / "resources" / "demo"
sys.path.insert(0, str(CHECKOUT))

from tests.labelled import write_tavern  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description="Make a tavern from a labelled story.")
    parser.add_argument("story", type=Path, help="JSON file of the story")
    parser.add_argument("folder", type=Path, nargs="?", default=DEMO, help="or resources/demo")
    arguments = parser.parse_args()
    data = arguments.folder / "data"
    if data.exists():
        shutil.rmtree(data)
    story = json.loads(arguments.story.read_text(encoding="utf-8"))
    written = write_tavern(story, data / "default-user")
    print(written.chat)
    return 0


if __name__ == "__main__":
    sys.exit(main())
