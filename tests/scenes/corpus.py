"""Which books scene detection is fitted on and measured on, and where they come from.

The books are in the public domain and stay out of the repository: `python -m tests.scenes.corpus
FOLDER` gets them. Kept aside were twelve of those with ten marked breaks or more within chapters,
of authors of whom nothing else is used; they were drawn by a digest of their names, before any
of them was looked at.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.scenes.books import PLAIN, Json, Style, chat_of

HOST = "https://github.com/standardebooks"
FOLDER = "TAVERNKEEP_BOOKS"  # the variable of the environment that says where the books are
MOST = 900  # messages of a book: no author outweighs the others

KEPT_ASIDE = (
    "claude-mckay_home-to-harlem",
    "e-e-smith_triplanetary",
    "e-phillips-oppenheim_the-great-impersonation",
    "e-r-eddison_the-worm-ouroboros",
    "evelyn-waugh_decline-and-fall",
    "h-beam-piper_space-viking",
    "john-buchan_greenmantle",
    "john-galsworthy_the-forsyte-saga",
    "m-p-shiel_the-purple-cloud",
    "sherwood-anderson_winesburg-ohio",
    "upton-sinclair_oil",
    "virginia-woolf_mrs-dalloway",
)

# Ten marked breaks or more within chapters.
TUNED = (
    "arnold-bennett_the-old-wives-tale",
    "arthur-conan-doyle_the-lost-world",
    "bram-stoker_dracula",
    "dorothy-l-sayers_clouds-of-witness",
    "dorothy-l-sayers_the-unpleasantness-at-the-bellona-club",
    "dorothy-l-sayers_unnatural-death",
    "edgar-wallace_the-four-just-men",
    "edith-wharton_the-house-of-mirth",
    "ernest-hemingway_a-farewell-to-arms",
    "f-scott-fitzgerald_the-beautiful-and-damned",
    "f-scott-fitzgerald_this-side-of-paradise",
    "ford-madox-ford_some-do-not",
    "fritz-leiber_short-fiction",
    "h-g-wells_the-history-of-mr-polly",
    "hope-mirrlees_lud-in-the-mist",
    "james-joyce_a-portrait-of-the-artist-as-a-young-man",
    "jean-toomer_cane",
    "john-dos-passos_manhattan-transfer",
    "owen-wister_the-virginian",
    "p-g-wodehouse_leave-it-to-psmith",
    "philip-k-dick_short-fiction",
    "poul-anderson_short-fiction",
    "radclyffe-hall_the-well-of-loneliness",
    "robert-e-howard_short-fiction",
    "rose-macaulay_dangerous-ages",
    "sinclair-lewis_arrowsmith",
    "sinclair-lewis_babbitt",
    "sinclair-lewis_main-street",
    "thornton-wilder_the-bridge-of-san-luis-rey",
    "w-e-b-du-bois_dark-princess",
    "wallace-thurman_the-blacker-the-berry",
    "willa-cather_one-of-ours",
    "william-faulkner_soldiers-pay",
)

# Fewer; of these the ends of chapters are learned from.
CHAPTERS = (
    "a-a-milne_the-red-house-mystery",
    "a-merritt_the-moon-pool",
    "agatha-christie_the-big-four",
    "agatha-christie_the-man-in-the-brown-suit",
    "agatha-christie_the-murder-on-the-links",
    "agatha-christie_the-secret-adversary",
    "aldous-huxley_antic-hay",
    "andre-norton_plague-ship",
    "andre-norton_star-hunter",
    "andre-norton_the-time-traders",
    "anthony-berkeley_the-layton-court-mystery",
    "anthony-hope_the-prisoner-of-zenda",
    "baroness-orczy_the-scarlet-pimpernel",
    "booth-tarkington_the-magnificent-ambersons",
    "compton-mackenzie_sinister-street",
    "d-h-lawrence_lady-chatterleys-lover",
    "d-h-lawrence_sons-and-lovers",
    "d-h-lawrence_women-in-love",
    "dashiell-hammett_the-dain-curse",
    "david-lindsay_a-voyage-to-arcturus",
    "e-m-forster_a-room-with-a-view",
    "e-m-forster_howards-end",
    "earl-derr-biggers_the-house-without-a-key",
    "edgar-rice-burroughs_tarzan-of-the-apes",
    "edgar-wallace_the-crimson-circle",
    "edna-ferber_so-big",
    "elizabeth-von-arnim_the-enchanted-april",
    "erskine-childers_the-riddle-of-the-sands",
    "frances-hodgson-burnett_the-secret-garden",
    "freeman-wills-crofts_the-cask",
    "g-d-h-cole_the-brooklyn-murders",
    "g-k-chesterton_the-man-who-was-thursday",
    "george-macdonald_phantastes",
    "h-g-wells_the-island-of-doctor-moreau",
    "h-g-wells_the-war-of-the-worlds",
    "h-rider-haggard_king-solomons-mines",
    "hugh-lofting_the-voyages-of-doctor-dolittle",
    "jack-london_martin-eden",
    "jack-london_white-fang",
    "jerome-k-jerome_three-men-in-a-boat",
    "jessie-redmon-fauset_there-is-confusion",
    "joseph-conrad_lord-jim",
    "joseph-conrad_nostromo",
    "joseph-conrad_the-secret-agent",
    "kate-chopin_the-awakening",
    "kenneth-grahame_the-wind-in-the-willows",
    "l-m-montgomery_anne-of-green-gables",
    "lord-dunsany_the-king-of-elflands-daughter",
    "mary-roberts-rinehart_the-circular-staircase",
    "nella-larsen_quicksand",
    "p-g-wodehouse_right-ho-jeeves",
    "r-austin-freeman_the-eye-of-osiris",
    "rafael-sabatini_captain-blood",
    "robert-louis-stevenson_treasure-island",
    "rudyard-kipling_kim",
    "s-s-van-dine_the-benson-murder-case",
    "sax-rohmer_the-insidious-dr-fu-manchu",
    "theodore-dreiser_sister-carrie",
    "w-somerset-maugham_of-human-bondage",
    "willa-cather_my-antonia",
    "willa-cather_o-pioneers",
    "william-hope-hodgson_the-house-on-the-borderland",
    "zane-grey_riders-of-the-purple-sage",
)

# Every third book is told as a chat, in one of these ways.
_CHAT_LIKE = (
    Style(asterisks=True, turns=True),
    Style(turns=True, second_person=True),
    Style(asterisks=True, turns=True, narrator=True),
    Style(asterisks=True, second_person=True),
)


def style_of(name: str, names: Sequence[str]) -> Style:
    """How a book of a list is told."""
    place, third = divmod(sorted(names).index(name), 3)
    return _CHAT_LIKE[place % len(_CHAT_LIKE)] if third == 1 else PLAIN


def folder_of_books() -> Path | None:
    """Where the books are, None when that was not said."""
    given = os.environ.get(FOLDER, "")
    return Path(given) if given else None


def chats_of(names: Sequence[str], folder: Path) -> Iterator[Json]:
    """The chats of those books of a list that are in the folder."""
    for name in names:
        if (folder / name).exists():
            yield chat_of(folder / name, style_of(name, names), most=MOST)


def get(folder: Path) -> None:
    """Get all books that are not in the folder yet, as bare repositories."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (*KEPT_ASIDE, *TUNED, *CHAPTERS):
        if not (folder / name).exists():
            command = ["git", "clone", "--quiet", "--bare", "--depth", "1"]
            subprocess.run([*command, f"{HOST}/{name}", str(folder / name)], check=True)


if __name__ == "__main__":
    get(Path(sys.argv[1]))
