"""The forty kinds of fault and bad input, and the tests of each: `pytest -k fault_22` runs those of kind 22.

A path is relative to `tests`. `test_kinds.py` checks that each of these tests exists.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of fault: what goes wrong, and the tests by file."""

    what: str
    tests: dict[str, tuple[str, ...]]


WEB, REVIEW = "web/test_view_server.py", "web/test_review_server.py"
ATTACKS = "web/test_attacks.py"
PAGE, HOSTILE = "web/test_page_in_browser.py", "web/test_hostile_texts.py"
COMMANDS = "test_faults.py"
TABLES = "faults/test_10_tables.py"
BYTES = "faults/test_22_any_bytes.py"
ROWS = "faults/test_17_hostile_rows.py"
FILES = "faults/test_files_that_are_none.py"
AGAIN = "faults/test_37_the_same_work_again.py"
PATHS = "faults/test_24_every_path.py"
BOMBS = "faults/test_25_pipes_and_bombs.py"
CODES = "faults/test_29_exit_codes.py"
SESSION, INJECTION = "judges/test_session.py", "judges/test_injection.py"
JSONL = "loaders/formats/test_jsonl.py"

KINDS = {
    1: Kind("paths that lead out of the viewer", {
        WEB: ("test_an_address_is_looked_up_and_never_a_path",),
        REVIEW: ("test_keys_are_looked_up_and_never_paths",),
    }),
    2: Kind("a Host that is another, doubled or missing", {
        REVIEW: ("test_the_names_of_loopback_may_write_from_their_own_origin",),
        ATTACKS: ("test_a_foreign_or_duplicate_host_is_refused_however_it_is_written", "test_http_without_a_host_is_refused"),
    }),
    3: Kind("a write from another site", {
        WEB: ("test_nothing_can_be_written", "test_a_page_of_another_site_may_not_ask"),
        ATTACKS: ("test_a_write_with_one_thing_wrong_is_refused",),
        REVIEW: ("test_get_never_writes",),
    }),
    4: Kind("headers that are missing, also on errors", {
        WEB: ("test_the_page_and_its_chunks_are_served",),
        ATTACKS: ("test_addresses_are_those_of_the_server_and_nothing_else",),
    }),
    5: Kind("a server that others could reach", {
        WEB: ("test_only_loopback_addresses_are_served", "test_the_command_refuses_other_addresses_and_folders"),
        REVIEW: ("test_without_the_token_nothing_is_answered",),
    }),
    6: Kind("markup and script in every text", {
        HOSTILE: ("test_hostile_texts_stay_texts_in_every_view", "test_the_corpus_is_inert_in_the_review_view"),
        "page/test_page.py": ("test_no_text_ends_its_script_element",),
    }),
    7: Kind("the page without a network", {
        PAGE: ("test_every_view_opens_from_a_file_without_a_request_or_a_complaint",),
        "page/test_page.py": ("test_the_policy_allows_only_the_page_s_own_code_and_no_request",),
    }),
    8: Kind("cells that a spreadsheet would run", {
        TABLES: ("test_every_form_of_what_begins_a_formula_gets_a_quote",),
        "report/test_plain.py": ("test_numbers_and_ordinary_text_stay_as_they_are",),
    }),
    9: Kind("signs that a terminal would obey", {
        TABLES: ("test_every_format_character_is_written_out",),
        "faults/test_09_data_on_a_terminal.py": ("test_a_terminal_shows_what_is_invisible_in_every_format", "test_csv_in_a_pipe_has_every_character_and_in_a_file_the_exact_text", "test_what_was_typed_is_repeated_escaped_and_cut"),
        "report/test_plain.py": ("test_what_a_terminal_would_obey_or_hide_is_written_out",),
        ROWS: ("test_ids_and_names_of_any_signs_reach_no_terminal",),
    }),
    10: Kind("names that LaTeX, Markdown or a build log would obey", {
        TABLES: ("test_a_table_in_latex_has_its_rows_and_columns_whatever_is_in_it", "test_the_files_of_a_run_with_hostile_names_can_be_read_back"),
        "report/test_hostile_names.py": ("test_hostile_names_are_inert", "test_a_terminal_shows_hostile_names_escaped_within_its_width"),
        "cli/test_gate_command.py": ("test_nothing_from_data_is_a_workflow_command",),
    }),
    11: Kind("an API key that comes back", {
        "faults/test_11_the_key_stays_secret.py": ("test_a_key_that_replies_repeat_is_in_no_file_and_on_no_stream", "test_a_key_in_the_place_of_a_variable_is_not_printed_back"),
        "judges/providers/test_endpoint.py": ("test_a_key_that_the_server_repeats_is_in_no_error", "test_the_key_is_in_nothing_that_may_be_kept", "test_passwords_and_queries_of_the_address_are_in_no_error_and_no_identity"),
    }),
    12: Kind("orders to the judge in the data", {
        INJECTION: ("test_orders_in_texts_move_no_verdict", "test_delimiters_copied_from_real_prompts_move_no_verdict", "test_two_verdicts_in_one_reply_are_none"),
    }),
    13: Kind("templates in the data", {
        COMMANDS: ("test_templates_and_formulas_in_data_are_verbatim",),
        INJECTION: ("test_orders_in_texts_move_no_verdict",),
    }),
    14: Kind("replies that cannot be read", {
        SESSION: ("test_a_reply_that_cannot_be_read_twice_is_a_failure_with_the_reply_as_evidence", "test_a_refusal_of_the_model_is_called_one"),
        "judges/replies/test_finding.py": ("test_a_megabyte_of_anything_is_read_or_refused_at_once",),
        "test_judge_faults.py": ("test_a_judge_that_always_says_too_little_gives_no_number",),
    }),
    15: Kind("an endpoint that fails now and then", {
        "test_judge_faults.py": ("test_an_endpoint_that_fails_in_every_way_loses_no_score_and_moves_none", "test_what_failed_is_all_that_is_asked_again"),
    }),
    16: Kind("an endpoint that always fails", {
        "test_judge_faults.py": ("test_when_every_call_fails_there_is_no_value_and_an_end",),
        "gating/test_gate.py": ("test_a_metric_without_a_value_fails_whatever_the_rule_says",),
    }),
    17: Kind("numbers that are none", {
        ROWS: ("test_a_number_that_is_none_is_refused_or_kept_as_text", "test_what_is_written_is_strict_json"),
        JSONL: ("test_a_value_that_is_none_of_its_field_is_named",),
    }),
    18: Kind("texts and lists that are empty", {
        "test_conformance.py": ("test_empty_texts_and_lists_give_a_value_or_undefined_and_never_break",),
        COMMANDS: ("test_what_cannot_be_read_is_told_and_nothing_is_left",),
    }),
    19: Kind("ids that are there twice", {
        JSONL: ("test_what_is_no_json_lines_is_one_problem",),
        "rankings/reading/test_sources.py": ("test_a_document_retrieved_twice_is_said_with_both_rows",),
    }),
    20: Kind("questions without an answer, and answers without a question", {
        COMMANDS: ("test_answers_and_questions_that_do_not_meet_are_counted_and_shown",),
    }),
    21: Kind("ids that look like something else", {
        COMMANDS: ("test_ids_that_look_like_something_else_stay_themselves_everywhere",),
        JSONL: ("test_composed_and_decomposed_letters_make_two_ids_and_a_note",),
    }),
    22: Kind("tables that are ragged, encoded or large", {
        "loaders/formats/test_csv.py": ("test_what_is_no_table_is_a_problem_with_its_line", "test_cells_are_read_as_they_are_written"),
        BYTES: ("test_a_file_of_any_bytes_is_read_or_refused_with_its_place",),
        ROWS: ("test_a_table_of_any_form_is_read_or_refused", "test_rankings_with_line_ends_of_old_macs_lose_no_row_in_silence"),
    }),
    23: Kind("JSON that is none, deep, doubled or cut", {
        JSONL: ("test_what_is_no_json_lines_is_one_problem",),
        BOMBS: ("test_a_row_that_is_none_is_named_with_its_line",),
        ROWS: ("test_any_value_in_any_field_is_read_or_refused",),
    }),
    24: Kind("configurations that are wrong or endless", {
        FILES: ("test_many_unknown_keys_are_refused_quickly_and_counted", "test_keys_of_many_parts_are_refused_at_once", "test_values_out_of_range_are_usage_errors", "test_a_pattern_without_end_is_refused_at_once"),
        BYTES: ("test_a_configuration_of_any_text_is_a_table_or_an_error", "test_a_file_of_any_bytes_is_read_or_refused_with_its_place"),
        PATHS: ("test_a_path_that_is_no_file_ends_the_command_with_a_reason", "test_every_option_that_may_be_a_path_is_in_the_table"),
    }),
    25: Kind("files that unpack without end", {
        BOMBS: ("test_a_file_of_nothing_but_line_ends_is_stopped", "test_rankings_of_nothing_but_line_ends_are_stopped", "test_a_compressed_file_of_nothing_but_tiny_rows_is_stopped"),
        "loaders/formats/test_parquet.py": ("test_a_small_file_that_unpacks_to_too_much_is_refused",),
        JSONL: ("test_a_bomb_is_stopped_by_what_it_unpacks_to_and_by_the_line",),
    }),
    26: Kind("files that run code when they are read", {
        ROWS: ("test_a_file_that_would_run_code_is_refused",),
        "encoders/test_huggingface.py": ("test_a_model_that_is_damaged_or_would_run_code_is_refused",),
    }),
    27: Kind("addresses in the data", {
        JSONL: ("test_each_line_is_a_sample_with_its_values_as_they_are",),
        "loaders/test_loading.py": ("test_a_name_that_is_no_file_of_samples_is_refused_unread",),
    }),
    28: Kind("a process that is killed", {
        COMMANDS: ("test_a_killed_run_is_finished_by_the_same_command_with_the_same_bytes", "test_an_interrupted_run_says_so_and_goes_on_where_it_stopped"),
        "faults/test_28_kills.py": ("test_a_command_that_is_killed_between_two_files_loses_none", "test_a_command_that_is_ended_at_any_place_loses_nothing"),
        "faults/test_28_left_over_files.py": ("test_a_file_of_a_process_that_was_killed_while_it_wrote_is_removed", "test_left_over_files_are_removed_when_the_run_is_opened"),
        "people/test_review_labels.py": ("test_every_label_that_was_reported_saved_is_there_after_a_kill",),
    }),
    29: Kind("a disk that is full or read-only", {
        "runs/test_store.py": ("test_a_full_disk_leaves_the_old_file_as_it_is",),
        COMMANDS: ("test_a_full_disk_in_mid_run_is_said_and_the_run_can_be_finished", "test_a_folder_that_may_not_be_written_is_said_and_can_be_avoided"),
        "faults/test_29_interrupts.py": ("test_while_a_plug_in_is_imported", "test_after_its_end_it_changes_no_code"),
        CODES: ("test_each_code_has_its_meaning", "test_a_full_disk_behind_both_streams_is_a_fault_of_the_disk"),
        PATHS: ("test_a_path_that_is_no_file_ends_the_command_with_a_reason",),
    }),
    30: Kind("two processes, or two people, at once", {
        AGAIN: ("test_two_runs_in_the_same_second_and_in_another_order_give_the_same_scores",),
        "faults/test_30_two_runs_on_one_cache.py": ("test_two_runs_at_once_ask_each_question_once", "test_a_lease_ends_when_its_owner_gives_it_up_or_its_time_is_over"),
        "people/test_review_labels.py": ("test_threads_and_processes_that_write_at_once_lose_nothing",),
        "people/test_review.py": ("test_two_reviewers_on_one_answer_are_a_conflict_that_somebody_settles",),
    }),
    31: Kind("a stored run that is damaged or newer", {
        "faults/test_31_damaged_runs.py": ("test_any_value_in_any_field_of_the_manifest_is_read_or_refused", "test_any_other_value_in_the_manifest_is_refused", "test_a_changed_part_is_damaged"),
        "runs/test_store.py": ("test_a_run_of_another_format_is_refused_and_left_as_it_is",),
        "cli/test_doctor_check.py": ("test_each_damaged_file_is_found",),
    }),
    32: Kind("locales, streams and clocks", {
        COMMANDS: ("test_locale_encoding_and_hash_seed_change_no_byte", "test_a_reader_that_leaves_is_no_error"),
        CODES: ("test_no_fate_of_the_streams_changes_an_exit_code",),
        "faults/test_32_surroundings.py": ("test_the_surroundings_of_a_command_are_no_bug",),
    }),
    33: Kind("scripts of all kinds", {
        "test_conformance.py": ("test_text_of_any_script_gives_a_sound_score",),
        "language/test_text.py": ("test_where_words_have_no_spaces_stops_need_none", "test_a_lone_surrogate_and_emoji_pass_through"),
    }),
    34: Kind("texts and lists that are large", {
        COMMANDS: ("test_what_is_large_is_done_in_bounded_time_and_cut_with_a_mark",),
        "faults/test_time.py": ("test_four_times_the_text_takes_at_most_six_times_as_long", "test_a_repetition_in_several_fields_takes_linear_time", "test_the_same_with_an_encoder_or_a_judge", "test_one_sentence_of_very_many_words_takes_linear_time"),
        "language/test_patterns.py": ("test_an_endless_search_ends",),
    }),
    35: Kind("another order of the same work", {
        AGAIN: ("test_two_runs_in_the_same_second_and_in_another_order_give_the_same_scores",),
        COMMANDS: ("test_the_order_of_rows_changes_no_score_and_no_mean",),
        "test_evaluation.py": ("test_batches_and_the_order_of_rows_and_columns_do_not_change_a_digit",),
        "test_conformance.py": ("test_no_score_depends_on_batch_size_or_order_or_on_other_rows",),
    }),
    36: Kind("no network at all", {
        "test_no_sockets.py": ("test_every_suite_evaluates_without_a_network", "test_scores_and_the_commands_need_no_network"),
    }),
    37: Kind("runs that cannot be compared", {
        AGAIN: ("test_another_question_or_reference_under_the_same_id_is_refused_by_compare_and_gate",),
        "comparing/test_compare.py": ("test_other_question_texts_are_refused_and_case_is_none", "test_other_gold_is_refused_and_questions_of_which_none_is_common_in_any_case", "test_another_version_of_a_metric_is_refused", "test_runs_of_different_judges_are_refused"),
        "gating/test_gate.py": ("test_a_baseline_of_other_settings_is_refused_unless_allowed",),
    }),
    38: Kind("a label of an answer that has changed", {
        AGAIN: ("test_a_label_of_an_answer_that_has_changed_is_stale_and_judges_nothing",),
        "people/test_review.py": ("test_a_label_is_stale_once_its_texts_have_changed",),
    }),
    39: Kind("a cache that is damaged or of somebody else", {
        "faults/test_39_damaged_cache.py": ("test_any_value_in_any_column_is_computed_again_or_refused", "test_a_file_that_is_cut_or_none_is_refused_with_what_to_do"),
        "storage/test_cache.py": ("test_a_damaged_entry_is_as_good_as_none", "test_an_entry_under_another_ones_key_is_not_used"),
    }),
    40: Kind("a filter that is abused", {
        "test_where.py": ("test_no_filter_takes_long_to_read", "test_any_text_is_a_filter_or_a_clean_error"),
    }),
}  # fmt: skip
