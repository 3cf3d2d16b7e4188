"""What is remembered of a chat, and who knows what of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.memory.arcs.thread_cap import is_put_aside
from app.memory.epistemic.leaks import Leak
from app.memory.epistemic.map_view import EpistemicMapView
from app.memory.lifecycle.by_hand import without_twins
from app.memory.lifecycle.policy import Pause, Policy
from app.memory.records import Document, DocumentKind, Entity, Tier
from app.memory.standing import Ground, Standing, Status
from app.story.story import Story


@dataclass(frozen=True, slots=True)
class MemoryView:
    """Everything remembered of a chat as it stands at one message.

    memories: of all tiers, oldest first, those that ended or wait among them. at: that message's
    index, the last one by default. policy: what the character may keep. pause: since where nothing
    is added to the chat's memory, None while it is. problem: why another program's was not taken
    in, "" when it was. kept_by: name of the group or character that keeps what people of this chat
    lived through there, by id of the memory. is_alone: what only other chats say is left out of
    this one, as the user chose.
    """

    story: Story
    ground: Ground
    memories: tuple[Standing, ...]
    entities: tuple[Entity, ...]
    documents: tuple[Document, ...]
    at: int
    policy: Policy = Policy.FULL
    pause: Pause | None = None
    problem: str = ""
    kept_by: Mapping[str, str] = field(default_factory=dict)
    is_alone: bool = False

    @property
    def counting(self) -> tuple[Standing, ...]:
        """What counts in this chat: all, or what is told in its own story."""
        if not self.is_alone:
            return self.memories
        return tuple(s for s in self.memories if self.ground.tells(s.memory))

    def of(self, tier: Tier) -> tuple[Standing, ...]:
        """What stands in a tier; what waits for review, or was refused, is not in it."""
        hidden = (Status.WAITING, Status.REJECTED)
        return tuple(s for s in self.memories if s.memory.tier is tier and s.status not in hidden)

    def tells_what(self, other: MemoryView) -> bool:
        """Whether another view tells nothing else, but for where the story ends."""
        return (
            self.memories is other.memories
            and self.entities == other.entities
            and self.documents == other.documents
            and (self.policy, self.pause, self.problem)
            == (other.policy, other.pause, other.problem)
            and self.kept_by == other.kept_by
            and self.is_alone is other.is_alone
        )

    @property
    def aliases(self) -> dict[str, str]:
        """The other names of characters, with whose they are."""
        characters = (entity for entity in self.entities if entity.type == "character")
        return {alias: entity.name for entity in characters for alias in entity.aliases}

    @property
    def review(self) -> tuple[Standing, ...]:
        """What waits for the user; of what says the same word for word the first."""
        waiting = [s for s in self.memories if s.status is Status.WAITING]
        shown, _twins = without_twins([s.memory for s in waiting], ())
        ids = {memory.id for memory in shown}
        return tuple(s for s in waiting if s.memory.id in ids)

    @property
    def aside(self) -> tuple[str, ...]:
        """Open threads that are out of sight, since more are open than are to be kept."""
        return tuple(
            s.memory.text
            for s in self.memories
            if s.status is Status.ENDED and is_put_aside(s.memory)
        )

    def document(self, kind: DocumentKind, subject: str = "") -> Document | None:
        """The newest text of a kind, None when there is none."""
        fitting = [d for d in self.documents if d.kind is kind and d.subject == subject]
        return fitting[-1] if fitting else None


@dataclass(frozen=True, slots=True)
class EpistemicView:
    """The map can be asked for any message of the chat. reply: index of the newest reply, None
    where there is none. leaks: in that reply.
    """

    view: MemoryView
    map: EpistemicMapView
    reply: int | None
    leaks: tuple[Leak, ...]
