"""What the minds page says."""

from __future__ import annotations

from collections.abc import Iterable

from app.memory.epistemic_map import Step
from app.memory.leaks import Leak, LeakKind
from app.memory.minds import Attitude, MindMap, Stance, counted
from app.memory.standing import Standing
from app.story.scenes import Scene
from app.story.story import Story
from ui.memories.words import count_words, learned_words

LEGEND = {
    Attitude.KNOWS: "knows",
    Attitude.SUSPECTS: "suspects",
    Attitude.BELIEVES: "is wrong",
    Attitude.UNAWARE: "does not know",
    Attitude.HIDING: "hides",
    Attitude.KEPT: "kept from",
}
TIPS = {
    Attitude.KNOWS: "Knows it, and it is so.",
    Attitude.SUSPECTS: "Takes it for possible.",
    Attitude.BELIEVES: "Believes it, and it is not so.",
    Attitude.UNAWARE: "Does not know it, though others do.",
    Attitude.HIDING: "Knows it and hides it from somebody.",
    Attitude.KEPT: "Somebody hides it from them; whether they have an idea, nobody says.",
}
_COUNTS = {
    Attitude.HIDING: ("hides", "hide"),
    Attitude.KNOWS: ("knows", "know"),
    Attitude.SUSPECTS: ("suspects", "suspect"),
    Attitude.BELIEVES: ("wrong", "wrong"),
    Attitude.UNAWARE: ("unaware", "unaware"),
    Attitude.KEPT: ("kept out", "kept out"),
}
VEILED = "Hidden until you ask for it"
LEAK_WORDS = {
    LeakKind.UNAWARE: "{speaker} does not know it",
    LeakKind.HIDDEN: "{holder} hides it from {speaker}",
    LeakKind.CONTRARY: "{speaker} believes otherwise",
    LeakKind.TOLD: "{speaker} hid it from {target} until here",
}


def counts_words(stances: Iterable[Stance]) -> str:
    """ "2 know, 1 hides, 1 unaware"."""
    counts = counted(stances)
    order = (
        Attitude.KNOWS,
        Attitude.HIDING,
        Attitude.SUSPECTS,
        Attitude.BELIEVES,
        Attitude.UNAWARE,
        Attitude.KEPT,
    )
    said = [f"{counts[a]} {_COUNTS[a][counts[a] > 1]}" for a in order if a in counts]
    return ", ".join(said)


def stance_words(minds: MindMap, stance: Stance) -> str:
    """ "Midge Reck hides it from Henrike", "Dov Lemmer knows it"."""
    name, memory = minds.name(stance.person), stance.standing.memory
    match stance.attitude:
        case Attitude.HIDING:
            whom = f" from {memory.target}" if memory.target else ""
            return f"{name} hides it{whom}"
        case Attitude.KEPT:
            return f"{memory.subject} hides it from {name}"
        case Attitude.UNAWARE:
            return f"{name} does not know it"
        case Attitude.BELIEVES:
            return f"{name} believes it, wrongly"
        case _:
            return f"{name} {stance.attitude.value} it"


def holding_words(stance: Stance, minds: MindMap) -> str:
    """The same under the head of the attitude: who, and from whom."""
    memory = stance.standing.memory
    name = minds.name(stance.person)
    if stance.attitude is Attitude.HIDING and memory.target:
        return f"{name}, from {memory.target}"
    if stance.attitude is Attitude.KEPT:
        return f"{name}, by {memory.subject}"
    return name


def since_words(standing: Standing) -> str:
    """How and since when: "Overheard it", "Told by Pasco", "Since"."""
    return learned_words(standing.memory) or "Since"


def briefly(standing: Standing) -> str:
    """The same beside a name, in a word or two; by whom they were told the chain says."""
    if standing.memory.told_by:
        return "was told"
    words = since_words(standing)
    return words[:1].lower() + words[1:]


def step_words(minds: MindMap, step: Step) -> str:
    """One step of who told whom."""
    learner = minds.short(minds.key(step.learner))
    if step.teller:
        return f"{minds.short(minds.key(step.teller))} → {learner}"
    return minds.name(minds.key(step.learner))


def step_how(step: Step) -> str:
    """How the learner came by it, where no teller is known."""
    if step.teller:
        return "told"
    return learned_words(step.standing.memory).lower() or "not said how"


def scene_words(story: Story, scene: Scene) -> str:
    """A scene's number and name."""
    name = story.scene_name(scene)
    return f"{scene.number}  {name}" if name else str(scene.number)


def leak_words(leak: Leak, minds: MindMap) -> str:
    """Why somebody cannot have said it."""
    memory = leak.entry.memory
    return LEAK_WORDS[leak.kind].format(
        speaker=minds.name(minds.key(leak.speaker)) or leak.speaker,
        holder=memory.subject,
        target=memory.target or "others",
    )


def leaks_title(leaks: Iterable[Leak], message: int) -> str:
    """ "2 possible leaks in #98"."""
    count = sum(leak.kind is not LeakKind.TOLD for leak in leaks)
    if not count:
        return f"A secret is told in #{message}"
    return f"{count_words(count, 'possible leak')} in #{message}"
