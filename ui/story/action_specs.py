"""Every action of the story page, once: its name, its key, its icon, and what it does."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.translation import N_


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
        N_("Break scene here"),
        "B",
        N_("End the scene with this message. (B)"),
        icon="split",
        also=N_("split cut new scene"),
    ),
    StoryActionSpec(
        "split",
        N_("Split scene here"),
        "",
        N_("Split the scene after this message. (B)"),
        icon="split",
        also=N_("break cut"),
    ),
    StoryActionSpec(
        "merge_previous",
        N_("Merge with the scene above"),
        "Ctrl+Shift+J",
        N_("Join the scene with the one before it."),
        icon="fold",
        also=N_("join previous"),
    ),
    StoryActionSpec(
        "merge_next",
        N_("Merge with the scene below"),
        "Ctrl+J",
        N_("Join the scene with the one after it."),
        icon="fold",
        also=N_("join next"),
    ),
    StoryActionSpec(
        "toggle_break",
        N_("Hide break"),
        "H",
        N_(
            "Join the two scenes at this break. It keeps its name and recaps, and you can show "
            "it again."
        ),
        icon="eye",
        also=N_("remove show join break"),
    ),
    StoryActionSpec(
        "move_up",
        N_("Move break up"),
        "Alt+Shift+Up",
        N_("End the scene one message earlier."),
        icon="chevron-up",
        also=N_("scene boundary earlier"),
    ),
    StoryActionSpec(
        "move_down",
        N_("Move break down"),
        "Alt+Shift+Down",
        N_("End the scene one message later."),
        icon="chevron-down",
        also=N_("scene boundary later"),
    ),
    StoryActionSpec(
        "delete_break",
        N_("Delete break and its recaps"),
        "Ctrl+Del",
        N_("Join the two scenes and remove the recaps that end here."),
        icon="trash",
        also=N_("remove scene"),
    ),
    StoryActionSpec(
        "rename",
        N_("Rename scene"),
        "F2",
        N_("Give the scene a name. (F2)"),
        icon="pencil",
        also=N_("title"),
    ),
    StoryActionSpec(
        "fold",
        N_("Collapse scene"),
        "",
        N_("Show the scene as one line. (Left)"),
        icon="chevron-right",
        also=N_("collapse"),
    ),
    StoryActionSpec(
        "unfold",
        N_("Expand scene"),
        "",
        N_("Show its messages. (Right)"),
        icon="chevron-down",
        also=N_("expand"),
    ),
    StoryActionSpec(
        "find_breaks",
        N_("Find scene breaks with the model"),
        "Ctrl+Shift+B",
        N_("Let the model look for scene breaks. You see the cost first."),
        icon="search",
        also=N_("detect scenes ai search"),
    ),
    StoryActionSpec(
        "previous_scene", N_("Previous scene"), "Alt+Up", N_("Go to the previous scene. (Alt Up)")
    ),
    StoryActionSpec(
        "next_scene", N_("Next scene"), "Alt+Down", N_("Go to the next scene. (Alt Down)")
    ),
    StoryActionSpec(
        "redo_recap",
        N_("Redo scene recap"),
        "R",
        N_("Rewrite the recap. (R)"),
        icon="loop",
        also=N_("again"),
    ),
    StoryActionSpec(
        "scene_memories",
        N_("Memories of this scene"),
        "",
        N_("Show what is remembered from its messages."),
        icon="bookmark",
        also=N_("source memory ids"),
    ),
    StoryActionSpec(
        "rebuild",
        N_("Rebuild running recap from here"),
        "",
        N_("Add the scenes again, from this one on. Existing versions stay."),
        icon="layers",
    ),
)
MESSAGE_ACTIONS = (
    StoryActionSpec(
        "remember",
        N_("Remember"),
        "M",
        N_("Keep this message's recap even when the budget is full. (M)"),
        "bookmark",
        N_("long-term recap"),
        is_checkable=True,
    ),
    StoryActionSpec(
        "exclude",
        N_("Leave its recap out"),
        "X",
        N_("Leave this message's recap out. (X)"),
        "barred",
        N_("exclude"),
        is_checkable=True,
    ),
    StoryActionSpec(
        "leave_out",
        N_("Leave out of memory"),
        "Shift+X",
        N_("This message is not read for memory; what was noted before stays. (Shift X)"),
        "eye-off",
        N_("exclude forget ignore secret ooc"),
        is_checkable=True,
    ),
    StoryActionSpec(
        "recap_message",
        N_("Recap this message"),
        "Shift+R",
        N_("Write its recap now. (Shift R)"),
        icon="document",
    ),
    StoryActionSpec(
        "recap_scene_messages",
        N_("Recap the messages of this scene"),
        "",
        N_("Rewrite the recap of each message in this scene."),
        icon="document",
    ),
    StoryActionSpec(
        "recap_missing",
        N_("Recap all messages without one"),
        "",
        N_("Write recaps for all messages that have none."),
        icon="document",
        also=N_("missing"),
    ),
    StoryActionSpec(
        "edit_recap",
        N_("Edit recap"),
        "E",
        N_("Write this message's recap yourself. (E)"),
        icon="pencil",
    ),
    StoryActionSpec(
        "clear_recap",
        N_("Clear recap"),
        "",
        N_("Remove the recap and its marks. It is not written again unless you ask."),
        icon="trash",
        also=N_("delete remove message recap"),
    ),
    StoryActionSpec(
        "previous_recap",
        N_("Use the recap of the previous swipe"),
        "",
        N_("Use the recap of the previous swipe for this one, too."),
        icon="arrow-left",
        also=N_("previous swipe recap"),
    ),
    StoryActionSpec(
        "take_in",
        N_("Import from other extensions"),
        "",
        N_(
            "Import what another memory extension knows about this chat. You see what that is "
            "first."
        ),
        icon="sync",
        also=N_("import extension back auto recap summarize memory books bakemono charmemory"),
    ),
    StoryActionSpec(
        "clear_all",
        N_("Clear all recaps and breaks of this chat"),
        "",
        N_("Delete every recap, scene break and mark. You see first what goes."),
        icon="trash",
        also=N_("delete everything reset"),
    ),
    StoryActionSpec(
        "show_in_page",
        N_("Show in SillyTavern"),
        "Shift+S",
        N_("Scroll SillyTavern's page to this message. (Shift S)"),
        icon="link",
        also=N_("jump go to page browser"),
    ),
    StoryActionSpec(
        "find", N_("Find in chat"), "Ctrl+F", N_("Find a text. (Ctrl F)"), icon="search"
    ),
)
