"""Operators of object detection: what belongs here makes, moves, drops or reads boxes in images.

Names, argument order and defaults are those of TVM 0.14. `ssd` and `rcnn` are of these networks.
Coordinates of 16 bits are computed in float32.
"""

from teloom.topi.vision import rcnn, ssd
from teloom.topi.vision.rcnn import proposal, roi_align_nchw, roi_align_nhwc, roi_pool_nchw
from teloom.topi.vision.reorg import reorg
from teloom.topi.vision.suppression import (
    all_class_non_max_suppression,
    get_valid_counts,
    non_max_suppression,
)

__all__ = [
    "all_class_non_max_suppression",
    "get_valid_counts",
    "non_max_suppression",
    "proposal",
    "rcnn",
    "reorg",
    "roi_align_nchw",
    "roi_align_nhwc",
    "roi_pool_nchw",
    "ssd",
]
