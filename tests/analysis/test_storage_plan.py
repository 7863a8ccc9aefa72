"""Plans of memory beside the best that any order of placing gives."""

from collections.abc import Iterator, Sequence
from itertools import permutations

from budget import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st

from teloom.analysis.memory.storage_plan import (
    Demand,
    Lifetime,
    live_together,
    most_alive,
    overlapping,
    peak,
    place,
    plan,
    plan_slots,
    slots_in_order,
    total_of_slots,
)

WORST = 1.05
"""How much larger than the best a plan may be."""


@st.composite
def demands(draw: st.DrawFn, most: int) -> list[Demand]:
    """Buffers of a pipeline: each lives from its stage to one of the next few."""
    found: list[Demand] = []
    for _ in range(draw(st.integers(1, most))):
        first = draw(st.integers(0, most))
        last = first + draw(st.integers(0, most // 2))
        found.append(Demand(draw(st.integers(1, 40)), Lifetime(first, last)))
    return found


@settings(max_examples=EXAMPLES)
@given(demands(16))
def test_all_that_lives_together_is_found(buffers: list[Demand]):
    lives = [buffer.life for buffer in buffers]
    for k, found in enumerate(live_together(lives)):
        others = (j for j in range(len(lives)) if j != k and lives[j].overlaps(lives[k]))
        assert sorted(found) == list(others)


@settings(max_examples=5 * EXAMPLES)
@given(demands(16))
def test_what_lives_together_lies_apart(buffers: list[Demand]):
    offsets = plan(buffers)
    for k, a in enumerate(buffers):
        for j, b in enumerate(buffers[:k]):
            if a.life.overlaps(b.life):
                assert offsets[k] + a.size <= offsets[j] or offsets[j] + b.size <= offsets[k]
    assert most_alive(buffers) <= peak(buffers, offsets) <= sum(d.size for d in buffers)


@st.composite
def demands_in_place(draw: st.DrawFn, most: int) -> tuple[list[Demand], dict[int, set[int]]]:
    """Buffers of a pipeline, of which some may be made in place of others."""
    found = draw(demands(most))
    in_place: dict[int, set[int]] = {k: set() for k in range(len(found))}
    for k in range(1, len(found)):
        for j in draw(st.sets(st.integers(0, k - 1), max_size=2)):
            in_place[k].add(j)
            in_place[j].add(k)
    return found, in_place


@settings(max_examples=5 * EXAMPLES)
@given(demands_in_place(12))
def test_in_place_is_at_the_same_place(given_demands: tuple[list[Demand], dict[int, set[int]]]):
    buffers, in_place = given_demands
    offsets = plan(buffers, in_place)
    for k, a in enumerate(buffers):
        for j, b in enumerate(buffers[:k]):
            if a.life.overlaps(b.life) and not (j in in_place[k] and offsets[k] == offsets[j]):
                assert offsets[k] + a.size <= offsets[j] or offsets[j] + b.size <= offsets[k]
    assert most_alive(buffers, in_place) <= peak(buffers, offsets)


def least_peak(buffers: list[Demand], in_place: dict[int, set[int]]) -> int:
    """That of the best of all plans, in which nothing can move down: offsets are sums of sizes."""
    sums = {0}
    for demand in buffers:
        sums |= {at + demand.size for at in sums}
    order = sorted(range(len(buffers)), key=lambda k: -buffers[k].size)

    def fits(offsets: dict[int, int], limit: int) -> bool:
        if len(offsets) == len(order):
            return True
        k = order[len(offsets)]
        size, life = buffers[k]
        near = [j for j in offsets if buffers[j].life.overlaps(life)]
        return any(
            fits({**offsets, k: at}, limit)
            for at in sums
            if at + size <= limit
            and all(
                at + size <= offsets[j]
                or offsets[j] + buffers[j].size <= at
                or (at == offsets[j] and j in in_place[k])
                for j in near
            )
        )

    return next(limit for limit in sorted(sums) if fits({}, limit))


@settings(max_examples=2 * EXAMPLES)
@given(demands_in_place(6))
def test_the_peak_in_place_is_near_the_best_of_all_plans(
    given_demands: tuple[list[Demand], dict[int, set[int]]],
):
    buffers, in_place = given_demands
    assert peak(buffers, plan(buffers, in_place)) <= WORST * least_peak(buffers, in_place)


@settings(max_examples=2 * EXAMPLES)
@given(demands(6))
def test_the_peak_is_near_the_best(buffers: list[Demand]):
    best = min(peak(buffers, place(buffers, order)) for order in permutations(range(len(buffers))))
    assert peak(buffers, plan(buffers)) <= WORST * best


@settings(max_examples=2 * EXAMPLES)
@given(demands(12))
def test_equal_sizes_take_as_many_places_as_live_together(buffers: list[Demand]):
    alike = [demand._replace(size=1) for demand in buffers]
    assert peak(alike, plan(alike)) == most_alive(alike)


@settings(max_examples=2 * EXAMPLES)
@given(demands(12))
def test_groups_have_nothing_in_common(buffers: list[Demand]):
    offsets = plan(buffers)
    groups = overlapping(buffers, offsets)
    assert sorted(k for group in groups for k in group) == list(range(len(buffers)))
    end = 0
    for group in groups:
        assert min(offsets[k] for k in group) >= end
        end = max(offsets[k] + buffers[k].size for k in group)


def test_equal_slots_take_turns():
    chain = [Demand(100, Lifetime(k, k + 1)) for k in range(9)]
    assert plan(chain) == [0, 100] * 4 + [0]


def test_a_chain_in_place_takes_one_slot():
    chain = [Demand(100, Lifetime(k, k + 1)) for k in range(9)]
    neighbours = {k: {k - 1, k + 1} for k in range(9)}
    assert plan(chain, neighbours) == [0] * 9
    assert most_alive(chain, neighbours) == 100


def test_what_is_needed_later_is_not_taken_in_place():
    kept, last = Demand(4, Lifetime(0, 9)), Demand(4, Lifetime(1, 2))
    assert plan([kept, last, Demand(4, Lifetime(2, 3))], {1: {2}, 2: {1}}) == [0, 4, 4]


def test_a_large_buffer_leaves_room_for_two():
    assert plan(
        [Demand(2, Lifetime(2, 3)), Demand(4, Lifetime(0, 1)), Demand(2, Lifetime(2, 3))]
    ) == [0, 0, 2]


def test_two_have_to_move_at_once():
    """The third has to come before the first, and that before the second, which is the largest."""
    lives = [Lifetime(3, 4), Lifetime(4, 6), Lifetime(3, 3), Lifetime(3, 3)]
    buffers = [Demand(size, life) for size, life in zip((9, 10, 10, 4), lives, strict=True)]
    assert peak(buffers, plan(buffers, {0: {2}, 1: {3}, 2: {0}, 3: {1}})) == 19


def test_nothing_takes_nothing():
    assert plan([]) == []
    assert peak([], []) == most_alive([]) == 0


def partitions(count: int) -> Iterator[list[int]]:
    """Every way to give slots to so many, which are numbered as they come."""
    if count == 0:
        yield []
        return
    for slots in partitions(count - 1):
        for slot in range(max(slots, default=-1) + 2):
            yield [*slots, slot]


def share_a_slot(
    buffers: list[Demand], slots: Sequence[int], in_place: dict[int, set[int]]
) -> Iterator[bool]:
    """Whether they may, of each two that do."""
    for k, a in enumerate(buffers):
        for j, b in enumerate(buffers[:k]):
            if slots[k] == slots[j]:
                yield j in in_place[k] or not a.life.overlaps(b.life)


@settings(max_examples=2 * EXAMPLES)
@given(demands_in_place(6))
def test_slots_are_near_the_best(given_demands: tuple[list[Demand], dict[int, set[int]]]):
    buffers, in_place = given_demands
    slots = plan_slots(buffers, in_place)
    assert all(share_a_slot(buffers, slots, in_place))
    best = min(
        total_of_slots(buffers, other)
        for other in partitions(len(buffers))
        if all(share_a_slot(buffers, other, in_place))
    )
    assert most_alive(buffers, in_place) <= best <= total_of_slots(buffers, slots) <= WORST * best


@settings(max_examples=2 * EXAMPLES)
@given(demands(12))
def test_slots_take_no_more_than_the_first_that_is_free(buffers: list[Demand]):
    in_program_order = sorted(range(len(buffers)), key=lambda k: buffers[k].life.first)
    free_from: list[int] = []
    first_fit = [0] * len(buffers)
    for k in in_program_order:
        first, last = buffers[k].life
        slot = next((s for s, moment in enumerate(free_from) if moment < first), len(free_from))
        free_from[slot : slot + 1] = [last]
        first_fit[k] = slot
    assert total_of_slots(buffers, plan_slots(buffers)) <= total_of_slots(buffers, first_fit)


@settings(max_examples=2 * EXAMPLES)
@given(demands(12))
def test_equal_sizes_take_as_many_slots_as_live_together(buffers: list[Demand]):
    alike = [demand._replace(size=1) for demand in buffers]
    assert max(plan_slots(alike)) + 1 == most_alive(alike)
    assert slots_in_order([], []) == plan_slots([]) == []
