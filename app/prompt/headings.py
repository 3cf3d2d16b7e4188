"""The headings and labels of a prompt in the language of its story. Pure.

Code says them in English; a language pack says what each is in its language. What a user wrote in
place of a default frame stands in no pack, and so stays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType

from app.memory.reading.windows import is_told
from app.recall.words import language_of
from app.settings.slots import OF_STORY
from app.story.scene_cues.language import LanguagePack
from app.story.story import Story

# Told messages from which the language is read, and characters of them: the beginning, so that the
# head of a prompt does not change with a guest who speaks another language.
FIRST_MESSAGES, LONGEST_READ = 8, 4_000
UNWORDED = re.compile(r"\s*|\{\{\w+\}\}|</?\w+>")  # lines of a frame that say nothing themselves


@dataclass(frozen=True, slots=True)
class Headings:
    """words: by what the code says in English; none for English itself."""

    words: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def of(self, english: str) -> str:
        """A heading or label."""
        return self.words.get(english, english)

    def in_frame(self, template: str) -> str:
        """A slot's frame; one that the user changed stays as it is."""
        lines = template.split("\n")
        if not self.words or any(
            line not in self.words and UNWORDED.fullmatch(line) is None for line in lines
        ):
            return template
        return "\n".join(map(self.of, lines))

    def in_recap(self, content: str) -> str:
        """A headed recap; only whole lines are headings."""
        if not self.words:
            return content
        return "\n".join(self.of(line) if line.isupper() else line for line in content.split("\n"))

    def out_of_recap(self, text: str) -> str:
        """A recap that was read under these headings, under those that code knows."""
        english = {said: word for word, said in self.words.items() if word.isupper()}
        return "\n".join(english.get(line.strip(), line) for line in text.split("\n"))


ENGLISH = Headings()


def headings_for(story: Story, wanted: str, packs: Sequence[LanguagePack]) -> Headings:
    """The headings of a story's prompts. wanted: code of a language, or the story's own."""
    if wanted == OF_STORY:
        told = islice(filter(is_told, story.messages), FIRST_MESSAGES)
        spoken = language_of(" ".join(m.text for m in told)[:LONGEST_READ], packs)
    else:
        spoken = next((pack for pack in packs if pack.code == wanted), None)
    return Headings(spoken.headings) if spoken is not None and spoken.headings else ENGLISH
