"""What of ONNX topi does not have, with the reasons: types of operators, and single cases."""

NETWORK = "a network of many operators, which a user builds of those of topi"
RECURRENCE = "a recurrence over time, which a user writes as te.scan"
OPTIMIZER = "a step of an optimizer, whose state the caller keeps"
SEQUENCE = "values of it are lists of tensors, or perhaps no tensor"
CONTROL = "its body is a graph, which a user writes in Python"
TEXT = "values of it are texts"
OF_A_MODEL = "a table or a forest of a trained model, not an operator on tensors"

UNMAPPED = {
    **dict.fromkeys(("Adagrad", "Adam", "Momentum"), OPTIMIZER),
    **dict.fromkeys(("Attention", "FlexAttention", "LinearAttention"), NETWORK),
    **dict.fromkeys(("CausalConvWithState", "RotaryEmbedding", "SwiGLU"), NETWORK),
    **dict.fromkeys(("GRU", "RNN"), RECURRENCE),
    **dict.fromkeys(("If", "Loop", "Scan", "SequenceMap"), CONTROL),
    **dict.fromkeys(("SequenceInsert", "SplitToSequence"), SEQUENCE),
    **dict.fromkeys(("OptionalGetElement", "OptionalHasElement"), SEQUENCE),
    **dict.fromkeys(("RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit"), TEXT),
    **dict.fromkeys(("LabelEncoder", "TfIdfVectorizer", "TreeEnsemble"), OF_A_MODEL),
    "Bernoulli": "its numbers are those of another generator; topi.random has threefry's",
    "Col2Im": "topi has the windows of an image (sliding_window), and no sum of windows",
    "Constant": "it has no input: a value that is known is a number of Python or an array",
    "Det": "a factorization, which is code of others in a te.extern",
    "ImageDecoder": "it reads a file of a picture",
    "MaxUnpool": "topi's pools give no positions of the greatest elements",
    "MelWeightMatrix": "a table of constants, which NumPy computes before",
}
"""Types of operators."""

CASES = {
    "bitcast_bool_to_uint8": "te.reinterpret keeps from bool: its bits are no number",
    **dict.fromkeys(
        (
            "dequantizelinear_blocked",
            "quantizelinear_blocked_asymmetric",
            "quantizelinear_blocked_symmetric",
        ),
        "scales of blocks along an axis, which topi.repeat makes scales of elements",
    ),
    "deform_conv_with_mask_bias": "topi's taps have no weights that are data",
    **dict.fromkeys(
        (f"training_dropout{kind}{mask}" for kind in ("", "_default") for mask in ("", "_mask")),
        "its random numbers are those of another generator; topi.random has threefry's",
    ),
    "maxpool_with_argmax_2d_precomputed_pads": "topi's pools give no positions",
    "maxpool_with_argmax_2d_precomputed_strides": "topi's pools give no positions",
    **dict.fromkeys(
        (
            f"resize_downsample_{how}"
            for how in (
                "scales_linear_antialias",
                "sizes_linear_antialias",
                "scales_cubic_antialias",
                "sizes_cubic_antialias",
            )
        ),
        "topi.image resizes without a filter before",
    ),
    **dict.fromkeys(
        (
            f"resize_downsample_scales_{how}"
            for how in (
                "linear",
                "linear_align_corners",
                "cubic",
                "cubic_align_corners",
                "cubic_A_n0p5_exclude_outside",
            )
        ),
        "a scale that is not the quotient of the sizes, which are what topi.image is given",
    ),
    **dict.fromkeys(
        (
            "resize_downsample_scales_linear_half_pixel_symmetric",
            "resize_upsample_scales_linear_half_pixel_symmetric",
        ),
        "a mode that needs a scale besides the sizes",
    ),
    "roialign_mode_max": "the greatest of products with weights; topi's is that of points",
    **dict.fromkeys(
        (f"unique_sorted_with_{axis}" for axis in ("axis", "axis_3d", "negative_axis")),
        "topi.unique is of elements, not of slices",
    ),
}
"""Cases of operators that have others which run."""

ABSOLUTE = {"DFT": 1e-6}
"""Absolute tolerances of operators whose expected results are themselves rounded more."""

OUTPUTS = {"LayerNormalization": 1}
"""How many outputs are compared of an operator of which topi gives fewer than ONNX."""
