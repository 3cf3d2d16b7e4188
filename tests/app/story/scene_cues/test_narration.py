"""Narration, speech and asides told apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.story.scene_cues.narration import Voice, split_voices

N, S, T, A = Voice.NARRATION, Voice.SPEECH, Voice.THOUGHT, Voice.ASIDE


def voices(text: str) -> list[tuple[Voice, str]]:
    return [(span.voice, " ".join(span.text.split())) for span in split_voices(text)]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ('*She nods.* "Yes." *She goes.*', [(N, "She nods."), (S, "Yes."), (N, "She goes.")]),
        ('She nods. "Yes." She goes.', [(N, "She nods."), (S, "Yes."), (N, "She goes.")]),
        ("“Yes,” she says.", [(S, "Yes,"), (N, "she says.")]),
        ("„Ja“, sagt sie. »Nein.«", [(S, "Ja"), (N, ", sagt sie."), (S, "Nein.")]),
        ("« Oui », dit-elle.", [(S, "Oui"), (N, ", dit-elle.")]),
        ("「はい」と言った。", [(S, "はい"), (N, "と言った。")]),
        ("‘Don’t go,’ she says.", [(S, "Don’t go,"), (N, "she says.")]),
        ("—Hola —dijo él—. Pasa.", [(S, "Hola"), (N, "dijo él"), (S, ". Pasa.")]),
        ("—Hola —*dice él.*— Pasa.", [(S, "Hola —"), (N, "dice él."), (S, "— Pasa.")]),
        ("— Да. *Он встал и ушёл.*", [(S, "Да."), (N, "Он встал и ушёл.")]),
        ("*nods* Yes, I see it now", [(N, "nods"), (S, "Yes, I see it now")]),
        ('She was *so* tired. "Bed."', [(N, "She was so tired."), (S, "Bed.")]),
        (
            'She sits down slowly at the table. *Oh no.* "Hello."',
            [(N, "She sits down slowly at the table."), (T, "Oh no."), (S, "Hello.")],
        ),
        ('*He says "*now*" and waits.*', [(N, "He says"), (S, "*now*"), (N, "and waits.")]),
        ('*Go.* (OOC: skip "it"?)', [(N, "Go."), (A, '(OOC: skip "it"?)')]),
        ("((brb)) *He waits.*", [(N, "He waits."), (A, "((brb))")]),
        ('"An open quote\nHe leaves.', [(S, "An open quote"), (N, "He leaves.")]),
        ("<b>Bold</b> prose", [(N, "Bold prose")]),
        ("* ", []),
        ("", []),
    ],
)
def test_voices_are_told_apart(text: str, spans: list[tuple[Voice, str]]) -> None:
    assert voices(text) == spans


def test_a_text_without_marks_is_what_the_chat_makes_of_it() -> None:
    assert [span.voice for span in split_voices("I go home")] == [N]
    assert [span.voice for span in split_voices("I go home", plain=S)] == [S]


@given(st.text(alphabet='ab *"“”„«»—‘’()\n[]', max_size=200))
def test_any_text_is_split(text: str) -> None:
    told = "".join(span.text for span in split_voices(text))
    assert told.count("a") == text.count("a")
