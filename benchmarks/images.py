"""Pipelines on images, of which most have their three channels last."""

import numpy as np
from polybench.kernel import Kernel, Program, prange

from teloom import te

CHANNELS = 3


def photograph(height: int, width: int) -> te.Tensor:
    return te.placeholder((height, width, CHANNELS), name="image")


def arrays(rng: np.random.Generator, height: int, width: int) -> list[np.ndarray]:
    return [rng.random((height, width, CHANNELS), dtype="float32")]


def blur(height: int, width: int) -> Program:
    """The mean of 3 x 3 pixels, by rows and then by columns."""
    image = photograph(height, width)
    across = te.compute(
        (height, width - 2, CHANNELS),
        lambda y, x, c: (image[y, x, c] + image[y, x + 1, c] + image[y, x + 2, c]) / 3.0,
        name="across",
    )
    down = te.compute(
        (height - 2, width - 2, CHANNELS),
        lambda y, x, c: (across[y, x, c] + across[y + 1, x, c] + across[y + 2, x, c]) / 3.0,
        name="down",
    )
    return [image], [down]


def blur_loops(image, out):
    height, width, channels = image.shape
    third = np.float32(1 / 3)
    across = np.empty((height, width - 2, channels), np.float32)
    for y in prange(height):
        for x in range(width - 2):
            for c in range(channels):
                total = image[y, x, c] + image[y, x + 1, c] + image[y, x + 2, c]
                across[y, x, c] = total * third
    for y in prange(height - 2):
        for x in range(width - 2):
            for c in range(channels):
                total = across[y, x, c] + across[y + 1, x, c] + across[y + 2, x, c]
                out[y, x, c] = total * third


def blur_numpy(image):
    across = (image[:, :-2] + image[:, 1:-1] + image[:, 2:]) / np.float32(3)
    return (across[:-2] + across[1:-1] + across[2:]) / np.float32(3)


WEIGHTS = 0.299, 0.587, 0.114


def grey_of(image: te.Tensor) -> te.Tensor:
    red, green, blue = WEIGHTS
    return te.compute(
        image.shape[:2],
        lambda y, x: image[y, x, 0] * red + image[y, x, 1] * green + image[y, x, 2] * blue,
        name="grey",
    )


def edges(height: int, width: int) -> Program:
    """The lengths of Sobel's gradients of the grey image."""
    image = photograph(height, width)
    grey = grey_of(image)

    def found(y, x):
        along = [grey[y + k, x + 2] - grey[y + k, x] for k in range(3)]
        across = [grey[y + 2, x + k] - grey[y, x + k] for k in range(3)]
        dx = along[0] + 2.0 * along[1] + along[2]
        dy = across[0] + 2.0 * across[1] + across[2]
        return te.sqrt(dx * dx + dy * dy)

    return [image], [te.compute((height - 2, width - 2), found, name="edges")]


def edges_loops(image, out):
    height, width, _ = image.shape
    red, green, blue = np.float32(0.299), np.float32(0.587), np.float32(0.114)
    two = np.float32(2)
    grey = np.empty((height, width), np.float32)
    for y in prange(height):
        for x in range(width):
            grey[y, x] = image[y, x, 0] * red + image[y, x, 1] * green + image[y, x, 2] * blue
    for y in prange(height - 2):
        for x in range(width - 2):
            dx = (
                (grey[y, x + 2] - grey[y, x])
                + two * (grey[y + 1, x + 2] - grey[y + 1, x])
                + (grey[y + 2, x + 2] - grey[y + 2, x])
            )
            dy = (
                (grey[y + 2, x] - grey[y, x])
                + two * (grey[y + 2, x + 1] - grey[y, x + 1])
                + (grey[y + 2, x + 2] - grey[y, x + 2])
            )
            out[y, x] = np.sqrt(dx * dx + dy * dy)


def edges_numpy(image):
    grey = image @ np.array(WEIGHTS, "float32")
    along, across = grey[:, 2:] - grey[:, :-2], grey[2:] - grey[:-2]
    dx = along[:-2] + 2 * along[1:-1] + along[2:]
    dy = across[:, :-2] + 2 * across[:, 1:-1] + across[:, 2:]
    return np.sqrt(dx * dx + dy * dy)


def unsharp(height: int, width: int) -> Program:
    """An image, and what a blur takes from it."""
    image = photograph(height, width)

    def smooth(of, axis, name):
        def element(y, x, c):
            far = [(y + k, x, c) if axis == 0 else (y, x + k, c) for k in range(5)]
            terms = (weight * of[at] for weight, at in zip(KERNEL, far, strict=True))
            return sum(terms)

        shape = list(of.shape)
        shape[axis] -= 4
        return te.compute(shape, element, name=name)

    blurred = smooth(smooth(image, 1, "along"), 0, "blurred")
    out = te.compute(
        blurred.shape,
        lambda y, x, c: 2.0 * image[y + 2, x + 2, c] - blurred[y, x, c],
        name="sharp",
    )
    return [image], [out]


KERNEL = 0.0625, 0.25, 0.375, 0.25, 0.0625


def unsharp_loops(image, out):
    height, width, channels = image.shape
    outer, inner, middle = np.float32(0.0625), np.float32(0.25), np.float32(0.375)
    two = np.float32(2)
    along = np.empty((height, width - 4, channels), np.float32)
    for y in prange(height):
        for x in range(width - 4):
            for c in range(channels):
                along[y, x, c] = (
                    outer * (image[y, x, c] + image[y, x + 4, c])
                    + inner * (image[y, x + 1, c] + image[y, x + 3, c])
                    + middle * image[y, x + 2, c]
                )
    for y in prange(height - 4):
        for x in range(width - 4):
            for c in range(channels):
                blurred = (
                    outer * (along[y, x, c] + along[y + 4, x, c])
                    + inner * (along[y + 1, x, c] + along[y + 3, x, c])
                    + middle * along[y + 2, x, c]
                )
                out[y, x, c] = two * image[y + 2, x + 2, c] - blurred


def unsharp_numpy(image):
    height, width, _ = image.shape
    weights = np.array(KERNEL, "float32")
    along = sum(w * image[:, k : k + width - 4] for k, w in enumerate(weights))
    blurred = sum(w * along[k : k + height - 4] for k, w in enumerate(weights))
    return 2 * image[2:-2, 2:-2] - blurred


def halved(height: int, width: int) -> Program:
    """A level of a pyramid: the mean of 2 x 2 pixels."""
    image = photograph(height, width)

    def element(y, x, c):
        upper = image[2 * y, 2 * x, c] + image[2 * y, 2 * x + 1, c]
        lower = image[2 * y + 1, 2 * x, c] + image[2 * y + 1, 2 * x + 1, c]
        return (upper + lower) * 0.25

    shape = height // 2, width // 2, CHANNELS
    return [image], [te.compute(shape, element, name="halved")]


def halved_loops(image, out):
    quarter = np.float32(0.25)
    for y in prange(out.shape[0]):
        for x in range(out.shape[1]):
            for c in range(out.shape[2]):
                upper = image[2 * y, 2 * x, c] + image[2 * y, 2 * x + 1, c]
                lower = image[2 * y + 1, 2 * x, c] + image[2 * y + 1, 2 * x + 1, c]
                out[y, x, c] = (upper + lower) * quarter


def halved_numpy(image):
    image = image[: image.shape[0] // 2 * 2, : image.shape[1] // 2 * 2]
    upper, lower = image[::2], image[1::2]
    total = upper[:, ::2] + upper[:, 1::2] + lower[:, ::2] + lower[:, 1::2]
    return total * np.float32(0.25)


def blend(height: int, width: int) -> Program:
    """Two images, mixed by a mask of one channel."""
    one, other = photograph(height, width), photograph(height, width)
    mask = te.placeholder((height, width), name="mask")
    out = te.compute(
        (height, width, CHANNELS),
        lambda y, x, c: other[y, x, c] + mask[y, x] * (one[y, x, c] - other[y, x, c]),
        name="blend",
    )
    return [one, other, mask], [out]


def blend_loops(one, other, mask, out):
    for y in prange(out.shape[0]):
        for x in range(out.shape[1]):
            for c in range(out.shape[2]):
                difference = one[y, x, c] - other[y, x, c]
                out[y, x, c] = other[y, x, c] + mask[y, x] * difference


def balance(height: int, width: int) -> Program:
    """Channels are scaled so that their means are the same."""
    image = photograph(height, width)
    y, x = te.reduce_axis((0, height), "y"), te.reduce_axis((0, width), "x")
    total = te.compute((CHANNELS,), lambda c: te.sum(image[y, x, c], axis=(y, x)), name="total")
    whole = te.compute((), lambda: (total[0] + total[1] + total[2]) / 3.0, name="whole")
    gain = te.compute((CHANNELS,), lambda c: whole() / total[c], name="gain")
    out = te.compute(
        (height, width, CHANNELS), lambda y, x, c: image[y, x, c] * gain[c], name="balanced"
    )
    return [image], [out]


def balance_loops(image, out):
    height, width, channels = image.shape
    rows = np.zeros((height, channels), np.float32)
    for y in prange(height):
        for x in range(width):
            for c in range(channels):
                rows[y, c] += image[y, x, c]
    total = np.zeros(channels, np.float64)
    for y in range(height):
        for c in range(channels):
            total[c] += rows[y, c]
    whole = (total[0] + total[1] + total[2]) / 3
    gain = (whole / total).astype(np.float32)
    for y in prange(height):
        for x in range(width):
            for c in range(channels):
                out[y, x, c] = image[y, x, c] * gain[c]


def balance_numpy(image):
    total = image.sum(axis=(0, 1), dtype="float64")
    return image * (total.mean() / total).astype("float32")


SIZES = 1080, 1920
SMALL = 12, 17

KERNELS = {
    "blur": Kernel(blur, arrays, blur_loops, SIZES, SMALL, blur_numpy, 1e-5),
    "edges": Kernel(edges, arrays, edges_loops, SIZES, SMALL, edges_numpy, 1e-5),
    "unsharp": Kernel(unsharp, arrays, unsharp_loops, SIZES, SMALL, unsharp_numpy, 1e-5),
    "halved": Kernel(halved, arrays, halved_loops, SIZES, SMALL, halved_numpy, 1e-5),
    "blend": Kernel(
        blend,
        lambda rng, h, w: [*arrays(rng, h, w), *arrays(rng, h, w), rng.random((h, w), "float32")],
        blend_loops,
        SIZES,
        SMALL,
        lambda one, other, mask: other + mask[..., None] * (one - other),
        1e-5,
    ),
    "balance": Kernel(balance, arrays, balance_loops, SIZES, SMALL, balance_numpy, 1e-4),
}
