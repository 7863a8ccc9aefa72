"""The order of the passes, each with its reason."""

from __future__ import annotations

from itertools import chain

# Level -> the passes that bring a module there from the level before.
LEVELS: dict[str, tuple[tuple[str, str], ...]] = {
    "te": (),
    "schedule": (
        (
            "expand-sequences",
            "first: apply-schedule carries out plain commands",
        ),
        (
            "apply-schedule",
            "after expand-sequences, which leaves plain commands; all later passes read stages; "
            "nothing is a loop yet, so commands only rewrite relations, order and place",
        ),
        (
            "forward-inits",
            "after apply-schedule, which puts equations that are inlined into inits; before "
            "infer-bounds, which lets elements not begin that are written first",
        ),
        (
            "infer-bounds",
            "after apply-schedule: regions depend on every stage's place and order; "
            "before build-loops, which turns ranges into loops",
        ),
        (
            "check-schedule",
            "after infer-bounds, whose ranges, values and regions it checks; before build-loops, "
            "which runs what they say",
        ),
        (
            "match-intrinsics",
            "after infer-bounds: whether a tile has the extents of an intrinsic follows from the "
            "ranges of the loops in it, as those of a stage that is computed at its place; before "
            "build-loops, while the loops in a tile and their equation are apart",
        ),
        (
            "check-parallel",
            "before build-loops: the loops that are there now are users'; those of axes are "
            "independent, for each instance has its element and what others read is stored there",
        ),
    ),
    "loop": (
        (
            "build-loops",
            "after infer-bounds: needs every range; before storage-flatten, which "
            "gives addresses to the regions realized here",
        ),
        (
            "narrow-loops",
            "after build-loops, which makes the loops; before chunk-reductions and "
            "partition-loops, which look at the bounds that it writes",
        ),
        (
            "chunk-reductions",
            "after build-loops, which makes the loops; before partition-loops, while the "
            "iterations of a stage are one nest",
        ),
        (
            "partition-loops",
            "after build-loops, which makes the bounds and conditions; before storage-flatten: "
            "each part has storage of its own; before privatize-reductions, which wants constant "
            "extents, as those of whole tiles are",
        ),
        (
            "privatize-reductions",
            "after build-loops, which makes the loops; before storage-flatten, for which a "
            "reduction is a load and a store like others",
        ),
        (
            "interleave-threads",
            "after privatize-reductions, the last that makes loops of axes; before "
            "storage-flatten, while what a thread stores has coordinates",
        ),
        (
            "keep-elements",
            "after interleave-threads, so that all loops are there; before storage-flatten, while "
            "elements have coordinates, by which they are told apart",
        ),
    ),
    "memref": (
        (
            "storage-flatten",
            "after build-loops: needs every region resolved; before vectorize-loops, "
            "which decides by strides of addresses",
        ),
        (
            "inject-prefetch",
            "after storage-flatten: strides say which elements are in one cache line; before "
            "double-buffer, which copies the loops around",
        ),
        (
            "flatten-views",
            "after storage-flatten, which makes the views; before buffer-reuse, which understands "
            "buffers that are loaded and stored",
        ),
        (
            "double-buffer",
            "after storage-flatten: needs the sizes of copies; before buffer-reuse, which "
            "must see for how long both copies are used",
        ),
        (
            "buffer-reuse",
            "after storage-flatten: needs sizes in bytes; before vectorize-loops and "
            "unroll-loops, while every loop still says how it runs and what it is around",
        ),
        (
            "check-memory",
            "after buffer-reuse, which decides what shares memory; before "
            "unroll-loops and lower-loops, while loops say which iterations run at once",
        ),
        (
            "allocate-early",
            "after buffer-reuse, which moves memory out of loops: a call needs all memory that "
            "is then outside of loops from its start",
        ),
    ),
    "standard": (
        (
            "linearize-memrefs",
            "after buffer-reuse: buffers of several dimensions share memory with those of their "
            "type, and not with flat ones; before vectorize-loops, which decides by the strides of "
            "one address",
        ),
        (
            "outline-nests",
            "after linearize-memrefs: nests are alike that use other pieces of memory; before "
            "vectorize-loops and all others that go through nests, for which equal ones are one",
        ),
        (
            "multiply-tiles",
            "after outline-nests: equal products become tiles once; before vectorize-loops, which "
            "makes vectors of the loops that are no tiles",
        ),
        (
            "vectorize-loops",
            "after storage-flatten: strides must be visible; before unroll-loops, "
            "because it makes unrolled loops of vectors",
        ),
        (
            "correct-dots",
            "after vectorize-loops, which makes the dots; before align-accesses, which knows the "
            "boundaries of what corrections are loaded from",
        ),
        (
            "align-accesses",
            "after vectorize-loops, which makes the vectors; before lower-loops, while indices "
            "are affine expressions",
        ),
        (
            "reserve-memory",
            "after align-accesses, which knows the boundaries of allocations; before lower-loops, "
            "while the iterations of a loop are known",
        ),
        (
            "stream-stores",
            "after align-accesses: what is aligned in every call needs no second version; after "
            "reserve-memory, whose memory both versions use; before lower-loops, while indices "
            "are affine expressions",
        ),
        (
            "apply-pragmas",
            "after vectorize-loops, whose loops have the notes of those that they replace; before "
            "unroll-loops, which annotates what is unrolled then",
        ),
        (
            "unroll-loops",
            "after vectorize-loops; before lower-loops, which carries the loops' annotations on",
        ),
        (
            "collapse-parallel",
            "after unroll-loops, when all that asks for the coordinates of two loops has run; "
            "before lower-loops, while bounds are affine",
        ),
        (
            "lower-loops",
            "last of the loops: affine bounds become arithmetic, nothing of ours is left",
        ),
    ),
    "llvm": (
        (
            "outline-parallel",
            "after lower-loops, which makes scf.parallel; before lower-scf: the body of a loop "
            "is one region yet",
        ),
        (
            "expand-math",
            "after vectorize-loops: a function for a scalar and one for each length of vectors; "
            "after reserve-memory, for which a call may allocate; before lower-scf, which makes "
            "blocks of branches",
        ),
        ("lower-scf", "before lower-to-llvm, which knows blocks, not structured control flow"),
        ("lower-to-llvm", "last: fails if an op that it does not know is left"),
    ),
}

# What upstream MLIR writes, to what our levels are made of: in front of a program that has it.
UPSTREAM: tuple[tuple[str, str], ...] = (
    (
        "linalg-to-te",
        "first: what structured ops of upstream's compute is then scheduled as all equations",
    ),
    (
        "normalize-loops",
        "before all passes of loops, which know those of one axis that count by 1",
    ),
    (
        "flatten-functions",
        "after normalize-loops, which leaves accesses of memref; before anything asks for the "
        "signature of a function",
    ),
)

# From level `loop` to `memref`, with code that checks every access.
CHECKED: tuple[tuple[str, str], ...] = (
    (
        "label-accesses",
        "before storage-flatten: coordinates of tensors say what is meant, wherever it lies",
    ),
    *LEVELS["memref"],
    LEVELS["standard"][0],
    (
        "check-accesses",
        "after the last pass that moves memory; before vectorize-loops, which does not know "
        "the code of the checks",
    ),
)


def _up_to(last: str) -> tuple[tuple[str, str], ...]:
    names = list(LEVELS)
    return tuple(chain.from_iterable(LEVELS[name] for name in names[: names.index(last) + 1]))


# Named pipelines: (pass, reason) in order; every pass also runs alone.
PIPELINES: dict[str, tuple[tuple[str, str], ...]] = {
    "from-mlir": UPSTREAM,
    "te-to-loops": _up_to("loop"),
    "te-to-memref": _up_to("memref"),
    "te-to-llvm": _up_to("llvm"),
}
