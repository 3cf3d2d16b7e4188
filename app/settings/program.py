"""The settings of the program as a whole: tavern, model, look, tray, use, and chats."""

from __future__ import annotations

from app.core.translation import N_
from app.settings.groups import Group, settings_of
from app.settings.setting import Scope, Section, Setting

GENERATION_BUDGET = 8192  # tokens (spec/smart-memory.md §4)

# What a window alone reads: no prompt and no work depends on it.
OF_WINDOW = frozenset(
    {"theme", "contrast", "story_colours", "story_text_size", "window_state", "memories_shown"}
    | {"follow_page", "close_to_tray", "tray_notices"}
)


class ProgramSettings(Group):
    """The settings of the program as a whole."""

    tavern = Setting(
        "tavern",
        "",
        N_("SillyTavern folder"),
        N_("Where SillyTavern keeps its data; may be several. Empty: look."),
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
        N_("The preset of your prompts that is in force. Empty: your prompts outside of any."),
    )
    theme = Setting(
        "theme",
        "system",
        N_("Theme"),
        N_("Light, dark, or as the system says."),
        choices=("system", "light", "dark"),
        choice_words=(N_("As the system"), N_("Light"), N_("Dark")),
    )
    contrast = Setting(
        "contrast",
        "system",
        N_("Contrast"),
        N_("High contrast draws every edge and fades nothing; or as the system says."),
        choices=("system", "normal", "high"),
        choice_words=(N_("As the system"), N_("Normal"), N_("High")),
    )
    story_colours = Setting(
        "story_colours",
        "prompt",
        N_("Colours of the story"),
        N_("What the bars over the story and the marks beside messages show."),
        choices=("prompt", "recaps"),
        choice_words=(N_("In the next prompt"), N_("Message recaps")),
    )
    story_text_size = Setting(
        "story_text_size",
        15.5,
        N_("Story text size"),
        N_("Pixels of the story's letters."),
        minimum=13.0,
        maximum=22.0,
    )
    window_state = Setting(
        "window_state", "", N_("Window layout"), N_("Position and size of the window.")
    )
    memories_shown = Setting(
        "memories_shown",
        "",
        N_("Memories that are shown"),
        N_("Which the page Memories shows beside those that hold."),
    )
    follow_page = Setting(
        "follow_page",
        True,
        N_("Follow SillyTavern"),
        N_(
            "The window changes to the chat that is open in SillyTavern's page. A chat that you "
            "open here yourself stays until you go back."
        ),
        section=Section.WINDOW,
    )
    close_to_tray = Setting(
        "close_to_tray",
        False,
        N_("Stay in the tray"),
        N_("Closing the window leaves an icon in the system's tray, and the work goes on."),
        section=Section.WINDOW,
    )
    tray_notices = Setting(
        "tray_notices",
        True,
        N_("Notices"),
        N_("Tell when long work is done or something needs you, while the window is not in front."),
        section=Section.WINDOW,
        only_with=("close_to_tray", (True,)),
    )
    memory_left_out = Setting(
        "memory_left_out",
        "",
        N_("Messages that memory leaves out"),
        N_("Messages of a chat that memory does not read."),
        scope=Scope.CHAT,
    )
    lore_done = Setting(
        "lore_done",
        "",
        N_("Lore that is done"),
        N_("Which of the lore that scenes gave was taken over, by the digest of its words."),
        scope=Scope.CHAT,
    )
    recap_pins = Setting(
        "recap_pins",
        "",
        N_("Pinned sentences"),
        N_("Sentences of the recaps of a chat that no rewrite drops."),
        scope=Scope.CHAT,
    )
    price_prompt_tokens = Setting(
        "price_prompt_tokens",
        0.0,
        N_("Price of a million tokens read"),
        N_("What your provider charges, in your own currency; costs are shown before long work."),
        minimum=0.0,
        maximum=100_000.0,
        section=Section.USE,
        minimum_word=N_("no price"),
    )
    price_output_tokens = Setting(
        "price_output_tokens",
        0.0,
        N_("Price of a million tokens written"),
        N_("Usually several times the price of tokens read."),
        minimum=0.0,
        maximum=100_000.0,
        section=Section.USE,
        minimum_word=N_("no price"),
    )
    prices_of_models = Setting(
        "prices_of_models",
        "",
        N_("Prices of single models"),
        N_("What a million tokens cost with models that have prices of their own."),
    )
    daily_cap = Setting(
        "daily_cap",
        0,
        N_("Daily cap"),
        N_("Once models have been asked this much in a day, the rest waits until midnight."),
        minimum=0,
        maximum=1_000_000_000,
        section=Section.USE,
        minimum_word=N_("none"),
    )
    daily_cap_unit = Setting(
        "daily_cap_unit",
        "requests",
        N_("Cap counted in"),
        N_("Requests to the model, or tokens read and written."),
        choices=("requests", "tokens"),
        section=Section.USE,
        choice_words=(N_("requests"), N_("tokens")),
    )
    generation_budget = Setting(
        "generation_budget",
        GENERATION_BUDGET,
        N_("Longest answer with its reasoning"),
        N_("Tokens that a model may write for one answer; fewer where its context is full."),
        minimum=1024,
        maximum=32_768,
        section=Section.USE,
    )
    text_left_out = Setting(
        "text_left_out",
        "",
        N_("Left out of what models read"),
        N_(
            "Passages of messages, one in each line, with … for anything: <status>…</status>, or "
            "“OOC: …” for the rest of a line. Your chat and SillyTavern's prompts stay as they are."
        ),
        scope=Scope.CHAT,
        section=Section.USE,
        is_rules=True,
    )
    request_pause = Setting(
        "request_pause",
        0,
        N_("Pause between requests"),
        N_("Seconds from one answer to the next request, for providers that allow few a minute."),
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
            "What becomes of a request that SillyTavern's own connection is just answering. "
            "Automatic: with an online account it goes on, with a model at home it gives way once."
        ),
        choices=("auto", "always", "never"),
        section=Section.USE,
        choice_words=(N_("Automatic"), N_("It goes on"), N_("It gives way once")),
    )
    reasoning_marks = Setting(
        "reasoning_marks",
        "",
        N_("Marks of reasoning"),
        N_(
            "What a model writes around its reasoning, where Tavernkeep does not know it: "
            "<plan>...</plan>. Several with spaces between them."
        ),
        section=Section.USE,
    )
    chat_off = Setting(
        "chat_off",
        False,
        N_("Tavernkeep rests"),
        N_(
            "Tavernkeep does no work and adds nothing to prompts. All that was made so "
            "far stays and is used again once this is off."
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
        N_("Hide what the memory tells"),
        N_(
            "Newest scenes that stay in the prompt as they are, the open one counted; older ones "
            "that the running recap tells are hidden."
        ),
        scope=Scope.CHAT,
        minimum=-1,
        maximum=999,
        section=Section.CHATS,
        minimum_word=N_("nothing"),
    )


PROGRAM_SETTINGS = settings_of(ProgramSettings)
