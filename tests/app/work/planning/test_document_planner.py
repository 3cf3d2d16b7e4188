"""Longer texts are planned when what they are made of has changed, and no oftener."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from app.core.operations import OperationKind, OperationSpec
from app.memory.arcs.arc_summaries import summaries
from app.memory.documents.canon import canon_digest, canon_inputs
from app.memory.documents.profiles import subjects
from app.memory.epistemic.presence_record import presence_document
from app.memory.reading.answers import read_answer
from app.memory.reading.extraction import Work
from app.memory.reading.windows import Window
from app.memory.records import (
    ARC,
    Document,
    DocumentKind,
    Ending,
    EndReason,
    Memory,
    Remembered,
    Source,
    Tier,
)
from app.memory.standing import Ground
from app.settings.values import Settings
from app.story.messages import Message, digest
from app.story.recaps import YOU, RunningRecap, RunningVersion
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.story.story import ChatKind, ChatRef, Story
from app.work.planning.document_material import DocumentMaterial
from app.work.planning.document_planner import canon_spec, plan_documents
from app.work.planning.writing import Writing

MODEL = Writing("openai:m@http://localhost", "1", is_free=False, context_tokens=8192)
SMALL = replace(MODEL, spec="ollama:m")
CHAT = ChatRef(Path("a.jsonl"), ChatKind.SOLO, "A", speakers=("Mira",))


def messages(length: int) -> tuple[Message, ...]:
    texts = [f"This is message {number}." for number in range(length)]
    return tuple(
        Message(f"m{n}", digest(text), "Mira" if n % 2 else "Ana", text, is_user=n % 2 == 0)
        for n, text in enumerate(texts)
    )


def story(length: int = 20, *ends: int, tokens: int = 10) -> Story:
    told = messages(length)
    breaks = {f"m{end}": SceneBreak(f"m{end}", BreakOrigin.HEURISTIC) for end in ends}
    return Story(
        CHAT,
        told,
        breaks=breaks,
        scenes=scenes_of(told, breaks),
        message_tokens=(tokens,) * length,
    )


def source(number: int) -> Source:
    return Source(1, f"m{number}", digest(f"This is message {number}."))


def facts(count: int, *, start: int = 0) -> tuple[Memory, ...]:
    return tuple(
        Memory(f"f{n}", 1, Tier.LONG_TERM, "fact", f"Mira owns thing {n}.", sources=(source(1),))
        for n in range(start, start + count)
    )


def arc(number: int, end: int = 5) -> Memory:
    ending = Ending(EndReason.RESOLVED, sources=(source(end),), text="It was found.")
    return Memory(
        f"a{number}",
        1,
        Tier.ARCS,
        ARC,
        f"Where is thing {number}?",
        sources=(source(1),),
        endings=(ending,),
    )


def chat(
    of: Story,
    *memories: Memory,
    documents: tuple[Document, ...] = (),
    writing: Writing = MODEL,
    is_read: bool = True,
    context: int = 8192,
    **settings: Any,
) -> DocumentMaterial:
    wanted: Mapping[str, Any] = Settings().for_chat(1) | settings
    return DocumentMaterial(
        of,
        1,
        Remembered(memories, documents=documents),
        Ground.of(1, of.messages),
        wanted,
        writing,
        context,
        is_read,
    )


def planned(of: DocumentMaterial) -> dict[OperationKind, OperationSpec]:
    specs = plan_documents(of)
    assert len({spec.kind for spec in specs}) == len(specs)
    return {spec.kind: spec for spec in specs}


def document(spec: OperationSpec, kind: DocumentKind, subject: str = "", **more: Any) -> Document:
    return Document(f"{spec.key}{subject}", 1, kind, "Text.", subject=subject, **more)


def test_without_a_model_nothing_is_planned() -> None:
    free = replace(MODEL, spec="builtin", is_free=True)
    full = chat(story(20, 9), *facts(9), arc(1), writing=free, continuity_auto=True)
    assert plan_documents(full) == ()


def test_what_is_made_of_memories_waits_until_all_is_read() -> None:
    unread = chat(story(20, 9), *facts(9), arc(1), is_read=False, continuity_auto=True)
    assert set(planned(unread)) == {OperationKind.CONTINUITY}


def test_resolved_arcs_are_summed_up_once_and_together() -> None:
    before = chat(story(), arc(1), arc(2, 7), arc(3, 9))
    spec = planned(before)[OperationKind.ARC_SUMMARY]
    assert spec.params["arcs"] == ["a1", "a2", "a3"]
    assert spec.anchor == "m9"
    done = tuple(
        document(spec, DocumentKind.ARC_SUMMARY, one.memory.id, inputs=one.digest, until="m9")
        for one in before.resolved
    )
    assert OperationKind.ARC_SUMMARY not in planned(chat(story(), arc(1), documents=done))
    soon = chat(story(), arc(1, 8), documents=done)
    assert OperationKind.ARC_SUMMARY not in planned(soon)  # what came a moment ago is told so far
    again = chat(story(80), arc(1, 8), documents=done)
    assert planned(again)[OperationKind.ARC_SUMMARY].key != spec.key
    assert OperationKind.ARC_SUMMARY not in planned(chat(story(), arc(1), arcs_enabled=False))


@pytest.mark.parametrize(
    ("count", "requests"), [(4, [4]), (7, [5]), (9, [5]), (10, [5, 5]), (11, [6, 5]), (13, [8, 5])]
)
def test_many_resolved_arcs_take_few_requests(count: int, requests: list[int]) -> None:
    """Each tells the same scenes; a few that are left wait for others."""
    arcs, done = [arc(n) for n in range(count)], tuple[Document, ...]()
    asked = list[int]()
    while spec := planned(now := chat(story(), *arcs, documents=done)).get(
        OperationKind.ARC_SUMMARY
    ):
        taken = [a for a in now.resolved if a.memory.id in spec.params["arcs"]]
        asked.append(len(taken))
        done += tuple(
            document(spec, DocumentKind.ARC_SUMMARY, a.memory.id, inputs=a.digest, until="m5")
            for a in taken
        )
    assert asked == requests


def test_portraits_are_made_when_a_scene_has_closed() -> None:
    assert OperationKind.PROFILE not in planned(chat(story(20), *facts(5)))
    closed = chat(story(20, 9), *facts(5))
    spec = planned(closed)[OperationKind.PROFILE]
    assert spec.params["names"] == ["Mira"]  # the user is nobody's character
    off = chat(story(20, 9), *facts(5), profiles_enabled=False)
    assert OperationKind.PROFILE not in planned(off)


def test_portraits_come_within_a_scene_only_by_wish_and_with_a_capable_model() -> None:
    kept = Document("k", 1, DocumentKind.PROFILE, "x", subject="Mira", until="m4", inputs="old")

    def is_due(length: int, **more: Any) -> bool:
        of = chat(story(length), *facts(5), documents=(kept,), **more)
        return OperationKind.PROFILE in planned(of)

    assert not is_due(20)
    assert is_due(20, profiles_every=10)
    assert not is_due(14, profiles_every=10)
    assert not is_due(20, profiles_every=10, writing=SMALL)
    assert not is_due(20, profiles_every=10, profiles_enabled=False)


def test_no_portrait_is_made_of_whom_the_user_has_written_one_as_long_as_it_stands() -> None:
    kept = Document("k", 1, DocumentKind.PROFILE, "x", subject="Mira", until="m4", inputs="old")

    def is_due(document: Document) -> bool:
        of = chat(story(20), *facts(5), documents=(document,), profiles_every=10)
        return OperationKind.PROFILE in planned(of)

    assert is_due(kept)
    assert not is_due(replace(kept, made_by=YOU))
    assert is_due(replace(kept, made_by=YOU, until="gone"))  # prompts tell nothing of it either


def test_portraits_grow_stale_by_the_clock_where_that_is_wanted() -> None:
    kept = Document(
        "k", 1, DocumentKind.PROFILE, "x", subject="Mira", until="m4", inputs="old", created=1000.0
    )

    def is_due(minutes: float, stale: int, length: int = 8) -> bool:
        of = chat(story(length), *facts(3), documents=(kept,), profiles_stale=stale)
        return OperationKind.PROFILE in planned(replace(of, now=1000.0 + minutes * 60))

    assert is_due(31, 30)
    assert not is_due(29, 30)
    assert not is_due(600, 0)
    assert not is_due(31, 30, length=5)  # nothing was played since


def test_a_text_is_planned_by_the_model_of_its_kind() -> None:
    free = replace(MODEL, spec="builtin", is_free=True)
    mixed = replace(free, others={OperationKind.PROFILE: MODEL})
    specs = planned(chat(story(20, 9), *facts(5), writing=mixed, continuity_auto=True))
    assert set(specs) == {OperationKind.PROFILE}
    assert (
        specs[OperationKind.PROFILE].key
        == planned(chat(story(20, 9), *facts(5)))[OperationKind.PROFILE].key
    )


def test_a_portrait_is_made_anew_when_both_scene_and_memories_went_on() -> None:
    def with_kept(of: Story, count: int, inputs: str) -> dict[OperationKind, OperationSpec]:
        kept = Document("p", 1, DocumentKind.PROFILE, "x", subject="Mira", until="m10")
        return planned(chat(of, *facts(count), documents=(replace(kept, inputs=inputs),)))

    assert OperationKind.PROFILE not in with_kept(story(40, 9), 5, "other")  # no scene since
    assert OperationKind.PROFILE not in with_kept(story(20, 9, 15), 5, "other")  # nor enough
    assert OperationKind.PROFILE in with_kept(story(80, 9, 15), 5, "other")
    # Prompts tell hardly anything of it any more, though few messages have come.
    assert OperationKind.PROFILE in with_kept(story(60, 9, 20, 30, 50), 5, "other")


def test_the_same_portrait_wanted_again_later_is_other_work() -> None:
    first = planned(chat(story(20, 9), *facts(5)))[OperationKind.PROFILE]
    old = document(first, DocumentKind.PROFILE, "Mira", until="m10", inputs="of other memories")
    later = planned(chat(story(80, 9, 15), *facts(5), documents=(old,)))[OperationKind.PROFILE]
    assert later.key != first.key


def summed_up(at: float = 5.0, *, number: int = 1) -> tuple[Memory, Document]:
    resolved = chat(story(), arc(number)).resolved[0]
    kept = Document(
        f"s{number}",
        1,
        DocumentKind.ARC_SUMMARY,
        "They found it.",
        subject=resolved.memory.id,
        inputs=resolved.digest,
        created=at,
    )
    return resolved.memory, kept


def test_canon_follows_an_arc_that_was_summed_up() -> None:
    memory, summary = summed_up()
    before = chat(story(), memory, documents=(summary,))
    assert OperationKind.CANON in planned(before)
    assert OperationKind.CANON not in planned(chat(story(), memory))  # the summary comes first
    spec = canon_spec(before, before.owner_name)
    kept = Document("c", 1, DocumentKind.CANON, "x", created=6.0)
    assert OperationKind.CANON not in planned(chat(story(), memory, documents=(summary, kept)))
    older = replace(kept, created=4.0)
    again = planned(chat(story(), memory, documents=(summary, older)))[OperationKind.CANON]
    assert again.key != spec.key
    own = replace(older, made_by=YOU)  # nothing takes its place by itself
    assert OperationKind.CANON not in planned(chat(story(), memory, documents=(summary, own)))


def test_canon_by_itself_is_for_capable_models_and_for_who_wants_it() -> None:
    memory, summary = summed_up()
    for changed in ({"writing": SMALL}, {"canon_auto": False}, {"hardware_profile": "a"}):
        of = chat(story(), memory, documents=(summary,), **changed)
        assert OperationKind.CANON not in planned(of)


GROUP = ChatRef(Path("g.jsonl"), ChatKind.GROUP, "g", "7", "The Crew", ("Mira", "Bo", "Ash"))


def crew(
    *memories: Memory, documents: tuple[Document, ...] = (), **settings: Any
) -> DocumentMaterial:
    """A group's chat: Mira speaks in the first scene, Bo in the second, Ash nowhere."""
    of = story(20, 9)
    told = tuple(
        structs.replace(m, name="Bo") if n > 9 and not m.is_user else m
        for n, m in enumerate(of.messages)
    )
    return chat(replace(of, chat=GROUP, messages=told), *memories, documents=documents, **settings)


def test_each_member_of_a_group_has_a_canon_of_what_they_were_there_for() -> None:
    early, first = summed_up()
    late, second = summed_up(number=2)
    ending = replace(late.endings[0], sources=(source(13),))
    late = replace(late, sources=(source(11),), endings=(ending,))
    digest_of = {arc.memory.id: arc.digest for arc in crew(late).resolved}
    second = replace(second, inputs=digest_of["a2"])
    of = crew(early, late, documents=(first, second))
    assert set(of.canon_owners) == {"Mira", "Bo"}  # who never spoke has lived through nothing
    assert [d.id for d in of.canon_summaries("Mira")] == ["s1"]
    assert [d.id for d in of.canon_summaries("Bo")] == ["s2"]
    specs = [spec for spec in plan_documents(of) if spec.kind is OperationKind.CANON]
    assert {spec.params["name"] for spec in specs} == {"Mira", "Bo"}
    assert len({spec.key for spec in specs}) == 2
    kept = Document("c", 1, DocumentKind.CANON, "x", subject="Bo", created=9.0)
    (left,) = (
        spec
        for spec in plan_documents(crew(early, late, documents=(first, second, kept)))
        if spec.kind is OperationKind.CANON
    )
    assert left.params["name"] == "Mira"


def test_a_canon_in_a_group_is_made_of_what_its_member_witnessed() -> None:
    ours = replace(facts(1)[0], witnessed_by=("Ana", "Mira", "Bo"))
    theirs = replace(facts(1, start=1)[0], witnessed_by=("Ana", "Bo"))
    ours = replace(ours, sources=(source(3), source(13)))
    theirs = replace(theirs, sources=(source(13),))
    of = crew(ours, theirs)
    assert [m.id for m in of.memories_of("Mira")] == ["f0"]
    assert [m.id for m in of.memories_of("Bo")] == ["f0", "f1"]


def test_who_was_there_is_seen_by_message_where_a_reading_noted_it() -> None:
    """A reading of several scenes takes all who speak in it for witnesses of all that it notes."""

    def noted(lines: str) -> tuple[Document, ...]:
        told = crew().story.messages
        work = Work("work", 1, "", "model", 1.0)
        made = presence_document(read_answer(lines).presence, Window(1, told), work)
        assert made is not None
        return (made,)

    def of_bo(at: int, *documents: Document) -> list[str]:
        everybody = ("Ana", "Mira", "Bo")
        memory = replace(facts(1)[0], witnessed_by=everybody, sources=(source(at),))
        return [m.id for m in crew(memory, documents=documents).memories_of("Bo")]

    assert of_bo(16) == ["f0"]
    assert of_bo(3) == [], "he speaks in the other scene only"
    # Messages of a reading are counted from 1.
    assert of_bo(3, *noted("[present:sources=3] Mira, Ana, Bo | mill")) == ["f0"]
    assert of_bo(10, *noted("[present:sources=11] Ana, Ash | mill")) == []
    assert of_bo(16, *noted("[leave:sources=16] Bo | mill")) == []


def test_a_canon_in_a_group_tells_no_plot_whose_end_its_member_missed() -> None:
    """It began before them, and they learned neither how it went on nor how it ended."""
    begun, summary = summed_up()
    ending = replace(begun.endings[0], sources=(source(13),), text="The stolen lantern burned.")
    begun = replace(begun, endings=(ending,))
    kept = replace(summary, inputs=crew(begun).resolved[0].digest)
    of = crew(begun, documents=(kept,))
    assert [d.id for d in of.canon_summaries("Mira")] == []
    assert [d.id for d in of.canon_summaries("Bo")] == ["s1"]
    told = Memory(
        "k", 1, Tier.EPISTEMIC, "knows", "that the stolen lantern burned", subject="Mira",
        sources=(source(15),),
    )  # fmt: skip
    of = crew(begun, told, documents=(kept,))
    assert [d.id for d in of.canon_summaries("Mira")] == ["s1"]


def test_a_canon_in_a_group_holds_what_came_to_light_before_its_member_only() -> None:
    def found(number: int, at: int) -> Memory:
        text = f"Thing {number} is a forgery."
        return Memory(
            f"r{number}", 1, Tier.SESSION, "revelation", text, importance=3, sources=(source(at),)
        )

    of = crew(found(1, 3), found(2, 13))
    assert [m.id for m in of.memories_of("Mira")] == ["r1"]
    assert [m.id for m in of.memories_of("Bo")] == ["r2"]
    assert (
        canon_inputs("Bo", "", [], of.memories_of("Bo"), room=400, tokens=200, count=len)[
            "memories"
        ]
        == "- [revelation] Thing 2 is a forgery."
    )


def test_a_canon_tells_what_only_gave_way_to_weightier_memories() -> None:
    """Nothing says that it is over, and a history is of what was."""
    kept, aside, over = facts(3)
    aside = replace(aside, endings=(Ending(EndReason.OUTRANKED, sources=(source(15),)),))
    over = replace(over, endings=(Ending(EndReason.RETIRED, sources=(source(15),)),))
    of = chat(story(), kept, aside, over)
    assert [m.id for m in of.memories_of("Mira")] == ["f0", "f1"]


def test_outside_of_sillytavern_who_speaks_has_the_canon() -> None:
    outside = chat(replace(story(), chat=ChatRef(Path("g.jsonl"), ChatKind.FILE, "g")))
    assert outside.canon_owners == ("Mira",)


def test_a_summary_of_another_chat_alone_makes_no_canon() -> None:
    _, summary = summed_up()
    elsewhere = replace(summary, chat=2)
    assert OperationKind.CANON not in planned(chat(story(), documents=(elsewhere,)))


def test_each_reply_at_the_end_is_checked_once_where_that_is_wanted() -> None:
    assert OperationKind.CONTINUITY not in planned(chat(story(20), *facts(3)))
    wanted = chat(story(20), *facts(3), continuity_auto=True)
    spec = planned(wanted)[OperationKind.CONTINUITY]
    assert spec.anchor == "m19"
    checked = Document(
        "k",
        1,
        DocumentKind.CONTINUITY,
        "",
        until="m19",
        inputs=story(20).messages[19].content_hash,
    )
    done = chat(story(20), *facts(3), documents=(checked,), continuity_auto=True)
    assert OperationKind.CONTINUITY not in planned(done)
    for small in ({"writing": SMALL}, {"hardware_profile": "a"}):  # only when asked for
        of_small = chat(story(20), *facts(3), continuity_auto=True, **small)
        assert OperationKind.CONTINUITY not in planned(of_small)
    for of in (story(19), story(1)):  # the user wrote last; a greeting alone
        assert OperationKind.CONTINUITY not in planned(chat(of, *facts(3), continuity_auto=True))


def test_keywords_are_asked_for_many_memories_at_once() -> None:
    assert OperationKind.TRIGGERS not in planned(chat(story(), *facts(4)))
    first = planned(chat(story(), *facts(5)))[OperationKind.TRIGGERS]
    assert first.params["memories"] == [f"f{n}" for n in range(5)]
    spec = planned(chat(story(), *facts(30)))[OperationKind.TRIGGERS]
    assert spec.params["memories"] == [f"f{n}" for n in range(24)]
    small = chat(story(), *facts(30), writing=SMALL)
    assert OperationKind.TRIGGERS not in planned(small)
    wanted = chat(story(), *facts(30), writing=SMALL, triggers_enabled=True)
    assert OperationKind.TRIGGERS in planned(wanted)


def test_memories_that_do_not_hold_get_no_keywords() -> None:
    gone = tuple(replace(fact, sources=(Source(1, "gone"),)) for fact in facts(30))
    assert OperationKind.TRIGGERS not in planned(chat(story(), *gone))


def test_a_summary_comes_when_the_context_fills_up_and_no_recap_tells_of_it() -> None:
    full = story(40, tokens=200)
    assert OperationKind.SUMMARY not in planned(chat(full, context=20_000))
    spec = planned(chat(full, context=8192))[OperationKind.SUMMARY]
    assert spec.params["anchors"][0] == "m0"
    assert len(spec.params["anchors"]) == 20  # half of the model's context
    version = RunningVersion(0, "All of it.", 1, "", "m29", "m", 1.0)
    told = replace(full, running=RunningRecap((version,), 0))
    assert OperationKind.SUMMARY not in planned(chat(told, context=8192))


@pytest.mark.parametrize(("context", "is_due"), [(11_749, True), (11_750, True), (11_751, False)])
def test_a_summary_is_due_at_its_share_of_the_context(context: int, is_due: bool) -> None:
    """Spec §6: at 80 % of what the summary leaves; the trailing reply counts for nothing."""
    full = story(40, tokens=200)  # 39 settled messages
    assert (OperationKind.SUMMARY in planned(chat(full, context=context))) is is_due


def test_no_summary_of_what_the_running_recap_is_about_to_tell() -> None:
    of = chat(story(40, 9, 19, 29, tokens=200))
    assert OperationKind.SUMMARY not in planned(of)
    off = chat(story(40, 9, 19, 29, tokens=200), running_recap_auto=False)
    assert OperationKind.SUMMARY in planned(off)


def test_a_long_story_is_summed_up_by_itself_only_once_that_has_begun() -> None:
    backlog = story(200, tokens=200)
    assert OperationKind.SUMMARY not in planned(chat(backlog))
    begun = Document("s", 1, DocumentKind.SUMMARY, "1. Scene: x", until="m9")
    assert OperationKind.SUMMARY in planned(chat(backlog, documents=(begun,)))


def test_a_summary_goes_on_behind_the_one_before() -> None:
    before = Document("s", 1, DocumentKind.SUMMARY, "1. Scene: x", until="m9")
    of = chat(story(60, tokens=200), documents=(before,), context=8192)
    assert planned(of)[OperationKind.SUMMARY].params["anchors"][0] == "m10"


@pytest.mark.pitfall(53)
def test_a_trailing_reply_may_be_swiped_and_is_not_summed_up() -> None:
    of = chat(story(10, tokens=200), context=2000, summary_tokens=500)
    anchors = planned(of)[OperationKind.SUMMARY].params["anchors"]
    assert anchors[-1] == "m8"


def test_a_hundred_messages_cost_few_requests() -> None:
    """Ten scenes, four resolved arcs, fifty memories: what is asked beside the readings."""
    documents: tuple[Document, ...] = ()
    named: frozenset[str] = frozenset()
    requests = 0
    for end in range(4, 101, 2):
        of_story = story(end, *range(9, end - 1, 10))
        arcs = [arc(n, 20 * n) for n in range(1, 5) if 20 * n < end - 1]
        while True:
            known = [replace(f, triggers=("x",)) if f.id in named else f for f in facts(end // 2)]
            specs = plan_documents(now := chat(of_story, *known, *arcs, documents=documents))
            if not specs:
                break
            requests += 1
            named |= set(specs[0].params.get("memories", ()))
            documents += made_by(specs[0], now, requests)
    assert 8 <= requests <= 12


def made_by(spec: OperationSpec, of: DocumentMaterial, at: int) -> tuple[Document, ...]:
    """The texts that a piece of work would make."""
    made = {
        OperationKind.PROFILE: [(s.name, s.digest) for s in subjects(["Mira"], of.active)],
        OperationKind.ARC_SUMMARY: [(a.memory.id, a.digest) for a in of.resolved],
        OperationKind.CANON: [("Mira", canon_digest(summaries(of.documents, of.resolved, 1)))],
    }
    return tuple(
        Document(
            f"{at}{subject}",
            1,
            DocumentKind(spec.kind.value),
            "Text.",
            subject=subject,
            until=of.story.messages[-1].anchor,
            inputs=inputs,
            created=float(at),
        )
        for subject, inputs in made.get(spec.kind, [])
    )
