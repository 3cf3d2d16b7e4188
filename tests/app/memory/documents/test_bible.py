"""The story bible tells all that is known, or only what one person knows; text stays text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import translation
from app.memory.documents.bible import bible_of
from app.memory.documents.bible_files import html, markdown
from app.memory.documents.bible_parts import Bible, Block, Item, Known, Part
from app.memory.documents.lorebook import OTHERS, lorebook_of
from app.memory.documents.spoiler_filter import SpoilerFilter
from app.memory.epistemic.epistemic_map import EpistemicMap
from app.memory.epistemic.map_view import EpistemicMapView
from app.memory.records import (
    Document,
    DocumentKind,
    Ending,
    EndReason,
    Entity,
    Memory,
    Source,
    Tier,
)
from app.memory.standing import Ground, standings
from app.story.messages import Message, digest
from app.story.recaps import SceneRecap
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.story.story import ChatKind, ChatRef, Story

# Ada is played by the user; the second scene goes on without her.
SAID = (
    ("Ada", "Bert, where is the miller?"),
    ("Bert", "Gone to the fair."),
    ("Ada", "Then we wait here."),
    ("Bert", "He opens the hatch."),
    ("Cora", "And the ledger burned?"),
    ("Ada", "What did I miss?"),
)
MESSAGES = tuple(
    Message(f"a{n}", digest(text), name, text, is_user=name == "Ada")
    for n, (name, text) in enumerate(SAID)
)
BREAKS = {
    f"a{n}": SceneBreak(f"a{n}", BreakOrigin.HAND, name=name)
    for n, name in ((2, "At the mill"), (4, "Under the hatch"))
}
LAST = len(MESSAGES) - 1
SECRET = "that Bert burned the wool ledger under the hatch"


def recap(anchor: str, text: str) -> tuple[SceneRecap, ...]:
    return (SceneRecap(anchor, 1, "", text, "digest", "m", 0.0, is_current=True),)


def story() -> Story:
    chat = ChatRef(Path("mill.jsonl"), ChatKind.SOLO, "The mill", owner_name="Bert")
    return Story(
        chat,
        MESSAGES,
        BREAKS,
        scenes_of(MESSAGES, BREAKS),
        {
            "a2": recap("a2", "Ada and Bert wait for the miller."),
            "a4": recap("a4", "Bert shows Cora the ashes of the ledger."),
        },
    )


def memory(name: str, tier: Tier, kind: str, text: str, at: int, **more: object) -> Memory:
    source = Source(1, f"a{at}", MESSAGES[at].content_hash)
    return Memory(name, 1, tier, kind, text, sources=(source,), **more)  # type: ignore[arg-type]


def ending(at: int, text: str) -> tuple[Ending, ...]:
    return (Ending(EndReason.RESOLVED, sources=(Source(1, f"a{at}"),), text=text),)


MEMORIES = (
    memory("fact", Tier.LONG_TERM, "fact", "The mill stands empty.", 1, entities=("The mill",)),
    memory("burnt", Tier.LONG_TERM, "event", "The wool ledger was burned by Bert.", 3),
    memory("away", Tier.SESSION, "detail", "Cora carries a red scarf.", 4, entities=("Cora",)),
    memory("mood", Tier.STATE_LEDGER, "character", "afraid", 1, subject="Bert", field="mood"),
    memory("place", Tier.STATE_LEDGER, "character", "at the mill", 1, subject="Bert",
           field="location"),
    memory("door", Tier.STATE_LEDGER, "place", "locked", 2, subject="The mill",
           field="accessibility"),
    memory("love", Tier.RELATIONSHIPS, "feeling", "jealous", 1, subject="Bert", target="Ada"),
    memory("arc", Tier.ARCS, "arc", "Where is the miller?", 0),
    memory("over", Tier.ARCS, "arc", "Will Ada wait?", 0, endings=ending(2, "She does.")),
    memory("hides", Tier.EPISTEMIC, "hiding", SECRET, 3, subject="Bert", target="Ada"),
    memory("told", Tier.EPISTEMIC, "knows", SECRET, 4, subject="Cora", told_by="Bert"),
    memory("wrong", Tier.EPISTEMIC, "believes", "that the tax men took it", 1, subject="Ada"),
    memory("seen", Tier.EPISTEMIC, "knows", "that the miller went to the fair", 1, subject="Ada"),
)  # fmt: skip
ENTITIES = (
    Entity("e1", 1, "Bert", "character", aliases=("the Fox",)),
    Entity("e2", 1, "Cora", "character"),
    Entity("e3", 1, "The mill", "place"),
)
GROUND = Ground.of(1, MESSAGES)
PORTRAIT = Document("d", 1, DocumentKind.PROFILE, "He burned it.", subject="Bert")


def known(*more: Memory) -> Known:
    standing = standings((*MEMORIES, *more), GROUND)
    minds = EpistemicMapView(EpistemicMap(standing, participants=("Ada", "Bert", "Cora")))
    return Known(story(), standing, ENTITIES, (PORTRAIT,), minds, LAST)


def told(*, to_ada: bool = False) -> str:
    facts = known()
    if to_ada:
        return markdown(bible_of(facts, SpoilerFilter(facts, "Ada", GROUND)))
    return markdown(bible_of(facts))


def test_everything_known_stands_in_it() -> None:
    text = told()
    chapters = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert chapters == [
        "Scenes",
        "People",
        "Places and things",
        "What is remembered",
        "Timeline",
        "Open threads",
        "Secrets and errors",
    ]
    for sentence in (
        "### Scene 2: Under the hatch (#3 to #4)",
        "Also called the Fox.",
        "- **to Ada:** jealous *(#1)*",
        "- **from Ada:** Bert burned the wool ledger under the hatch *(#3)*",
        "- Cora learns from Bert: Bert burned the wool ledger under the hatch *(#4)*",
        "#### Wrongly believes\n\n- The tax men took it *(#1)*",
        "- Will Ada wait? — She does. *(#0 to #2)*",
        "- **accessibility:** locked *(#2)*",
    ):
        assert sentence in text


def test_what_another_chat_says_is_marked_as_that() -> None:
    """A page that others read told of people who never come in its story, and nothing said so."""
    elsewhere = (Source(2, "x1", "h"),)
    facts = known(
        Memory("f", 1, Tier.LONG_TERM, "fact", "The ferry sank in May.", sources=elsewhere),
        Memory(
            *("s", 1, Tier.EPISTEMIC, "hiding", "that the toll keeper forged the seal"),
            subject="Bert",
            sources=elsewhere,
        ),
    )
    text = markdown(bible_of(facts))
    assert "- The ferry sank in May. *(other chat)*" in text
    assert "The toll keeper forged the seal (other chat)" in text
    assert "The mill stands empty. *(#1)*" in text


def test_told_as_one_person_knows_it_nothing_spoils() -> None:
    text = told(to_ada=True)
    for spoiler in (
        *("burned", "ashes", "Fox", "jealous", "afraid", "hides", "Under the hatch"),
        *("red scarf", "Secrets", "Wrongly", "wrongly", "Does not know", "Cora learns"),
    ):
        assert spoiler not in text
    for known_to_her in (
        "Ada and Bert wait for the miller.",
        "Scene 2, elsewhere",
        "The mill stands empty.",
        "- **location:** at the mill *(#1)*",
        "The miller went to the fair",
        "Where is the miller?",
        "The tax men took it",
        "Told as Ada knows it",
    ):
        assert known_to_her in text
    # Cora was never seen by her.
    assert "### Cora" not in text


def test_who_told_a_secret_themselves_knows_it() -> None:
    facts = known(
        memory("own", Tier.EPISTEMIC, "knows", "that the bridge is rotten", 4, subject="Cora",
               told_by="Ada")
    )  # fmt: skip
    assert SpoilerFilter(facts, "Ada", GROUND).allows_text("The bridge is rotten.")


def test_a_story_without_memories_still_has_its_scenes() -> None:
    minds = EpistemicMapView(EpistemicMap(()))
    bare = Known(story(), (), (), (), minds, LAST)
    assert [part.title for part in bible_of(bare).parts] == ["Scenes"]


def test_a_lorebook_has_one_entry_for_each_memory_and_no_secret_of_minds() -> None:
    facts = known()
    entries = {e.name: e for e in lorebook_of(facts.memories, ENTITIES, ("Bert", "Ada"))}
    assert set(entries) == {"Bert", "Cora", "The mill", OTHERS}
    assert entries["Bert"].keywords == ("the Fox",)
    assert entries["The mill"].content == (
        "The mill stands empty.",
        "The mill, accessibility: locked.",
    )
    every = [line for entry in entries.values() for line in entry.content]
    assert len(every) == len(set(every)) == 8
    assert not any("hides" in line or "believes" in line for line in every)
    for_ada = lorebook_of(facts.memories, ENTITIES, ("Bert",), SpoilerFilter(facts, "Ada", GROUND))
    assert "burned" not in str(for_ada)
    assert "Fox" not in str(for_ada)


# --- files


class Reader(HTMLParser):
    """What a browser would show, and the elements that it would make."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


HEAD = ("html", "head", "meta", "title", "style", "body", "header", "nav", "main", "section")
OURS = frozenset((*HEAD, "h1", "h2", "h4", "p", "a", "ul", "li", "span"))
HOSTILE = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60).map(
    lambda text: f"<img src=x onerror=alert(1)>{text}</li><script>&amp;"
)


@given(HOSTILE)
def test_no_sign_of_a_story_is_markup_in_the_page(text: str) -> None:
    item = Item(text, lead=text, note=text)
    bible = Bible(text, (text,), (Part(text, (Block(text, (text,), (item,)),), note=text),))
    reader = Reader()
    reader.feed(html(bible))
    reader.close()
    assert reader.tags <= OURS
    assert reader.attributes <= {"charset", "http-equiv", "content", "name", "class", "id", "href"}
    assert reader.texts.count(text.strip()) == 11


@given(st.text(max_size=80))
def test_markdown_keeps_one_line_for_each_item(text: str) -> None:
    lines = markdown(Bible("T", (), (Part("P", (Block(items=(Item(text),)),)),))).splitlines()
    assert lines[:4] == ["# T", "", "## P", ""]
    assert len(lines) == 5


def test_markdown_shows_signs_as_they_are() -> None:
    text = markdown(Bible("T", (), (Part("P", (Block(text=("# no *head* [x](y) <b>",)),)),)))
    assert "\\# no \\*head\\* \\[x\\](y) \\<b\\>" in text
    assert "1\\. one" in markdown(Bible("T", (), (Part("P", (Block(text=("1. one",)),)),)))


def test_the_page_follows_the_light_prints_and_asks_for_nothing() -> None:
    page = html(Bible("T"))
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    assert "default-src 'none'" in page
    assert "http://" not in page
    assert "https://" not in page


# --- language


@pytest.fixture
def german() -> Iterator[None]:
    translation.use("de")
    yield
    translation.use(translation.ENGLISH)


def words_of_ours(text: str) -> set[str]:
    """What heads chapters, blocks and lines of a bible."""
    heads = re.findall(r"^(?:##|####) (.*)", text, re.MULTILINE)  # ### are the story's
    leads = re.findall(r"^- \*\*([^*]*):\*\*", text, re.MULTILINE)
    return {word for found in (*heads, *leads) for word in re.findall(r"[^\W\d_]+", found)}


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize("to_ada", [False, True])
def test_in_german_nothing_of_ours_is_english(to_ada: bool) -> None:
    in_german = told(to_ada=to_ada)
    translation.use(translation.ENGLISH)
    in_both = words_of_ours(in_german) & words_of_ours(told(to_ada=to_ada))
    assert in_both <= {"Ada", "Bert", "Cora"}


@pytest.mark.usefixtures("german")
def test_in_german_an_english_clause_stands_as_a_sentence() -> None:
    text = told()
    for sentence in (
        "### Szene 2: Under the hatch (#3 bis #4)",
        "- **gegenüber Ada:** jealous *(#1)*",
        "- **vor Ada:** Bert burned the wool ledger under the hatch *(#3)*",
        "- Cora erfährt von Bert: Bert burned the wool ledger under the hatch *(#4)*",
        "- Endet: Will Ada wait? — She does. *(#2)*",
    ):
        assert sentence in text
    assert " that " not in text


@pytest.mark.usefixtures("german")
def test_a_lorebook_is_english_for_models_and_german_for_people() -> None:
    facts = known()
    entries = {e.name: e for e in lorebook_of(facts.memories, ENTITIES, ("Bert",))}
    assert "Weitere Erinnerungen" in entries
    assert "The mill, accessibility: locked." in entries["The mill"].content


@pytest.mark.parametrize(
    ("kind", "more", "said"),
    [
        ("suspects", {}, "Cora begins to suspect: The miller lied"),
        ("hiding", {}, "Cora hides: The miller lied"),
        ("hiding", {"target": "Ada"}, "Cora hides from Ada: The miller lied"),
        ("unaware", {}, "Cora does not know: The miller lied"),
    ],
)
def test_the_timeline_says_in_words_how_somebody_stands_to_a_thing(
    kind: str, more: dict[str, str], said: str
) -> None:
    mind = memory("m", Tier.EPISTEMIC, kind, "that the miller lied", 2, subject="Cora", **more)
    assert said in markdown(bible_of(known(mind)))


def test_a_portrait_in_parts_is_told_part_by_part_under_its_headings() -> None:
    parts = {"core": "He keeps what he promises.", "worries": "", "own_words": "Never twice."}
    portrait = replace(PORTRAIT, sections=parts)
    text = markdown(bible_of(replace(known(), documents=(portrait,))))
    assert "He keeps what he promises." in text
    assert "own words" in text.casefold()
    assert "worries" not in text.casefold()


def test_what_others_lived_through_without_her_is_not_told_as_she_knows_it() -> None:
    """Not though it is of a scene that she saw, or of a chat that this one cannot look into."""
    elsewhere = (Source(7, "z1", "hash"),)
    facts = known(
        memory("aside", Tier.SESSION, "detail", "Cora left a pouch.", 1, witnessed_by=("Cora",)),
        memory("beside", Tier.SESSION, "detail", "Bert whistled twice.", 1, witnessed_by=("Ada",)),
        replace(
            memory("far", Tier.LONG_TERM, "event", "The ferry sank.", 1),
            sources=elsewhere,
            chat=7,
            character="mill",
        ),
    )
    whole = markdown(bible_of(facts))
    assert all(said in whole for said in ("Cora left a pouch", "Bert whistled", "The ferry sank"))
    hers = markdown(bible_of(facts, SpoilerFilter(facts, "Ada", GROUND)))
    assert "Bert whistled" in hers
    assert "Cora left a pouch" not in hers
    assert "The ferry sank" not in hers
