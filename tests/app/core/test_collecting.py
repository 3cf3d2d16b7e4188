"""What is old is set aside, and garbage is found all the same."""

from __future__ import annotations

import gc
import weakref

from app.core.collecting import FULL_EVERY, sparing_the_old


class Thing:
    other: object = None


def cycle() -> weakref.ref[Thing]:
    one, two = Thing(), Thing()
    one.other, two.other = two, one
    return weakref.ref(one)


def test_what_outlived_a_collection_is_set_aside_until_the_end() -> None:
    before = gc.get_threshold()
    with sparing_the_old():
        held = [Thing() for _ in range(10)]
        gc.collect()
        assert gc.get_freeze_count() >= len(held)
    assert gc.get_freeze_count() == 0
    assert gc.get_threshold() == before


def test_new_garbage_is_found() -> None:
    with sparing_the_old():
        gc.collect()
        lost = cycle()
        gc.collect()
        assert lost() is None


def test_old_garbage_is_found_some_collections_later() -> None:
    with sparing_the_old():
        one, two = Thing(), Thing()
        one.other, two.other = two, one
        lost = weakref.ref(one)
        gc.collect()
        del one, two
        for _ in range(FULL_EVERY):
            gc.collect()
        assert lost() is None
