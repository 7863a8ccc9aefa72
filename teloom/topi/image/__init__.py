"""Operators on images: what belongs here finds elements between the positions of a grid.

Names, argument order and defaults are those of TVM 0.14.
"""

from teloom.topi.image.dilation import dilation2d_nchw, dilation2d_nhwc
from teloom.topi.image.grids import affine_grid, grid_sample
from teloom.topi.image.resize import crop_and_resize, resize1d, resize2d, resize3d

__all__ = [
    "affine_grid",
    "crop_and_resize",
    "dilation2d_nchw",
    "dilation2d_nhwc",
    "grid_sample",
    "resize1d",
    "resize2d",
    "resize3d",
]
