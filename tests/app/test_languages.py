"""The language packs that come with the program."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app import languages
from app.companion import open_companion
from app.core.errors import UsageError
from app.core.paths import user_folders
from app.languages import LanguagePacks, load_packs
from app.story.scene_cues.language import LanguagePack, tokens_of

NEEDED = {"jump", "when", "past", "habit", "future", "soon", "wake", "sleep", "leave", "bye", "go"}
NEEDED |= {"path", "exist", "anaphor", "react", "skip", "noskip", "fade"}

PACKS = {pack.code: pack for pack in load_packs()}


def test_packs_are_there_for_many_languages() -> None:
    assert set(PACKS) >= {"de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt", "ru", "zh"}


@pytest.mark.parametrize("pack", PACKS.values(), ids=PACKS)
def test_a_pack_knows_all_cues(pack: LanguagePack) -> None:
    assert pack.cues >= NEEDED
    assert len(pack.stopwords) >= 50
    assert len(pack.place_kinds) >= 60
    assert set(pack.header_keys.values()) == {"place", "time", "day"}


def test_a_broken_pack_is_refused(tmp_path: Path) -> None:
    (tmp_path / "xx.toml").write_text("code =", encoding="utf-8")
    with pytest.raises(UsageError):
        load_packs(tmp_path)


OPENINGS = {
    "en": (
        "Two nights on",
        "Half past nine",
        "After the funeral",
        "On the fourth day",
        "High noon",
        "When it was over",
        "Night has fallen",
        "It took them two days",
    ),
    "de": (
        "Gegen neun",
        "Nach dem Frühstück",
        "Der dritte Tag",
        "Freitagabend",
        "In der Frühe",
        "Es dämmert",
        "Kurz nach neun",
        "Als es vorbei ist",
    ),
    "fr": (
        "Après le dîner",
        "Au petit matin",
        "Le troisième jour",
        "En fin de matinée",
        "Au même moment",
        "Quand ce fut fini",
    ),
    "es": (
        "Pasó un mes",
        "Tras la cena",
        "Al tercer día",
        "Nochebuena",
        "Pasan tres semanas",
        "El 26 de agosto",
        "Llevan tres días",
    ),
    "it": (
        "Passò un mese",
        "Dopo cena",
        "Il terzo giorno",
        "Le sei meno venti",
        "Sono quasi le quattro",
        "È passato un mese",
    ),
    "nl": (
        "Tien voor zes",
        "Na het ontbijt",
        "Op de derde dag",
        "Kerstavond",
        "Het schemert",
        "Iets na negen",
    ),
    "pl": (
        "Rankiem",
        "Po kolacji",
        "Wpół do dziesiątej",
        "Trzeciego dnia",
        "Minęły tygodnie",
        "Ściemnia się",
        "W maju",
    ),
    "pt": (
        "De tardinha",
        "Depois do jantar",
        "No terceiro dia",
        "Passaram-se semanas",
        "Quando tudo acabou",
        "Faz um mês",
    ),
    "ru": (
        "К утру",
        "После ужина",
        "На третий день",
        "Без двадцати шесть",
        "Светало",
        "В апреле",
        "Уже темно",
    ),
    "ja": ("翌朝", "三日後", "その晩", "夜が明けると", "十二月", "半年後"),
    "zh": ("第二天", "三天后", "当晚", "天亮了", "过了两个月", "傍晚"),
}


@pytest.mark.parametrize("code", OPENINGS)
def test_words_that_open_a_scene_in_time_are_known(code: str) -> None:
    for opening in OPENINGS[code]:
        cues = {hit.cue for hit in PACKS[code].find(tokens_of(opening))}
        assert cues & {"jump", "when"}, opening


def test_packs_are_read_when_a_text_is_looked_at_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[LanguagePack, ...]] = []

    def reading() -> tuple[LanguagePack, ...]:
        read.append(load_packs())
        return read[-1]

    monkeypatch.setattr(languages, "load_packs", reading)
    packs = LanguagePacks()
    assert not read
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: tuple(packs), range(20)))
    assert len(read) == 1
    assert all(one == read[0] for one in found)
    assert (len(packs), packs[0], tuple(packs[1:])) == (len(PACKS), read[0][0], read[0][1:])


async def test_a_companion_that_shows_no_story_reads_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused() -> tuple[LanguagePack, ...]:
        raise AssertionError("read too early")

    monkeypatch.setattr(languages, "load_packs", refused)
    monkeypatch.setenv("HOME", str(tmp_path))
    async with open_companion(user_folders(tmp_path / "own"), llm="builtin") as companion:
        assert companion.health.backend
