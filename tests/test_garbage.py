"""Python's search for garbage, and what of it is put off."""

import gc

from teloom.garbage import count_as_old, without_collection
from teloom.lazy import loaded


class _Cycle:
    def __init__(self):
        self.itself = self


def _cycles() -> int:
    """How many cycles there are, also those that nothing else has hold of."""
    return sum(isinstance(one, _Cycle) for one in gc.get_objects())


def test_the_search_is_paused_and_goes_on():
    assert gc.isenabled()
    with without_collection():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_what_is_old_is_passed_over_and_still_found():
    gc.unfreeze()
    _Cycle()
    count_as_old()
    gc.collect(0)
    assert _cycles() == 1
    gc.collect()
    assert _cycles() == 0


def test_frozen_objects_stay_frozen():
    gc.freeze()
    count = gc.get_freeze_count()
    _Cycle()
    count_as_old()
    assert gc.get_freeze_count() == count
    gc.collect(0)
    assert _cycles() == 0


def test_a_module_that_is_there_is_not_loaded_again():
    assert loaded("gc") is gc
    assert loaded("gc", "collect") is gc.collect
