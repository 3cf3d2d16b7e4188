"""Messages as SillyTavern shows them, whatever they hold."""

from __future__ import annotations

import time
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ui.story.messages.message_html import SHOWN_CHARACTERS, Inks, message_html

INKS = Inks(say="#00000a", narr="#00000b", meta="#00000c", code="#00000d")
OURS = {"p", "span", "br"}


class Reader(HTMLParser):
    """Collects tags, attributes and runs of (style, text)."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.runs: list[tuple[str, str]] = []
        self._style = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        if tag == "span":
            self._style = dict(attrs).get("style") or ""
        elif tag == "br":
            self.runs.append(("", "\n"))

    def handle_endtag(self, tag: str) -> None:
        self.tags.add(tag)
        if tag == "span":
            self._style = ""

    def handle_data(self, data: str) -> None:
        self.runs.append((self._style, data))

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.runs)

    def styled(self, part: str) -> str:
        """Text whose style holds `part`."""
        return "".join(text for style, text in self.runs if part in style)


def read(text: str) -> Reader:
    return Reader(message_html(text, INKS))


def test_emphasis_is_narration_in_italics() -> None:
    shown = read('*She waits.* "Well?"')
    assert shown.styled("font-style:italic") == "She waits."
    assert shown.styled(INKS.narr) == "She waits."


@pytest.mark.parametrize("speech", ["“Well?”", "«Alors?»", "「何？」", "『何？』", "＂Well?＂"])
def test_every_style_of_quotes_is_speech(speech: str) -> None:
    assert read(f"He asks {speech} and goes.").styled(INKS.say) == speech


def test_straight_quotes_are_set_as_curly_ones() -> None:
    assert read('"Don\'t."').styled(INKS.say) == "“Don’t.”"


def test_speech_does_not_reach_over_a_line() -> None:
    assert read('"one\ntwo"').styled(INKS.say) == ""


def test_emphasis_inside_speech_stays_speech_in_italics() -> None:
    shown = read('"You *really* mean it?"')
    assert shown.styled(INKS.say) == "“You really mean it?”"
    assert shown.styled("italic") == "really"


def test_speech_inside_narration_is_speech() -> None:
    shown = read('*He says "no" and goes.*')
    assert shown.styled(INKS.say) == "“no”"
    assert shown.styled(INKS.narr) == "He says  and goes."


def test_two_stars_are_bold_and_three_are_both() -> None:
    assert read("a **b** c").styled("font-weight:700") == "b"
    both = read("***x***")
    assert both.styled("font-weight:700") == both.styled("italic") == "x"


def test_underscores_inside_words_are_letters() -> None:
    assert read("snake_case_name").text == "snake_case_name"
    assert read("_so_").styled("italic") == "so"


def test_unclosed_marks_are_shown() -> None:
    assert read("2 * 3 and *open").text == "2 * 3 and *open"


def test_code_is_not_marked_up() -> None:
    shown = read('`*a* "b"` end')
    assert shown.styled(INKS.code) == '*a* "b"'
    assert shown.styled("italic") == ""


def test_a_fence_keeps_its_lines_and_spaces() -> None:
    shown = read("```py\nif x:\n    *go*\n```\n*after*")
    assert shown.styled(INKS.code) == "if x:    *go*"
    assert "\n" in shown.text
    assert shown.styled("italic") == "after"


def test_lines_and_paragraphs_are_kept() -> None:
    html = message_html("one\ntwo\n\nthree", INKS)
    assert html.count("<p") == 2
    assert html.count("<br>") == 1


def test_links_are_words_and_addresses_without_an_anchor() -> None:
    shown = read("[here](https://example.org/x) ![cat](https://example.org/cat.png)")
    assert shown.text == "here (https://example.org/x) [image: cat]"
    assert "href" not in shown.attributes
    assert "src" not in shown.attributes


@pytest.mark.weakness(49)
def test_html_of_a_message_is_shown_as_text() -> None:
    hostile = '<img src=x onerror="alert(1)"><script>x</script><style>*{}</style>'
    shown = read(hostile)
    assert shown.tags <= OURS
    assert "<img src=x" in shown.text
    assert "<script>" in shown.text


def test_a_huge_message_is_cut_and_says_by_how_much() -> None:
    text = "x" * 50_000_000
    start = time.process_time()
    html = message_html(text, INKS)
    assert time.process_time() - start < 1
    assert len(html) < SHOWN_CHARACTERS * 2
    assert f"… {50_000_000 - SHOWN_CHARACTERS:,} more characters" in html


MARKUP = st.text(
    alphabet=st.sampled_from(list("*_`~\"“”«»「」<>&[]()!#->\\\n\r\t ab1'\u2028\ufdd0\x00")),
    max_size=400,
)


@given(st.one_of(st.text(), MARKUP))
@example("*" * 300 + "a" + "*" * 300)
@example("```\n<b>")
@example("&lt;b&gt;")
@example("\ud800")
def test_nothing_but_our_own_tags_ever_comes_out(text: str) -> None:
    shown = read(text)
    assert shown.tags <= OURS
    assert shown.attributes <= {"style", "align"}


@given(
    st.text(
        alphabet=st.characters(codec="utf-8", exclude_characters="*_`~\"“«「『＂[]#>-\\'"),
        max_size=300,
    )
)
def test_plain_words_come_out_as_they_went_in(text: str) -> None:
    def words(value: str) -> list[str]:
        return [w for w in value.split() if w.isprintable()]

    assert words(read(text).text) == words(text) or not text.isprintable()


@pytest.mark.parametrize(
    "unit",
    [
        "*a ",
        " *a",
        "*a",
        "“",
        '"',
        '"a" ',
        "`",
        "` ``",
        "[",
        "[](",
        "_a_",
        "* ",
        "> ",
        "~~~\n",
        "#",
    ],
)
def test_hostile_repetition_costs_linear_time(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        start = time.process_time()
        message_html(text, INKS, limit=size)
        return time.process_time() - start

    seconds(2_000)
    small, large = max(seconds(20_000), 1e-3), seconds(200_000)
    assert large / small < 40, "ten times the text may not cost a hundred times the work"
