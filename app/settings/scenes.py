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
            "Cues in the text (free); the model where they are in doubt, which takes at most two "
            "requests for 100 messages; the model alone; or cues first and the model where they "
            "find nothing. Without a model it is the cues."
        ),
        scope=Scope.CHAT,
        choices=("heuristic", "doubts", "model", "both"),
        section=Section.SCENES,
        choice_words=(
            N_("cues in the text"),
            N_("cues, and the model where they are in doubt"),
            N_("the model"),
            N_("cues, then the model"),
        ),
    )
    scene_breaks_on_new_message = Setting(
        "scene_breaks_on_new_message",
        True,
        N_("Ask the model when messages come"),
        N_("Where the model finds scene breaks: also after edits, swipes and deletions."),
        scope=Scope.CHAT,
        section=Section.SEARCH,
        only_with=("scene_detector", ("model", "both")),
    )
    scene_breaks_on_load = Setting(
        "scene_breaks_on_load",
        False,
        N_("Ask the model when a chat opens"),
        N_("Where the model finds scene breaks: look at the open scene at once."),
        scope=Scope.CHAT,
        section=Section.SEARCH,
        only_with=("scene_detector", ("model", "both")),
    )
    scene_break_offset = Setting(
        "scene_break_offset",
        8,
        N_("Newest messages that end no scene"),
        N_("The model may read them and not choose them: a scene shows its end only afterwards."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=100,
        section=Section.SEARCH,
        only_with=("scene_detector", ("doubts", "model", "both")),
    )
    scene_break_batch = Setting(
        "scene_break_batch",
        4,
        N_("New messages for one question"),
        N_("The model is asked again when so many more messages can be chosen."),
        scope=Scope.CHAT,
        minimum=1,
        maximum=100,
        section=Section.SEARCH,
        only_with=("scene_detector", ("model", "both")),
    )
    scene_break_speakers = Setting(
        "scene_break_speakers",
        "both",
        N_("Messages that count"),
        N_("Whose messages the model reads to find scene breaks."),
        scope=Scope.CHAT,
        choices=("both", "user", "character"),
        section=Section.SEARCH,
        choice_words=(N_("everybody's"), N_("only yours"), N_("only the characters'")),
        only_with=("scene_detector", ("doubts", "model", "both")),
    )
    scene_break_stretch = Setting(
        "scene_break_stretch",
        30,
        N_("Stretch without a break"),
        N_("Cues first: the model is asked where so many messages hold no break."),
        scope=Scope.CHAT,
        minimum=2,
        maximum=10_000,
        section=Section.SEARCH,
        only_with=("scene_detector", ("both",)),
    )
    scene_break_forced = Setting(
        "scene_break_forced",
        True,
        N_("Cut a scene that is too long"),
        N_("Let the model choose the best break when a scene no longer fits into one request."),
        scope=Scope.CHAT,
        section=Section.SEARCH,
        only_with=("scene_detector", ("model", "both")),
    )
    scene_minimum_length = Setting(
        "scene_minimum_length",
        3,
        N_("Shortest scene"),
        N_("Messages that a scene has at least when it is found by itself."),
        scope=Scope.CHAT,
        minimum=1,
        maximum=50,
        section=Section.SCENES,
    )
    scene_recaps_auto = Setting(
        "scene_recaps_auto",
        True,
        N_("Recap closed scenes"),
        N_("Write a recap when a scene closes."),
        scope=Scope.CHAT,
        section=Section.SCENES,
    )
    scene_recap_tokens = Setting(
        "scene_recap_tokens",
        160,
        N_("Length of a scene recap"),
        N_(
            "Tokens that the recap of a short scene may take; that of a long one takes about a "
            "fifth of the scene's."
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
            "Tokens that the recap of a very long scene should take at most. A model that "
            "writes more is asked once to be shorter; otherwise what it wrote is kept."
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
            "In stages the recap tells only what the running recap does not, and lore is kept "
            "with it."
        ),
        scope=Scope.CHAT,
        choices=("one", "staged"),
        choice_words=(N_("with one request"), N_("in stages, up to four requests")),
        section=Section.SCENES,
    )
    scene_recap_messages = Setting(
        "scene_recap_messages",
        "both",
        N_("Messages in a scene recap"),
        N_("Whose messages a scene recap is made from; a scene without any of them is read whole."),
        scope=Scope.CHAT,
        choices=("both", "character", "user"),
        choice_words=(N_("all"), N_("the characters'"), N_("yours")),
        section=Section.SCENES,
    )
    scene_name_append_range = Setting(
        "scene_name_append_range",
        False,
        N_("Message numbers in scene names"),
        N_("Put the numbers of its messages behind the name that a scene was given by itself."),
        scope=Scope.CHAT,
        section=Section.SCENES,
    )
    catch_up_scenes = Setting(
        "catch_up_scenes",
        3,
        N_("Ask before catching up"),
        N_("With a model, more scenes than this are recapped only after you said so."),
        scope=Scope.CHAT,
        minimum=0,
        maximum=10_000,
        section=Section.SCENES,
    )


SCENE_SETTINGS = settings_of(SceneSettings)
