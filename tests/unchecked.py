"""The tests whose programs run without a check of their memory, each with the reason."""

UNCHECKED = {
    "frontend/test_scalars.py::test_a_number_is_passed": "a call that is checked is never known",
    "backend/test_native_calls.py": "a call that is checked goes through Python",
    "programs/test_stream_stores.py": "addresses choose the code; a check runs it on copies",
    "backend/c/test_scalars_in_c.py": "one element a time, as in backend/test_arith.py",
    "elementary/test_accuracy.py": "one element a time, as in frontend/test_scalar_functions.py",
    "backend/test_math.py": "one element a time, as in backend/test_arith.py",
    **dict.fromkeys(
        (
            f"backend/test_arith.py::test_{name}"
            for name in (
                "signed_division_rounds_as_named",
                "every_divisor_has_a_quotient",
                "every_constant_divisor_has_a_quotient",
                "index_divisions_have_a_quotient_for_every_divisor",
                "unsigned_operations_read_the_bits_without_a_sign",
                "shifts",
                "float_selections_treat_nan_as_named",
                "negation_flips_the_sign_of_zero_too",
                "float_comparisons",
                "integer_comparisons",
                "numbers_change_their_kind",
                "unsigned_integers_become_floats_and_come_back",
                "bfloat_rounds_every_f32_pattern_as_ml_dtypes_does",
                "bitcast_keeps_the_bits",
            )
        ),
        "one element or vector a time, as in the others of that file",
    ),
    **dict.fromkeys(
        (
            "frontend/test_bit_functions.py",
            "frontend/test_constants.py::test_constants_wrap_as_elements_do",
            "frontend/test_constants.py::test_folds_are_what_is_computed",
            "frontend/test_scalar_functions.py::test_machine_code_of_floats[float16]",
            "frontend/test_scalar_functions.py::test_machine_code_of_floats[float64]",
            "frontend/test_scalar_functions.py::test_machine_code_of_integers[int8]",
            "frontend/test_scalar_functions.py::test_machine_code_of_integers[int64]",
            "frontend/test_scalar_functions.py::test_machine_code_of_integers[uint8]",
            "frontend/test_scalar_functions.py::test_powers_of_unsigned_integers_have_no_sign",
        ),
        "one element a time, as in frontend/test_scalar_functions.py",
    ),
    **dict.fromkeys(
        (
            "frontend/test_reduction_lanes.py::test_of_products_of_integers",
            "frontend/test_reduction_lanes.py::test_of_products_of_bfloat16[",
        ),
        "loads are those of a length known at the call, and of rows, in the same file",
    ),
    **dict.fromkeys(
        (
            "driver/test_compile.py::test_every_level",
            "driver/test_compile.py::test_parallel_loops_over_sizes_are_taken_back[memref",
            "driver/test_compile.py::test_passes_of_the_users[schedule",
            "driver/test_compile.py::test_passes_of_the_users[memref",
        ),
        "accesses are those of the other tests of that file",
    ),
    "frontend/test_build.py::test_the_debug_ladder[": "what is printed; a check prints the same",
    **dict.fromkeys(
        (
            "frontend/test_names.py::test_names_of_several_numbers_are_read_back",
            "frontend/test_names.py::test_a_function_of_any_name_runs",
        ),
        "names",
    ),
    "passes/test_narrow_loops.py": "functions of one module; a check is of one function",
    "backend/test_cache.py": "counts what is compiled; a check is compiled, too",
    "backend/test_llvm_parts.py": "counts what is compiled; a check is compiled, too",
    **dict.fromkeys(
        (
            "backend/test_parallel.py",
            "frontend/test_auto_threads.py",
            "frontend/test_auto_triangles.py::test_threads_fold_the_terms_of_few_elements",
            "topi/test_sorting.py::test_threads_share_lines",
        ),
        "what threads do; a check runs on one thread",
    ),
    "driver/test_program_cache.py": "code with a check is lowered each time",
    **dict.fromkeys(
        (
            "driver/test_library.py",
            "tvm_compat/test_calls.py::test_modules_are_exported_linked_and_loaded",
            "test_readme.py::test_document[libraries.md]",
            "test_docstrings.py::test_session[teloom.frontend.call.export]",
        ),
        "a library has no checks of accesses",
    ),
    **dict.fromkeys(
        (
            f"backend/test_workspace.py::test_{name}"
            for name in (
                "only_the_first_call_and_larger_ones_allocate",
                "what_is_kept_can_be_asked_for_and_freed",
                "the_memory_of_a_thread_dies_with_it",
                "a_call_within_a_call_has_memory_of_its_own",
                "a_loop_takes_the_same_memory_again_in_whatever_order_it_is_given_back",
                "a_limit_counts_what_is_used_not_what_is_kept",
            )
        ),
        "counts the memory that a call takes; a check takes more",
    ),
    **dict.fromkeys(
        ("backend/test_early_refusal.py", "properties/test_reserve_memory.py"),
        "what a refused call has written; a check is refused first, and puts everything back",
    ),
    **dict.fromkeys(
        (
            "frontend/test_externs.py::test_strides_and_offset_can_be_passed_on",
            "frontend/test_externs.py::test_small_integers_are_passed_as_c_does",
        ),
        "counts the calls of a C function; a check calls it, too",
    ),
    "frontend/test_shapes.py::test_reads_above_int32": "a check says of each byte who wrote it",
    "backend/test_memory.py::test_a_branch_with_both_edges": "blocks cannot be checked",
    "tools/test_run.py::test_machine_code_without_a_signature": "pointers cannot",
    "tools/test_run.py::test_levels_that_know_the_shapes[te-to-llvm]": "pointers cannot",
    "tools/test_run.py::test_functions_that_are_not_called_need_nothing[te-to-llvm]": (
        "pointers cannot"
    ),
    "frontend/test_sources.py::test_a_module_of_several_functions[llvm]": "pointers cannot",
    **dict.fromkeys(
        (
            "frontend/test_sources.py::test_several_programs_are_compiled_once",
            "frontend/test_sources.py::test_programs_of_which_each_has_its_own_helper",
        ),
        "which functions are compiled together; a check is of one function",
    ),
    "tools/test_run.py::test_the_debug_ladder_of_machine_code": "machine code has no accesses",
    **dict.fromkeys(
        (
            f"driver/test_compile.py::test_{name}llvm]"
            for name in (
                "every_level[False-",
                "every_level[True-",
                "sizes_are_found_from_arrays[",
                "how_a_function_is_called_stays[",
            )
        ),
        "machine code has no accesses",
    ),
}
"""The beginnings of the tests' names, from `tests/` on, and why."""


def is_unchecked(test: str) -> bool:
    """Whether the test of this name is one of them."""
    return test.removeprefix("tests/").startswith(tuple(UNCHECKED))
