"""What a schedule says of itself: axes, leaves in loop order, relations, and read graphs."""

import inspect

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.dialects.schedule import RelationOp, Schedule
from teloom.frontend.schedule.commands import is_stage


class Program:
    """A sum over k of rows, and a stage that reads it."""

    def __init__(self):
        self.A = te.placeholder((20, 16), name="A")
        k = self.k = te.reduce_axis((0, 16), "k")
        self.S = te.compute((20,), lambda i: te.sum(self.A[i, k], axis=k), name="S")
        self.C = te.compute((20, 16), lambda y, x: self.A[y, x] - self.S[y], name="C")
        self.s = te.create_schedule(self.C)
        self.stage = self.s[self.C]


@pytest.fixture
def p() -> Program:
    return Program()


def names(axes: list[te.IterVar]) -> list[str]:
    return [axis.name for axis in axes]


def test_a_schedule_lists_its_stages(p: Program):
    assert p.s.outputs == [p.C.op]
    assert [stage.op for stage in p.s.stages] == [p.A.op, p.S.op, p.C.op]
    assert [stage.origin_op for stage in p.s.stages] == [p.A.op, p.S.op, p.C.op]
    assert p.s.stage_map == {stage.op: stage for stage in p.s.stages}


def test_without_commands_leaves_are_the_axes_of_the_equation(p: Program):
    before = str(p.s)
    stage = p.s[p.S]
    assert stage.all_iter_vars == stage.leaf_iter_vars == [*p.S.op.axis, p.k]
    assert stage.relations == []
    assert p.s[p.A].all_iter_vars == p.s[p.A].leaf_iter_vars == []
    assert str(p.s) == before


def test_a_split_of_an_inner_axis(p: Program):
    outer, inner = p.s[p.S].split(p.S.op.axis[0], factor=8)
    _, innermost = p.s[p.S].split(inner, nparts=2)
    stage = p.s[p.S]
    assert names(stage.leaf_iter_vars) == ["i.outer", "i.inner.outer", "i.inner.inner", "k"]
    made = ["i.outer", "i.inner", "i.inner.outer", "i.inner.inner"]
    assert names(stage.all_iter_vars) == ["i", "k", *made]
    first, second = stage.relations
    assert isinstance(first, te.schedule.Split)
    assert (first.parent, first.outer, first.inner) == (p.S.op.axis[0], outer, inner)
    assert (first.factor, first.nparts) == (8, None)
    assert (second.parent, second.inner) == (inner, innermost)
    assert (second.factor, second.nparts) == (None, 2)


def test_inference_changes_no_axis(p: Program):
    doms = [axis.dom for axis in p.C.op.axis]
    outer, inner = p.stage.split(p.C.op.axis[0], factor=8)
    bounds = te.infer_bounds(p.s)
    assert tuple(bounds[inner]) == (0, 8)
    assert [axis.dom for axis in p.C.op.axis] == doms
    assert outer.dom is None
    assert inner.dom is None


def test_leaves_are_in_loop_order(p: Program):
    y, x = p.C.op.axis
    y_outer, x_outer, y_inner, x_inner = p.stage.tile(y, x, 8, 4)
    assert p.stage.leaf_iter_vars == [y_outer, x_outer, y_inner, x_inner]
    p.stage.reorder(x_outer, y_outer)
    p.stage.vectorize(x_inner)
    fused = p.stage.fuse(x_outer, y_outer)
    assert p.stage.leaf_iter_vars == [fused, y_inner, x_inner]
    of_y, of_x, fusion = p.stage.relations
    assert (of_y.parent, of_y.outer, of_y.inner, of_y.factor) == (y, y_outer, y_inner, 8)
    assert (of_x.parent, of_x.outer, of_x.inner, of_x.factor) == (x, x_outer, x_inner, 4)
    assert isinstance(fusion, te.schedule.Fuse)
    assert (fusion.args, fusion.fused) == ([x_outer, y_outer], fused)


def test_the_class_of_a_relation_comes_from_its_op(p: Program):
    relations = [op for op in Schedule.operations if issubclass(op, RelationOp)]
    for op in relations:
        made = getattr(te.schedule, op.__name__.removesuffix("Op"))
        assert issubclass(made, te.schedule.Relation)
        definition = op.get_irdl_definition()
        values = definition.operands + definition.results
        fields = [name for name, value in values if not is_stage(value)]
        fields += [*definition.properties]
        assert [*inspect.signature(made).parameters] == [name.rstrip("_") for name in fields]
    assert [*inspect.signature(te.schedule.Split).parameters] == [
        *("parent", "outer", "inner", "factor", "nparts", "tail"),
    ]


def test_an_unfinished_schedule(p: Program):
    """The place of S is legal only once its reader is inside C: that is not asked yet."""
    A, S = p.A, p.S
    D = te.compute((20, 16), lambda i, j: S[i] + A[i, j], name="D")
    E = te.compute((20, 16), lambda i, j: D[i, j] + 1, name="E")
    s = te.create_schedule(E)
    outer, inner = s[E].split(E.op.axis[0], factor=4)
    s[S].compute_at(s[E], outer)
    assert s[E].leaf_iter_vars == [outer, inner, E.op.axis[1]]
    with pytest.raises(teloom.ScheduleError, match=r'not every read .*\(readers: "D"\)'):
        te.infer_bounds(s)
    s[D].compute_at(s[E], inner)
    te.infer_bounds(s)


def test_an_inlined_stage_has_no_loops(p: Program):
    D = te.compute((20, 16), lambda i, j: p.C[i, j] + 1, name="D")
    s = te.create_schedule(D)
    s[p.C].split(p.C.op.axis[0], 4)
    s[p.C].compute_inline()
    assert s[p.C].leaf_iter_vars == s[p.C].relations == []
    assert names(s[p.C].all_iter_vars) == ["y", "x", "y.outer", "y.inner"]


def test_a_command_that_does_not_fit_is_named(p: Program):
    p.stage.fuse(*reversed(p.C.op.axis))
    line = inspect.stack()[0].lineno - 1
    with pytest.raises(teloom.ScheduleError) as error:
        _ = p.stage.leaf_iter_vars
    assert str(error.value).startswith(f"{__file__}:{line}: fuse needs adjacent axes")


def test_a_normalized_schedule_gives_the_same(p: Program):
    p.stage.split(p.C.op.axis[0], 8)
    before = str(p.s)
    assert str(p.s.normalize()) == before
    a = np.arange(320, dtype="float32").reshape(20, 16)
    c = np.empty_like(a)
    teloom.build(p.s.normalize(), [p.A, p.C])(a, c)
    np.testing.assert_array_equal(c, a - a.sum(1, keepdims=True))


def test_the_kind_of_a_loop_by_its_name():
    A = te.placeholder((8, 8), name="A")
    B = te.compute((8, 8), lambda i, j: A[i, j], name="B")
    s = te.create_schedule(B)
    i, j = B.op.axis
    s[B].parallel(i)
    s[B].vectorize(j)
    IterVar = te.schedule.IterVar
    assert s[B].iter_var_attrs[i].iter_type == IterVar.Parallelized
    assert s[B].iter_var_attrs[j].iter_type == IterVar.Vectorized != IterVar.Unrolled


def test_the_axes_of_a_reduction():
    A, k = te.placeholder((8, 8), name="A"), te.reduce_axis((0, 8), "k")
    B = te.compute((8,), lambda i: te.sum(A[i, k], axis=k), name="B")
    assert B.op.body[0].axis == [k]
    assert str(B.op.body[0].source[0]) == "A[i, k]"


def test_the_namespace_of_schedules():
    assert te.schedule.InferBound is te.infer_bounds
    assert te.schedule.create_schedule is te.create_schedule
    assert te.schedule.Schedule is te.Schedule
    assert te.schedule.Stage is te.Stage


def test_who_reads_whom():
    A = te.placeholder((4,), name="A")
    A1 = te.compute((4,), lambda i: A[i] + 1, name="A1")
    A2 = te.compute((4,), lambda i: A1[i] + 1, name="A2")
    graph = te.schedule.CreateReadGraph([A2.op])
    assert graph == {A2.op: [A1], A1.op: [A], A.op: []}
    assert te.schedule.PostDFSOrder([A2.op], graph) == [A.op, A1.op, A2.op]


def test_an_operation_that_two_read_comes_once():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] + 1, name="B")
    C = te.compute((4,), lambda i: A[i] * B[i], name="C")
    D = te.compute((4,), lambda i: B[i] - C[i] + A[i], name="D")
    graph = te.schedule.CreateReadGraph([D.op, B.op])
    assert te.schedule.PostDFSOrder([D.op, B.op], graph) == [A.op, B.op, C.op, D.op]


def test_who_is_read_by_whom():
    A = te.placeholder((4,), name="A")
    A1 = te.compute((4,), lambda i: A[i] + 1, name="A1")
    A2 = te.compute((4,), lambda i: A1[i] + A[i], name="A2")
    graph = te.schedule.CreateReadGraph([A2.op])
    assert te.schedule.CreateFeedGraph(graph) == {A1: [A2.op], A: [A2.op, A1.op]}


def test_the_loops_around_places():
    """C in a loop of D, which is in a loop of E: one element of each is stored."""
    A = te.placeholder((16, 16), name="A")
    C = te.compute((16, 16), lambda i, j: A[i, j] + 1, name="C")
    D = te.compute((16, 16), lambda i, j: C[i, j] * 2, name="D")
    E = te.compute((16, 16), lambda i, j: D[i, j] * 4, name="E")
    s = te.create_schedule(E)
    s[C].compute_at(s[D], D.op.axis[1])
    s[D].compute_at(s[E], E.op.axis[1])
    (di, dj), (ei, ej) = D.op.axis, E.op.axis
    assert te.schedule.CreateAttachPath(s) == {C.op: [dj, di, ej, ei], D.op: [ej, ei], E.op: []}
    assert [extent for one in te.explain(s)[:2] for _, extent in one.region] == [1, 1, 1, 1]
    module = str(teloom.lower(s, [A, E], level="loop"))
    assert 'loop.realize "C" [%i : 1, %j : 1]' in module
    assert 'loop.realize "D" [%i : 1, %j : 1]' in module


def test_places_of_stages(p: Program):
    stage = p.s[p.S]
    assert (stage.attach_type, stage.attach_stage, stage.attach_ivar) == (1, None, None)
    assert p.s[p.A].attach_type == 1
    stage.compute_at(p.stage, p.C.op.axis[0])
    assert (stage.attach_type, stage.attach_stage) == (4, p.stage)
    assert stage.attach_ivar is p.C.op.axis[0]
    assert stage.scope == ""
    stage.set_scope("local")
    assert stage.scope == "local"


def test_an_inlined_stage_and_a_step():
    A = te.placeholder((8, 4), name="A")
    B = te.compute((8, 4), lambda i, j: A[i, j] + 1, name="B")
    first = te.compute((1, 4), lambda t, j: B[t, j], name="first")
    state = te.placeholder((8, 4), name="state")
    step = te.compute((8, 4), lambda t, j: state[t - 1, j] + B[t, j], name="step")
    S = te.scan(first, step, state, name="S")
    s = te.create_schedule(S.op)
    s[B].compute_inline()
    assert s[B].attach_type == 2
    assert s[B].attach_stage is None
    assert (s[step].attach_type, s[step].attach_stage) == (5, s[S])
    assert s[step].attach_ivar is S.op.scan_axis


def test_what_is_said_of_axes(p: Program):
    outer, inner = p.stage.split(p.C.op.axis[1], factor=4)
    p.stage.parallel(p.C.op.axis[0])
    p.stage.vectorize(inner)
    p.s[p.S].bind(p.S.op.axis[0], te.thread_axis("threadIdx.x"))
    p.s[p.S].storage_align(p.S.op.axis[0], 8, 3)
    found = p.stage.iter_var_attrs
    assert {axis.name: one.iter_type for axis, one in found.items()} == {
        "y": te.IterVar.Parallelized,
        inner.name: te.IterVar.Vectorized,
    }
    assert outer not in found
    assert p.s[p.S].iter_var_attrs[p.S.op.axis[0]] == (0, "threadIdx.x", 8, 3, (), (), None)


def test_the_type_of_an_axis_is_that_of_what_it_is_made_of(p: Program):
    assert [axis.iter_type for axis in p.S.op.root_iter_vars()] == [
        te.IterVar.DataPar,
        te.IterVar.CommReduce,
    ]
    stage = p.s[p.S]
    outer, inner = stage.split(p.k, factor=4)
    row, _ = stage.split(p.S.op.axis[0], factor=4)
    stage.reorder(row, outer)
    fused = stage.fuse(row, outer)
    assert [one.iter_type for one in (outer, inner, row, fused)] == [2, 2, 0, 2]
    assert te.thread_axis("threadIdx.x").iter_type == te.IterVar.ThreadIndex
    assert te.thread_axis((0, 4), "threadIdx.x").iter_type == te.IterVar.ThreadIndex


def test_time_is_an_ordered_axis():
    state = te.placeholder((9, 4), name="state")
    first = te.compute((1, 4), lambda t, i: 1.0, name="first")
    step = te.compute((9, 4), lambda t, i: state[t - 1, i] + 1, name="step")
    S = te.scan(first, step, state, name="S")
    assert [axis.iter_type for axis in S.op.axis] == [te.IterVar.Ordered, te.IterVar.DataPar]
    earlier, later = te.create_schedule(S)[S].split(S.op.scan_axis, 3)
    assert (earlier.iter_type, later.iter_type) == (3, 3)


def test_an_axis_of_a_schedule_is_no_axis_of_an_equation(p: Program):
    _, inner = p.s[p.S].split(p.k, factor=4)
    words = "sum cannot reduce over k.inner, an axis of a schedule; make another one"
    with pytest.raises(teloom.Error, match=words):
        te.sum(p.A[0, inner], axis=inner)


def test_what_an_operation_says_of_its_tensors(p: Program):
    assert (p.A.op.shape, p.A.op.dtype) == ((20, 16), "float32")
    assert p.A.same_as(p.S.op.input_tensors[0])
    assert p.S.op.same_as(p.S.op)
    assert not p.S.same_as(p.A)
    assert isinstance(p.S.op, te.BaseComputeOp)
    assert not isinstance(p.A.op, te.BaseComputeOp)


def test_the_kinds_of_operations_are_in_te_tensor():
    for name in te.tensor.__all__:
        assert getattr(te.tensor, name) is getattr(te, name)


def test_what_a_reduction_says_of_its_combiner(p: Program):
    (fold,) = p.S.op.body
    combiner = fold.combiner
    assert list(map(str, combiner.lhs + combiner.rhs)) == ["x", "y"]
    assert (str(combiner.result), str(combiner.identity_element)) == ("[(x + y)]", "[0.0]")
    assert fold.init == []
    assert str(te.max(p.A[0, p.k], axis=p.k, init=3.0).init) == "[3.0]"


def test_the_group_of_a_stage_is_the_smallest(p: Program):
    whole = p.s.create_group(outputs=p.C, inputs=p.A)
    inner = p.s.create_group(outputs=p.S, inputs=p.A)
    assert p.s[p.S].group is inner
    assert p.stage.group is whole
    assert (p.s[p.A].group, inner.attach_type) == (None, 1)


def test_the_record_is_the_commands(p: Program):
    p.stage.split(p.C.op.axis[1], factor=4)
    assert p.s.schedule_record == [
        '%C = schedule.get "C"',
        "%y, %x = schedule.axes 2 of %C",
        "%x.outer, %x.inner = schedule.split %x factor 4",
    ]


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("var", "(name='tindex', dtype='int32', span=None)"),
        ("size_var", "(name='size', dtype='int32', span=None)"),
        ("const", "(value, dtype='int32', span=None)"),
        ("thread_axis", "(dom=None, tag='', name='', span=None)"),
        ("reduce_axis", "(dom, name='rv', thread_tag='', span=None)"),
    ],
)
def test_signatures_with_a_span(name: str, signature: str):
    found = inspect.signature(getattr(te, name))
    plain = [one.replace(annotation=one.empty) for one in found.parameters.values()]
    assert str(inspect.Signature(plain)) == signature


def test_a_span_means_nothing():
    span = object()
    assert te.var("n", "int32", span).name == te.size_var("n", span=span).name == "n"
    assert te.const(3, "uint8", span) == 3
    assert te.thread_axis("threadIdx.x", span=span).thread_tag == "threadIdx.x"
    assert te.reduce_axis((0, 4), "k", "", span).name == "k"
