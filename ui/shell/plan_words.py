"""What a backlog takes, said before a model gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.core.operations import MEMORY, RECAPS
from app.core.part_health import about
from app.core.translation import N_, amount, number, roughly, tr, trn

if TYPE_CHECKING:
    from app.views.catch_up import CatchUpPlan, ReadingCost

READ = N_("Read for memory")
ON_TOP = N_(
    "Each further scene that is found adds a recap; you are asked again before 25 % is added."
)
MORE = N_("What is made of it later, such as portraits and summaries, needs a few more.")
TEXTS = N_(
    "The higher numbers count what is made of it later, too, such as portraits and summaries."
)
NOBODY_ASKED = 1  # of the folds beside: that of a first scene takes what its recap tells


def _search_sentence(plan: CatchUpPlan) -> str:
    search = plan.search
    if search.requests == search.requests_at_most:
        return trn(
            "Looking for scene breaks takes {n} request.",
            "Looking for scene breaks takes {n} requests.",
            search.requests,
        )
    return tr(
        "Looking for scene breaks takes about {requests} requests, at most {requests_at_most}.",
        requests=number(search.requests),
        requests_at_most=number(search.requests_at_most),
    )


def _reading_sentence(reading: ReadingCost) -> str:
    """What is to be read; messages without words are passed over, as are those read before."""
    told = [_unread_sentence(reading)]
    if reading.waiting:
        told.append(
            trn(
                "The newest message is read when the story goes on.",
                "The newest {n} messages are read when the story goes on.",
                reading.waiting,
            )
        )
    return " ".join(told)


def _unread_sentence(reading: ReadingCost) -> str:
    said = trn(
        "{n} message has not been read for memory yet, #{first}.",
        "{n} messages have not been read for memory yet, #{first} to #{last}.",
        reading.messages,
        first=reading.first,
        last=reading.last,
    )
    passed_over = reading.last - reading.first + 1 - reading.messages
    if passed_over <= 0:
        return said
    others = trn(
        "({n} in between needs no reading.)", "({n} in between need no reading.)", passed_over
    )
    return f"{said} {others}"


def plan_sentence(plan: CatchUpPlan) -> str:
    """What recapping a backlog takes, before the user says yes."""
    work = _work_sentence(plan, alone=not (plan.search.requests or plan.reading.requests))
    return " ".join((*_before(plan), *_what(plan), work, *_beyond(plan)))


def total_sentence(plan: CatchUpPlan) -> str:
    """How much that is, alone, for whoever looks for that first."""
    said = ", ".join((_requests(plan), *_costs(plan)))
    return f"{said[:1].upper()}{said[1:]}."


def detail_sentence(plan: CatchUpPlan) -> str:
    """What it is for, beneath the total."""
    return " ".join((*_before(plan), *_what(plan), *_beyond(plan)))


def _beyond(plan: CatchUpPlan) -> list[str]:
    """What may come on top."""
    said = [tr(ON_TOP)] if plan.search.requests else []
    if plan.texts:
        return [*said, tr(TEXTS)]
    # They follow from what is read, which nobody knows yet.
    return [*said, tr(MORE)] if plan.reading.requests else said


def _what(plan: CatchUpPlan) -> list[str]:
    """What there is to do."""
    said = [_search_sentence(plan)] if plan.search.requests else []
    if plan.reading.requests:
        said.append(_reading_sentence(plan.reading))
    if plan.scenes:
        scenes = trn(
            "{n} scene has no recap yet, #{first} to #{last}.",
            "{n} scenes have no recap yet, #{first} to #{last}.",
            plan.scenes,
            first=plan.first,
            last=plan.last,
        )
        said.append(scenes)
    elif _is_of_folds(plan):
        folds = trn(
            "{n} scene is still to be added to the running recap.",
            "{n} scenes are still to be added to the running recap.",
            plan.folds,
        )
        said.append(folds)
    if plan.messages:
        messages = trn(
            "{n} message has no recap yet.", "{n} messages have no recap yet.", plan.messages
        )
        said.append(messages)
    return said


def _is_of_folds(plan: CatchUpPlan) -> bool:
    """Whether there is nothing to do but to add scenes to the running recap."""
    others = plan.search.requests + plan.reading.requests + plan.messages
    return plan.folds > 0 and not (plan.scenes or others)


def again_sentence(plan: CatchUpPlan) -> str:
    """What reading all of a story once more takes, before the user says yes."""
    cost = ", ".join((_requests(plan), *_costs(plan)))
    return tr("Reading this story again from its beginning takes {cost}.", cost=cost)


def offer_sentence(plan: CatchUpPlan) -> str:
    """The same in so few words that they hide little of a page; Work has all of them."""
    what = [tr("Looking for scene breaks")] if plan.search.requests else []
    if plan.scenes:
        what.append(trn("{n} scene without a recap", "{n} scenes without a recap", plan.scenes))
    if plan.reading.requests:
        read = plan.reading.messages
        what.append(
            trn("{n} message not read for memory", "{n} messages not read for memory", read)
        )
    if plan.messages:
        what.append(
            trn("{n} message without a recap", "{n} messages without a recap", plan.messages)
        )
    takes = ", ".join((_requests(plan), *_costs(plan)))
    said = f"{', '.join(what) or tr('Running recap')}: {takes}."
    return " ".join((*_before(plan), said))


def _before(plan: CatchUpPlan) -> list[str]:
    """What is to be known of a plan before what it takes."""
    said: list[str] = []
    if plan.agreed:
        more = trn(
            "It takes more than the {n} request you agreed to; this is what is left.",
            "It takes more than the {n} requests you agreed to; this is what is left.",
            plan.agreed,
        )
        said.insert(0, more)
    if plan.read_in:
        shared = tr(
            "“{chat}” shares messages with this chat and is being worked on "
            "right now. What is read there is reused here afterwards. If you "
            "start before that, you pay for it twice.",
            chat=plan.read_in,
        )
        said.insert(0, shared)
    return said


def _work_sentence(plan: CatchUpPlan, *, alone: bool) -> str:
    """What all of it takes. alone: nothing was said before it of single parts."""
    cost = ", ".join(_costs(plan))
    requests = _requests(plan)
    is_reading_alone = plan.reading.requests == plan.requests > 0
    if is_reading_alone:
        work = tr(
            "Reading them takes {requests} to the model, about {cost}.",
            requests=requests,
            cost=cost,
        )
    elif _is_of_folds(plan):
        work = tr("That takes {requests} to the model, about {cost}.", requests=requests, cost=cost)
    elif not (plan.scenes or plan.messages):
        work = tr("About {cost}.", cost=cost)
    elif not alone and not plan.has_parts:
        work = tr(
            "Together that takes {requests} to the model, about {cost}.",
            requests=requests,
            cost=cost,
        )
    elif not alone:
        work = tr(
            "Everything together takes {requests} to the model, about {cost}.",
            requests=requests,
            cost=cost,
        )
    else:
        work = tr(
            "Writing them takes {requests} to the model, about {cost}.",
            requests=requests,
            cost=cost,
        )
    return work


def parts_sentence(plan: CatchUpPlan) -> str:
    """What each part of a plan takes alone, "" where it has none."""
    if not plan.parts:
        return ""
    recaps, memory = (
        ", ".join((_requests(part), *_costs(part)))
        for part in (plan.parts[RECAPS], plan.parts[MEMORY])
    )
    return tr("Only the recaps: {recaps}. Only memory: {memory}.", recaps=recaps, memory=memory)


def _requests(plan: CatchUpPlan) -> str:
    """At least so many where more follows: from what is found and read, and where a model that is
    asked for two things in one request gives one of them.
    """
    if plan.texts:
        return trn(
            "{least} to {n} request",
            "{least} to {n} requests",
            plan.requests + plan.texts,
            least=number(plan.requests),
        )
    requests = trn("{n} request", "{n} requests", plan.requests)
    is_open = plan.search.requests or plan.reading.requests or plan.beside > NOBODY_ASKED
    return tr("at least {requests}", requests=requests) if is_open else requests


def plan_command(plan: CatchUpPlan) -> str:
    """What the button says that has all of a backlog worked off."""
    if plan.has_parts:
        return tr("Do all of it")
    if _is_of_folds(plan):
        return tr("Add them")
    is_reading_alone = plan.reading.requests == plan.requests > 0
    return tr(READ) if is_reading_alone else tr("Write the recaps")


def _costs(plan: CatchUpPlan) -> list[str]:
    """Tokens; time and price, where they are known."""
    tokens = plan.prompt_tokens + plan.output_tokens
    if plan.text_tokens:
        most = roughly(tokens + plan.text_tokens)
        parts = [tr("{least} to {most} tokens", least=roughly(tokens), most=most)]
    else:
        parts = [tr("{tokens} tokens", tokens=roughly(tokens))]
    if plan.seconds is not None:
        time = about(plan.seconds)
        parts.append(
            tr("{time} with an average model", time=time)
            if plan.is_guessed
            else tr("{time} at the speed of its test", time=time)
            if plan.is_tested
            else tr("{time} at its recent speed", time=time)
        )
    if plan.price is not None:
        parts.append(tr("about {price} at your prices", price=amount(plan.price)))
    return parts
