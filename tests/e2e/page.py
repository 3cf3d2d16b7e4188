"""What a user does in SillyTavern's page."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Page

from tests.fakes import FakeLlm, RecordedRequest

READY = """() => window.SillyTavern && !document.querySelector('#preloader')
    && SillyTavern.getContext().onlineStatus !== 'no_connection'
    && SillyTavern.getContext().chatId"""
CONTEXT = "SillyTavern.getContext()"


class TavernPage:
    """A page of SillyTavern in the browser."""

    def __init__(self, page: Page, llm: FakeLlm) -> None:
        self.page = page
        self.llm = llm
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    async def load(self, url: str) -> None:
        """Open SillyTavern and wait until it could generate."""
        await self.page.goto(url)
        await self.page.wait_for_function(READY, timeout=60_000)

    async def reload(self) -> None:
        await self.page.reload()
        await self.page.wait_for_function(READY, timeout=60_000)

    async def evaluate(self, script: str, argument: Any = None) -> Any:
        return await self.page.evaluate(script, argument)

    async def open_chat(self, name: str) -> None:
        """Open a chat of the character."""
        if await self.evaluate(f"() => Boolean({CONTEXT}.groupId)"):
            await self.slash("/go Seraphina")
        await self.evaluate(f"name => {CONTEXT}.openCharacterChat(name)", name)
        await self.page.wait_for_function(f"name => {CONTEXT}.chatId === name", arg=name)

    async def slash(self, command: str) -> None:
        """Run a slash command of SillyTavern's own."""
        await self.evaluate(f"text => {CONTEXT}.executeSlashCommandsWithOptions(text)", command)

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
        """Have answers streamed from now on, or not."""
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
