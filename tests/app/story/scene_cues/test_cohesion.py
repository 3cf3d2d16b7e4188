"""How much the words before and behind a place have in common."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.story.scene_cues.cohesion import Common, Floats, depths, similarities


def similar_along(stems: list[frozenset[str]]) -> Floats:
    common = Common()
    for one in stems:
        common.add(one)
    return similarities(common)


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def test_the_deepest_place_lies_where_the_vocabulary_turns_over() -> None:
    tavern = [words(f"tavern beer {i % 3} bench fiddle") for i in range(10)]
    harbour = [words(f"ship rope {i % 3} tar anchor") for i in range(10)]
    deep = depths(similar_along(tavern + harbour))
    assert int(deep.argmax()) == 10


@given(st.lists(st.frozensets(st.sampled_from("abcdefgh"), max_size=5), max_size=30))
def test_similarity_is_a_cosine(stems: list[frozenset[str]]) -> None:
    similar = similar_along(stems)
    assert len(similar) == len(stems)
    assert ((similar >= 0) & (similar <= 1 + 1e-9)).all()
    assert (depths(similar) >= -1e-12).all()
