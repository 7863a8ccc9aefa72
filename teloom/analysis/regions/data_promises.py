"""Subscripts from data that are promised to be in a range: for some sizes it may be empty."""

from __future__ import annotations

from teloom.analysis.regions.bounded import sizes_outside
from teloom.analysis.regions.outside import tensor_name
from teloom.analysis.regions.stage_loops import Promise
from teloom.analysis.sets.points import Points
from teloom.analysis.stages.queries import Read, name_of, reader_of
from teloom.analysis.stages.read_maps import ReadMaps, Root
from teloom.errors import PassError


def promise_of_data(read: Read, accesses: ReadMaps, instances: Points) -> Promise | None:
    """The sizes for which a read has an element at all instances at which it surely happens.

    None if those are all sizes. Raises PassError if there are none: then the promise of the program
    is broken whatever data says.
    """
    elements, _, _, promised = accesses.of(read)
    if promised is None:
        return None
    run = instances.over([*accesses.sizes, *elements.names_of(Root)]).intersect(promised)
    failing = run.subtract(elements.over(run.names)).over(accesses.sizes)
    if failing.set.is_empty():
        return None
    words = (
        f"{name_of(reader_of(read))} reads an element of {tensor_name(read.tensor)} that data "
        "chooses, from a range that is empty"
    )
    if not (alternatives := sizes_outside(failing.set)):
        raise PassError(words, read)
    return Promise(alternatives, words)
