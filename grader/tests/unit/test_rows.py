"""What students hand in, as some seventy rows: each has one true sentence about the grader, and the tests that hold it.

A name in a row is a test (`module::test`), a fixture of `submissions/`, or a shape of `honest`. This module fails where
one of them is renamed or removed, so that no row is left without a test.
"""

import ast
from pathlib import Path

import pytest
from honest import BOTH, OURS

HERE = Path(__file__).resolve().parents[1]
SAME_POINTS = "test_honest::test_an_honest_notebook_gets_its_points"
REASON = "test_hostile::test_the_exercise_gets_its_reason_and_no_points"
ODD_NAMES = "test_nothing_lost::test_no_name_loses_the_class"

Row = tuple[str, tuple[str, ...]]
ROWS: dict[int, Row] = {
    # honest accidents
    1: ("A check that was edited, deleted, moved or turned to text is the instructor's, and is noted.",
        ("checks_edited", "checks_deleted", "check_as_text", "upside_down",
         "test_match::test_a_check_is_reached_where_its_cell_was_moved")),
    2: ("Points and flags are the instructor's, whatever the file says.", ("points_changed", "odd_metadata")),
    3: ("A cell without nbgrader's metadata is recognised by its id, its text, or the name that it binds.",
        ("metadata_stripped", "ids_and_metadata_stripped", "test_match::test_a_cell_is_recognised_by_one_of_its_ids")),
    4: ("Of a cell that is there twice the last definition before its check counts, and an answer that was split over "
        "two cells is graded whole.",
        ("copied_to_the_end", "built_elsewhere", "split_in_two",
         "test_match::test_all_cells_run_whichever_holds_the_answer")),
    5: ("An answer in an added cell, with helpers or under another name first, is graded.",
        ("all_in_one_cell", "answers_in_a_cell_at_the_end", "built_elsewhere")),
    6: ("Cells that changed places cost nothing.",
        ("upside_down", "swapped_cells", "test_sit::test_cells_that_changed_places_cost_nothing")),
    7: ("A notebook saved by Colab gets what the original gets.", ("by_colab",)),
    8: ("pip, %cd, drive.mount and /content print a line, and the rest of the cell runs.",
        ("pip_install", "colab_drive", "cd_to_nowhere")),
    9: ("Other line ends, encodings and formats are read, or named.",
        ("line_ends", "format_3", "test_reading::test_encodings_of_json_are_read")),
    10: ("A file that is no notebook is ungradable with its reason, which is no zero.",
         ("test_reading::test_what_is_no_notebook_is_named", "test_reading::test_a_file_that_is_none_is_named",
          "test_report::test_an_ungradable_submission_gets_a_reason_and_no_zero")),
    11: ("Another unit's notebook is recognised, another course's or language's answers nothing and says so for each "
         "exercise, and whatever kernel a file names, it runs in ours.",
         ("test_intake::test_another_units_notebook_is_recognised_by_its_cells",
          "test_match::test_a_notebook_in_r_answers_nothing", "test_sit::test_an_exercise_without_a_cell_is_missing",
          "test_match::test_a_kernel_that_is_not_ours_is_not_asked_for")),
    12: ("Warnings, prints and open figures have no effect on the score.",
         ("warnings_and_prints", "figures_left_open")),
    13: ("NaN, another dtype, a view or an array crosses as what it is, and an answer that only looks like one fails.",
         ("test_wire::test_a_tensor_of_each_layout_crosses", "test_wire::test_a_tensor_of_each_dtype_crosses",
          "test_wire::test_numpy_crosses",
          "test_bank::test_natively_no_check_believes_what_only_looks_like_an_answer")),
    14: ("An answer that changes its argument in place is told so.",
         ("test_proxies_functions::test_what_a_call_changes_in_its_arguments_stays_over_there",)),
    15: ("input(), breakpoint() and %debug find their end at once, and the answers are graded.",
         ("asks_for_input", "stops_to_debug", "debugs_an_error")),
    16: ("A package that is not there costs what needs it, and no more.", ("package_missing", "package_in_try")),
    17: ("Whatever a student or a file is called, every file is safe, and two of one name are told.",
         (ODD_NAMES, "test_export::test_no_cell_of_any_file_is_a_formula",
          "test_autograded::test_a_student_whose_name_is_no_folder_is_refused")),
    # runaways
    18: ("A loop, also one that swallows interrupts, sleeps or is in C, gets its reason at the limit.",
         ("loops-timeout-while_true", "loops-timeout-swallowed_interrupt", "loops-timeout-sleep",
          "loops-timeout-c_call", REASON,
          "test_between_students::test_a_checks_own_function_does_not_hold_the_examiner")),
    19: ("A process that ends, crashes or kills itself costs its exercise.",
         ("ends-died-exit_code_0", "ends-error-sys_exit", "ends-died-null_pointer", "ends-died-kill_itself",
          "test_sit::test_a_timeout_or_a_death_costs_one_exercise")),
    20: ("Memory, recursion and tensors that are larger than they look meet a limit.",
         ("memory-error-100_gb_at_once", "memory-error-100_gb_slowly", "memory-error-recursion",
          "memory-error-expanded_tensor")),
    21: ("Processes and threads are counted, and none outlives the run.",
         ("processes-error-fork_bomb", "processes-error-10000_threads",
          "test_hostile::test_a_daemon_does_not_outlive_the_run")),
    22: ("Endless printing, huge texts and many figures are cut.",
         ("test_attacks::test_a_flood_costs_nothing_and_is_cut",)),
    23: ("A notebook that is too large is named and not read, large outputs are dropped, and an archive that is a "
         "bomb, or leads elsewhere, costs itself alone.",
         ("huge_output", "test_reading::test_what_is_no_notebook_is_named",
          "test_reading::test_a_huge_file_is_named_and_not_read", "test_collect::test_a_bomb_costs_itself_alone",
          "test_collect::test_hostile_members_are_named_and_the_others_collected",
          "test_reading::test_files_that_are_none_or_too_much_are_named_and_left_out")),
    24: ("A full disk, thousands of files and open handles are the student's own.",
         ("test_attacks::test_a_flood_costs_nothing_and_is_cut", "test_sandbox_world::test_a_scratch_folder_is_small",
          "test_sandbox_world::test_one_file_is_at_most_32_mb")),
    # attacks
    25: ("What is patched over there decides nothing.",
         ("patches-failed-torch", "patches-failed-numpy", "patches-failed-unittest", "patches-failed-tensor_eq",
          "test_hostile::test_a_patched_process_gets_what_its_wrong_answer_gets_without_the_patch")),
    26: ("A liar arrives as data, or as its type's name.",
         ("liars-failed-always_equal", "liars-failed-tensor_subclass", "liars-failed-lying_class",
          "test_proxies_lies::test_a_liar_arrives_as_opaque")),
    27: ("Transformers, display hooks and forged scores change nothing.",
         ("display-failed-ast_transformer", "display-failed-negative_score", "display-failed-nan_score",
          "test_result::test_points_and_statuses_are_computed_and_not_believed")),
    28: ("A forged line, file or frame is printed text, or the end of that process.",
         ("forged-failed-verdict_on_stdout", "forged-died-frame_on_the_channel", "forged-died-stolen_question",
          "test_hostile::test_a_forged_verdict_is_printed_text_and_no_more")),
    29: ("No pickle of theirs is loaded.",
         ("pickles-failed-pickle_bytes", "pickles-failed-reduce_on_a_returned_object",
          "test_hostile::test_no_pickle_of_theirs_is_loaded",
          "test_hostile::test_nothing_of_a_submission_is_run_outside_the_sandbox")),
    30: ("Frames, memory, /proc and disk hold nothing of the grader's.",
         ("search-passed-frames", "search-passed-proc", "test_hostile::test_a_search_finds_nothing_of_the_graders")),
    31: ("Nothing is written outside, sent, signalled or traced.",
         ("escape-passed-writing_outside", "escape-passed-network",
          "test_hostile::test_an_escape_does_nothing_of_what_it_tries")),
    32: ("Stored answers pass the visible check alone; what behaves otherwise when graded is graded as it behaves.",
         ("test_attacks::test_stored_answers_pass_the_visible_check_alone",
          "test_attacks::test_an_answer_that_sees_that_it_is_graded_is_the_answer_that_is_graded")),
    33: ("Patched clocks, seeds and defaults of one exercise do not reach the next, nor the limits.",
         ("test_attacks::test_what_an_exercise_does_to_its_process_spoils_no_other",
          "test_attacks::test_a_patched_clock_stops_nobody_elses",
          "test_proxies_functions::test_each_check_begins_alike",
          "test_proxies_functions::test_a_check_that_fails_is_run_in_the_float64_of_a_student_who_has_set_it",
          "test_proxies_functions::test_where_float64_does_not_help_the_first_finding_stays",
          "test_proxies_functions::test_float64_gives_no_answer_a_second_guess",
          "test_proxies_functions::test_float64_gives_no_prediction_a_second_guess")),
    34: ("A forbidden function is refused where it runs, by the check itself; a name that does not run is no matter.",
         ("test_proxies_lies::test_a_forbidden_function_is_noted_where_it_runs",
          "test_proxies_lies::test_what_does_not_run_and_what_runs_elsewhere_is_not_noted",
          "test_attacks::test_a_forbidden_function_is_refused_where_it_runs")),
    35: ("Script from a student is text on every page.", ("test_report::test_everything_from_a_student_is_escaped",)),
    36: ("Deep, huge, truncated and mismeasured frames end in one line.",
         ("frames-died-truncated", "frames-error-huge_list", "frames-died-deep_json",
          "test_wire_frames::test_a_bad_frame_is_a_wire_error")),
    # operations
    37: ("A run that is killed at any moment goes on where it was.",
         ("test_nothing_lost::test_killed_at_any_moment_the_next_run_grades_what_is_missing",
          "test_nothing_lost::test_a_gradebook_that_breaks_later_costs_no_result")),
    38: ("The number of workers, their order and their deaths change no result.",
         ("test_batch::test_the_number_of_workers_changes_nothing",
          "test_batch::test_a_worker_that_is_killed_costs_one_submission",
          "test_attacks::test_the_order_of_this_class_is_of_no_account")),
    39: ("Only what changed is graded again, and a worker keeps nothing of those whom it has graded.",
         ("test_nothing_lost::test_what_is_graded_is_not_graded_again_until_it_changes",
          "test_bounded::test_nothing_of_an_earlier_student_is_kept")),
    40: ("Where a layer of the sandbox is missing, nothing is graded, and it is named.",
         ("test_sandbox_layers::test_without_a_layer_nothing_is_graded",)),
    41: ("A copy with other names is told to the instructor, without a penalty.",
         ("test_similar::test_a_copy_with_other_names_is_told",)),
    # honest shapes that a first trial found
    42: ("What stops a cell below its answer is a note.",
         ("stops_after_the_answer", "package_missing", "raise_left_standing", "endless_below_the_answer", SAME_POINTS)),
    43: ("Each magic and shell line does what it would, or prints a line.",
         ("shell_line", "pip_magic", "matplotlib_inline", "config_retina", "no_such_command", "magic_missing",
          "written_module",
          SAME_POINTS)),
    44: ("What the end of a notebook does to names does not count.",
         ("builtins_shadowed", "torch_shadowed", "all_deleted", "ends_in_an_error", SAME_POINTS)),
    45: ("What the name is bound to when its check is reached counts.",
         ("variable_of_that_name", "scratch_variant_below", "wrapped_before_its_check", "name_in_a_subscript",
          SAME_POINTS)),
    46: ("A forbidden name beside the answer is no matter.", ("forbidden_beside", SAME_POINTS)),
    47: ("Merged, swapped and gathered answers are graded, and a class in two pieces.",
         ("two_in_one_cell", "swapped_cells", "all_in_one_cell", "merged_with_its_check", "class_in_two_pieces",
          SAME_POINTS)),
    48: ("Imports in cells of the course, TorchScript, getsource, threads and well-behaved subclasses are graded.",
         ("import_in_a_cell_of_the_course", "torchscript", "torch_compile", "getsource", "stdout_encoding",
          "threads_64", "tensor_subclass", SAME_POINTS)),
    49: ("Large outputs, old formats and odd metadata are graded.", ("huge_output", "format_3", "odd_metadata")),
    50: ("Habits of reproducible work are no attack.", ("reproducible", SAME_POINTS)),
    # hostile, or by accident as bad
    51: ("A name or character that no file could hold is shown with another in its place, and loses nobody.",
         (ODD_NAMES, "test_reading::test_half_a_character_in_a_source_is_replaced",
          "test_wire_frames::test_half_a_character_is_replaced")),
    52: ("A fault in any step costs one submission, with the true reason, and a line of a student's one exercise.",
         ("test_nothing_lost::test_an_exception_of_ours_costs_one_submission_and_is_told",
          "test_fuzz_one_line::test_fuzz_one_line_costs_one_exercise")),
    53: ("Source that is slow or huge to read costs its own cell, or at most its submission.",
         ("test_reading::test_a_cell_that_takes_long_to_read_costs_itself_alone",
          "test_bounded::test_monstrous_sources_cost_their_own_submission_at_most",
          "test_bounded::test_work_out_of_bounds_is_told_in_a_line")),
    54: ("All processes of a sitting die with it.",
         ("test_batch::test_what_a_lost_examiner_had_started_is_ended",
          "test_hostile::test_a_daemon_does_not_outlive_the_run",
          "test_sandbox_process::test_it_has_a_session_of_its_own_and_no_say_in_priorities")),
    55: ("A forbidden function is refused under whatever name it runs; a watch in the student's process is no wall.",
         ("test_attacks::test_a_forbidden_function_is_refused_where_it_runs",
          "test_attacks::test_what_the_watch_cannot_see_passes")),
    56: ("There is one attempt: a notebook that is run again keeps what was passed and failed.",
         ("test_attacks::test_there_is_one_attempt",
          "test_attacks::test_a_notebook_that_is_run_again_keeps_its_verdicts")),
    57: ("Nothing that is shown was made after the first hidden question.",
         ("test_sit::test_what_a_hidden_check_hands_over_is_never_shown",
          "test_attacks::test_a_refusal_by_the_hidden_check_is_for_the_instructor",
          "test_gradescope::test_the_time_that_hidden_checks_took_is_not_told",
          "test_report::test_hidden_checks_are_only_ever_passed_or_not_passed")),
    58: ("An oracle computes on copies of its own.",
         ("test_proxies_functions::test_an_oracle_is_not_fooled_by_what_is_done_to_its_input",
          "test_proxies_functions::test_who_changes_a_list_does_not_pass")),
    59: ("What a check hands over tells neither the answer nor which check it is.",
         ("test_handing::test_what_is_handed_over_does_not_tell",
          "test_handing::test_the_seed_does_not_tell_which_check_is_running")),
    60: ("A worker's memory is flat; links, escapes and copies of a note are refused, replaced and said once.",
         ("test_bounded::test_nothing_of_an_earlier_student_is_kept", ODD_NAMES,
          "test_handing::test_what_a_checks_functions_are_given_in_all_is_bounded",
          "test_intake::test_links_devices_and_leftovers_have_a_rule_each", "test_match::test_a_flood_of_notes_is_one",
          "test_report::test_everything_from_a_student_is_escaped")),
    # what the second red team, newcomers and public reports found
    61: ("A module is what it is now, whatever has appeared, grown or gone in a call.",
         ("test_proxies_modules::test_a_module_is_what_it_is_now",)),
    62: ("A tensor, mapping, set or iterable of any class arrives as the plain thing it is.",
         ("test_wire::test_a_tensor_of_any_class_arrives_as_a_plain_tensor",
          "test_proxies_functions::test_a_collection_of_any_class_arrives_as_what_it_holds")),
    63: ("What a check hands over can be saved, copied and pickled, as in a notebook.",
         ("test_handing::test_what_is_handed_over_can_be_saved_copied_and_pickled",)),
    64: ("A GPU that is asked for costs nothing where the answer runs without, and else no more than the score waits.",
         ("test_lacks::test_a_gpu_that_is_asked_for_costs_no_points",
          "test_lacks::test_a_default_device_that_is_not_here_is_none_of_a_check_s_business")),
    65: ("A package that is not here is told once for the class, and is neither a zero nor a misconception.",
         ("test_lacks::test_a_package_that_is_not_here_costs_no_points",
          "test_lacking::test_the_report_says_it_once_for_the_class")),
    66: ("Syntax of a newer Python than the grader's is no mistake.",
         ("test_lacks::test_a_cell_of_a_newer_python_costs_no_points",)),
    67: ("One damaged cell costs itself.", ("test_reading::test_a_damaged_cell_costs_itself",)),
    68: ("Every module of Colab's and Kaggle's is there and does nothing.",
         ("colab_drive", "test_habits::test_every_module_of_colab_is_there_and_does_nothing")),
    69: ("A notebook of another course that defines one of our names is told as that.",
         ("test_intake::test_a_foreign_notebook_that_defines_a_name_of_ours_is_none_of_ours",)),
    70: ("A flood of prints in an answer is cut with the verdict in sight, in the notebook too.",
         ("test_notebooks::test_a_flood_is_cut_with_the_verdict_in_sight",)),
    71: ("Files below a folder that is nobody are the roster's people's, by ids and names in the path, or nobody's.",
         ("test_collect::test_the_rosters_ids_addresses_and_names_are_looked_for_in_the_whole_path",
          "test_collect::test_several_peoples_notebooks_are_not_taken_for_one_students")),
    72: ("The roster's names are wherever a student is.",
         ("test_classroom::test_names_of_a_roster_are_everywhere_and_what_the_gradebook_has_stays",)),
    73: ("A unit that hardly anybody handed in is not in the class's sums.",
         ("test_classroom::test_a_unit_that_hardly_anybody_handed_in_is_not_in_the_sums",)),
    74: ("Two notebooks with the same bytes are one line.", ("test_similar::test_the_same_file_is_told_once",)),
    75: ("A forged answer costs its author's exercise, in the same words in every run, and a prediction that is "
         "another one in the second process is told.",
         ("test_sit::test_who_writes_a_second_answer_pays_and_in_every_run",
          "test_sit::test_who_writes_a_late_answer_costs_no_other_exercise",
          "test_sit::test_a_value_that_differs_between_the_two_processes_is_told")),
    76: ("The bar moves from the first file on, and a file with too much code loses its largest cells.",
         ("test_intake::test_how_far_the_reading_has_come_is_told_from_the_first_large_file_on",
          "test_reading::test_the_largest_cells_are_left_out_where_there_is_too_much_code")),
}  # fmt: skip


def test_the_rows_are_numbered_sentences() -> None:
    assert list(ROWS)[:60] == list(range(1, 61)) and list(ROWS) == sorted(ROWS)
    sentences = [sentence for sentence, _ in ROWS.values()]
    assert [one for one in sentences if not (one[0].isalnum() and one[-1] == "." and " " in one)] == []


@pytest.fixture(scope="module")
def known() -> set[str]:
    """The names of every test of this folder, every fixture of `submissions/` and every shape of `honest`."""
    tests = {
        f"{path.stem}::{node.name}"
        for path in HERE.glob("*/test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }
    return tests | {path.stem for path in (HERE / "process" / "submissions").glob("*.ipynb")} | set(BOTH) | set(OURS)


@pytest.mark.parametrize("number", ROWS)
def test_every_row_is_held_by_tests_that_are_there(number: int, known: set[str]) -> None:
    names = ROWS[number][1]
    assert names
    assert [name for name in names if name not in known] == []
