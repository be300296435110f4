/* SPDX-License-Identifier: MIT */
/* Every white-box test, one UNIT() each; included with different meanings of
 * UNIT, so without a guard. Keep a module together. UNIT_OBSERVE is left out
 * of a build without observers. */

/* unit-idna.c */
UNIT(idna_utf8_all_code_points)
UNIT(idna_utf8_truncated)
UNIT(idna_utf8_malformed)
UNIT(idna_utf8_all_pairs)
UNIT(idna_toascii_vectors)
UNIT(idna_toascii_every_output_size)
UNIT(idna_toascii_too_long)
UNIT(idna_toascii_long_label_large_buffer)
UNIT(idna_toascii_refused)

/* unit-histogram.c */
UNIT(histogram_buckets_meet)
UNIT(histogram_percentiles)
UNIT(histogram_shared_is_the_same)
UNIT(histogram_merge_adds_everything)

/* unit-trace-keep.c */
UNIT_OBSERVE(trace_keep_has_all_that_fits)
UNIT_OBSERVE(trace_keep_replaces_the_oldest_lines)
UNIT_OBSERVE(trace_keep_of_one_full_ring)

/* unit-trace-format.c */
UNIT_OBSERVE(trace_format_callbacks)
UNIT_OBSERVE(trace_format_leaves_out_the_loop)
UNIT_OBSERVE(trace_format_times)
UNIT_OBSERVE(trace_format_of_the_loop)
UNIT_OBSERVE(trace_format_of_a_crash)
UNIT_OBSERVE(trace_format_of_what_it_is_about)
UNIT_OBSERVE(trace_format_of_the_pool)
UNIT_OBSERVE(trace_format_always_fits)

/* unit-observe-thread.c */
UNIT_OBSERVE(observe_thread_keeps_what_is_unread)
UNIT_OBSERVE(observe_thread_drops_what_finds_no_room)
UNIT_OBSERVE(observe_thread_has_room_again_once_it_was_read)

/* unit-work-queue.c */
UNIT(work_queue_slow_waits_for_those_before_it)
UNIT(work_queue_slow_at_its_limit_goes_to_the_end)
UNIT(work_queue_cancelled_fast_items)
UNIT(work_queue_cancelled_slow_item_leaves_its_place)

/* unit-wtf8.c */
UNIT(wtf8_vectors)
UNIT(wtf8_round_trip)
UNIT(wtf8_length_splits_pair)
UNIT(wtf8_embedded_nul)
UNIT(wtf8_to_every_buffer_size)
UNIT(wtf8_three_byte_characters_exact_fill)
UNIT(wtf8_optional_outputs)
UNIT(wtf8_no_memory)
UNIT(wtf8_malformed)
UNIT(wtf8_pair_in_halves)
UNIT(wtf8_to_utf16_every_buffer_size)

/* unit-inet.c */
UNIT(inet_pton4_good)
UNIT(inet_pton4_bad)
UNIT(inet_pton6_good)
UNIT(inet_ntop6)
UNIT(inet_pton6_bad)
UNIT(inet_pton_too_long)
UNIT(inet_ntop_every_size)
UNIT(inet_arguments)
UNIT_UNIX(inet_pton_agrees_with_libc, "inet_pton() of the C library")
UNIT(inet_round_trip)

/* unit-addr.c */
UNIT(addr_ip4)
UNIT(addr_ip6)
UNIT(addr_ip6_zone_number)
UNIT_UNIX(addr_ip6_zone_name, "zones by the name of an interface")
UNIT_UNIX(addr_link_local_scope, "struct ifaddrs")
UNIT(addr_ip6_longest_with_zone)
UNIT(addr_ip_name)
UNIT(addr_len)

/* unit-string.c */
UNIT(strscpy_every_size)
UNIT(strscpy_source_without_end)
UNIT(strtok_tokens)
UNIT(strtok_keeps_its_place)

/* unit-resolver.c */
UNIT_UNIX(eai_known_codes, "EAI_* of the C library")
UNIT_UNIX(eai_system_with_and_without_errno, "EAI_SYSTEM")
UNIT_UNIX(eai_unknown_codes, "EAI_* of the C library")

/* unit-ansi.c */
UNIT(ansi_csi_arguments)
UNIT(ansi_string_ends)
UNIT(ansi_quotes_hide_the_end)
UNIT(ansi_cancel)

/* unit-dump-path.c */
UNIT(dump_path_is_put_together)
UNIT(dump_path_every_buffer_size)
UNIT(dump_path_counts_units_not_bytes)

/* unit-error.c */
UNIT(error_table)
UNIT(error_table_distinct)
UNIT(error_unknown_r)
UNIT(error_unknown_static)
UNIT(error_unknown_many)
UNIT(error_unknown_threads)
UNIT(error_r_every_size)
UNIT(error_translate)

/* unit-accessors.c */
UNIT(accessors_handle_types)
UNIT(accessors_req_types)
UNIT(accessors_handles)
UNIT(accessors_requests)
UNIT(accessors_buf)
UNIT(version_agrees_with_header)
UNIT(thread_stack_size_option)
UNIT(thread_short_options)

/* unit-random.c */
UNIT(random_sync_arguments)
UNIT(random_async_arguments)
UNIT(random_fills_exactly)
UNIT(random_more_than_one_call_gives)

/* unit-random-unix.c */
UNIT_UNIX(random_scripted_kernel, "getrandom(2)")
UNIT_UNIX(random_scripted_refusal, "getrandom(2)")
UNIT_UNIX(random_scripted_error, "getrandom(2)")
UNIT_UNIX(random_interrupted, "signals that interrupt system calls")
UNIT_UNIX(random_fallback_old_kernel, "getrandom(2)")
UNIT_UNIX(random_fallback_sandbox, "getrandom(2)")
UNIT_UNIX(random_fallback_without_devices, "getrandom(2)")

/* unit-cgroup.c */
UNIT_UNIX(cgroup_membership, "cgroups")
UNIT_UNIX(cgroup_mount, "cgroups")
UNIT_UNIX(cgroup_locate, "cgroups")
UNIT_UNIX(cgroup_locate_too_long, "cgroups")
UNIT_UNIX(cgroup_amount, "cgroups")
UNIT_UNIX(cgroup_cpu_max, "cgroups")
UNIT_UNIX(cgroup_v2_own_group, "cgroups")
UNIT_UNIX(cgroup_v2_ancestors, "cgroups")
UNIT_UNIX(cgroup_v2_no_limit, "cgroups")
UNIT_UNIX(cgroup_v1_hierarchies, "cgroups")
UNIT_UNIX(cgroup_v1_no_limit, "cgroups")
UNIT_UNIX(cgroup_nothing_there, "cgroups")
UNIT_UNIX(cgroup_files_missing_or_malformed, "cgroups")
UNIT_UNIX(cgroup_mount_with_a_long_name, "cgroups")

/* unit-cpuinfo.c */
UNIT_UNIX(procfs_number, "files of /proc")
UNIT_UNIX(procfs_slurp_every_size, "files of /proc")
UNIT_UNIX(procfs_lines, "files of /proc")
UNIT_UNIX(procfs_lines_long, "files of /proc")
UNIT_UNIX(cpuinfo_hole_in_numbering, "files of /proc")
UNIT_UNIX(cpuinfo_other_machines, "files of /proc")
UNIT_UNIX(cpuinfo_many, "files of /proc")
UNIT_UNIX(cpuinfo_nothing_there, "files of /proc")

/* unit-loop-check.c */
UNIT(loop_check_sound)
UNIT(loop_check_sound_while_walking)
UNIT(loop_check_h1)
UNIT(loop_check_h4)
UNIT(loop_check_timer_heap)
UNIT(loop_check_list)
UNIT(loop_check_owning_thread)

/* unit-deadline-table.c */
UNIT(deadline_table_equals_a_sorted_list)
UNIT(deadline_table_shrinks_when_empty)

/* unit-deadline.c */
UNIT(deadline_after_ms)
UNIT(deadline_after_ms_saturates)
UNIT(deadline_from_timeout)
UNIT(deadline_left_ms)
UNIT(deadline_interrupted_waits_add_up)

/* unit-queue.c */
UNIT(queue_order)
UNIT(queue_remove_twice)
UNIT(queue_splice_and_move)
UNIT(queue_shift_and_splice_until)
UNIT(queue_random_operations)

/* unit-alloc.c */
UNIT(alloc_replace_bad_arguments)
UNIT(alloc_replace_refused_changes_nothing)
UNIT(alloc_goes_through_the_replacement)
UNIT(alloc_nothing_is_null)
UNIT(alloc_array_overflow)
UNIT(alloc_free_keeps_errno)

/* unit-timer.c */
UNIT(timer_never_early)
UNIT(timer_zero_is_due_at_once)
UNIT(timer_equal_deadlines_in_start_order)
UNIT(timer_restart_for_earlier_and_later)
UNIT(timer_huge_timeouts)
UNIT(timer_longer_than_a_wait)
UNIT(timer_repeat)
UNIT(timer_set_repeat)
UNIT(timer_again)
UNIT(timer_bad_arguments)
UNIT(timer_stop_and_close_in_callback)
UNIT(timer_rearmed_in_callback_waits_a_round)
UNIT(timer_update_time_in_callback)
UNIT(timer_due_and_restarted_waits_a_round)
UNIT(timer_start_uses_loop_time)
UNIT(timer_many_due_in_one_round)

/* unit-timer-model.c */
UNIT(timer_random_operations_against_model)

/* unit-loop.c */
UNIT(loop_phase_order)
UNIT(loop_timers_before_first_round)
UNIT(loop_run_not_alive)
UNIT(loop_return_values)
UNIT(loop_sleeps_exactly_when_it_may)
UNIT(loop_once_does_not_sleep_after_idle_stopped_itself)
UNIT(loop_prepare_changes_the_timeout)
UNIT(loop_stop_in_prepare)
UNIT(loop_stop_before_run)
UNIT(loop_stop_in_first_timer)
UNIT(loop_early_returns_lose_no_time)
UNIT(loop_once_survives_a_storm)
UNIT(loop_wait_that_oversleeps)
UNIT(loop_wait_error)
UNIT(loop_wait_fails_for_a_moment)
UNIT(loop_wait_fails_for_good)
UNIT(loop_now_is_cached)
UNIT(loop_backend_timeout)
UNIT(loop_async_on_wake)
UNIT(loop_metrics)

/* unit-loop-poll.c */
#undef READINESS
#define READINESS "descriptors that are watched for readiness"
UNIT_UNIX(loop_poll_batch_in_order, READINESS)
UNIT_UNIX(loop_poll_full_batch_goes_on, READINESS)
UNIT_UNIX(loop_poll_stop_in_callback, READINESS)
UNIT_UNIX(loop_poll_stale_after_stop_and_close, READINESS)
UNIT_UNIX(loop_poll_stale_fd_number_reused, READINESS)
UNIT_UNIX(loop_poll_stale_after_restart, READINESS)
UNIT_UNIX(loop_poll_stale_does_not_end_the_wait, READINESS)
UNIT_UNIX(loop_poll_hangup_is_delivered, READINESS)
UNIT_UNIX(loop_poll_refused_apply, READINESS)
UNIT_UNIX(loop_poll_refused_then_closed, READINESS)
UNIT_UNIX(loop_poll_refused_then_started, READINESS)
UNIT_UNIX(loop_poll_commit_only_changes, READINESS)
UNIT_UNIX(loop_poll_stopped_until_ready, READINESS)
UNIT_UNIX(loop_poll_alive_while_a_round_is_due, READINESS)
UNIT_UNIX(loop_poll_commit_restarts, READINESS)
UNIT_UNIX(loop_poll_fork_applies_all_again, READINESS)

/* unit-post.c */
UNIT(post_gap_at_the_stub_is_left_alone)
UNIT(post_gap_in_the_chain_ends_the_pass)
UNIT(post_failed_wake_is_returned)

/* unit-pull.c */
UNIT(pull_process_runs_nothing)
UNIT(pull_process_is_in_time_for_timers)
UNIT(pull_stop)
UNIT(pull_process_timeout)
UNIT(pull_process_error)
UNIT(pull_process_twice_keeps_events)
UNIT(pull_process_then_run)
UNIT(pull_dispatch_defers)
UNIT(pull_close_in_timer_is_next_round)
UNIT(pull_dispatch_alive)
UNIT(pull_same_order_as_run)

/* unit-handle.c */
UNIT(handle_random_life_against_model)
UNIT(handle_close_last_in_first_out)
UNIT_UNIX(handle_close_in_close_callback, "a close phase that takes all")
UNIT(handle_memory_is_free_in_close_callback)
UNIT(handle_walk_closes)
UNIT(handle_walk_with_a_new_handle)
UNIT(handle_internal_is_invisible)
UNIT(handle_watchers_last_in_first_out)
UNIT(handle_fileno_without_fd)

/* unit-env.c */
UNIT(env_get_values)
UNIT(env_get_int_is_atoi)
UNIT(env_get_ms_values)

/* unit-fork-lock.c */
UNIT(fork_lock_reports_the_first)
UNIT(fork_lock_of_another_process)
UNIT(fork_lock_excludes)
UNIT(fork_lock_tried)

/* unit-title.c */
UNIT_UNIX(title_is_set_without_the_arguments, "setproctitle()")
UNIT_UNIX(title_is_the_program_at_first, "setproctitle()")

/* unit-udp-control.c */
UNIT_UNIX(udp_control_nothing_asked_is_nothing_sent, "control messages")
UNIT_UNIX(udp_control_of_ipv6, "control messages")
UNIT_UNIX(udp_control_source_of_other_family, "control messages")
UNIT_UNIX(udp_control_of_mapped_addresses, "control messages")
UNIT_UNIX(udp_control_numbers_of_both_sizes, "control messages")
UNIT_UNIX(udp_control_skips_what_it_does_not_know, "control messages")
UNIT_UNIX(udp_control_link_local_address_has_its_interface, "control messages")
UNIT_UNIX(udp_control_cut_off_anywhere, "control messages")
UNIT_UNIX(udp_control_impossible_lengths, "control messages")

/* unit-wait.c */
UNIT_UNIX(wait_lets_the_holder_of_a_lock_run, "priorities that starve others")
UNIT_UNIX(wait_lets_a_signal_handler_run, "priorities that starve others")
UNIT_UNIX(wait_lets_a_sender_run, "priorities that starve others")

/* unit-signal-log.c */
UNIT_UNIX(signal_log_keeps_the_order, "signals")
UNIT_UNIX(signal_log_stops_at_the_end, "signals")
UNIT_UNIX(signal_log_full, "signals")
UNIT_UNIX(signal_log_positions_wrap, "signals")
UNIT_UNIX(signal_log_forgets_a_handle, "signals")
UNIT_UNIX(signal_log_waits_for_the_writer, "signals")
UNIT_UNIX(signal_log_many_writers, "signals")

/* unit-lanes.c */
UNIT(lanes_from_the_environment)
UNIT(lanes_queue_against_a_model)
UNIT(lanes_queue_slow_limit_changes)
UNIT(lanes_queue_sets_items_aside)
UNIT(lanes_idle_threads_end)
UNIT(lanes_held_pool_takes_nothing)
UNIT(lanes_held_pool_at_the_shutdown)
UNIT(lanes_threads_change_while_held)
UNIT(lanes_ended_pool_runs_no_more)
UNIT(lanes_stuck_pool_grows)
UNIT(lanes_cancel_in_the_substitute)
UNIT(lanes_spinner_comes_until_it_has_the_lock)

/* unit-threadpool.c */
UNIT(threadpool_size_from_text)
UNIT(threadpool_size_default)
UNIT(threadpool_size_given)
UNIT(threadpool_size_zero_is_one)
UNIT(threadpool_slow_work_takes_half)
UNIT(threadpool_one_worker_runs_both_kinds)
UNIT(threadpool_one_worker_keeps_order)
UNIT(threadpool_cancel)
UNIT(threadpool_cancel_before_any_submit)
UNIT(threadpool_no_work_after_shutdown)
UNIT(threadpool_flush_wakes_a_worker_per_item)

/* unit-ipc-frame.c */
UNIT(ipc_frame_headers_are_libuvs)
UNIT(ipc_frame_data)
UNIT(ipc_frame_socket_comes_before_its_data)
UNIT(ipc_frame_without_data)
UNIT(ipc_frame_garbage_is_refused)

/* unit-sock-status.c */
UNIT(sock_status_rows_are_sorted_failures)
UNIT(sock_status_meanings)

/* unit-reparse.c */
UNIT(reparse_symlinks)
UNIT(reparse_junctions)
UNIT(reparse_links_of_wsl)
UNIT(reparse_links_of_apps)
UNIT(reparse_cut_at_every_byte)
UNIT(reparse_names_outside)
UNIT(reparse_junction_bytes)
UNIT(reparse_junction_paths)
UNIT(reparse_junction_of_every_length)

/* unit-process-path.c */
UNIT(process_path_bare_names)
UNIT(process_path_extensions)
UNIT(process_path_current_directory)
UNIT(process_path_names_with_a_directory)
UNIT(process_path_exact_name)
UNIT(process_path_entries)

/* unit-tty-keys.c */
UNIT(tty_keys_with_a_character)
UNIT(tty_keys_with_a_sequence)
UNIT(tty_keys_for_functions)
UNIT(tty_keys_all_fit)
UNIT(tty_keys_composed)
UNIT(tty_keys_characters_of_two_units)
UNIT(tty_keys_of_a_terminal)

/* unit-fd-win.c */
UNIT_WINDOWS(fd_reports_are_dropped_where_an_fd_is_checked,
             "the debug C runtime")

/* unit-sockets-win.c */
UNIT_WINDOWS(tcp_trial_send_without_buffers, "Winsock")
UNIT_WINDOWS(tcp_dropped_connection_is_canceled_to_writers, "Winsock")
UNIT_WINDOWS(tcp_dropped_connection_is_reset_to_readers, "Winsock")
UNIT_WINDOWS(udp_connected_ignores_undeliverable_datagrams, "Winsock")
UNIT_WINDOWS(poll_without_a_base_socket, "AFD")
UNIT_WINDOWS(poll_of_a_base_socket_that_is_not_afd, "AFD")
UNIT_WINDOWS(udp_without_a_base_socket, "AFD")
UNIT_WINDOWS(udp_of_a_base_socket_that_is_not_afd, "AFD")

/* unit-files-win.c */
UNIT_WINDOWS(fs_event_directory_among_the_deleted, "ReadDirectoryChangesW()")
UNIT_WINDOWS(fs_event_directory_pending_deletion, "ReadDirectoryChangesW()")
UNIT_WINDOWS(fs_event_refused_after_deletion, "ReadDirectoryChangesW()")
UNIT_WINDOWS(fs_event_refused_is_not_deleted, "ReadDirectoryChangesW()")
UNIT_WINDOWS(fs_event_overflow_is_not_the_end, "ReadDirectoryChangesW()")

/* unit-fs-win.c */
UNIT_WINDOWS(fs_open_by_threads_keeps_the_mask, "_umask()")
UNIT_WINDOWS(fs_copy_fails_if_files_have_no_identity, "CopyFileW()")
UNIT_WINDOWS(fs_unlink_of_a_read_only_file_before_1809, "POSIX semantics")

/* unit-pipes-win.c */
UNIT_WINDOWS(pipe_server_outlives_a_shortage, "CreateNamedPipeW()")

/* unit-post-win.c */
UNIT_WINDOWS(post_async_is_not_lost, "completion ports")
UNIT_WINDOWS(post_async_serves_the_senders_that_come_meanwhile,
             "completion ports")
UNIT_WINDOWS(post_async_is_waited_for_by_a_close, "completion ports")
UNIT_WINDOWS(post_wake_of_finished_work_is_not_lost, "completion ports")
UNIT_WINDOWS(post_signal_is_not_lost, "completion ports")
UNIT_WINDOWS(post_end_of_a_process_is_not_lost, "completion ports")

/* unit-system-win.c */
UNIT_WINDOWS(resume_ends_the_wait_of_a_loop, "power events")
UNIT_WINDOWS(resume_is_registered_while_there_are_loops, "power events")
UNIT_WINDOWS(loop_wait_needs_little_stack, "completion ports")
UNIT_WINDOWS(kill_of_a_process_that_is_ending, "TerminateProcess()")
UNIT_WINDOWS(process_joins_the_job_before_its_children, "job objects")
UNIT_WINDOWS(tty_raw_vt_of_an_old_console_is_raw, "console modes")
UNIT_WINDOWS(tty_cursor_is_restored_in_every_row, "console screens")
UNIT_WINDOWS(tty_write_is_not_queued, "consoles")
UNIT_WINDOWS(tty_terminal_support_is_found_by_the_first_init, "console modes")
UNIT_WINDOWS(tty_mode_that_somebody_changed_is_set_again, "console modes")
UNIT_WINDOWS(tty_mouse_and_editing_are_kept, "console modes")
UNIT_WINDOWS(tty_resize_of_an_unknown_host_is_not_watched, "console events")
UNIT_WINDOWS(tty_resize_is_checked_once_per_pause, "console events")
UNIT_WINDOWS(fs_stat_of_an_alias_of_an_app, "aliases of packaged apps")
UNIT_WINDOWS(uname_is_not_of_the_emulated_machine, "WOW64")
