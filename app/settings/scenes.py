"""The settings of scenes: where they end, how breaks are found, and their recaps."""

from __future__ import annotations

from app.core.translation import N_
from app.settings.groups import Group, settings_of
from app.settings.setting import Scope, Section, Setting


class SceneSettings(Group):
    """Where scenes end, how breaks are found, and their recaps."""

    scene_breaks_auto = Setting(
        "scene_breaks_auto",
        True,
        N_("Find scene breaks"),
        N_("Look for scene breaks in each new message."),
        scope=Scope.CHAT,
        section=Section.SCENES,
    )
    scene_detector = Setting(
        "scene_detector",
        "doubts",
        N_("Who finds scene breaks"),
        N_(
            "Clues in the text (free); the model where clues are unsure, at most two requests "
            "per 100 messages; only the model; or clues first, then the model where they find "
            "nothing. Without a model, only clues."
        ),
        scope=Scope.CHAT,
        choices=("heuristic", "doubts", "model", "both"),
        section=Section.SCENES,
        choice_words=(
            N_("clues in the text"),
            N_("clues, and the model where they are unsure"),
            N_("the model"),
            N_("clues, then the model"),
        ),
    )
    scene_breaks_on_new_message = Setting(
        "scene_breaks_on_new_message",
        True,
        N_("Ask the model when messages come"),
        N_("If the model finds scene breaks: also after edits, swipes and deletions."),
        scope=Scope.CHAT,
        section=Section.SEARCH,
        only_with=("scene_detector", ("model", "both")),
    )
    scene_breaks_on_load = Setting(
        "scene_breaks_on_load",
        False,
        N_("Ask the model when a chat opens"),
        N_("If the model finds scene breaks: check the open scene immediately."),
        scope=Scope.CHAT,
        section=Section.SEARCH,
        only_with=("scene_detector", ("model", "both")),
    )
    scene_break_offset = Setting(
        "scene_break_offset",
        8,
        N_("Newest messages that end no scene"),
        N_(
            "The model reads them but must not choose them: the end of a scene shows only "
            "afterwards."
        ),
        scope=Scope.CHAT,
        minimum=0,
        maximum=100,
        section=Section.SEARCH,
        only_with=("scene_detector", ("doubts", "model", "both")),
    )
    scene_break_batch = Setting(
        "scene_break_batch",
        4,
        N_("New messages per question"),
        N_("The model is asked again once this many more messages can be chosen."),
        scope=Scope.CHAT,
        minimum=1,
        maximum=100,
        section=Section.SEARCH,
        only_with=("scene_detector", ("model", "both")),
    )
    scene_break_speakers = Setting(
        "scene_break_speakers",
        "both",
        N_("Messages to include"),
        N_("Whose messages the model reads to find scene breaks."),
        scope=Scope.CHAT,
        choices=("both", "user", "character"),
        section=Section.SEARCH,
        choice_words=(N_("everyone's"), N_("only yours"), N_("only the characters'")),
        only_with=("scene_detector", ("doubts", "model", "both")),
    )
    scene_break_stretch = Setting(
        "scene_break_stretch",
        30,
        N_("Stretch without a break"),
        N_("Rules first: the model is asked where this many messages contain no break."),
        scope=Scope.CHAT,
        minimum=2,
        maximum=10_000,
        section=Section.SEARCH,
        only_with=("scene_detector", ("both",)),
    )
    scene_break_forced = Setting(
        "scene_break_forced",
        True,
        N_("Split scenes that are too long"),
        N_("Let the model choose the best break when a scene no longer fits into one request."),
        scope=Scope.CHAT,
        section=Section.SEARCH,
        only_with=("scene_detector", ("model", "both")),
    )
    scene_minimum_length = Setting(
        "scene_minimum_length",
        3,
        N_("Shortest scene"),
        N_("Minimum number of messages in a scene that is found automatically."),
        scope=Scope.CHAT,
        minimum=1,
        maximum=50,
        section=Section.SCENES,
    )
    scene_recaps_auto = Setting(
        "scene_recaps_auto",
        True,
        N_("Recap finished scenes"),
        N_("Write a recap when a scene ends."),
        scope=Scope.CHAT,
        section=Section.SCENES,
    )
    scene_recap_tokens = Setting(
        "scene_recap_tokens",
        160,
        N_("Length of a scene recap"),
        N_(
            "Tokens for the recap of a short scene; a long scene gets about a fifth of its own "
            "length."
        ),
        scope=Scope.CHAT,
        minimum=40,
        maximum=2000,
        section=Section.SCENES,
    )
    scene_recap_most = Setting(
        "scene_recap_most",
        640,
        N_("Longest scene recap"),
        N_(
            "Maximum tokens for the recap of a very long scene. A model that writes more is "
            "asked once to be shorter; after that its text is kept."
        ),
        scope=Scope.CHAT,
        minimum=40,
        maximum=4000,
        section=Section.SCENES,
    )
    scene_recap_form = Setting(
        "scene_recap_form",
        "one",
        N_("How a scene recap is made"),
        N_(
            "In stages, the recap tells only what the running recap does not, and lore is "
            "collected."
        ),
        scope=Scope.CHAT,
        choices=("one", "staged"),
        choice_words=(N_("in one request"), N_("in stages, up to four requests")),
        section=Section.SCENES,
    )
    scene_recap_messages = Setting(
        "scene_recap_messages",
        "both",
        N_("Messages in a scene recap"),
        N_(
            "Whose messages a scene recap is made from. A scene without any of them is read in "
            "full."
        ),
        scope=Scope.CHAT,
        choices=("both", "character", "user"),
        choice_words=(N_("all"), N_("the characters'"), N_("yours")),
        section=Section.SCENES,
    )
    scene_name_append_range = Setting(
        "scene_name_append_range",
        False,
        N_("Message numbers in scene names"),
        N_("Add the numbers of its messages to a name that a scene was given automatically."),
        scope=Scope.CHAT,
        section=Section.SCENES,
    )
    catch_up_scenes = Setting(
        "catch_up_scenes",
        3,
        N_("Ask before catching up"),
        N_(
            "With a model, a chat that is new to Tavernkeep waits until you agree. In a chat that "
            "is under way, up to this many scenes are caught up without asking."
        ),
        scope=Scope.CHAT,
        minimum=0,
        maximum=10_000,
        section=Section.SCENES,
    )


SCENE_SETTINGS = settings_of(SceneSettings)
