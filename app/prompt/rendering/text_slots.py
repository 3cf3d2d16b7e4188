"""The slots of longer texts: summary, scenes, profile, canon, repair. Pure.

Source: spec/smart-memory.md §16 (IJ1, IJ5, IJ8, IJ9, IJ12).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.memory.documents import canon, profiles, summary
from app.memory.documents.continuity import pending_repair
from app.memory.epistemic.propositions import content_words
from app.memory.reading.prose import cleaned, sections
from app.memory.records import Document, DocumentKind, EndReason, Memory, Tier
from app.memory.standing import BEFORE, Standing, Status
from app.memory.tiers.table import THREADS
from app.prompt.choosing.ages import is_of_then, scenes_after
from app.prompt.choosing.drafts import Draft, Entry
from app.prompt.choosing.framing import one_line
from app.prompt.choosing.notes import ALSO_NAMED, names_told
from app.prompt.choosing.worth import LEAST_DENIED, PASSING, SAME_VALUE
from app.prompt.headings import Headings
from app.prompt.occasion import Occasion
from app.prompt.rendering.memory_slots import EARLIER
from app.prompt.rendering.recap_slots import all_held_from, says_any
from app.prompt.slots import LeftOut, Reason
from app.settings.program import ProgramSettings
from app.settings.slot_table import SlotName
from app.story.recap_texts.pinned import pins_in
from app.story.recap_texts.recap_text import parse_recap
from app.story.recap_texts.sentences import is_inside_quotes, spans_in
from app.story.recaps import (
    IMPORTED,
    OTHER_EXTENSIONS,
    YOU,
    SceneRecap,
    injected_version,
)
from app.story.scenes import Scene
from app.story.story import Story

# Of a summary that is cut, what is so now outlasts what happened.
SUMMARY_RANK = ("moment", "scene", "present", "threads", "relationships", "revealed", "events")
PROFILE_TITLES = ("{name}, state:", "{name}, world:", "{name}, relationships:")
PORTRAIT_FIELDS = frozenset(
    {"goals", "posture", "fears", "loyalties", "location", "threats", "unresolved", "time"}
)
_OF_OTHERS = frozenset({YOU, IMPORTED}) | OTHER_EXTENSIONS
LASTING_FIELDS = frozenset({"fears", "loyalties"})  # of a portrait
# Of a portrait: gone with the scene of which they were said.
PASSING_FIELDS = frozenset({"goals", "posture", "location", "threats", "time"})
REPAIR_TEMPLATE = "[Correction for the next reply: {{repair}}]"


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, each as one line; what somebody says in quotes stays one."""
    found: list[str] = []
    for line in text.splitlines():
        begin = 0
        for _, end in spans_in(line):
            if not is_inside_quotes(line[begin:end], line[end:]):
                found.append(line[begin:end])
                begin = end
    return tuple(told for told in map(one_line, found) if told)


def short_draft(occasion: Occasion, running: str) -> Draft:
    """The rolling summary. running: text of the running recap's slot; where there is one, it
    stands in for the summary.
    """
    document = None if running else occasion.document(DocumentKind.SUMMARY, before=occasion.horizon)
    parts = summary.parts_of(document)
    entries: list[Entry] = []
    if document is not None and not parts:
        entries = [
            Entry(text, (place,), row="all") for place, text in enumerate(sentences(document.text))
        ]
    titles, say = list(summary.TITLES), occasion.headings.of
    for name in SUMMARY_RANK:
        told = list(enumerate(sentences(parts.get(name, ""))))
        # What happened last matters most; of a state the beginning does.
        for place, text in reversed(told) if name == "events" else told:
            at = (titles.index(name), place)
            entries.append(Entry(text, at, row=name, head=f"{say(summary.TITLES[name])}: "))
    if not entries and occasion.unread:
        entries = list(occasion.notes)
        if not occasion.is_read:
            visible = occasion.story.messages[occasion.unread.end :]
            names = names_told(occasion.told.entities, visible, say(ALSO_NAMED))
            entries = [*names, *entries]
    return Draft(
        SlotName.SHORT,
        tuple(entries),
        occasion.frame(SlotName.SHORT),
        "{{summary}}",
        joiner=" ",
    )


def scenes_draft(occasion: Occasion, running: str) -> Draft:
    """The recaps of the newest closed scenes, the oldest first; it loses the oldest first, then
    sentences. running: as above; what it says in the same words is not said again, nor are the
    scenes that it was made of. Of scenes that the prompt holds word for word only what the user
    wrote or pinned.
    """
    story = occasion.story
    told = {one_line(line).casefold() for line in running.splitlines()}
    version = injected_version(story.running, story.places) if running else None
    covered = story.places.get(version.last_anchor, -1) if version else -1
    entries: list[Entry] = []
    newest, held = _newest_scenes(occasion)
    left_out = [LeftOut(text, Reason.VISIBLE) for text in held]
    for rank, (scene, items) in enumerate(reversed(newest)):
        row, head = str(scene.number), f"{occasion.scene_number(scene)}: "
        worth = PASSING.of(len(occasion.story.messages) - 1 - scene.last)
        for place, text in enumerate(items):
            if scene.last <= covered or text.casefold() in told:
                left_out.append(LeftOut(text, Reason.ELSEWHERE))
                continue
            for part, sentence in enumerate(sentences(text)):
                at = (scene.number, place, part)
                entries.append(Entry(sentence, at, row=row, head=head, rank=rank, worth=worth))
    return Draft(
        SlotName.SCENES,
        tuple(entries),
        occasion.frame(SlotName.SCENES),
        "{{scenes}}",
        joiner=" ",
        left_out=tuple(left_out),
    )


def profiles_draft(occasion: Occasion) -> Draft:
    """The portrait of whoever answers. When cut, relationships stay longest, then the world. Of one
    that was made scenes ago only what lasts: other slots tell how things stand since. What is open
    the threads tell, where there are any.
    """
    document = None
    if occasion.memory.profiles_enabled and occasion.responder:
        kind, names = DocumentKind.PROFILE, occasion.responder_names
        document = occasion.document(kind, *names, before=occasion.horizon)
        if document and is_portrait_of_then(document, occasion.story):
            # Better that the head changes than that a new one waits while hardly any is told.
            document = occasion.document(kind, *names) or document
    parts: Mapping[str, str] = _profile_parts(document)
    left_out: list[LeftOut] = []
    if document:
        told = _told_of_portrait(parts, document, occasion.story)
        left_out = _left_out(parts, told, Reason.PAST, occasion.headings)
        parts = told
        if document.made_by != YOU and occasion.active(*THREADS):
            told = _without_fields(parts, frozenset({"unresolved"}))
            left_out += _left_out(parts, told, Reason.ELSEWHERE, occasion.headings)
            parts = told
    entries = [
        Entry(_portrait_line(line, occasion.headings), (group, place), group=group)
        for group in reversed(range(len(profiles.SECTIONS)))
        for place, line in enumerate(_lines_of(parts, profiles.SECTIONS[group]))
    ]
    name = one_line(occasion.responder)
    return Draft(
        SlotName.PROFILES,
        tuple(entries),
        occasion.frame(SlotName.PROFILES),
        "{{profiles}}",
        headings=tuple(occasion.headings.of(t).replace("{name}", name) for t in PROFILE_TITLES),
        left_out=tuple(left_out),
        is_elsewhere=document is not None and not occasion.told.is_written_here(document),
    )


def is_portrait_of_then(document: Document, story: Story) -> bool:
    """Whether a text is a portrait that was made scenes ago: prompts tell only what lasts of it."""
    if document.kind is not DocumentKind.PROFILE or document.made_by == YOU:
        return False
    place = story.places.get(document.until)
    return bool(document.sections) and place is not None and is_of_then(story, place)


def canon_draft(occasion: Occasion) -> Draft:
    """What whoever answers has lived through; it loses sentences from the end."""
    document = None
    # What a character lived through is none of the user's own words.
    if occasion.slots.canon_enabled and occasion.responder and not occasion.is_by_user:
        names, before = occasion.responder_names, occasion.horizon
        document = occasion.document(DocumentKind.CANON, *names, before=before)
        if document is None:  # a group may have one for all, under its own name
            group = occasion.story.chat.owner_name
            document = occasion.document(DocumentKind.CANON, group, before=before)
    entries: list[Entry] = []
    past: list[LeftOut] = []
    text = (document.text or canon.rendered(document.sections)) if document else ""
    for number, (head, paragraph) in enumerate(canon.paragraphs(text)):
        title = head.removesuffix(": ")
        shown = f"{occasion.headings.of(title)}: " if title else ""
        for place, told in enumerate(sentences(paragraph)):
            is_over = document is not None and _is_over(told, title, document, occasion)
            if is_over and title != canon.TITLES["history"]:
                past.append(LeftOut(told, Reason.PAST))
                continue
            row, at, then = f"{number}{is_over}", (number, place), int(is_over)
            entries.append(Entry(told, at, group=then, row=row, head=shown, is_whole=True))
    return Draft(
        SlotName.CANON,
        tuple(entries),
        occasion.frame(SlotName.CANON),
        "{{canon}}",
        headings=("", occasion.headings.of(EARLIER)),
        joiner=" ",
        left_out=tuple(past),
        is_elsewhere=document is not None and not occasion.told.is_written_here(document),
    )


def is_canon_of_then(document: Document, story: Story) -> bool:
    """Whether a canon was made scenes ago, in this chat: how things stood then is not told."""
    if document.kind is not DocumentKind.CANON or document.made_by == YOU:
        return False
    place = story.places.get(document.until)
    return place is not None and is_of_then(story, place)


def _is_over(told: str, title: str, document: Document, occasion: Occasion) -> bool:
    """Whether what a sentence of a canon tells changed after it was written: how things stood
    scenes ago, or what an ended memory said, a later one denies, or has another value now. Nothing
    overtakes the user's own words.
    """
    if document.made_by == YOU:
        return False
    if title == canon.TITLES["now"] and is_canon_of_then(document, occasion.story):
        return True
    is_own = document.chat == occasion.told.chat
    since = occasion.places.get(document.until, BEFORE) if is_own else BEFORE
    line = Memory("", occasion.told.chat, Tier.SESSION, "", told)
    return occasion.is_outdated(Standing(line, Status.ACTIVE, since)) or any(
        ended.end is not None and ended.end > since and _says(ended.memory, told, occasion)
        for ended in occasion.told.standings
        if ended.status is Status.ENDED
        and ended.ending is not None
        and ended.ending.reason in (EndReason.SUPERSEDED, EndReason.RETIRED)
    )


def _says(memory: Memory, told: str, occasion: Occasion) -> bool:
    """Whether a memory tells what a sentence tells, in much the same words."""
    if memory.tier not in (Tier.LONG_TERM, Tier.SESSION):
        return False
    own, words = (content_words(text, occasion.common) for text in (memory.text, told))
    return len(own) >= LEAST_DENIED and len(own & words) >= SAME_VALUE * max(len(own), len(words))


def repair_draft(occasion: Occasion) -> Draft:
    """The correction that waits for the next reply; for no other member of a group's round."""
    document = pending_repair(occasion.told.documents, occasion.story.messages)
    text = one_line(document.text) if document and not occasion.turn.is_behind else ""
    entries = (Entry(text, (0,)),) if text else ()
    frame = occasion.headings.of(REPAIR_TEMPLATE)
    return Draft(SlotName.REPAIR, entries, frame, "{{repair}}")


def _newest_scenes(
    occasion: Occasion,
) -> tuple[list[tuple[Scene, Sequence[str]]], Sequence[str]]:
    """The scenes to tell of, the oldest first, with what happened in each; and what the prompt
    holds of as many newer ones itself.
    """
    if not occasion.slots.scenes_enabled:
        return [], ()
    found: list[tuple[Scene, Sequence[str]]] = []
    held: list[str] = []
    shown, skipped = occasion.slots.scenes_shown, 0
    pins = pins_in(ProgramSettings(occasion.settings).recap_pins)
    for scene in reversed(occasion.story.scenes):
        recap = occasion.story.scene_recap(scene)
        if recap is None or not recap.text.strip():
            continue
        items = _told_of(recap)
        if _is_held(occasion, scene, recap):
            own = [pin.text for pin in pins if pin.subject == recap.anchor]
            kept = [item for item in items if says_any(item, own)]
            if skipped < shown:
                held += [item for item in items if item not in kept]
            skipped, items = skipped + 1, kept
        if items:
            found.append((scene, items))
        if len(found) == shown:
            break
    return found[::-1], held


def _is_held(occasion: Occasion, scene: Scene, recap: SceneRecap) -> bool:
    """Whether the prompt itself holds every message that a recap tells of, in which nobody but a
    model or rules wrote.
    """
    story, first = occasion.story, occasion.visible_from
    is_counted = len(story.message_tokens) >= len(story.messages)
    if first is None or not is_counted or recap.made_by in _OF_OTHERS:
        return False
    return scene.first >= max(first, all_held_from(story, scene.last + 1, first))


def _told_of(recap: SceneRecap) -> Sequence[str]:
    """What happened in a scene; how things stood then is not told any more."""
    parts = parse_recap(recap.text)
    return [one_line(item) for item in parts.developments or (*parts.open, *parts.state)]


def _profile_parts(document: Document | None) -> dict[str, str]:
    if document is None:
        return {}
    parts = dict(document.sections) or sections(cleaned(document.text), profiles.NAMES)
    return parts or {profiles.SECTIONS[0]: document.text}


def _portrait_line(line: str, headings: Headings) -> str:
    """A line of a portrait in the story's language, without what is said of how sure it is."""
    label, colon, told = one_line(profiles.without_figures(line)).partition(":")
    is_field = label.casefold() in PORTRAIT_FIELDS
    return f"{headings.of(label.casefold()) if is_field else label}{colon}{told}"


def _told_of_portrait(
    parts: Mapping[str, str], document: Document, story: Story
) -> Mapping[str, str]:
    """Of a portrait's lines by section those that hold still: of one that was made scenes ago what
    is so beyond a scene, once another scene has begun all but where somebody is and what they are
    about to do.
    """
    place = story.places.get(document.until)
    if document.made_by == YOU or not document.sections or place is None:
        return parts
    if is_of_then(story, place):
        state = profiles.SECTIONS[0]
        kept = [line for line in _lines_of(parts, state) if _field_of(line) in LASTING_FIELDS]
        return {state: "\n".join(kept)}
    if not scenes_after(story, place):
        return parts
    return _without_fields(parts, PASSING_FIELDS)


def _without_fields(parts: Mapping[str, str], fields: frozenset[str]) -> Mapping[str, str]:
    return {
        section: "\n".join(
            line for line in _lines_of(parts, section) if _field_of(line) not in fields
        )
        for section in parts
    }


def _left_out(
    parts: Mapping[str, str], told: Mapping[str, str], reason: Reason, headings: Headings
) -> list[LeftOut]:
    return [
        LeftOut(_portrait_line(line, headings), reason)
        for section in profiles.SECTIONS
        for line in _lines_of(parts, section)
        if line not in _lines_of(told, section)
    ]


def _lines_of(parts: Mapping[str, str], section: str) -> list[str]:
    return [line for line in parts.get(section, "").splitlines() if line.strip()]


def _field_of(line: str) -> str:
    return line.partition(":")[0].strip().casefold()
