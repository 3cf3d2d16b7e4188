"""The settings of the program as a whole: tavern, model, look, tray, use, and chats."""

from __future__ import annotations

from app.core.translation import N_
from app.settings.groups import Group, settings_of
from app.settings.setting import Scope, Section, Setting

GENERATION_BUDGET = 8192  # tokens (spec/smart-memory.md §4)

# How the window looks. No change of it is a step that undo takes back, as none of language and size
# of the interface is, which belong to the machine.
APPEARANCE = frozenset({"theme", "contrast", "story_colours", "story_text_size"})
# What a window alone reads: no prompt and no work depends on it.
OF_WINDOW = APPEARANCE | {
    *("window_state", "memories_shown", "backend_typed"),
    *("follow_page", "close_to_tray", "tray_notices"),
}


class ProgramSettings(Group):
    """The settings of the program as a whole."""

    tavern = Setting(
        "tavern",
        "",
        N_("SillyTavern folder"),
        N_("Where SillyTavern keeps its data; several are possible. Empty: search automatically."),
    )
    backend = Setting(
        "backend",
        "builtin",
        N_("Model"),
        N_(
            "What writes recaps: builtin, ollama:MODEL, openai:MODEL@URL, sillytavern (its own "
            "connection), or sillytavern:PROFILE."
        ),
    )
    prompt_preset = Setting(
        "prompt_preset",
        "",
        N_("Prompts"),
        N_("The preset of prompts in use. Empty: your prompts without a preset."),
    )
    theme = Setting(
        "theme",
        "system",
        N_("Theme"),
        N_("Light, dark, or the same as the system."),
        choices=("system", "light", "dark"),
        choice_words=(N_("Same as the system"), N_("Light"), N_("Dark")),
    )
    contrast = Setting(
        "contrast",
        "system",
        N_("Contrast"),
        N_("High contrast draws every edge and fades nothing. By default it follows the system."),
        choices=("system", "normal", "high"),
        choice_words=(N_("Same as the system"), N_("Normal"), N_("High")),
    )
    story_colours = Setting(
        "story_colours",
        "prompt",
        N_("What the story's colours show"),
        N_("What the bars above the story and the marks beside messages show."),
        choices=("prompt", "recaps"),
        choice_words=(N_("In the next prompt"), N_("Message recaps")),
    )
    story_text_size = Setting(
        "story_text_size",
        15.5,
        N_("Story text size"),
        N_("Letter size of the story, in pixels."),
        minimum=13.0,
        maximum=22.0,
    )
    window_state = Setting(
        "window_state", "", N_("Window layout"), N_("Position and size of the window.")
    )
    backend_typed = Setting(
        "backend_typed",
        "",
        N_("Typed for models"),
        N_("Addresses and names of models as they were typed, also those that are not in use."),
    )
    memories_shown = Setting(
        "memories_shown",
        "",
        N_("Memories shown"),
        N_("Which memories the page Memories shows besides those that hold."),
    )
    follow_page = Setting(
        "follow_page",
        True,
        N_("Follow SillyTavern"),
        N_(
            "The window switches to the chat open in SillyTavern. A chat you open here yourself "
            "stays until you go back."
        ),
        section=Section.WINDOW,
    )
    close_to_tray = Setting(
        "close_to_tray",
        False,
        N_("Keep running in the tray"),
        N_("When you close the window, an icon stays in the system tray and work continues."),
        section=Section.WINDOW,
    )
    tray_notices = Setting(
        "tray_notices",
        True,
        N_("Notices"),
        N_(
            "Notify you when long work is done or something needs you while the window is in the "
            "background."
        ),
        section=Section.WINDOW,
        only_with=("close_to_tray", (True,)),
    )
    memory_left_out = Setting(
        "memory_left_out",
        "",
        N_("Messages left out of memory"),
        N_("Messages of a chat that are not read for memory."),
        scope=Scope.CHAT,
    )
    lore_done = Setting(
        "lore_done",
        "",
        N_("Lore marked as done"),
        N_("Which lore you have marked as done."),
        scope=Scope.CHAT,
    )
    recap_pins = Setting(
        "recap_pins",
        "",
        N_("Pinned sentences"),
        N_("Sentences in the recaps of a chat that are always kept."),
        scope=Scope.CHAT,
    )
    price_prompt_tokens = Setting(
        "price_prompt_tokens",
        0.0,
        N_("Price per million tokens read"),
        N_("What your provider charges, in your own currency. Costs are shown before long work."),
        minimum=0.0,
        maximum=100_000.0,
        section=Section.USE,
        minimum_word=N_("no price"),
    )
    price_output_tokens = Setting(
        "price_output_tokens",
        0.0,
        N_("Price per million tokens written"),
        N_("Usually several times the price of tokens read."),
        minimum=0.0,
        maximum=100_000.0,
        section=Section.USE,
        minimum_word=N_("no price"),
    )
    prices_of_models = Setting(
        "prices_of_models",
        "",
        N_("Prices by model"),
        N_("What a million tokens cost with models that have their own prices."),
    )
    daily_cap = Setting(
        "daily_cap",
        0,
        N_("Daily limit"),
        N_("Once models have used this much in a day, the rest waits until midnight."),
        minimum=0,
        maximum=1_000_000_000,
        section=Section.USE,
        minimum_word=N_("no limit"),
    )
    daily_cap_unit = Setting(
        "daily_cap_unit",
        "requests",
        N_("Limit counted in"),
        N_("Requests to the model, or tokens read and written."),
        choices=("requests", "tokens"),
        section=Section.USE,
        choice_words=(N_("requests"), N_("tokens")),
    )
    generation_budget = Setting(
        "generation_budget",
        GENERATION_BUDGET,
        N_("Longest answer, including reasoning"),
        N_(
            "Maximum number of tokens a model may write in one answer; less when its context is "
            "full."
        ),
        minimum=1024,
        maximum=32_768,
        section=Section.USE,
    )
    text_left_out = Setting(
        "text_left_out",
        "",
        N_("Leave out when models read"),
        N_(
            "Passages to skip, one per line, with … for any text: <status>…</status>, or “OOC: "
            "…” for the rest of a line. Your chat and SillyTavern's prompts stay as they are."
        ),
        scope=Scope.CHAT,
        section=Section.USE,
        is_rules=True,
    )
    request_pause = Setting(
        "request_pause",
        0,
        N_("Pause between requests"),
        N_(
            "Seconds between an answer and the next request, for providers that allow only a few "
            "per minute."
        ),
        minimum=0,
        maximum=600,
        section=Section.USE,
        minimum_word=N_("none"),
    )
    own_connection_beside = Setting(
        "own_connection_beside",
        "auto",
        N_("While you send a message"),
        N_(
            "What happens to a request that SillyTavern's own connection is answering when you "
            "send a message. Automatic: online it continues, with a local model it pauses once "
            "for your message."
        ),
        choices=("auto", "always", "never"),
        section=Section.USE,
        choice_words=(N_("Automatic"), N_("It continues"), N_("It pauses once for your message")),
    )
    reasoning_marks = Setting(
        "reasoning_marks",
        "",
        N_("Reasoning tags"),
        N_(
            "Tags your model writes around its reasoning, if Tavernkeep does not know them: "
            "<plan>...</plan>. Separate several with spaces."
        ),
        section=Section.USE,
    )
    chat_off = Setting(
        "chat_off",
        False,
        N_("Tavernkeep is off"),
        N_(
            "Tavernkeep does nothing and adds nothing to prompts. Everything made so far is kept "
            "and used again once you switch this off."
        ),
        scope=Scope.CHAT,
        section=Section.CHATS,
    )
    mirror_to_chat = Setting(
        "mirror_to_chat",
        False,
        N_("Keep a copy in the chat"),
        N_(
            "Write scenes and recaps into SillyTavern's chat, in the form that ST-Auto-Recap reads."
        ),
        scope=Scope.CHAT,
        section=Section.CHATS,
    )
    auto_hide_scenes = Setting(
        "auto_hide_scenes",
        -1,
        N_("Hide messages the memory tells"),
        N_(
            "This many of the newest scenes stay in the prompt as they are, including the open "
            "one. Older scenes told by the running recap are hidden."
        ),
        scope=Scope.CHAT,
        minimum=-1,
        maximum=999,
        section=Section.CHATS,
        minimum_word=N_("nothing"),
    )


PROGRAM_SETTINGS = settings_of(ProgramSettings)
