"""The settings of the running recap, of message recaps, and of which of those count.

Defaults follow spec/auto-recap.md §2 where a setting comes from there.
"""

from __future__ import annotations

from app.core.translation import N_
from app.settings.groups import Group, Several, settings_of
from app.settings.setting import Scope, Section, Setting
from app.settings.slots import Place, frame_in, place_in, placement
from app.story.inclusion import InclusionRules, limit_in_tokens

RUNNING_TEMPLATE = """<story_so_far>
What happened before the messages below, oldest first. Take it as remembered; do not repeat it.
{{running_recap}}
</story_so_far>"""

MESSAGES_TEMPLATE = """<earlier_messages>
Earlier messages in short, oldest first.
{{message_recaps}}
</earlier_messages>"""


class RecapSettings(Group):
    """The running recap, message recaps, and which of these count."""

    context_tokens = Setting(
        "context_tokens",
        8192,
        N_("Context of the chat's model"),
        N_("How many tokens SillyTavern may send; used until SillyTavern reports it."),
        minimum=512,
        maximum=4_000_000,
        section=Section.INCLUSION,
    )
    running_recap_enabled = Setting(
        "running_recap_enabled",
        True,
        N_("Put the running recap into the prompt"),
        N_("Add the running recap to the next prompt."),
        scope=Scope.CHAT,
        section=Section.RUNNING,
    )
    running_recap_auto = Setting(
        "running_recap_auto",
        True,
        N_("Add scenes to the running recap"),
        N_("Add each recapped scene to the running recap."),
        scope=Scope.CHAT,
        section=Section.RUNNING,
    )
    running_recap_leave_out = Setting(
        "running_recap_leave_out",
        1,
        N_("Newest scenes left out"),
        N_(
            "How many finished scenes stay out of the running recap; they are still in the chat "
            "itself."
        ),
        scope=Scope.CHAT,
        minimum=0,
        maximum=5,
        section=Section.RUNNING,
    )
    running_recap_budget = Setting(
        "running_recap_budget",
        1000,
        N_("Budget of the running recap"),
        N_("Maximum tokens of the running recap in the prompt."),
        scope=Scope.CHAT,
        minimum=50,
        maximum=8000,
        section=Section.RUNNING,
    )
    running_recap_place = Several(
        placement("running_recap", N_("the running recap"), RUNNING_TEMPLATE, Section.RUNNING)
    )
    inclusion_limit = Setting(
        "inclusion_limit",
        10,
        N_("Budget of message recaps"),
        N_("Percent of the context, or tokens."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=1_000_000,
        section=Section.INCLUSION,
    )
    inclusion_limit_type = Setting(
        "inclusion_limit_type",
        "percent",
        N_("Budget counted in"),
        N_("Percent of the context, or tokens."),
        scope=Scope.CHAT,
        choices=("percent", "tokens"),
        section=Section.INCLUSION,
        choice_words=(N_("percent of the context"), N_("tokens")),
    )
    include_user_messages = Setting(
        "include_user_messages",
        True,
        N_("Recaps of your messages"),
        N_("Use recaps of your own messages."),
        scope=Scope.CHAT,
        section=Section.INCLUSION,
    )
    include_hidden_messages = Setting(
        "include_hidden_messages",
        True,
        N_("Recaps of hidden messages"),
        N_("Use recaps of messages that are hidden from the prompt."),
        scope=Scope.CHAT,
        section=Section.INCLUSION,
    )
    include_narrator_messages = Setting(
        "include_narrator_messages",
        True,
        N_("Recaps of the narrator"),
        N_("Use recaps of narrator messages."),
        scope=Scope.CHAT,
        section=Section.INCLUSION,
    )
    left_out = Setting(
        "left_out",
        "",
        N_("Characters left out"),
        N_("Their message recaps are not used. Names or card files, separated by commas."),
        scope=Scope.CHAT,
        section=Section.INCLUSION,
        lists_people=True,
    )
    inclusion_minimum_tokens = Setting(
        "inclusion_minimum_tokens",
        0,
        N_("Shortest message"),
        N_("Messages with fewer tokens get no recap."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=100_000,
        section=Section.INCLUSION,
    )
    long_term_limit = Setting(
        "long_term_limit",
        10,
        N_("Budget of recaps you keep"),
        N_("Percent of the context, or tokens, for recaps you keep that do not fit otherwise."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=1_000_000,
        section=Section.INCLUSION,
    )
    inclusion_lag = Setting(
        "inclusion_lag",
        0,
        N_("Newest messages left out"),
        N_(
            "This many of the newest messages need no recap in the prompt, because they are in "
            "it themselves."
        ),
        scope=Scope.CHAT,
        minimum=0,
        maximum=1000,
        section=Section.INCLUSION,
    )
    message_recaps_inject = Setting(
        "message_recaps_inject",
        False,
        N_("Put message recaps into the prompt"),
        N_("Add the selected message recaps to the next prompt."),
        scope=Scope.CHAT,
        section=Section.INJECTION,
    )
    message_recaps_place = Several(
        placement("message_recaps", N_("message recaps"), MESSAGES_TEMPLATE, Section.INJECTION)
    )
    message_recaps_budget = Setting(
        "message_recaps_budget",
        800,
        N_("Budget of message recaps in the prompt"),
        N_("Maximum tokens of message recaps in the prompt."),
        scope=Scope.CHAT,
        minimum=50,
        maximum=32_000,
        section=Section.INJECTION,
        only_with=("message_recaps_inject", (True,)),
    )
    inclusion_skip_oversized = Setting(
        "inclusion_skip_oversized",
        False,
        N_("Skip recaps that are too long"),
        N_("When a recap does not fit, try older ones instead of stopping there."),
        scope=Scope.CHAT,
        section=Section.INCLUSION,
    )
    message_recaps_auto = Setting(
        "message_recaps_auto",
        True,
        N_("Recap messages without a model"),
        N_("The built-in rules write a one-sentence recap of each message, free of charge."),
        scope=Scope.CHAT,
        section=Section.MESSAGES,
    )
    message_recaps_model = Setting(
        "message_recaps_model",
        False,
        N_("Recap messages with the model"),
        N_("Each message costs one request."),
        scope=Scope.CHAT,
        section=Section.MESSAGES,
    )
    message_recap_delay = Setting(
        "message_recap_delay",
        1,
        N_("Newest messages that wait"),
        N_("A message is recapped once this many newer ones follow it."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=100,
        section=Section.MESSAGES,
    )
    message_recap_limit = Setting(
        "message_recap_limit",
        10,
        N_("How far back"),
        N_("With a model, only this many of the newest messages are recapped without asking."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=1_000_000,
        section=Section.MESSAGES,
        only_with=("message_recaps_model", (True,)),
        minimum_word=N_("all"),
    )
    message_recap_batch = Setting(
        "message_recap_batch",
        1,
        N_("Recap several at once"),
        N_("With a model, wait until this many messages lack a recap."),
        scope=Scope.CHAT,
        minimum=1,
        maximum=100,
        section=Section.MESSAGES,
        only_with=("message_recaps_model", (True,)),
    )
    message_recap_history = Setting(
        "message_recap_history",
        2,
        N_("Earlier messages for context"),
        N_("How many earlier messages a model sees for context."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=10,
        section=Section.MESSAGES,
        only_with=("message_recaps_model", (True,)),
        minimum_word=N_("none"),
    )
    message_recap_history_as = Setting(
        "message_recap_history_as",
        "messages",
        N_("Show earlier messages as"),
        N_("Recaps are shorter; a message without one is shown itself."),
        scope=Scope.CHAT,
        choices=("messages", "recaps"),
        section=Section.MESSAGES,
        choice_words=(N_("the messages themselves"), N_("their recaps")),
        only_with=("message_recaps_model", (True,)),
    )
    message_recap_again = Setting(
        "message_recap_again",
        True,
        N_("Recap edited messages again"),
        N_("Rewrite the recap when its message is edited."),
        scope=Scope.CHAT,
        section=Section.MESSAGES,
    )
    message_recap_on_swipe = Setting(
        "message_recap_on_swipe",
        True,
        N_("Recap other swipes"),
        N_("Recap another swipe when the previous one had a recap."),
        scope=Scope.CHAT,
        section=Section.MESSAGES,
    )
    message_recap_prefill_shown = Setting(
        "message_recap_prefill_shown",
        False,
        N_("Include how recaps begin"),
        N_(
            "In some recaps of ST-Auto-Recap the first words were given to the model. Include "
            "these words, too."
        ),
        scope=Scope.CHAT,
        section=Section.MESSAGES,
    )

    @property
    def running_recap_at(self) -> Place:
        return place_in(self.values, "running_recap")

    @property
    def running_recap_frame(self) -> str:
        return frame_in(self.values, "running_recap")

    @property
    def message_recaps_at(self) -> Place:
        return place_in(self.values, "message_recaps")

    @property
    def message_recaps_frame(self) -> str:
        return frame_in(self.values, "message_recaps")

    def inclusion_rules(self, context_tokens: int | None = None) -> InclusionRules:
        """Which recaps of messages count. context_tokens: of the chat's model, None as set."""
        context = self.context_tokens if context_tokens is None else context_tokens
        kind = self.inclusion_limit_type
        return InclusionRules(
            limit_tokens=limit_in_tokens(self.inclusion_limit, kind, context),
            long_term_tokens=limit_in_tokens(self.long_term_limit, kind, context),
            lag=self.inclusion_lag,
            include_user=self.include_user_messages,
            include_hidden=self.include_hidden_messages,
            include_narrator=self.include_narrator_messages,
            minimum_tokens=self.inclusion_minimum_tokens,
            skip_oversized=self.inclusion_skip_oversized,
            left_out=frozenset(filter(None, map(str.strip, self.left_out.split(",")))),
            with_prefill=self.message_recap_prefill_shown,
        )


RECAP_SETTINGS = settings_of(RecapSettings)
