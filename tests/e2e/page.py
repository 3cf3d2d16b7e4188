"""What a user does in SillyTavern's page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Page

from tests.fakes import FakeLlm, RecordedRequest

READY = """() => window.SillyTavern && !document.querySelector('#preloader')
    && SillyTavern.getContext().onlineStatus !== 'no_connection'
    && SillyTavern.getContext().chatId && SillyTavern.getContext().chat.length"""
CONTEXT = "SillyTavern.getContext()"


class TavernPage:
    """A page of SillyTavern in the browser."""

    def __init__(self, page: Page, llm: FakeLlm) -> None:
        self.page = page
        self.llm = llm
        self.errors: list[str] = []
        self.console: list[str] = []
        self._streams = False
        page.on("pageerror", lambda error: self._note(str(error)))
        page.on("console", lambda message: self.console.append(message.text))

    def _note(self, error: str) -> None:
        # What Chromium only writes down is an error to Firefox: nobody listens at that port.
        if "can’t establish a connection to the server at ws" not in error:
            self.errors.append(error)

    async def load(self, url: str) -> None:
        """Open SillyTavern and wait until it could generate."""
        await self.page.goto(url)
        await self.page.wait_for_function(READY, timeout=60_000)

    async def reload(self) -> None:
        await self.page.reload()
        await self.page.wait_for_function(READY, timeout=60_000)
        # SillyTavern may have saved its settings in the middle of a test that had it otherwise.
        await self.stream(self._streams)

    async def evaluate(self, script: str, argument: Any = None) -> Any:
        return await self.page.evaluate(script, argument)

    async def open_chat(self, name: str) -> None:
        """Open a chat of the character."""
        if await self.evaluate(f"() => Boolean({CONTEXT}.groupId)"):
            await self.slash("/go Seraphina")
        await self.evaluate(f"name => {CONTEXT}.openCharacterChat(name)", name)
        await self.page.wait_for_function(f"name => {CONTEXT}.chatId === name", arg=name)

    async def slash(self, command: str) -> str:
        """Run a slash command of SillyTavern's own. Returns what it hands on."""
        script = f"async text => (await {CONTEXT}.executeSlashCommandsWithOptions(text)).pipe"
        return str(await self.evaluate(script, command))

    async def edit(self, index: int, text: str) -> None:
        """Write a message anew with the pencil, and wait until SillyTavern has it."""
        await self._press(index, ".mes_edit")
        await self.page.fill("#curEditTextarea", text)
        await self._press(index, ".mes_edit_done")
        await self.page.wait_for_function(
            f"([index, text]) => {CONTEXT}.chat[index].mes === text", arg=[index, text]
        )

    async def move_up(self, index: int) -> None:
        """Exchange a message with the one above it."""
        await self._press(index, ".mes_edit")
        await self._press(index, ".mes_edit_up")
        await self._press(index - 1, ".mes_edit_cancel")

    async def delete_from(self, index: int) -> None:
        """Delete a message and all behind it, with "Delete messages" and its boxes."""
        await self.evaluate("() => $('#option_delete_mes').trigger('click')")
        await self.page.click(f'#chat .mes[mesid="{index}"] .del_checkbox')
        await self.evaluate("() => $('#dialogue_del_mes_ok').trigger('click')")
        await self.page.wait_for_function(f"index => {CONTEXT}.chat.length === index", arg=index)

    async def delete(self, index: int) -> None:
        """Delete one message with the pencil's waste bin."""
        length = await self.length()
        await self._press(index, ".mes_edit")
        await self._press(index, ".mes_edit_delete")
        await self.page.click("dialog.popup[open] .popup-button-ok")
        await self.page.wait_for_function(
            f"length => {CONTEXT}.chat.length === length", arg=length - 1
        )

    async def swipe(self, direction: str, swipe: int) -> None:
        """Swipe the last message "left" or "right", and wait until it shows this swipe."""
        await self._press(await self.length() - 1, f".swipe_{direction}")
        # SillyTavern goes on for a moment when the swipe is shown: it would miss the message.
        # What tells so is there in later versions only; before, that the swipe has its text.
        is_over = f"""async swipe => {CONTEXT}.chat.at(-1).swipe_id === swipe
            && {CONTEXT}.chat.at(-1).swipes?.[swipe] === {CONTEXT}.chat.at(-1).mes
            && !document.body.dataset.generating
            && ((await import('/script.js')).swipeState ?? 'none') === 'none'"""
        async with asyncio.timeout(15):
            while not await self.page.evaluate(is_over, swipe):  # noqa: ASYNC110
                await asyncio.sleep(0.02)  # nothing announces it

    async def _press(self, index: int, button: str) -> None:
        """Click what belongs to a message; most of it is hidden until the mouse is there."""
        selector = f'#chat .mes[mesid="{index}"] {button}'
        await self.page.wait_for_selector(selector, state="attached")
        await self.evaluate("selector => $(selector).trigger('click')", selector)

    async def send(self, text: str) -> RecordedRequest:
        """Send a message, and wait for the answer. Returns what the model was asked first."""
        (request,) = await self.send_to_group(text, members=1)
        return request

    async def send_to_group(self, text: str, *, members: int) -> list[RecordedRequest]:
        """Send a message, and wait until all members have answered. Returns their requests."""
        number = len(self.llm.requests)
        length = await self.length()
        await self.page.fill("#send_textarea", text)
        await self.page.click("#send_but")
        await self.page.wait_for_function(
            f"length => {CONTEXT}.chat.length >= length && !document.body.dataset.generating",
            arg=length + 1 + members,
        )
        return self.llm.requests[number:]

    async def stream(self, is_on: bool) -> None:
        """Have answers streamed from now on, or not; also when the page is loaded again."""
        self._streams = is_on
        await self.evaluate(
            f"isOn => {{ {CONTEXT}.chatCompletionSettings.stream_openai = isOn; }}", is_on
        )

    async def generate_again(self, kind: str) -> RecordedRequest:
        """Regenerate, swipe or continue the last answer, and wait until that is done."""
        number = len(self.llm.requests)
        await self.evaluate(f"kind => {CONTEXT}.generate(kind)", kind)
        return self.llm.requests[number]

    async def intercept_milliseconds(self) -> float:
        """How long the bridge holds up a turn."""
        return float(
            await self.evaluate(
                """async () => {
                    const start = performance.now();
                    await tavernkeep_intercept([], 4000, () => {}, 'normal');
                    return performance.now() - start;
                }"""
            )
        )

    async def open_name(self) -> str:
        """Name of the open chat."""
        return str(await self.evaluate(f"() => {CONTEXT}.chatId"))

    async def length(self) -> int:
        """Messages of the open chat."""
        return int(await self.evaluate(f"() => {CONTEXT}.chat.length"))

    async def prompt_text(self, key: str, text: str) -> None:
        """Wait until an extension prompt has this text."""
        await self.page.wait_for_function(
            f"([key, text]) => {CONTEXT}.extensionPrompts[key]?.value === text", arg=[key, text]
        )

    async def prompt_texts(self) -> dict[str, str]:
        """Texts of all extension prompts that are set now, by key."""
        prompts = await self.evaluate(f"() => {CONTEXT}.extensionPrompts")
        return {key: prompt["value"] for key, prompt in prompts.items() if prompt["value"]}

    async def set_prompt(self, key: str, text: str) -> None:
        """What another extension adds before the last message, until the chat changes."""
        script = f"([key, text]) => {CONTEXT}.setExtensionPrompt(key, text, 1, 1)"
        await self.evaluate(script, [key, text])

    async def add_authors_note(self, text: str) -> None:
        """What the user adds to each prompt of the chat, four messages before its end."""
        script = f"""text => {{
            const place = {{ note_interval: 1, note_position: 1, note_depth: 4, note_role: 0 }};
            Object.assign({CONTEXT}.chatMetadata, place);
            $('#extension_floating_prompt').val(text).trigger('input');
        }}"""
        await self.evaluate(script, text)

    @asynccontextmanager
    async def text_completion(self) -> AsyncIterator[None]:
        """SillyTavern asks its model to go on with one text, and for chats again afterwards."""
        online = f"api => {CONTEXT}.mainApi === api && {CONTEXT}.onlineStatus !== 'no_connection'"
        use = f"""([api, url]) => {{
            const settings = {CONTEXT}.textCompletionSettings;
            settings.type = 'generic';
            settings.server_urls.generic = url;
            $('#main_api').val(api).trigger('change');
            $(`#api_button_${{api}}`).trigger('click');
        }}"""
        url = self.llm.url.removesuffix("/v1")
        for api in ("textgenerationwebui", "openai"):
            await self.evaluate(use, [api, url])
            await self.page.wait_for_function(online, arg=api, timeout=15_000)
            if api != "openai":
                yield
