"""What the minds page says."""

from __future__ import annotations

from collections.abc import Iterable

from app.core.translation import N_, tr, trn
from app.memory.epistemic.epistemic_map import Step
from app.memory.epistemic.leaks import Leak, LeakKind
from app.memory.epistemic.map_view import Attitude, EpistemicMapView, Stance, Stretch, counted
from app.memory.epistemic.presence import Stay
from app.memory.epistemic.witnessing import WAS_AWAY, WAS_THERE
from app.memory.standing import Standing
from app.story.scenes import Scene
from app.story.story import Story
from ui.memories.words import learned_words

LEGEND = {
    Attitude.KNOWS: N_("knows"),
    Attitude.SUSPECTS: N_("suspects"),
    Attitude.BELIEVES: N_("is wrong"),
    Attitude.UNAWARE: N_("does not know"),
    Attitude.HIDING: N_("hides"),
    Attitude.KEPT: N_("must not know"),
}
TIPS = {
    Attitude.KNOWS: N_("Knows it, and it is so."),
    Attitude.SUSPECTS: N_("Thinks it possible."),
    Attitude.BELIEVES: N_("Believes it, but it is not true."),
    Attitude.UNAWARE: N_("Does not know it, though others do."),
    Attitude.HIDING: N_("Knows it and hides it from somebody."),
    Attitude.KEPT: N_("Somebody hides it from them; it is not said whether they suspect anything."),
}
PRESENCE = N_("there, gone")
PRESENCE_TIP = N_(
    "The mark below a person's line: thick while it is known where they are, thin while they are "
    "gone. Point at it to read where."
)
_LEARNED = {  # by channel
    "saw": N_("saw it"),
    "told": N_("was told"),
    "overheard": N_("overheard it"),
    "read": N_("read it"),
    "inferred": N_("worked it out"),
    WAS_THERE: N_("was there"),
    WAS_AWAY: N_("was not there"),
}
VEILED = N_("Hidden until you ask to see it")
LEAK_WORDS = {
    LeakKind.UNAWARE: N_("{speaker} does not know it"),
    LeakKind.HIDDEN: N_("{holder} hides it from {speaker}"),
    LeakKind.SUSPECTED: N_("{speaker} only suspects it"),
    LeakKind.CONTRARY: N_("{speaker} believes otherwise"),
    LeakKind.ABSENT: N_("{speaker} was not there"),
    LeakKind.TOLD: N_("{speaker} hid it from {target} until here"),
}


def counts_words(stances: Iterable[Stance]) -> str:
    """ "2 know, 1 hides, 1 does not know"."""
    counts = counted(stances)
    order = (
        Attitude.KNOWS,
        Attitude.HIDING,
        Attitude.SUSPECTS,
        Attitude.BELIEVES,
        Attitude.UNAWARE,
        Attitude.KEPT,
    )
    return ", ".join(_count_words(a, counts[a]) for a in order if a in counts)


def _count_words(attitude: Attitude, count: int) -> str:
    match attitude:
        case Attitude.KNOWS:
            return trn("{n} knows", "{n} know", count)
        case Attitude.HIDING:
            return trn("{n} hides", "{n} hide", count)
        case Attitude.SUSPECTS:
            return trn("{n} suspects", "{n} suspect", count)
        case Attitude.BELIEVES:
            return trn("{n} is wrong", "{n} are wrong", count)
        case Attitude.UNAWARE:
            return trn("{n} does not know", "{n} do not know", count)
        case Attitude.KEPT:
            return trn("{n} must not know", "{n} must not know", count)


def stance_words(minds: EpistemicMapView, stance: Stance) -> str:
    """ "Midge Reck hides it from Henrike", "Dov Lemmer knows it"."""
    name, memory = minds.name(stance.person), stance.standing.memory
    match stance.attitude:
        case Attitude.HIDING:
            if memory.target:
                return tr("{name} hides it from {target}", name=name, target=memory.target)
            return tr("{name} hides it", name=name)
        case Attitude.KEPT:
            return tr("{subject} hides it from {name}", subject=memory.subject, name=name)
        case Attitude.UNAWARE:
            return tr("{name} does not know it", name=name)
        case Attitude.BELIEVES:
            return tr("{name} believes it, wrongly", name=name)
        case Attitude.SUSPECTS:
            return tr("{name} suspects it", name=name)
        case _:
            return tr("{name} knows it", name=name)


def holding_words(stance: Stance, minds: EpistemicMapView) -> str:
    """The same under the head of the attitude: who, and from whom."""
    memory = stance.standing.memory
    name = minds.name(stance.person)
    if stance.attitude is Attitude.HIDING and memory.target:
        return tr("{name}, from {target}", name=name, target=memory.target)
    if stance.attitude is Attitude.KEPT:
        return tr("{name}, by {subject}", name=name, subject=memory.subject)
    return name


def stretch_words(stretch: Stretch) -> str:
    """ "from #12 to #40", "from the beginning"."""
    return _span_words(stretch.first, stretch.end)


def stay_words(stay: Stay) -> str:
    """ "At the mill from #12 to #40", "Away from #12"."""
    place, is_away = stay.spot.place, stay.spot.is_away
    if is_away:
        where = tr("Gone, last at {place}", place=place) if place else tr("Gone")
    else:
        where = tr("At {place}", place=place) if place else tr("Is there")
    return f"{where}, {_span_words(stay.first, stay.end)}"


def _span_words(first: int, end: int | None) -> str:
    if first < 0:
        return (
            tr("from the beginning") if end is None else tr("from the beginning to #{end}", end=end)
        )
    if end is None:
        return tr("from #{first}", first=first)
    return tr("from #{first} to #{end}", first=first, end=end)


def how_words(standing: Standing) -> str:
    """How and since when, a number following: "Overheard it", "Told by Pasco", "Since"."""
    since = tr("Since") if standing.start >= 0 else tr("From the beginning")
    return learned_words(standing.memory) or since


def briefly(standing: Standing) -> str:
    """The same beside a name, in a word or two; by whom they were told the chain says."""
    if standing.memory.told_by:
        return tr("was told")
    learned = _LEARNED.get(standing.memory.channel)
    if learned is not None:
        return tr(learned)
    return tr("since") if standing.start >= 0 else tr("from the beginning")  # no number follows


def step_words(minds: EpistemicMapView, step: Step) -> str:
    """One step of who told whom."""
    learner = minds.short(minds.key(step.learner))
    if step.teller:
        return f"{minds.short(minds.key(step.teller))} → {learner}"
    return minds.name(minds.key(step.learner))


def step_how(step: Step) -> str:
    """How the learner came by it, and where no message of this chat says so, that it does not."""
    memory = step.standing.memory
    how = tr("told") if step.teller else tr(_LEARNED.get(memory.channel, N_("unclear how")))
    is_elsewhere = step.message < 0 and bool(memory.evidence)
    return f"{how}, {tr('other chat')}" if is_elsewhere else how


def scene_words(story: Story, scene: Scene) -> str:
    """A scene's number and name."""
    name = story.scene_name(scene)
    return f"{scene.number}  {name}" if name else str(scene.number)


def leak_words(leak: Leak, minds: EpistemicMapView) -> str:
    """Why somebody cannot have said it."""
    memory = leak.entry.memory
    is_known = minds.knowledge.people.is_known(leak.speaker)
    return tr(LEAK_WORDS[leak.kind]).format(
        speaker=minds.name(minds.key(leak.speaker)) if is_known else leak.speaker,
        holder=memory.subject,
        target=memory.target or tr("others"),
    )


def leaks_title(leaks: Iterable[Leak], message: int) -> str:
    """ "2 possible leaks in #98"."""
    count = sum(leak.kind is not LeakKind.TOLD for leak in leaks)
    if not count:
        return tr("A secret is revealed in #{message}", message=message)
    return trn(
        "{n} possible leak in #{message}",
        "{n} possible leaks in #{message}",
        count,
        message=message,
    )
