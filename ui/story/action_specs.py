"""Every action of the story page, once: its name, its key, its icon, and what it does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoryActionSpec:
    """name: of the attribute. sentence: the tooltip. also: words that find it in the palette."""

    name: str
    text: str
    key: str
    sentence: str
    icon: str = "book"
    also: str = ""
    is_checkable: bool = False


SCENE_ACTIONS = (
    StoryActionSpec(
        "break_here",
        "Break scene here",
        "B",
        "End the scene with this message. (B)",
        icon="split",
        also="split cut new scene",
    ),
    StoryActionSpec(
        "split",
        "Split scene here",
        "",
        "Cut the scene in two behind this message. (B)",
        icon="split",
        also="break cut",
    ),
    StoryActionSpec(
        "merge_previous",
        "Merge with the scene above",
        "Ctrl+Shift+J",
        "Join the scene with the one before it.",
        icon="fold",
        also="join previous",
    ),
    StoryActionSpec(
        "merge_next",
        "Merge with the scene below",
        "Ctrl+J",
        "Join the scene with the one behind it.",
        icon="fold",
        also="join next",
    ),
    StoryActionSpec(
        "toggle_break",
        "Hide break",
        "H",
        "Join the two scenes at this break. It keeps its name and recaps, and can be shown again.",
        icon="eye",
        also="remove show join break",
    ),
    StoryActionSpec(
        "move_up",
        "Move break up",
        "Alt+Shift+Up",
        "End the scene one message earlier.",
        icon="chevron-up",
        also="scene boundary earlier",
    ),
    StoryActionSpec(
        "move_down",
        "Move break down",
        "Alt+Shift+Down",
        "End the scene one message later.",
        icon="chevron-down",
        also="scene boundary later",
    ),
    StoryActionSpec(
        "delete_break",
        "Delete break and its recaps",
        "Ctrl+Del",
        "Join the two scenes and put the recaps away that end here.",
        icon="trash",
        also="remove scene",
    ),
    StoryActionSpec(
        "rename",
        "Rename scene",
        "F2",
        "Give the scene a name. (F2)",
        icon="pencil",
        also="title",
    ),
    StoryActionSpec(
        "fold",
        "Fold scene",
        "",
        "Show the scene as one line. (Left)",
        icon="chevron-right",
        also="collapse",
    ),
    StoryActionSpec(
        "unfold",
        "Unfold scene",
        "",
        "Show its messages. (Right)",
        icon="chevron-down",
        also="expand",
    ),
    StoryActionSpec(
        "find_breaks",
        "Find scene breaks with the model",
        "Ctrl+Shift+B",
        "Let the model look for scene breaks. What it takes is said first.",
        icon="search",
        also="detect scenes ai search",
    ),
    StoryActionSpec(
        "previous_scene", "Previous scene", "Alt+Up", "Go to the scene before. (Alt Up)"
    ),
    StoryActionSpec("next_scene", "Next scene", "Alt+Down", "Go down a scene. (Alt Down)"),
    StoryActionSpec(
        "redo_recap",
        "Redo scene recap",
        "R",
        "Write the recap anew. (R)",
        icon="loop",
        also="again",
    ),
    StoryActionSpec(
        "rebuild",
        "Rebuild running recap from here",
        "",
        "Fold the scenes in anew, from this one on. The versions there are stay.",
        icon="layers",
    ),
)
MESSAGE_ACTIONS = (
    StoryActionSpec(
        "remember",
        "Remember",
        "M",
        "Keep this message's recap even when the budget is full. (M)",
        "bookmark",
        "long-term recap",
        is_checkable=True,
    ),
    StoryActionSpec(
        "exclude",
        "Exclude",
        "X",
        "Leave this message's recap out. (X)",
        "barred",
        "leave out recap",
        is_checkable=True,
    ),
    StoryActionSpec(
        "recap_message",
        "Recap this message",
        "Shift+R",
        "Write its recap now. (Shift R)",
        icon="document",
    ),
    StoryActionSpec(
        "recap_scene_messages",
        "Recap the messages of this scene",
        "",
        "Write the recap of each message of this scene anew.",
        icon="document",
    ),
    StoryActionSpec(
        "recap_missing",
        "Recap all messages without one",
        "",
        "Write the recaps of all messages that lack one.",
        icon="document",
        also="missing",
    ),
    StoryActionSpec(
        "edit_recap", "Edit recap", "E", "Write this message's recap yourself. (E)", icon="pencil"
    ),
    StoryActionSpec(
        "clear_recap",
        "Clear recap",
        "",
        "Take the recap away with its marks. It is not written again unasked.",
        icon="trash",
        also="delete remove message recap",
    ),
    StoryActionSpec(
        "previous_recap",
        "Use the recap of the swipe before",
        "",
        "Let the recap of the swipe before count for this one, too.",
        icon="arrow-left",
        also="previous swipe recap",
    ),
    StoryActionSpec(
        "clear_all",
        "Clear all recaps and breaks of this chat",
        "",
        "Forget every recap, break and mark. What that takes away is said first.",
        icon="trash",
        also="delete everything reset",
    ),
    StoryActionSpec(
        "show_in_page",
        "Show in SillyTavern",
        "Shift+S",
        "Scroll SillyTavern's page to this message. (Shift S)",
        icon="link",
        also="jump go to page browser",
    ),
    StoryActionSpec("find", "Find in chat", "Ctrl+F", "Find a text. (Ctrl F)", icon="search"),
)
