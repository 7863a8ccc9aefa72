"""The tests whose programs run without a check of their memory, each with the reason."""

UNCHECKED = {
    "backend/test_native_calls.py": "a call that is checked goes through Python",
    "programs/test_stream_stores.py": "addresses choose the code; a check runs it on copies",
    "backend/test_cache.py": "counts what is compiled; a check is compiled, too",
    "backend/test_llvm_parts.py": "counts what is compiled; a check is compiled, too",
    **dict.fromkeys(
        (
            "backend/test_parallel.py",
            "frontend/test_auto_threads.py",
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
