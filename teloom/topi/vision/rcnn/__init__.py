"""Operators of networks that look at each region of an image; what belongs here makes or reads one.

Names, argument order and defaults are those of TVM 0.14.
"""

from teloom.topi.vision.rcnn.proposal import proposal
from teloom.topi.vision.rcnn.regions import roi_align_nchw, roi_align_nhwc, roi_pool_nchw

__all__ = [
    "proposal",
    "roi_align_nchw",
    "roi_align_nhwc",
    "roi_pool_nchw",
]
