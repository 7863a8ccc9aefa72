"""Layers of random shapes, strides, padding and groups, interpreted."""

import math

import numpy as np
from budget import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st
from layers_by_hand import Arrays, convolved, derivative, normal, pooled

from teloom import topi
from teloom.topi import nn

SMALL = st.integers(1, 3)


@st.composite
def windows(draw, axes, dilated=True):
    """Sizes, strides, padding and dilations of windows, and extents in which one fits."""
    sizes, strides = ([draw(SMALL) for _ in range(axes)] for _ in range(2))
    dilations = [draw(st.integers(1, 2)) if dilated else 1 for _ in range(axes)]
    pads = [draw(st.integers(0, size - 1)) for size in sizes * 2]
    extents = [
        max(1, (size - 1) * apart + 1 - before - after) + draw(st.integers(0, 3))
        for size, apart, before, after in zip(
            sizes, dilations, pads[:axes], pads[axes:], strict=True
        )
    ]
    return sizes, strides, tuple(pads), dilations, extents


@given(st.data())
def test_convolutions(interpreted, data):
    axes = data.draw(SMALL)
    sizes, strides, pads, dilations, extents = data.draw(windows(axes))
    groups, inputs, outputs = (data.draw(st.integers(1, 2)) for _ in range(3))
    x = normal(data.draw(st.integers(0, 2)), groups * inputs, *extents)
    w = normal(groups * outputs, inputs, *sizes)
    letters = "DHW"[-axes:]
    layout = "".join(data.draw(st.permutations(f"NC{letters}")))
    order = [f"NC{letters}".index(letter) for letter in layout]
    # The axes of space keep their order in both layouts.
    space = [letter for letter in layout if letter in letters]
    kernel_layout = "".join(data.draw(st.permutations(["O", "I", *space])))
    kernel_order = [f"OI{letters}".index(letter) for letter in kernel_layout]
    by_axis = [letters.index(letter) for letter in space]
    arrays = Arrays()
    found = nn.conv(
        arrays(x.transpose(order)),
        arrays(w.transpose(kernel_order)),
        [strides[k] for k in by_axis],
        [pads[k + behind] for behind in (0, axes) for k in by_axis],
        [dilations[k] for k in by_axis],
        groups,
        layout,
        kernel_layout,
    )
    expected = convolved(x, w, strides, pads, dilations, groups)
    interpreted(arrays, [(found, expected.astype("float32").transpose(order))])


@settings(max_examples=EXAMPLES // 2)
@given(st.data())
def test_convolutions_by_tiles_and_blocks(interpreted, data):
    block, others, images = data.draw(SMALL), data.draw(SMALL), data.draw(st.integers(1, 2))
    pads = tuple(data.draw(st.integers(0, 3)) for _ in range(4))
    extents = [3 + data.draw(st.integers(0, 4)) for _ in range(2)]
    x, w = normal(images, 2 * block, *extents), normal(2 * others, 2 * block, 3, 3)
    expected = convolved(x, w, 1, pads)
    arrays = Arrays()
    image, weight = arrays(x), arrays(w)
    blocks = topi.layout_transform(image, "NCHW", f"NCHW{block}c")
    of_weight = w.reshape(2, others, 2, block, 3, 3).transpose(0, 2, 4, 5, 3, 1)
    in_blocks = nn.conv2d_NCHWc(blocks, arrays(of_weight), 1, pads, 1, "", "", "float32")
    wanted = [
        (nn.conv2d_winograd_nchw(image, weight, 1, pads, 1, None), expected),
        (topi.layout_transform(in_blocks, f"NCHW{others}c", "NCHW"), expected),
    ]
    interpreted(arrays, wanted)


@given(st.data())
def test_pools_and_their_gradients(interpreted, data):
    sizes, strides, pads, dilations, extents = data.draw(windows(2, dilated=False))
    kind = data.draw(st.sampled_from(["max", "avg"]))
    x = normal(1, 1, *extents, dtype="float64")

    def pool(x):
        return pooled(x, sizes, strides, pads, dilations, kind)

    arrays = Arrays()
    image, head = arrays(x), normal(*pool(x).shape, dtype="float64")
    gradient = nn.pool_grad(arrays(head), image, sizes, strides, pads, kind)
    wanted = [
        (nn.pool2d(image, sizes, strides, dilations, pads, kind), pool(x)),
        (topi.cast(gradient, "float32"), derivative(pool, x, head, 1e-6).astype("float32")),
    ]
    interpreted(arrays, wanted)


@given(st.data())
def test_blocks_there_and_back(interpreted, data):
    sizes = data.draw(st.lists(SMALL, min_size=1, max_size=3))
    numbers, pads = ([data.draw(st.integers(0, 2)) for _ in sizes] for _ in range(2))
    extents = [
        max(0, size * number - pad) for size, number, pad in zip(sizes, numbers, pads, strict=True)
    ]
    pads = [
        size * math.ceil((extent + pad) / size) - extent
        for size, extent, pad in zip(sizes, extents, pads, strict=True)
    ]
    before = [data.draw(st.integers(0, pad)) for pad in pads]
    after = [pad - one for pad, one in zip(pads, before, strict=True)]
    x, y = normal(2, *extents, 3), normal(1, sizes[0] ** 2 * 2, 2, 3)
    arrays = Arrays()
    batches = nn.space_to_batch_nd(arrays(x), sizes, before, after, 0.5)
    mode = data.draw(st.sampled_from(["DCR", "CRD"]))
    wide = nn.depth_to_space(arrays(y), sizes[0], mode=mode)
    wanted = [
        (nn.batch_to_space_nd(batches, sizes, before, after), x),
        (nn.space_to_depth(wide, sizes[0], mode=mode), y),
    ]
    interpreted(arrays, wanted)


@given(st.data())
def test_sums_in_words_of_bits(interpreted, data):
    bits, weight_bits = data.draw(SMALL), data.draw(SMALL)
    rows, columns, words = (data.draw(st.integers(0, 2)) for _ in range(3))
    width = data.draw(st.sampled_from([8, 16]))
    x, w = (
        np.abs(normal(k, words * width) * 9).astype("int32") % 2**b
        for k, b in ((rows, bits), (columns, weight_bits))
    )
    arrays = Arrays()
    how = bits, weight_bits, f"uint{width}", "int32", False
    interpreted(arrays, [(nn.bitserial_dense(arrays(x), arrays(w), *how), x @ w.T)])
