"""ONNX's operators on images, boxes and signals, by those of topi."""

from typing import Any

from topi.onnx_nodes.cases import Adapter, NodeCase

from teloom import te, topi
from teloom.topi import image, nn, signal, vision

RESIZES: dict[int, tuple[Any, str]] = {
    1: (image.resize1d, "NCW"),
    2: (image.resize2d, "NCHW"),
    3: (image.resize3d, "NCDHW"),
}


def resize_method(case: NodeCase) -> str:
    mode: str = case.attribute("mode", "nearest")
    return "nearest_neighbor" if mode == "nearest" else mode


def resized(case: NodeCase) -> te.Tensor:
    """The axes that change are the last ones of a batch of images with one channel."""
    x, (wanted,) = case.tensor(0), case.outputs
    changed = [k for k, extent in enumerate(x.shape) if extent != wanted.shape[k]]
    axes = case.attribute("axes", changed or [x.ndim - 1])
    first = min(axes)
    rank = x.ndim - first
    if case.has(1):
        roi = case.value(1)
        count = len(roi) // 2
        listed = case.attribute("axes", range(count))
        parts = dict(zip(listed, zip(roi[:count], roi[count:], strict=True), strict=True))
        ends = [parts.get(k, (0.0, 1.0)) for k in range(first, x.ndim)]
        roi = [begin for begin, _ in ends] + [end for _, end in ends]
    else:
        roi = None
    resize, layout = RESIZES[rank]
    found = resize(
        topi.reshape(x, (1, -1, *x.shape[first:])) if first != 2 else x,
        roi,
        list(wanted.shape[first:]),
        layout,
        resize_method(case),
        case.attribute("coordinate_transformation_mode", "half_pixel"),
        case.attribute("nearest_mode", "round_prefer_floor"),
        case.attribute("cubic_coeff_a", -0.75),
        case.attribute("exclude_outside", 0),
        case.attribute("extrapolation_value", 0.0),
    )
    return topi.reshape(found, wanted.shape)


def upsampled(case: NodeCase) -> te.Tensor:
    sizes = list(case.outputs[0].shape[2:])
    return image.resize2d(case.tensor(0), None, sizes, "NCHW", resize_method(case), "asymmetric")


def affine_grid(case: NodeCase) -> te.Tensor:
    aligned = bool(case.attribute("align_corners", 0))
    found = image.affine_grid(case.tensor(0), case.value(1)[2:], aligned)
    return topi.transpose(found, [0, *range(2, found.ndim), 1])


METHODS = {"linear": "bilinear", "cubic": "bicubic", "nearest": "nearest"}


def grid_sample(case: NodeCase) -> te.Tensor:
    x, grid = case.tensor(0), case.tensor(1)
    return image.grid_sample(
        x,
        topi.transpose(grid, [0, grid.ndim - 1, *range(1, grid.ndim - 1)]),
        METHODS[case.attribute("mode", "linear")],
        "NCHW" if x.ndim == 4 else "NCDHW",
        case.attribute("padding_mode", "zeros"),
        bool(case.attribute("align_corners", 0)),
    )


def fourier(case: NodeCase) -> te.Tensor:
    """Along an axis, of a signal that is cut or filled with zeros; parts are the last axis."""
    x = case.tensor(0)
    axis = case.value(2, case.attribute("axis", 1)) % x.ndim
    inverse = bool(case.attribute("inverse", 0))
    x = topi.transpose(x, [k for k in range(x.ndim) if k not in (axis, x.ndim - 1)] + [axis, -1])
    if case.attribute("onesided", 0) and inverse:
        x = with_mirror_images(x, case.outputs[0].shape[axis])
    length = case.value(1, x.shape[-2])
    if x.shape[-2] < length:
        behind = [0] * (x.ndim - 2) + [length - x.shape[-2], 0]
        x = nn.pad(x, [0] * x.ndim, behind)
    x = topi.strided_slice(x, [0], [length], axes=[x.ndim - 2])
    parts = [topi.take(x, topi.full((), "int32", k), -1) for k in range(x.shape[-1])]
    real, imag = parts if len(parts) == 2 else (parts[0], topi.full_like(parts[0], 0.0))
    found = topi.stack(signal.dft(real, imag, inverse), -1)
    found = topi.strided_slice(found, [0], [case.outputs[0].shape[axis]], axes=[found.ndim - 2])
    found = topi.strided_slice(found, [0], [case.outputs[0].shape[-1]], axes=[found.ndim - 1])
    order = list(range(x.ndim - 2))
    order.insert(axis, x.ndim - 2)
    return topi.transpose(found, [*order, x.ndim - 1])


def with_mirror_images(x: te.Tensor, length: int) -> te.Tensor:
    """All frequencies of a real signal of that length, of the first half of them."""
    at = topi.arange(length, dtype="int32")
    mirrored = at > length // 2
    place = topi.where(mirrored, topi.full((), "int32", length) - at, at)
    sign = topi.where(topi.expand_dims(mirrored, 1), topi.cast(topi.arange(2), "int32"), 0)
    return topi.take(x, place, x.ndim - 2) * topi.cast(1 - sign * 2, x.dtype)


def short_time_fourier(case: NodeCase) -> te.Tensor:
    """Frames are before frequencies."""
    x = topi.squeeze(case.tensor(0), -1)
    window = case.tensor(2) if case.has(2) else topi.full((case.value(3),), x.dtype, 1)
    (length,) = window.shape
    onesided = bool(case.attribute("onesided", 1))
    found = signal.stft(x, length, case.value(1), length, window, False, onesided)
    return topi.transpose(found, [0, 2, 1, 3])


def corners(case: NodeCase) -> te.Tensor:
    """Two corners of each box, of which some cases give the middle and the sides."""
    boxes = case.tensor(0)
    if not case.attribute("center_point_box", 0):
        return boxes
    middle, sides = topi.split(boxes, 2, -1)
    return topi.concatenate([middle - sides / 2.0, middle + sides / 2.0], -1)


def suppressed(case: NodeCase) -> te.Tensor:
    limit = case.tensor(2) if case.has(2) else 0
    bound = case.tensor(3) if case.has(3) else 0.0
    least = case.tensor(4) if case.has(4) else float("-inf")
    rows, _ = vision.all_class_non_max_suppression(
        corners(case), case.tensor(1), limit, bound, least
    )
    return topi.strided_slice(rows, [0], [len(case.outputs[0])])


def roi_align(case: NodeCase) -> te.Tensor:
    """A region begins with the number of its image; half_pixel moves it by half an element."""
    rois, image_numbers = case.tensor(1), topi.cast(case.tensor(2), "float32")
    scale = case.attribute("spatial_scale", 1.0)
    if case.attribute("coordinate_transformation_mode", "half_pixel") == "half_pixel":
        rois = rois - 0.5 / scale
    return vision.roi_align_nchw(
        case.tensor(0),
        topi.concatenate([topi.expand_dims(image_numbers, 1), rois], 1),
        (case.attribute("output_height", 1), case.attribute("output_width", 1)),
        scale,
        case.attribute("mode", "avg"),
        case.attribute("sampling_ratio", 0),
    )


IMAGES: dict[str, Adapter] = {
    "AffineGrid": affine_grid,
    "DFT": fourier,
    "GridSample": grid_sample,
    "NonMaxSuppression": suppressed,
    "Resize": resized,
    "RoiAlign": roi_align,
    "STFT": short_time_fourier,
    "Upsample": upsampled,
}
