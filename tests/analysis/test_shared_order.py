"""What may share loops, as `check-schedule` decides it, beside every instance in its iteration."""

import json
import random
import re

import pytest

from teloom import ScheduleError, lower, te

SCHEDULES = 25

REFUSAL = re.compile(
    r"in iteration (\[.*?\]) of the loops .* computes it in iteration (\[.*?\]), "
    r"(which is not before that|and iterations of \S+, which is parallel, have no order)"
)


class Nest:
    """The loops of a stage of one axis: in which iteration each point of it runs."""

    def __init__(self, s, tensor, extent):
        self.stage, self.axis = s[tensor], tensor.op.axis[0]
        self.times = {i: (i,) for i in range(extent)}
        self.leaves = [self.axis]

    def shift(self, by):
        self.leaves = [self.stage.shift(self.leaves[0], by)]
        self.times = {i: (time + by,) for i, (time,) in self.times.items()}

    def reverse(self):
        self.leaves = [self.stage.reverse(self.leaves[0])]
        ends = sum(time for (time,) in (min(self.times.values()), max(self.times.values())))
        self.times = {i: (ends - time,) for i, (time,) in self.times.items()}

    def split(self, factor):
        self.leaves = list(self.stage.split(self.leaves[0], factor))
        self.times = {i: divmod(time, factor) for i, (time,) in self.times.items()}

    def move(self, by):
        """Lets the outermost loop begin elsewhere."""
        self.times = {i: (first + by, *rest) for i, (first, *rest) in self.times.items()}

    def outermost(self):
        return [first for first, *_ in self.times.values()]


def changed(nest, choose):
    for change in choose.sample(["shift", "reverse"], choose.randint(0, 2)):
        nest.shift(choose.randint(-4, 6)) if change == "shift" else nest.reverse()
    if choose.random() < 0.4:
        nest.split(choose.choice((2, 3, 4)))


def pair(choose):
    """Two stages that share loops, one of which reads the other, and whether it may."""
    length, factor = choose.randint(1, 9), choose.choice((1, 1, 2))
    offsets = choose.sample(range(4), choose.randint(1, 2))
    extent = factor * (length - 1) + max(offsets) + 1 + choose.randint(0, 2)
    A = te.placeholder((extent,), name="A")
    B = te.compute((extent,), lambda i: A[i] + 1, name="B")
    C = te.compute((length,), lambda i: sum(B[factor * i + one] for one in offsets), name="C")
    s = te.create_schedule([B.op, C.op])
    written, read = Nest(s, B, extent), Nest(s, C, length)
    for nest in (written, read):
        changed(nest, choose)
    depth = choose.randint(1, min(len(written.leaves), len(read.leaves)))
    word = choose.choice(("none", "start", "end"))
    s[B].compute_with(s[C], read.leaves[depth - 1], [word, *["none"] * (depth - 1)])
    if word != "none":
        end = min if word == "start" else max
        read.move(end(written.outermost()) - end(read.outermost()))
    is_parallel = choose.random() < 0.2
    if is_parallel:
        s[B].parallel(written.leaves[0])
    needed = [(i, factor * i + one) for i in range(length) for one in offsets]
    return (
        s,
        (A, B, C),
        all(
            written.times[b][:depth] <= read.times[c][:depth]
            and not (is_parallel and written.times[b][0] != read.times[c][0])
            for c, b in needed
        ),
    )


@pytest.mark.parametrize("seed", range(SCHEDULES))
def test_a_read_is_refused_where_what_it_reads_is_later(seed):
    s, tensors, is_legal = pair(random.Random(seed))
    if is_legal:
        lower(s, [*tensors], level="schedule")
    else:
        with pytest.raises(ScheduleError) as refused:
            lower(s, [*tensors], level="schedule")
        read, written, why = REFUSAL.search(str(refused.value)).groups()
        is_before = json.loads(written) < json.loads(read)
        assert is_before == (why != "which is not before that")
