"""Longer texts from a model on a real socket into a real database, whole or not at all."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.core.errors import AnswerUnusable, OperationOutdated
from app.core.operations import Operation, OperationKind, OperationSpec, OperationStatus, Outcome
from app.llm.writers.builtin import BuiltinWriter
from app.llm.writers.factory import make_writer
from app.llm.writers.writer import RecapWriter
from app.memory.arcs.arc_summaries import VERDICT
from app.memory.documents.continuity import pending_repair
from app.memory.documents.profiles import Subject
from app.memory.lifecycle.derived_documents import by_subject
from app.memory.records import (
    ARC,
    Document,
    DocumentKind,
    Ending,
    EndReason,
    Grounding,
    Memory,
    MemoryChange,
    Source,
    Tier,
)
from app.prompt.tokens import EstimatingCounter
from app.settings.values import Settings
from app.sillytavern.data_folders import chat_ref_for
from app.store.kept_answers import KeptInStore
from app.store.memory.memories import FORGOTTEN
from app.store.store import Store
from app.story.recaps import YOU
from app.story.scenes import BreakOrigin, SceneBreak
from app.work.chats.open_chat import OpenChat
from app.work.chats.token_count_cache import TokenCountCache
from app.work.jobs.document_making import DocumentMaker, document_material
from app.work.jobs.services import JobServices
from app.work.pages.absence import away_recap
from app.work.planning.document_planner import (
    arc_summary_spec,
    canon_spec,
    continuity_spec,
    plan_by_hand,
    plan_documents,
    profile_spec,
    summary_spec,
    trigger_spec,
)
from app.work.planning.writing import Writing
from tests.chat_files import message, write_chat
from tests.fakes import FakeLlm

pytestmark = pytest.mark.asyncio

ARCS = "[1: RESOLVED] Mira sought the ring, found it in the mill and gave it back."
PROFILE = "[PROFILE Mira]\n[character_state]\ngoals: find the boat\n[world_state]\nlocation: mill"
CANON = "Identity: Mira is a miller.\n\nHistory: She found the ring.\n\nNow: She rests at home."
MIRA, THING = Subject("Mira", "a", 3), Subject("Thing", "b", 3)
SUMMARY = "[SUMMARY]\n1. Scene: The mill.\n2. Present: Mira.\n3. Events: They met.\n[/SUMMARY]"


@dataclass
class Bench:
    """One open chat, its store, and a model that answers what `answers` says."""

    store: Store
    chat: OpenChat
    llm: FakeLlm
    writer: RecapWriter
    settings: Settings
    path: Path
    answers: dict[str, str] = field(default_factory=dict)
    now: float = 100.0

    @property
    def writing(self) -> Writing:
        return Writing(
            self.writer.spec, "1", is_free=False, context_tokens=8192, versions=self.writer.versions
        )

    @property
    def document_maker(self) -> DocumentMaker:
        async def chat_of(chat_id: int) -> OpenChat:
            return self.chat

        services = JobServices(
            self.store,
            chat_of,
            lambda kind: self.writer,
            lambda: self.writing,
            EstimatingCounter().count,
        )
        return DocumentMaker(services)

    @property
    def about(self) -> Any:
        return document_material(self.chat, self.writing)

    def source(self, index: int) -> Source:
        told = self.chat.story.messages[index]
        return Source(self.chat.chat_id, told.anchor, told.content_hash)

    def fact(self, number: int, text: str = "", **more: Any) -> Memory:
        text = text or f"Mira owns thing number {number}."
        made = Memory(
            f"f{number}", self.chat.chat_id, Tier.LONG_TERM, "fact", text, sources=(self.source(1),)
        )
        return replace(made, **more)

    def arc(self, number: int = 1) -> Memory:
        ending = Ending(EndReason.RESOLVED, sources=(self.source(5),), text="It was given back.")
        return self.fact(
            100 + number, "Where is the ring?", tier=Tier.ARCS, type=ARC, endings=(ending,)
        )

    async def remember(self, *memories: Memory, documents: tuple[Document, ...] = ()) -> None:
        change = MemoryChange(memories, documents=documents)
        await self.store.run(lambda: self.store.memories.write(change))
        await self.chat.refresh()

    async def edit_message(self, index: int, text: str) -> None:
        write_chat(self.path, [message(n, text if n == index else "") for n in range(12)])
        await self.chat.read()

    async def perform(self, spec: OperationSpec, number: int = 1) -> Outcome:
        self.now += 1
        operation = Operation(number, spec, OperationStatus.RUNNING, created=self.now)
        outcome = await self.document_maker.perform(operation)
        await self.chat.refresh()
        return outcome

    def kept(self, kind: DocumentKind, subject: str | None = None) -> list[Document]:
        return [
            d
            for d in self.chat.remembered.documents
            if d.kind is kind and subject in (None, d.subject)
        ]

    def memory(self, id_: str) -> Memory:
        return next(m for m in self.chat.remembered.memories if m.id == id_)


@pytest_asyncio.fixture
async def bench(store: Store, tmp_path: Path) -> AsyncIterator[Bench]:
    path = tmp_path / "chats" / "Mira" / "story.jsonl"
    write_chat(path, [message(n) for n in range(12)])
    settings = Settings()
    chat_id = await store.run(lambda: store.chats.id_of(str(path)))
    chat = OpenChat(
        chat_ref_for(path),
        chat_id,
        store,
        TokenCountCache(store, EstimatingCounter()),
        (),
        settings.for_chat,
        lambda change: None,
    )
    chat.keeps_memory = True
    await chat.read()
    with FakeLlm() as llm:
        writer = make_writer(f"openai:m@{llm.url}", count_tokens=EstimatingCounter().count)
        made = Bench(store, chat, llm, writer, settings, path)
        llm.reply = lambda request: next(
            (text for words, text in made.answers.items() if words in request.text), "What?"
        )
        yield made
        await writer.aclose()


async def test_an_arc_that_is_over_is_summed_up(bench: Bench) -> None:
    await bench.remember(bench.arc(), bench.fact(1, "The ring was found in the mill."))
    bench.answers = {"For each thread": ARCS}
    (spec,) = plan_documents(bench.about)
    outcome = await bench.perform(spec)
    (kept,) = bench.kept(DocumentKind.ARC_SUMMARY)
    assert (kept.subject, kept.text) == ("f101", ARCS.partition("] ")[2])
    assert kept.until == bench.chat.story.messages[5].anchor
    assert kept.made_by == bench.writer.label
    assert outcome.prompt_tokens > 0
    assert OperationKind.ARC_SUMMARY not in {s.kind for s in plan_documents(bench.about)}


async def test_an_arc_that_is_not_over_is_open_again_and_not_asked_about_twice(
    bench: Bench,
) -> None:
    await bench.remember(bench.arc())
    bench.answers = {"For each thread": "[1: STILL_OPEN]"}
    await bench.perform(arc_summary_spec(bench.about, bench.about.resolved))
    assert bench.memory("f101").endings == ()
    (kept,) = bench.kept(DocumentKind.ARC_SUMMARY)
    assert (kept.text, kept.sections[VERDICT]) == ("", "STILL_OPEN")
    await bench.remember(bench.arc())  # another pass says the same of the same message
    assert plan_documents(bench.about) == ()


async def test_an_arc_that_the_user_closed_is_summed_up_from_where_it_was_told(
    bench: Bench,
) -> None:
    await bench.edit_message(3, "Ana laid the ring on the table, and nobody asked for it again.")
    closed = replace(bench.arc(), endings=(Ending(EndReason.RESOLVED),))
    imported = replace(bench.arc(2), endings=closed.endings, grounding=Grounding.IMPORTED)
    await bench.remember(closed, imported)
    (spec,) = plan_by_hand(bench.about)
    assert spec.params["arcs"] == ["f101"]
    assert OperationKind.ARC_SUMMARY in {s.kind for s in plan_documents(bench.about)}
    bench.answers = {"For each thread": ARCS.replace("RESOLVED", "STILL_OPEN")}
    await bench.perform(spec)
    assert "nobody asked for it again" in bench.llm.requests[0].text
    (kept,) = bench.kept(DocumentKind.ARC_SUMMARY)
    assert kept.text == ARCS.partition("] ")[2]  # whether it is over was not asked
    assert bench.memory("f101").endings == closed.endings
    assert plan_by_hand(bench.about) == ()


async def test_arcs_that_an_answer_leaves_out_are_not_asked_about_again(bench: Bench) -> None:
    await bench.remember(bench.arc(1), bench.arc(2))
    bench.answers = {"For each thread": ARCS}
    await bench.perform(arc_summary_spec(bench.about, bench.about.resolved))
    assert [bool(d.text) for d in bench.kept(DocumentKind.ARC_SUMMARY)] == [True, False]
    assert bench.memory("f102").endings
    assert len(bench.llm.requests) == 1


async def test_portraits_of_all_come_from_one_request(bench: Bench) -> None:
    await bench.remember(*(bench.fact(n) for n in range(4)))
    bench.answers = {"Write the portraits": PROFILE}
    await bench.perform(profile_spec(bench.about, (MIRA, THING)))
    (kept, empty) = bench.kept(DocumentKind.PROFILE)
    assert kept.sections["character_state"] == "goals: find the boat"
    assert (kept.subject, kept.until) == ("Mira", bench.chat.story.messages[-1].anchor)
    assert (empty.subject, empty.text) == ("Thing", "")
    assert len(bench.llm.requests) == 1


async def test_who_is_left_out_keeps_the_old_portrait(bench: Bench) -> None:
    old = Document(
        "old",
        bench.chat.chat_id,
        DocumentKind.PROFILE,
        "x",
        subject="Thing",
        sections={"character_state": "goals: shine"},
    )
    await bench.remember(*(bench.fact(n) for n in range(4)), documents=(old,))
    bench.answers = {"Write the portraits": PROFILE}
    await bench.perform(profile_spec(bench.about, (MIRA, THING)))
    assert bench.kept(DocumentKind.PROFILE, "Thing")[-1].sections == old.sections


@pytest.mark.parametrize("answer", ["I will not.", "NONE"])
async def test_an_answer_that_cannot_be_used_changes_nothing(bench: Bench, answer: str) -> None:
    await bench.remember(*(bench.fact(n) for n in range(4)))
    bench.answers = {"Write the portraits": answer}
    before = bench.chat.remembered
    with pytest.raises(AnswerUnusable):
        await bench.perform(profile_spec(bench.about, (MIRA,)))
    assert bench.chat.remembered == before
    assert len(bench.llm.requests) == 2


async def test_a_canon_that_is_there_is_told_less_of_what_ended_long_ago(bench: Bench) -> None:
    """A history in a long story was paid for with all its plots, each time and for each member."""
    bench.llm.context, bench.llm.other_models = 32_000, ("m",)
    bench.answers = {"three paragraphs of the history": CANON}
    arcs = [bench.arc(number) for number in range(60)]
    await bench.remember(*(replace(a, text=f"{a.text} {a.id}") for a in arcs))
    told = [
        Document(
            f"d{arc.memory.id}",
            bench.chat.chat_id,
            DocumentKind.ARC_SUMMARY,
            f"Plot {n}: " + "word " * 90,
            subject=arc.memory.id,
            inputs=arc.digest,
        )
        for n, arc in enumerate(bench.about.resolved)
    ]
    await bench.remember(documents=tuple(told))
    plots = []
    for again in ("", "now"):
        await bench.perform(canon_spec(bench.about, "Mira", again=again))
        text = bench.llm.requests[-1].text
        assert "Plot 59:" in text
        plots.append(text.count("Plot "))
    assert plots[1] < 0.8 * plots[0]


@pytest.mark.pitfall(40)
async def test_a_canon_builds_on_the_one_before(bench: Bench) -> None:
    bench.answers = {"For each thread": ARCS, "three paragraphs of the history": CANON}
    await bench.remember(bench.arc())
    await bench.perform(arc_summary_spec(bench.about, bench.about.resolved))
    (spec,) = plan_documents(bench.about)
    await bench.perform(spec)
    (kept,) = bench.kept(DocumentKind.CANON)
    assert (kept.text, kept.subject) == (CANON, "Mira")
    await bench.perform(canon_spec(bench.about, "Mira", again="now"))
    assert CANON in bench.llm.requests[-1].text
    assert len(bench.kept(DocumentKind.CANON)) == 2
    assert plan_documents(bench.about) == ()


async def test_a_clean_reply_is_noted_as_checked(bench: Bench) -> None:
    bench.settings.put("continuity_auto", True)
    await bench.remember(bench.fact(1))
    bench.answers = {"List what in the passage": "NONE."}
    (spec,) = plan_documents(bench.about)
    await bench.perform(spec)
    (kept,) = bench.kept(DocumentKind.CONTINUITY)
    assert (kept.text, kept.until) == ("", bench.chat.story.messages[-1].anchor)
    assert plan_documents(bench.about) == ()


async def test_a_contradiction_is_repaired_where_that_is_wanted(bench: Bench) -> None:
    bench.answers = {
        "List what in the passage": "1 | It says that the thing is gone, but Mira owns it.",
        "Write the note": "You wrote that the thing is gone. Mira owns it.",
    }
    await bench.remember(bench.fact(1))
    await bench.perform(continuity_spec(bench.about, 11))
    assert bench.kept(DocumentKind.REPAIR) == []
    (found,) = bench.kept(DocumentKind.CONTINUITY)
    assert found.sections == {"f1": "It says that the thing is gone, but Mira owns it."}
    bench.settings.put("continuity_repair", True)
    await bench.perform(continuity_spec(bench.about, 11, again="now"))
    repair = pending_repair(bench.chat.remembered.documents, bench.chat.story.messages)
    assert repair is not None
    assert repair.text == "You wrote that the thing is gone. Mira owns it."
    story = [message(n) for n in range(14)]
    write_chat(bench.path, story)
    await bench.chat.read()
    assert pending_repair(bench.chat.remembered.documents, bench.chat.story.messages) is None


@pytest.mark.pitfall(54)
async def test_what_has_ended_goes_into_no_text(bench: Bench) -> None:
    over = Ending(EndReason.SUPERSEDED, sources=(bench.source(3),))
    gone = bench.fact(9, "Mira owns a silver anchor.", endings=(over,), importance=3)
    facts = [bench.fact(n) for n in range(4)]
    await bench.remember(bench.arc(), gone, *facts)
    bench.answers = {
        "For each thread": ARCS,
        "three paragraphs of the history": CANON,
        "Write the portraits": PROFILE,
        "Write the summary of both": SUMMARY,
        "List what in the passage": "NONE",
        "Write the keywords": "1: boat",
    }
    specs: tuple[Callable[[], OperationSpec], ...] = (
        lambda: arc_summary_spec(bench.about, bench.about.resolved),
        lambda: canon_spec(bench.about, "Mira"),
        lambda: profile_spec(bench.about, (MIRA,)),
        lambda: summary_spec(bench.about, range(6)),
        lambda: continuity_spec(bench.about, 11),
        lambda: trigger_spec(bench.about, [gone, *facts]),
    )
    for spec in specs:
        await bench.perform(spec())
    assert len(bench.llm.requests) == 6
    assert not any("silver anchor" in request.text for request in bench.llm.requests)


async def test_a_reply_is_held_against_what_was_so_before_it(bench: Bench) -> None:
    bench.answers = {"List what in the passage": "NONE"}
    later = bench.fact(2, "Mira has left the mill.", sources=(bench.source(11),))
    await bench.remember(bench.fact(1), later)
    await bench.perform(continuity_spec(bench.about, 11))
    shown = bench.llm.requests[-1].text
    assert "thing number 1" in shown
    assert "has left the mill" not in shown


async def test_a_summary_goes_on_from_the_one_before(bench: Bench) -> None:
    bench.answers = {"Write the summary of both": SUMMARY}
    await bench.perform(summary_spec(bench.about, range(6)))
    (first,) = bench.kept(DocumentKind.SUMMARY)
    assert first.until == bench.chat.story.messages[5].anchor
    assert first.text.startswith("1. Scene: The mill.")
    await bench.perform(summary_spec(bench.about, range(6, 9)))
    asked = bench.llm.requests[-1].text
    assert first.text in asked
    assert "This is message 8." in asked
    assert "This is message 5." not in asked


async def test_keywords_of_many_memories_come_from_one_request(bench: Bench) -> None:
    facts = [bench.fact(n) for n in range(20)]
    await bench.remember(*facts)
    bench.answers = {"Write the keywords": "\n".join(f"{n}: boat{n}, sea{n}" for n in range(1, 20))}
    (spec,) = plan_documents(bench.about)
    await bench.perform(spec)
    assert bench.memory("f0").triggers == ("boat1", "sea1")
    assert bench.memory("f19").triggers == ()
    assert len(bench.llm.requests) == 1
    assert plan_documents(bench.about) == ()


async def test_the_same_operation_taken_up_again_pays_and_makes_nothing_twice(
    bench: Bench,
) -> None:
    await bench.remember(*(bench.fact(n) for n in range(4)))
    bench.answers = {"Write the portraits": PROFILE}
    spec = profile_spec(bench.about, (MIRA,))
    operation = Operation(1, spec, OperationStatus.RUNNING, created=5.0)
    await bench.document_maker.perform(operation)
    await bench.document_maker.perform(operation)
    await bench.chat.refresh()
    assert len(bench.kept(DocumentKind.PROFILE)) == 1
    assert len(bench.llm.requests) == 1


GONE: dict[str, Callable[[Bench], OperationSpec]] = {
    "arcs": lambda b: arc_summary_spec(b.about, b.about.resolved),
    "memories": lambda b: trigger_spec(b.about, b.about.active),
    "profile": lambda b: profile_spec(b.about, (MIRA,)),
    "summary": lambda b: summary_spec(b.about, range(12)),
    "reply": lambda b: continuity_spec(b.about, 11),
}


@pytest.mark.parametrize("of", GONE)
async def test_work_on_what_is_gone_is_outdated(bench: Bench, of: str) -> None:
    await bench.remember(bench.arc(), *(bench.fact(n) for n in range(3)))
    spec = GONE[of](bench)
    write_chat(bench.path, [message(0)])
    await bench.chat.read()
    with pytest.raises(OperationOutdated):
        await bench.perform(spec)
    assert bench.llm.requests == []


async def test_without_a_model_nothing_is_done(bench: Bench) -> None:
    await bench.remember(bench.arc())
    spec = arc_summary_spec(bench.about, bench.about.resolved)
    kept, bench.writer = bench.writer, BuiltinWriter(count_tokens=EstimatingCounter().count)
    assert await bench.perform(spec) == Outcome()
    assert bench.kept(DocumentKind.ARC_SUMMARY) == []
    bench.writer = kept


async def test_who_comes_back_is_told_from_what_is_stored(bench: Bench) -> None:
    bench.answers = {"Write the three to five sentences": "They had met. Mira left at dawn."}
    summary = Document(
        "s",
        bench.chat.chat_id,
        DocumentKind.SUMMARY,
        "1. Scene: The old mill.",
        until=bench.chat.story.messages[3].anchor,
    )
    await bench.remember(documents=(summary,))
    count = EstimatingCounter().count
    kept = KeptInStore(bench.store)
    told = await away_recap(bench.chat, bench.writer.memory, count, kept)
    assert told == "They had met. Mira left at dawn."
    assert "The old mill." in bench.llm.requests[-1].text
    assert "This is message 11." in bench.llm.requests[-1].text
    assert await away_recap(bench.chat, None, count, kept) == "1. Scene: The old mill."


async def test_what_no_longer_holds_ends_at_the_scene_that_says_so(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.work.planning.upkeep_planner.MESSAGES_BETWEEN", 8)
    bench.settings.put("scene_recaps_auto", False)
    open_still = [
        bench.fact(200 + n, f"Will Mira find thing {n}?", tier=Tier.ARCS, type=ARC)
        for n in range(5)
    ]
    last = bench.fact(1, "Thing 0 was found.", tier=Tier.SESSION, type="detail")
    last = replace(last, sources=(bench.source(9),))
    anchors = [bench.chat.story.messages[end].anchor for end in (4, 9)]
    breaks = [SceneBreak(anchor, BreakOrigin.HAND) for anchor in anchors]
    await bench.store.run(lambda: bench.store.scenes.save(bench.chat.chat_id, breaks))
    await bench.chat.read()
    await bench.remember(*open_still, last)
    bench.answers = {"no longer hold": "1 | 2 | Thing 0 was found."}
    (spec,) = (s for s in plan_documents(bench.about) if s.kind is OperationKind.UPKEEP)
    outcome = await bench.perform(spec)
    ended = [m for m in bench.chat.remembered.memories if m.endings]
    assert [m.id for m in ended] == ["f200"]
    assert ended[0].endings == (
        Ending(EndReason.RESOLVED, sources=(bench.source(9),), text="Thing 0 was found."),
    )
    (kept,) = bench.kept(DocumentKind.UPKEEP)
    assert kept.until == anchors[1]
    assert (kept.sections["f200"], kept.sections["f201"]) == ("Thing 0 was found.", "")
    assert outcome.prompt_tokens > 0
    assert OperationKind.UPKEEP not in {s.kind for s in plan_documents(bench.about)}
    with pytest.raises(OperationOutdated):
        await bench.perform(spec, 2)


@pytest.mark.parametrize("kind", [DocumentKind.PROFILE, DocumentKind.SUMMARY])
async def test_the_text_of_the_whole_chat_counts_again_once_its_lost_end_is_back(
    bench: Bench, kind: DocumentKind
) -> None:
    """What was made while the chat was cut to half stood in its place for good."""
    await bench.remember(*(bench.fact(n) for n in range(3)))
    subject = "Mira" if kind is DocumentKind.PROFILE else ""

    async def make(text: str) -> None:
        last = bench.chat.story.messages[-1].anchor
        number = str(bench.now)
        bench.now += 1
        made = Document(number, bench.chat.chat_id, kind, text, subject=subject, until=last)
        await bench.remember(documents=(made,))

    whole = bench.path.read_bytes()
    await make("Of the beginning.")
    bench.path.write_bytes(whole + b"".join(whole.splitlines(keepends=True)[-1:]))
    await bench.chat.read()
    await make("Of the whole.")
    full = bench.path.read_bytes()
    bench.path.write_bytes(b"".join(full.splitlines(keepends=True)[:6]))
    await bench.chat.read()
    await make("Of the half.")
    assert by_subject(bench.chat.remembered.documents, kind)[subject].text == "Of the half."
    bench.path.write_bytes(full)
    await bench.chat.read()
    assert by_subject(bench.chat.remembered.documents, kind)[subject].text == "Of the whole."
    await make("Made anew.")
    assert by_subject(bench.chat.remembered.documents, kind)[subject].text == "Made anew."


async def test_what_the_user_wrote_counts_though_a_portrait_is_written_meanwhile(
    bench: Bench,
) -> None:
    await bench.remember(*(bench.fact(n) for n in range(3)))
    spec = profile_spec(bench.about, (MIRA,))
    own = Document(
        "own", bench.chat.chat_id, DocumentKind.PROFILE, "Mine.", subject="Mira", made_by=YOU
    )
    await bench.remember(documents=(own,))
    bench.answers = {"Write the portraits": PROFILE}
    await bench.perform(spec)
    assert len(bench.kept(DocumentKind.PROFILE)) == 2  # the model's waits beside it
    assert by_subject(bench.chat.remembered.documents, DocumentKind.PROFILE)["Mira"] == own


async def test_a_text_that_is_written_while_its_chat_is_forgotten_is_not_kept(
    bench: Bench,
) -> None:
    await bench.remember(*(bench.fact(n) for n in range(3)))
    entered, opened = threading.Event(), threading.Event()

    def answer(request: object) -> str:
        entered.set()
        assert opened.wait(20)
        return PROFILE

    bench.llm.reply = answer

    async def forget() -> None:
        assert await asyncio.to_thread(entered.wait, 20)
        memories, chat = bench.store.memories, bench.chat
        told = [(m.anchor, m.content_hash) for m in chat.story.messages]
        await bench.store.run(lambda: memories.set_extracted(chat.chat_id, told, FORGOTTEN))
        opened.set()

    await asyncio.gather(bench.perform(profile_spec(bench.about, (MIRA,))), forget())
    assert bench.kept(DocumentKind.PROFILE) == []
    await bench.perform(profile_spec(bench.about, (MIRA,)))  # the user asks for it all the same
    assert bench.kept(DocumentKind.PROFILE)
