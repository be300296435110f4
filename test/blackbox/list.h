/* SPDX-License-Identifier: MIT */
/* Every black-box test and every helper; included with different meanings of
 * TEST and HELPER, so without a guard. Grouped by file, in the order of
 * the file names. TEST_UNIX says what only Unix has, TEST_WINDOWS what only
 * Windows has: elsewhere the test is skipped with that reason. */

/* test-assert-unix.c */
TEST_UNIX(assert_is_shown_if_stderr_is_redirected, "fork()")

/* test-async.c */
TEST(async_many_handles_many_threads)
TEST(async_last_send_is_never_lost)
TEST(async_send_in_callback_is_another_iteration)
TEST(async_close_keeps_the_others_sends)
TEST(async_callback_closes_the_rest_of_the_batch)
TEST(async_close_while_others_send)
TEST(async_close_races_with_send)

/* test-async-order.c */
TEST_UNIX(async_send_to_a_later_handle_is_the_same_pass, "order of creation")
TEST_UNIX(async_created_in_a_callback, "order of creation")
TEST_UNIX(async_close_moves_no_other_handle, "order of creation")
TEST_UNIX(async_closed_in_its_own_callback, "order of creation")
TEST_UNIX(async_callback_runs_the_loop, "order of creation")
TEST_UNIX(async_sent_by_finished_work, "order of creation")
TEST_UNIX(async_many_created_at_one_position, "order of creation")
TEST_UNIX(async_many_created_in_one_callback, "order of creation")
TEST_UNIX(async_many_sent_in_any_order, "order of creation")
TEST_UNIX(async_callbacks_in_creation_order, "order of creation")

/* test-bad-input.c */
TEST(bad_input_is_refused)

/* test-cancel.c */
TEST(cancel_connect)
TEST(cancel_connect_too_late)
TEST(cancel_shutdown_is_refused)
TEST_UNIX(cancel_connect_with_a_write, "writes while connecting")
TEST_UNIX(cancel_connect_and_connect_again, "a second connect")
TEST_UNIX(cancel_connect_of_a_pipe, "connects that wait for the poll")
TEST_UNIX(cancel_datagrams, "datagrams of Unix sockets")

/* test-closed-stdio.c */
TEST_UNIX(closed_stdio_stays_free, "descriptors 0, 1 and 2")

/* test-dead-fd.c */
TEST_UNIX(dead_fd_stream_before_first_poll,
          "closing a descriptor behind its back")
TEST_UNIX(dead_fd_stream_while_reading, "closing a descriptor behind its back")
TEST_UNIX(dead_fd_stream_write, "closing a descriptor behind its back")
TEST_UNIX(dead_fd_udp, "closing a descriptor behind its back")
TEST_UNIX(dead_fd_poll_handle, "closing a descriptor behind its back")
TEST_UNIX(dead_fd_number_reused, "closing a descriptor behind its back")
TEST_UNIX(dead_fd_listening_socket, "closing a descriptor behind its back")
TEST_UNIX(dead_fd_inotify, "inotify")

/* test-deadline.c */
TEST(deadline_in_time)
TEST(deadline_expired)
TEST(deadline_cancelled)
TEST(deadline_closed)
TEST(deadline_replaced)
TEST(deadline_bad_arguments)
TEST(deadline_of_work_that_runs)

/* test-deadline-many.c */
TEST(deadline_of_writes_to_a_peer_that_never_reads)
TEST(deadline_result_wins_in_one_iteration)
TEST(deadline_does_not_keep_the_loop_alive)

/* test-embed-win.c */
TEST_WINDOWS(embed_reposted_wakeups_arrive, "completion ports")
TEST_WINDOWS(embed_wakeup_held_while_the_loop_runs, "completion ports")
TEST_WINDOWS(embed_reposted_work_arrives, "completion ports")

/* test-fork.c */
TEST_UNIX(fork_handler_registered_before_ours, "fork()")
TEST_UNIX(fork_while_the_title_changes, "fork()")
TEST_UNIX(fork_while_signals_change, "fork()")
TEST_UNIX(fork_child_closes_nothing_of_its_own, "fork()")

/* test-fs.c */
TEST(fs_sync_needs_no_loop)
TEST(fs_refused_request_has_no_result)
TEST(fs_write_to_a_directory_is_to_a_bad_fd)
TEST(fs_async_copies_what_it_needs)
TEST(fs_scandir_lists_and_ends)
TEST(fs_scandir_of_many_long_names)
TEST(fs_opendir_outlives_its_request)
TEST_UNIX(fs_readlink_of_long_names, "arbitrary symbolic links")
TEST(fs_realpath_of_long_names)
TEST(fs_cancel_everything_queued)
TEST(getaddrinfo_overlong_and_empty_names)
TEST(getaddrinfo_without_a_loop)
TEST(fs_event_create_is_rename)
TEST(fs_event_filter_refuses)
TEST_UNIX(fs_event_attributes_of_directories, "inotify")
TEST_UNIX(fs_write_without_data_detects_a_bad_fd, "one-way descriptors")
TEST(fs_watch_path_while_stopped)
TEST(fs_write_of_more_than_two_gigabytes_is_refused)
TEST(threadpool_size_with_text_behind_it)

/* test-dump.c */
TEST(dump_refuses_what_it_cannot_do)
TEST(dump_shows_timers_and_what_is_pending)
TEST(dump_shows_sockets_with_both_ends_and_queues)
TEST(dump_shows_the_pool_and_what_waits)
TEST(dump_shows_ages_of_requests_while_observed)

/* test-dump-handles-unix.c */
TEST_UNIX(dump_shows_pipes_and_watchers, "poll handles of socket pairs")
TEST_UNIX(dump_shows_children, "in a file of unix tests")
TEST_UNIX(dump_shows_all_kinds_of_requests, "in a file of unix tests")
TEST_UNIX(dump_shows_terminals, "pseudo-terminals")
TEST_UNIX(dump_to_a_full_device_fails, "/dev/full")

/* test-dump-unix.c */
TEST_UNIX(dump_signal_prints_the_loop, "signals")
TEST_UNIX(dump_signal_wakes_a_sleeping_loop, "signals")
TEST_UNIX(dump_signal_leaves_freed_loops_alone, "signals")
TEST_UNIX(dump_signal_after_a_thread_left_its_loop, "signals")
TEST_UNIX(dump_signal_while_loops_are_freed, "signals")
TEST_UNIX(dump_signal_tells_of_a_blocked_loop, "signals")
TEST_UNIX(dump_signal_leaves_signal_handles_alone, "signals")
TEST_UNIX(dump_signal_with_a_bad_name_is_said_once, "signals")
TEST_UNIX(dump_signal_in_use_is_refused, "signals")
TEST_UNIX(dump_signal_works_in_a_forked_child, "fork()")
TEST_UNIX(dump_signal_tells_of_a_loop_that_nobody_runs, "signals")
TEST_UNIX(dump_signals_that_arrive_together, "signals")

/* test-fd-table.c */
TEST_UNIX(fd_table_next_reader_in_the_same_tick,
          "a descriptor that two handles share")
TEST_UNIX(fd_table_distant_descriptor, "numbers of descriptors")
TEST_UNIX(fd_table_timeout_after_stop, "the backend's timeout")
TEST_UNIX(fd_table_first_watcher_wins, "a descriptor that two handles share")
TEST_UNIX(fd_table_open_after_stop_in_the_same_tick,
          "a descriptor that two handles share")
TEST_UNIX(poll_start_again_after_the_fd_was_reopened,
          "reused descriptor numbers")
TEST_UNIX(poll_start_without_events, "a descriptor that two handles share")
TEST_UNIX(poll_start_again_drops_stale_events, "events of poll(2)")
TEST_UNIX(poll_start_again_with_more_drops_stale_events, "events of poll(2)")
TEST_UNIX(poll_hangup_satisfies_every_interest, "events of poll(2)")
TEST_UNIX(poll_prioritized_alone_is_told_of_a_reset, "urgent data by itself")

/* test-fs-copy-safety.c */
TEST_UNIX(fs_copyfile_over_a_file_sets_no_user_id, "set-user-ID")
TEST_UNIX(fs_copyfile_through_a_link_sets_no_user_id, "set-user-ID")
TEST_UNIX(fs_copyfile_truncates_first, "set-user-ID")
TEST_UNIX(fs_copyfile_that_fails_removes_only_its_own, "RLIMIT_FSIZE")
TEST_UNIX(fs_copyfile_that_fails_leaves_a_replacement, "RLIMIT_FSIZE")

/* test-fs-copy.c */
TEST_UNIX(fs_copyfile_clone_rules, "file clones, symbolic links")
TEST_UNIX(fs_copyfile_without_clones, "file clones, symbolic links")
TEST_UNIX(fs_copyfile_of_a_directory, "directories that can be opened")
TEST_UNIX(fs_copyfile_keeps_set_user_id, "set-user-ID")
TEST_UNIX(fs_copyfile_is_modified_now, "access and modification times")
TEST_UNIX(fs_copyfile_of_endless_sources, "devices and pipes as files")
TEST_UNIX(fs_copyfile_of_a_file_without_size, "/proc")

/* test-fs-paths-win.c */
TEST_WINDOWS(fs_path_that_is_not_wtf8, "names in 16-bit units")
TEST_WINDOWS(fs_stat_drops_a_trailing_slash, "separators after files")
TEST_WINDOWS(fs_stat_of_the_null_device, "NUL")
TEST_WINDOWS(fs_directories_that_are_none, "NUL, locked files")
TEST_WINDOWS(fs_open_flags_that_exclude_each_other, "UV_FS_O_RANDOM")
TEST_WINDOWS(fs_mapped_directories_and_devices, "UV_FS_O_FILEMAP")
TEST_WINDOWS(fs_copy_of_a_locked_file_onto_itself, "share modes")
TEST_WINDOWS(fs_temp_path_after_a_failure, "names that were tried")
TEST_WINDOWS(fs_system_error_of_what_is_missing, "uv_fs_get_system_error()")

/* test-fs-win.c */
TEST_WINDOWS(fs_junction_to_a_relative_path, "junctions")
TEST_WINDOWS(fs_transfer_of_an_overlapped_file, "overlapped files")
TEST_WINDOWS(fs_read_of_more_than_two_gigabytes_is_refused, "short results")
TEST_WINDOWS(fs_guess_of_sockets_and_pipes, "sockets of the C runtime")
TEST_WINDOWS(fs_guess_of_a_pipe_that_is_being_read, "sockets of the C runtime")
TEST_WINDOWS(fs_event_deleted_directory, "UV_ENOENT at the end")
TEST_WINDOWS(fs_bad_fd_is_not_reported, "the C runtime's dialogs")

/* test-fs-event-many.c */
TEST_UNIX(fs_event_many_watches, "one event for one file")
TEST_UNIX(fs_event_watched_file_is_deleted, "watching a single file")
TEST_UNIX(fs_event_directory_with_a_slash_at_the_end, "inotify")
TEST_UNIX(fs_event_watches_come_and_go, "inotify")
TEST_UNIX(fs_event_callback_forks, "fork()")

/* test-fs-event-tree.c */
TEST_UNIX(fs_event_tree_names_what_a_burst_has_made, "inotify")
TEST_UNIX(fs_event_tree_watches_what_exists, "inotify")
TEST_UNIX(fs_event_tree_directory_gone_before_it_is_watched, "inotify")
TEST_UNIX(fs_event_tree_move_inside, "inotify")
TEST_UNIX(fs_event_tree_move_and_write_in_one_batch, "inotify")
TEST_UNIX(fs_event_tree_move_in, "inotify")
TEST_UNIX(fs_event_tree_move_out, "inotify")
TEST_UNIX(fs_event_tree_move_out_and_in, "inotify")
TEST_UNIX(fs_event_tree_move_onto_an_empty_directory, "inotify")
TEST_UNIX(fs_event_tree_exchange, "inotify")
TEST_UNIX(fs_event_tree_name_used_again, "inotify")
TEST_UNIX(fs_event_tree_links_are_not_followed, "inotify")
TEST_UNIX(fs_event_tree_root_is_a_relative_link, "inotify")
TEST_UNIX(fs_event_tree_root_is_a_file, "inotify")
TEST_UNIX(fs_event_tree_root_removed, "inotify")
TEST_UNIX(fs_event_tree_root_moved, "inotify")
TEST_UNIX(fs_event_tree_name_that_is_not_utf8, "inotify")
TEST_UNIX(fs_event_tree_path_too_long, "inotify")
TEST_UNIX(fs_event_tree_directory_that_cannot_be_read, "inotify")

/* test-fs-event-tree-life.c */
TEST_UNIX(fs_event_tree_filter, "inotify")
TEST_UNIX(fs_event_tree_scanned_by_threads, "inotify")
TEST_UNIX(fs_event_tree_closed_during_a_scan, "inotify")
TEST_UNIX(fs_event_tree_unreferenced, "inotify")
TEST_UNIX(fs_event_tree_handles_share_directories, "inotify")
TEST_UNIX(fs_event_tree_move_between_trees, "inotify")
TEST_UNIX(fs_event_tree_mounted_twice, "inotify")
TEST_UNIX(fs_event_tree_stopped_in_its_callback, "inotify")
TEST_UNIX(fs_event_tree_started_again_in_its_callback, "inotify")
TEST_UNIX(fs_event_tree_stopped_by_its_filter, "inotify")
TEST_UNIX(fs_event_tree_overflow, "inotify")
TEST_UNIX(fs_event_tree_fork_during_a_scan, "inotify")
TEST_UNIX(fs_event_tree_fork_in_a_callback, "inotify")

/* test-fs-event-tree-race.c */
TEST_UNIX(fs_event_tree_exchanged_while_it_is_read, "inotify")
TEST_UNIX(fs_event_tree_overwritten_while_it_is_read, "inotify")

/* test-fs-poll.c */
TEST(fs_poll_reports_an_error_once)
TEST(fs_poll_stop_takes_an_iteration)
TEST_UNIX(fs_poll_close_takes_an_iteration, "a close phase that takes all")
TEST(fs_poll_close_of_one_never_started)
TEST(fs_poll_start_again_during_a_stat)

/* test-fs-send.c */
TEST_UNIX(fs_sendfile_of_a_directory, "directories that can be opened")
TEST_UNIX(fs_sendfile_to_a_file_that_grows, "copy_file_range()")
TEST_UNIX(fs_sendfile_from_a_pipe, "pipes as descriptors")
TEST_UNIX(fs_sendfile_to_a_socket, "sockets as descriptors")
TEST_UNIX(fs_sendfile_to_a_closed_descriptor, "sockets as descriptors")
TEST_UNIX(fs_copyfile_to_a_device, "/dev/null")

/* test-fs-times.c */
TEST_UNIX(fs_utime_nan_leaves_a_time_alone, "stat()")
TEST_UNIX(fs_utime_infinity_is_now, "stat()")
TEST_UNIX(fs_utime_refuses_invalid_times, "the range of time_t")
TEST_UNIX(fs_utime_fractions, "nanoseconds")
TEST_UNIX(fs_lutime_of_a_link, "symbolic links")

/* test-system-odd.c */
TEST_UNIX(system_cwd_longer_than_path_max, "PATH_MAX")
TEST_UNIX(guess_handle_of_unusual_descriptors, "descriptors")
TEST_UNIX(system_without_proc, "/proc")
TEST_UNIX(system_setup_args_twice, "the location of the title")
TEST_UNIX(system_environment_with_odd_entries, "environ")
TEST_UNIX(system_thread_with_odd_stack_limits, "resource limits")
TEST_UNIX(system_group_with_members, "groups of users")

/* test-no-arguments.c */
TEST(no_arguments_streams)
TEST(no_arguments_pipes_and_terminals)
TEST(no_arguments_datagrams)
TEST(no_arguments_files_and_system)

/* test-interest.c */
TEST(interest_is_told_once_per_round)
TEST(interest_is_not_told_of_callbacks)
TEST(interest_refuses_no_loop)
TEST(interest_whenever_the_timeout_shrinks)

/* test-ipc-unix.c */
TEST_UNIX(ipc_many_descriptors_wait, "SCM_RIGHTS")
TEST_UNIX(ipc_descriptor_above_the_limit, "SCM_RIGHTS")
TEST_UNIX(ipc_udp_socket_is_accepted, "SCM_RIGHTS")
TEST_UNIX(ipc_blocking_stream_on_a_nonblocking_descriptor, "O_NONBLOCK")

/* test-limits.c */
TEST_UNIX(limit_loop_init_without_descriptors, "setrlimit()")
TEST_UNIX(limit_everyday_calls_without_descriptors, "setrlimit()")
TEST_UNIX(limit_accept_without_descriptors, "setrlimit()")
TEST_UNIX(limit_spawn_without_descriptors, "setrlimit()")
TEST_UNIX(limit_first_worker_refused, "setrlimit()")
TEST_UNIX(limit_ring_without_workers, "io_uring")
TEST_UNIX(limit_second_worker_refused, "setrlimit()")
TEST_UNIX(limit_spawn_without_processes, "setrlimit()")
TEST_UNIX(limit_disk_full_or_read_only, "mount()")

/* test-close.c */
TEST_UNIX(close_handle_freed_at_once, "socketpair()")
TEST_UNIX(close_callback_runs_the_loop, "a close phase that takes all")

/* test-loop.c */
TEST(loop_init_keeps_data_and_refuses_null)
TEST(loop_close_busy_until_closed)
TEST(loop_closed_twice)
TEST(loop_now_after_close)
TEST(loop_default_can_be_initialised_again)
TEST(loop_configure_unknown_option)
TEST(loop_close_order_is_last_in_first_out)
TEST_UNIX(loop_closed_handle_has_no_reference, "references that end with close")
TEST(loop_alive_and_references)
TEST(loop_start_without_callback)
TEST_UNIX(loop_fork_keeps_watchers, "fork()")
TEST_UNIX(loop_fork_makes_an_iteration_due, "fork()")
TEST_UNIX(loop_fork_thread_pool, "fork()")
TEST_UNIX(signal_after_what_was_sent_before,
          "signals that a process sends itself")
TEST_UNIX(signal_every_handle_on_every_loop,
          "signals that a process sends itself")
TEST(poll_handle_rules)
TEST_UNIX(signal_callbacks_run_last, "signals that a process sends itself")
TEST(poll_callback_closes_on_error)

/* test-lookup.c */
TEST(lookup_of_numbers_is_that_of_the_system)
TEST(lookup_of_equal_names_has_equal_results)
TEST(lookup_of_numbers_of_an_address)

/* test-lookup-unix.c */
TEST_UNIX(lookup_equal_names_are_asked_once, "a resolver of our own")
TEST_UNIX(lookup_names_are_compared_as_they_are_asked, "a resolver of our own")
TEST_UNIX(lookup_different_queries_are_asked_separately,
          "a resolver of our own")
TEST_UNIX(lookup_error_reaches_every_waiter, "a resolver of our own")
TEST_UNIX(lookup_first_waiter_is_cancelled, "a resolver of our own")
TEST_UNIX(lookup_is_cancelled_while_it_runs, "a resolver of our own")
TEST_UNIX(lookup_is_cancelled_before_it_runs, "a resolver of our own")
TEST_UNIX(lookup_joins_one_that_was_cancelled, "a resolver of our own")
TEST_UNIX(lookup_does_not_join_an_old_one, "a resolver of our own")
TEST_UNIX(lookup_cancelled_in_a_callback_of_the_same, "a resolver of our own")
TEST_UNIX(lookup_callbacks_run_in_the_order_of_the_calls,
          "a resolver of our own")
TEST_UNIX(lookup_is_shared_between_loops, "a resolver of our own")
TEST_UNIX(lookup_is_shared_in_a_pool_of_one_thread, "a resolver of our own")
TEST_UNIX(lookup_of_a_number_needs_no_thread, "a resolver of our own")
TEST_UNIX(lookup_of_a_number_is_cancelled, "a resolver of our own")
TEST_UNIX(lookup_names_of_an_address, "a resolver of our own")
TEST_UNIX(lookup_numbers_of_an_address_need_no_thread, "a resolver of our own")
TEST_UNIX(lookup_does_not_keep_the_process, "a resolver of our own")
TEST_UNIX(lookup_does_not_keep_work_from_the_shutdown, "a resolver of our own")
TEST_UNIX(lookup_is_cancelled_by_the_shutdown, "a resolver of our own")
TEST_UNIX(work_exit_in_an_item_runs_the_rest, "a resolver of our own")
TEST_UNIX(lookup_outlives_the_library, "a resolver of our own")
TEST_UNIX(lookup_in_a_forked_child, "a resolver of our own")
TEST_UNIX(lookup_cancelled_at_random_from_many_loops, "a resolver of our own")

/* test-loops.c */
TEST(loops_start_and_end_in_order)
TEST(loops_bad_arguments)
TEST(loops_are_not_closed_by_hand)
TEST(loops_shutdown_loses_no_post)
TEST(loops_refuse_posts_when_they_have_ended)
TEST(loops_go_on_after_a_stop)
TEST(loops_with_a_loop_of_the_program)
TEST(loops_free_says_what_is_left)

/* test-loops-pause.c */
TEST(loops_pause_by_one_of_eight)
TEST(loops_pause_by_two_of_eight)
TEST(loops_pause_by_three_of_eight)
TEST(loops_pause_by_all_of_eight)
TEST(loops_pause_lets_others_run_in_between)
TEST(loops_pause_nests)
TEST(loops_pause_times_out)
TEST(loops_pause_that_is_late_is_in_no_pause)
TEST(loops_pause_in_start_and_end_functions)
TEST(loops_pause_in_a_nested_run)
TEST(loops_pause_and_run_the_loop_in_it)
TEST(loops_pause_outlasts_a_callback)
TEST(loops_pause_and_uv_stop)
TEST(loops_pause_is_for_their_threads)
TEST(loops_pause_and_add_end_functions)
TEST(loops_pause_of_one)
TEST(watchdog_leaves_parked_loops_alone)

/* test-listener.c */
TEST(listener_kernel_spreads_connections)
TEST(listener_turns_are_exactly_equal)
TEST(listener_shared_wakes_every_loop)
TEST(listener_default_serves_one_loop)
TEST(listener_opened_and_closed_while_loops_run)
TEST(listener_closed_while_loops_do_not_run)
TEST(listener_freed_with_its_loops)
TEST(listener_address_in_use)
TEST(listener_bad_arguments)
TEST(listener_calls_from_elsewhere)

/* test-listener-socks.c */
TEST(listener_socks_fewer_than_loops)
TEST(listener_socks_more_than_loops)
TEST(listener_socks_are_told)
TEST(listener_socks_stay_after_a_failure)
TEST(listener_turns_pass_over_a_loop_that_does_not_accept)
TEST(listener_turns_stop_accepting_if_no_loop_does)
TEST(listener_closes_connections_that_nobody_accepted)

/* test-listener-unix.c */
TEST_UNIX(inherited_sockets_by_name, "descriptors with numbers")
TEST_UNIX(inherited_sockets_of_somebody_else, "descriptors with numbers")
TEST_UNIX(inherited_sockets_with_long_names, "descriptors with numbers")
TEST_UNIX(inherited_datagram_socket_on_two_loops, "descriptors with numbers")
TEST_UNIX(listener_in_a_forked_child, "fork()")
TEST_UNIX(listener_failure_leaves_no_descriptor, "descriptors with numbers")
TEST(loops_pause_holds_work_functions)
TEST(loops_pause_holds_work_functions_of_pools)
TEST(loops_pause_waits_for_a_work_function)
TEST(loops_pause_waits_for_a_function_of_a_pool)
TEST(loops_pause_keeps_no_worker)
TEST(loops_pause_keeps_no_worker_of_a_pool)
TEST(loops_pause_of_two_groups)
TEST(loops_pause_lets_other_work_go_on)
TEST(loops_work_can_be_cancelled)
TEST(loops_are_pinned_to_processors)

/* test-loops-unix.c */
TEST_UNIX(loops_signals_begin_the_shutdown, "signals of the process")
TEST_UNIX(loops_leave_signals_alone, "signals of the process")
TEST_UNIX(loops_in_a_forked_child, "fork()")
TEST_UNIX(loops_freed_in_a_forked_child, "fork()")
TEST_UNIX(loops_end_when_a_poller_fails, "descriptors of pollers")
TEST_UNIX(loops_pause_and_fork, "fork()")
TEST_UNIX(loops_pause_with_a_poller_that_failed, "descriptors of pollers")

/* test-metrics.c */
TEST_UNIX(metrics_async_handles_are_one_event, "one wake-up for many sends")
TEST(metrics_each_work_is_an_event)
TEST_UNIX(metrics_signals_are_one_event, "signals that a process sends itself")

/* test-metrics-loop.c */
TEST(metrics_loop_refuses_what_it_cannot_do)
TEST(metrics_loop_sees_what_blocks_it)
TEST(metrics_loop_counts_streams_and_work)
TEST(metrics_loop_counts_what_is_tried)
TEST(metrics_loop_counts_alloc_callbacks)
TEST(metrics_loop_file_is_replaced_whole)
TEST(metrics_loop_counters_outlive_their_loops)
TEST(metrics_loop_environment_never_fails_a_program)

/* test-misuse-unix.c */
TEST_UNIX(misuse_request_submitted_twice_aborts, "fork()")
TEST_UNIX(misuse_of_a_semaphore_aborts, "fork()")
TEST_UNIX(misuse_close_of_no_handle_aborts, "fork()")
TEST_UNIX(misuse_of_locks_and_keys_aborts, "fork()")

/* test-misuse.c */
TEST(misuse_close_twice_is_explained)
TEST(misuse_close_of_no_handle_is_explained)
TEST(misuse_busy_loop_names_its_handles)
TEST(misuse_busy_loop_counts_the_rest)
TEST(misuse_null_callback_is_explained_on_request)
TEST(misuse_listen_on_a_closing_handle_is_explained)
TEST(misuse_request_in_use_is_explained)
TEST(misuse_finished_lookup_is_not_in_use)
TEST(misuse_init_of_an_open_handle_is_explained)
TEST(misuse_write_in_use_ends_a_debug_build)
TEST(misuse_nested_dispatch_is_explained)
TEST(misuse_wrong_thread_ends_a_debug_build)
TEST(misuse_reused_memory_ends_a_debug_build)
TEST(misuse_environment_is_explained)
HELPER(make_a_mistake)

/* test-names.c */
TEST(version_number_and_text_agree)
TEST(version_of_our_own)
TEST(version_text_is_in_the_identity)
TEST(error_name_r_and_strerror_r)
TEST(error_name_r_truncates)
TEST(error_unknown_code_is_named)
TEST(req_data_and_type)
TEST(loop_new_and_delete)
TEST(print_handles_lists_them)
TEST(print_handles_defaults)
TEST(wtf8_round_trip_through_the_interface)

/* test-no-memory.c */
TEST(no_memory_loop_init)
TEST(no_memory_loop_new)
TEST(no_memory_timers)
TEST(no_memory_bind_and_listen)
TEST(no_memory_fs)
TEST(no_memory_system_information)
TEST(no_memory_spawn)
TEST_UNIX(no_memory_spawn_refused_by_the_poller, "reporting of children")
TEST(no_memory_write)

/* test-no-observers.c */
TEST(no_observers_is_an_error_of_each_function)
TEST(no_observers_ignores_their_variables)

/* test-observe-alone.c */
TEST_UNIX(observe_alone_each_file_has_a_thread, "a thread writes there")
TEST_UNIX(observe_alone_wait_is_one_wait, "in a file of unix tests")
TEST_UNIX(observe_alone_sleeping_loop_writes, "in a file of unix tests")
TEST_UNIX(observe_alone_wait_counts_before_it_ends, "in a file of unix tests")
#if TEST_POSIX
HELPER(sleep_observed)
#endif
TEST_UNIX(observe_alone_long_iteration_is_accounted_for,
          "a thread writes there")

/* test-observe-calls.c */
TEST_UNIX(observe_has_every_kind_of_callback, "poll handles of socket pairs")
TEST_UNIX(observe_pull_interface, "in a file of unix tests")
TEST_UNIX(observe_counts_udp_try_send, "in a file of unix tests")
TEST_UNIX(observe_counts_queued_datagrams, "in a file of unix tests")
TEST_UNIX(observe_files_on_the_ring, "in a file of unix tests")

/* test-observe-files.c */
TEST_UNIX(observe_files_replace_nothing_else, "links and FIFOs")
TEST_UNIX(observe_files_are_no_settings_of_the_kernel, "procfs")
TEST_UNIX(observe_files_replace_their_own, "in a file of unix tests")
TEST_UNIX(observe_files_stay_where_they_were_named, "in a file of unix tests")
TEST_UNIX(observe_files_leave_no_draft, "in a file of unix tests")
TEST_UNIX(observe_files_have_the_mode_that_is_asked_for, "modes of files")
TEST_UNIX(observe_files_are_above_the_standard_streams, "descriptors")
TEST_UNIX(observe_files_spare_what_a_daemon_opens, "descriptors")
TEST_UNIX(observe_files_of_two_processes_are_two, "fork()")
TEST_UNIX(observe_files_have_labels_that_are_escaped, "names of files")
#if TEST_POSIX
HELPER(run_one_timer)
#endif

/* test-observe-life.c */
TEST_UNIX(observe_library_is_unloaded_with_a_trace, "dlclose()")
TEST_UNIX(observe_library_is_unloaded_with_metrics, "dlclose()")
TEST_UNIX(observe_dump_signals_do_not_end_an_exiting_process, "signals")
TEST_UNIX(observe_dump_signal_is_ignored_after_the_shutdown, "signals")
TEST_UNIX(watchdog_cannot_be_stopped_by_its_listener, "in a file of unix tests")
TEST_UNIX(watchdog_listener_may_exit, "fork()")
TEST_UNIX(observe_sessions_start_while_loops_are_made,
          "in a file of unix tests")
#if TEST_POSIX
HELPER(exit_under_signals)
#endif

/* test-observe-safety.c */
TEST_UNIX(observe_says_once_what_is_wrong, "fork()")
TEST_UNIX(metrics_that_fill_the_disk_are_said_once, "RLIMIT_FSIZE")
TEST_UNIX(metrics_files_are_private_and_follow_no_link, "modes of files")
TEST_UNIX(observe_environment_is_refused_by_the_program, "signals")
TEST_UNIX(observe_mode_of_the_environment, "fork()")

/* test-observe-unix.c */
TEST_UNIX(metrics_forked_child_has_a_file_of_its_own, "fork()")
TEST_UNIX(metrics_forked_child_without_a_name_stops, "fork()")
TEST_UNIX(watchdog_goes_on_in_a_forked_child, "fork()")
TEST_UNIX(watchdog_reports_are_in_the_trace, "in a file of unix tests")
TEST_UNIX(observe_environment_metrics_and_watchdog, "fork()")
TEST_UNIX(observe_environment_that_makes_no_sense, "fork()")
TEST_UNIX(observe_names_that_are_too_long, "in a file of unix tests")
TEST_UNIX(trace_counts_what_it_drops, "in a file of unix tests")
TEST_UNIX(observe_more_requests_than_it_remembers, "in a file of unix tests")
TEST_UNIX(trace_names_a_function_of_a_library, "the dynamic linker's names")
#if TEST_POSIX
HELPER(run_observed)
#endif

/* test-old-kernel.c */
TEST_UNIX(old_kernel_without_statx, "system call filters")
TEST_UNIX(old_kernel_without_copy_file_range, "system call filters")
TEST_UNIX(old_kernel_without_getrandom, "system call filters")
TEST_UNIX(old_kernel_without_close_range, "system call filters")

/* test-pipe.c */
TEST_UNIX(pipe_bind_over_a_file, "sockets in the file system")
TEST(pipe_connect_error_is_reported_later)
TEST(pipe_read_ended_by_its_alloc_callback)
TEST_UNIX(pipe_long_names, "sockets in the file system")
TEST(pipe_bind2_reads_only_its_length)
TEST_UNIX(pipe_abstract_name, "abstract socket names")
TEST_UNIX(pipe_empty_name_is_chosen_by_the_system, "abstract socket names")
TEST(pipe_getsockname_sizes)
TEST(pipe_write2_rules)
TEST_UNIX(pipe_untaken_descriptors_do_not_leak,
          "descriptors passed over a socket pair")
TEST_UNIX(pipe_chmod_follows_no_link, "sockets in the file system")
TEST_UNIX(pipe_connect_of_a_server, "sockets in the file system")
TEST_UNIX(pipe_chmod_of_a_socket_bound_by_others, "sockets in the file system")
TEST_UNIX(pipe_chmod_without_a_name, "sockets in the file system")
TEST_UNIX(pipe_getsockname_size_after_an_error, "sockets in the file system")
TEST_UNIX(pipe_open_twice, "numeric descriptors")
TEST_UNIX(pipe_readable_bit_set_by_the_program, "pipe()")
TEST_UNIX(pipe_connect_while_connecting, "a connect that is reported later")
TEST_UNIX(pipe_connect_of_a_closing_handle, "unix sockets")
TEST_UNIX(pipe_connect_is_tried_again, "unix sockets")

/* test-pipe-file.c */
TEST_UNIX(pipe_file_is_removed_by_close, "unix sockets in the file system")
TEST_UNIX(pipe_file_of_another_directory_stays, "unix sockets as files")
TEST_UNIX(pipe_file_of_the_successor_stays, "unix sockets as files")
TEST_UNIX(pipe_file_chmod_without_proc, "permissions of unix sockets")

/* test-pipe-win.c */
TEST_WINDOWS(pipe_write_that_is_taken_leaves_the_queue, "named pipes")
TEST_WINDOWS(pipe_shutdown_waits_for_the_reader, "named pipes")
TEST_WINDOWS(pipe_shutdown_of_the_client_waits_for_the_reader, "named pipes")
TEST_WINDOWS(pipe_close_while_a_shutdown_waits, "named pipes")
TEST_WINDOWS(pipe_is_usable_after_a_failed_connect, "named pipes")
TEST_WINDOWS(pipe_close_of_a_waiting_shutdown_is_seen_by_the_peer,
             "named pipes")
TEST_WINDOWS(pipe_closes_of_waiting_shutdowns_leave_no_threads, "named pipes")
TEST_WINDOWS(pipe_library_is_unloaded_after_a_waiting_shutdown, "DLLs")
TEST_WINDOWS(pipe_ignores_packets_of_other_processes, "completion ports")
TEST_WINDOWS(pipe_writes_are_reported_in_order, "completion ports")

/* test-process.c */
TEST(process_killed_by_signal)
TEST_UNIX(process_waited_for_by_the_program, "waitpid()")
TEST(process_spawn_errors_are_returned)
TEST(process_stdio_that_makes_no_sense)
TEST(process_failed_spawn_leaves_pipes_at_eof)
TEST_UNIX(process_child_starts_clean, "signal masks and descriptors of a child")
TEST_UNIX(process_disable_stdio_inheritance, "FD_CLOEXEC")
TEST(process_environment_and_directory)
TEST(process_looked_up_in_the_childs_path)
TEST_UNIX(process_detached_is_a_session_leader, "sessions")
TEST_UNIX(process_setuid_drops_groups, "numeric users and groups")
TEST_UNIX(process_sigchld_until_closed, "SIGCHLD")
TEST_UNIX(process_empty_name_is_a_directory, "PATH lookup of execvp()")
TEST_UNIX(process_setuid_runs_fork_handlers, "numeric users and groups")
TEST_UNIX(process_setuid_refusal_is_returned, "numeric users and groups")
TEST(process_pipes_both_ways)
TEST_UNIX(process_reaps_only_its_own, "fork()")
TEST(process_close_while_it_runs)
TEST_UNIX(process_without_arguments_or_path, "execvp()")
TEST_UNIX(process_ignored_input_of_a_parent_without, "/dev/null")
TEST_UNIX(process_ends_beside_one_that_was_waited_for, "waitpid()")
#if TEST_POSIX
HELPER(check_stdin_is_null)
#endif
HELPER(nothing)
HELPER(sleep_for_ever)
HELPER(check_environment)
HELPER(echo_stdin)
#if TEST_POSIX
HELPER(check_clean_child)
HELPER(check_session)
HELPER(check_identity)
#endif

/* test-process-dump-win.c */
TEST_WINDOWS(process_dump_goes_to_its_folder, "process dumps")
TEST_WINDOWS(process_dump_folder_is_not_text, "process dumps")
TEST_WINDOWS(process_dump_long_folder, "process dumps")

/* test-process-end.c */
TEST(process_end_of_many)
TEST_UNIX(process_end_beside_foreign_children, "fork()")
TEST_UNIX(process_end_of_many_one_of_them_taken, "waitpid()")
TEST_UNIX(process_end_beside_a_stopped_child, "SIGSTOP")
TEST_UNIX(process_end_after_its_output, "SIGCHLD after readable data")
TEST_UNIX(process_end_reported_early, "reporting of children")
TEST_UNIX(process_end_before_it_is_watched, "reporting of children")
TEST_UNIX(process_end_refused_by_the_poller, "reporting of children")
TEST_UNIX(process_end_needs_no_sigchld, "SIGCHLD")
TEST_UNIX(process_end_reported_when_closed, "waitpid()")
TEST_UNIX(process_end_in_an_exit_callback, "SIGCHLD")
TEST_UNIX(process_end_in_a_forked_loop, "fork()")
HELPER(end_with_status)
HELPER(say_last_words)

/* test-process-start.c */
TEST_UNIX(process_start_without_interpreter, "scripts and PATH of execvp()")
TEST_UNIX(process_start_ignored_stdio_without_free_descriptor, "RLIMIT_NOFILE")
TEST_UNIX(process_start_swapped_stdio_without_free_descriptor, "RLIMIT_NOFILE")
TEST_UNIX(process_start_runs_no_fork_handlers, "pthread_atfork()")
#if TEST_POSIX
HELPER(check_descriptors)
#endif

/* test-process-win.c */
TEST_WINDOWS(process_is_in_the_job_of_its_children, "job objects")
TEST_WINDOWS(process_handle_is_kept_until_it_is_closed, "process handles")
TEST_WINDOWS(process_children_end_with_their_parent, "job objects")
TEST_WINDOWS(process_kill_twice, "processes that are ending")
TEST_WINDOWS(process_environment_first_of_a_name_wins, "case-insensitive names")
#if !TEST_POSIX
HELPER(first_of_a_name)
HELPER(keep_a_child)
#endif

/* test-pools.c */
TEST(pools_do_not_wait_for_each_other)
TEST(pools_run_items_in_order)
TEST(pools_cancel_in_each_state)
TEST(pools_cancel_reads_no_old_words)
TEST(pools_deadline_of_an_item)
TEST(pools_free_is_refused_while_in_use)
TEST(pools_free_in_the_last_callback)
TEST(pools_callback_queues_again)
TEST(pools_threads_from_1_to_16_and_back)
TEST(pools_threads_of_the_lane)
TEST(pools_threads_of_the_only_pool)
TEST(pools_threads_change_under_load)
TEST(pools_threads_have_name_and_priority)
TEST(pools_are_in_the_dump)
TEST(pools_idle_threads_end)
TEST(pools_bad_arguments)
TEST(pools_serve_two_loops)
TEST(pools_at_the_shutdown)

/* test-pools-unix.c */
TEST_UNIX(pools_after_a_fork, "fork()")
TEST_UNIX(pools_freed_in_the_child_of_a_callback, "fork()")
TEST_UNIX(pools_exit_drops_what_is_queued, "fork()")

/* test-post.c */
TEST(post_many_threads_each_in_order)
TEST(post_bad_arguments)
TEST(post_keeps_the_loop_alive)
TEST(post_in_callback_is_a_later_iteration)
TEST(post_flood_starves_nothing)
TEST(post_a_million_before_the_loop_runs)
TEST(post_callback_runs_the_loop)
TEST(post_rest_survives_a_stop)
TEST(post_found_without_waiting)
TEST(post_ends_the_wait_of_the_pull_loop)
TEST(post_loop_is_freed_after_the_last)
TEST(post_back_and_forth)

/* test-post-unix.c */
TEST_UNIX(post_from_signal_handlers, "signal handlers")
TEST_UNIX(post_fork_empties_the_queue_of_the_child, "fork()")

/* test-pull.c */
TEST(pull_one_thread)
TEST(pull_two_threads)
TEST(pull_async_ends_the_wait)
TEST(pull_dispatch_is_bounded)
TEST(pull_thread_pool)

/* test-runner-win.c */
TEST_WINDOWS(runner_starts_again_after_an_internal_error, "the Windows runner")

/* test-sandbox.c */
TEST_UNIX(sandbox_loop_opens_no_file, "system call filters")
TEST_UNIX(sandbox_server_without_descriptors, "system call filters")
TEST_UNIX(sandbox_without_epoll_wait_eperm, "system call filters")
TEST_UNIX(sandbox_without_epoll_wait_enosys, "system call filters")
TEST_UNIX(sandbox_disable_inheritance_by_one_call, "system call filters")

/* test-security-names.c */
TEST(security_host_name_truncated_utf8)
TEST(security_host_name_is_never_truncated)
TEST(security_wtf8_exact_fill)

/* test-security-rights.c */
TEST_UNIX(security_files_after_a_change_of_user, "numeric users and groups")
TEST_UNIX(security_children_inherit_no_descriptors,
          "a list of descriptors in /proc")
TEST(security_failed_spawn_leaves_nothing)
TEST(security_timers_closed_by_another)
#if TEST_POSIX
HELPER(list_descriptors)
#endif

/* test-read-req.c */
TEST(read_req_delivers_once)
TEST(read_req_shares_a_buffer)
TEST(read_req_fills_several_buffers)
TEST(read_req_reports_the_end)
TEST(read_req_refuses_what_it_cannot_do)
TEST(read_req_beside_read_start)
TEST(read_req_is_cancelled)
TEST(read_req_with_a_deadline)
TEST(read_req_ends_before_the_close)
TEST(read_req_cancelled_and_closed)
TEST(read_req_is_freed_in_its_callback)
TEST(read_req_again_in_its_callback)
TEST(try_read_takes_what_is_there)
TEST(read_req_without_memory)

/* test-release.c */
TEST(release_leaves_unread_bytes)
TEST(release_leaves_unread_datagrams)
TEST(release_bad_arguments)
TEST(release_is_busy_while_reading_and_writing)
TEST(release_is_busy_while_connecting)
TEST(release_moves_a_connection_between_loops)
TEST(release_drops_events_of_the_same_batch)
TEST(release_in_its_own_callback)
TEST_UNIX(release_of_a_server_keeps_it_listening, "release of servers")
TEST_UNIX(release_reports_a_delayed_error, "two binds of one port")

/* test-select-limit.c */
TEST_UNIX(select_limit_descriptors_of_the_program, "select() and its sets")
TEST_UNIX(select_limit_descriptors_of_handles, "select() and its sets")
TEST_UNIX(select_limit_accept, "select() and its sets")
TEST_UNIX(select_limit_loop_goes_on, "select() and its sets")

/* test-server.c */
TEST(server_rejects_connections)
TEST(server_connection_goes_to_another_loop)
TEST(server_bad_arguments)
TEST(server_pause_holds_connections_back)
TEST(server_pauses_itself_after_each_connection)
TEST(server_stays_paused_when_it_listens_again)
TEST(server_pipe_pauses_and_rejects)

/* test-server-unix.c */
TEST_UNIX(server_rejects_with_one_descriptor_left, "fork()")
TEST_UNIX(server_pause_with_a_thousand_clients, "fork()")
TEST_UNIX(server_refuses_received_descriptors, "SCM_RIGHTS")

/* test-signal.c */
TEST_UNIX(signal_order_of_arrival, "signals that a process sends itself")
TEST_UNIX(signal_order_of_handles, "signals that a process sends itself")
TEST_UNIX(signal_flood_loses_nothing, "signals that a process sends itself")
TEST_UNIX(signal_raised_before_stop_and_start,
          "signals that a process sends itself")
TEST_UNIX(signal_raised_before_another_is_watched,
          "signals that a process sends itself")
TEST_UNIX(signal_raised_before_close, "signals that a process sends itself")
TEST_UNIX(signal_raised_in_a_callback, "signals that a process sends itself")
TEST_UNIX(signal_bad_number_stops_the_handle,
          "signals that a process sends itself")
TEST_UNIX(signal_oneshot_is_permanent, "signals that a process sends itself")
TEST_UNIX(signal_closed_in_its_callback_that_runs_the_loop,
          "signals that a process sends itself")
TEST_UNIX(thread_cancelled_in_a_signal_handler, "pthread_cancel()")
TEST_UNIX(thread_cancelled_in_a_send, "pthread_cancel()")

/* test-signal-many.c */
TEST_UNIX(signal_many_handles_ascending, "signals that a process sends itself")
TEST_UNIX(signal_many_handles_descending, "signals that a process sends itself")
TEST_UNIX(signal_many_handles_in_random_order,
          "signals that a process sends itself")
TEST_UNIX(signal_many_one_shot_handles, "signals that a process sends itself")
TEST_UNIX(signal_order_after_random_changes,
          "signals that a process sends itself")

/* test-storm.c */
TEST_UNIX(storm_accept_at_the_limit, "setrlimit()")
TEST_UNIX(storm_of_signals, "signals that a process sends itself")
TEST_UNIX(storm_of_foreign_children, "fork()")
TEST_UNIX(storm_of_forks_with_a_busy_pool, "fork()")
TEST(storm_of_sends_work_cancels_and_closes)

/* test-stderr.c */
TEST_UNIX(stderr_full_pipe_does_not_block, "in a file of unix tests")
TEST_UNIX(stderr_full_socket_does_not_block, "in a file of unix tests")
TEST_UNIX(stderr_without_a_reader_does_not_end_the_process, "SIGPIPE")
TEST_UNIX(stderr_pipe_gets_the_message, "in a file of unix tests")
TEST_UNIX(stderr_of_a_daemon_is_left_alone, "in a file of unix tests")
#if TEST_POSIX
HELPER(cause_a_message)
HELPER(cause_a_message_later)
#endif

/* test-stream.c */
TEST(stream_write_is_at_once_callback_is_later)
TEST(stream_close_cancels_in_order)
TEST(stream_write_bad_arguments)
TEST(stream_write_to_dead_peer)
TEST(stream_shutdown_rules)
TEST(stream_shutdown_cancelled_by_close)
TEST(stream_read_start_rules)
TEST(stream_read_no_buffer)
TEST(stream_read_eof_leaves_it_half_open)
TEST(stream_read_is_fair)
TEST(stream_stop_and_close_in_read)
TEST(stream_buffer_sizes)
TEST(stream_descriptor_is_closed_in_close)
TEST_UNIX(stream_set_blocking_keeps_callbacks_later, "O_NONBLOCK")
TEST(stream_write_of_very_many_buffers)
TEST(stream_try_write_after_shutdown)
TEST(stream_write_of_more_than_two_gigabytes)
TEST_UNIX(stream_read_stopped_by_its_alloc_callback, "reads after the poll")
TEST_UNIX(stream_read_of_a_blocking_descriptor_does_not_block,
          "descriptors that block")
TEST_UNIX(stream_reads_beside_a_writer_of_its_descriptor,
          "two streams on one descriptor")

/* test-stream-messages.c */
#undef MESSAGES
#define MESSAGES "descriptors that preserve messages"
TEST_UNIX(stream_messages_of_packet_sockets, MESSAGES)
TEST_UNIX(stream_messages_of_datagram_sockets, MESSAGES)
TEST_UNIX(stream_messages_of_packet_pipes, MESSAGES)
TEST_UNIX(stream_messages_without_data, MESSAGES)
TEST_UNIX(stream_messages_of_accepted_sockets, MESSAGES)

/* test-stream-turns.c */
#undef TURNS
#define TURNS "order of readiness and immediate writes"
TEST_UNIX(stream_connect_is_reported_by_the_poll, TURNS)
TEST_UNIX(stream_shutdown_in_connect_callback, TURNS)
TEST_UNIX(stream_write_in_connect_callback, TURNS)
TEST_UNIX(stream_writes_queued_while_connecting, TURNS)
TEST_UNIX(stream_shutdown_while_connecting, TURNS)
TEST_UNIX(stream_write_cancelled_while_connecting, TURNS)
TEST_UNIX(stream_failed_write_counts_until_reported, TURNS)
TEST_UNIX(stream_cancelled_writes_count_until_reported, TURNS)
TEST_UNIX(stream_failed_writes_one_by_one, TURNS)
TEST_UNIX(stream_failed_write_in_the_turn_of_the_end, TURNS)
TEST_UNIX(stream_close_in_write_callback_cancels_the_shutdown, TURNS)
TEST_UNIX(stream_empty_write_queued_while_connecting, TURNS)
TEST_UNIX(stream_write_and_shutdown_in_write_callback, TURNS)
TEST_UNIX(stream_read_error_is_reported_to_an_active_stream, TURNS)
TEST_UNIX(stream_end_after_data_is_in_the_next_turn, TURNS)
TEST_UNIX(stream_end_by_hangup_takes_no_buffer, TURNS)

/* test-sysinfo-strings.c */
TEST(sysinfo_strings_bad_arguments)
TEST(sysinfo_strings_every_size)
TEST(sysinfo_exepath_is_truncated)
TEST_UNIX(sysinfo_tmpdir_variables, "TMPDIR and similar variables")
TEST(sysinfo_interface_unknown_index)
TEST(sysinfo_environ_values_with_equals)

/* test-sysinfo-unix.c */
TEST_UNIX(sysinfo_user_unknown_id, "numeric users and groups")
TEST_UNIX(sysinfo_group_freed_twice, "numeric users and groups")
TEST(sysinfo_homedir_without_variable)
TEST_UNIX(sysinfo_homedir_of_an_unknown_user, "numeric users")
TEST_UNIX(sysinfo_memory_resource_limit, "setrlimit()")
TEST_UNIX(sysinfo_memory_limit_above_the_memory, "setrlimit()")
TEST_UNIX(sysinfo_sleep_resumes_after_signals,
          "signals that interrupt system calls")
TEST_UNIX(sync_sem_wait_resumes_after_signals,
          "signals that interrupt system calls")
TEST(sysinfo_clock_bad_arguments)
TEST(sysinfo_kill_and_priority_of_no_process)
TEST(dl_symbols_of_the_program)

/* test-systems.c */
TEST_UNIX(system_udp_reuseaddr_shares_a_port, "socket options of the BSDs")
TEST_UNIX(system_templates_end_with_six_x, "mkdtemp() and mkostemp()")
TEST_UNIX(system_unbound_pipe_has_no_name, "unix sockets")
TEST_UNIX(system_poll_the_fd_of_a_loop, "loops that are descriptors")
TEST_UNIX(system_connected_at_once, "numeric descriptors")
TEST_UNIX(system_refused_at_once, "connect() of the BSDs")
TEST_UNIX(system_tcp_bind_without_dual_stack, "socket options of the BSDs")
TEST_UNIX(system_write_to_a_peer_that_left, "errors of macOS")
TEST_UNIX(system_queued_write_to_a_pipe_without_reader, "pipes of the BSDs")
TEST_UNIX(system_clock_is_finer_than_a_microsecond, "the clock of macOS")

/* test-tcp.c */
TEST(tcp_connection_waits_for_accept)
TEST(tcp_address_in_use_is_deferred)
TEST_UNIX(tcp_refused_connect_changes_nothing, "errors of connect()")
TEST_UNIX(tcp_address_in_use_fails_the_connect, "errors that bind defers")
TEST(tcp_connect_refused_is_reported_later)
TEST(tcp_close_while_connecting_loopback)
TEST(tcp_listen_binds_implicitly)
TEST_UNIX(tcp_listen_without_a_callback,
          "a backlog that the library leaves alone")
TEST(tcp_options_before_the_socket)
TEST(tcp_options_on_a_connection)
TEST(tcp_close_reset)
TEST(tcp_close_reset_after_shutdown)
TEST_UNIX(tcp_open_twice, "numeric descriptors")
TEST(tcp_fileno_and_bind_after_close)
TEST(tcp_write_of_very_many_large_buffers)
TEST_UNIX(tcp_accept_into_a_closing_handle, "errors as on unix")

/* test-thread-affinity.c */
TEST(thread_affinity_bad_arguments)
TEST(thread_affinity_single_cpu)
TEST(thread_priority_bad_arguments)

/* test-thread-create.c */
TEST(thread_create_bad_arguments)
TEST(thread_create_argument_and_join_order)
TEST(thread_stack_size_is_usable)
TEST(thread_stack_size_too_small_is_raised)
TEST(thread_stack_size_impossible_is_refused)
TEST(thread_detach_runs_to_its_end)
TEST(thread_self_differs_between_threads)

/* test-thread-name.c */
TEST(thread_name_bad_arguments)
TEST(thread_name_every_buffer_size)
TEST(thread_name_long_is_truncated)
TEST(thread_name_of_another_thread)

/* test-thread-sync.c */
TEST(sync_once_runs_once_and_everybody_waits)
TEST(sync_cond_timedwait_is_not_early)
TEST(sync_cond_timedwait_for_ever)
TEST(sync_rwlock_last_reader_out_is_not_first_in)
TEST(sync_mutex_trylock_while_held)
TEST(sync_init_impossible_counts)

/* test-thread-win.c */
TEST_WINDOWS(thread_self_of_foreign_threads_leaks_nothing, "thread handles")
TEST_WINDOWS(thread_self_is_the_same_in_every_fiber, "fibers")
TEST_WINDOWS(thread_self_needs_no_slot_for_fibers, "fibers")
TEST_WINDOWS(thread_priority_after_join, "thread handles")

/* test-timer-memory.c */
TEST(timer_memory_returns_after_stop)
TEST(timer_memory_returns_after_firing)
TEST(timer_memory_shrinks_around_the_rest)
TEST(timer_memory_refused_while_stopping)
TEST(timer_memory_is_not_moved_to_and_fro)
TEST(timer_memory_of_repeating_timers_stays)

/* test-timer-signals.c */
TEST_UNIX(timer_once_waits_through_signals,
          "signals that interrupt system calls")
TEST_UNIX(timer_never_early_under_signals,
          "signals that interrupt system calls")
TEST(timer_repeat_period_is_never_short)

/* test-timer.c */
TEST(timer_due_together_are_inactive)
TEST(timer_due_together_stopped_or_closed)
TEST(timer_due_together_started_again)
TEST(timer_callback_runs_the_loop)
TEST(timer_many_due_together_repeat)
TEST(timer_again_while_closing)
TEST(loop_time_in_idle_and_prepare)
TEST(loop_time_of_a_stopped_run)
TEST(backend_timeout_before_the_first_round)
TEST(backend_timeout_after_a_restart)
TEST(backend_timeout_while_timers_start)
TEST(backend_timeout_while_all_timers_come_and_go)

/* test-trace.c */
TEST(trace_more_sends_than_it_remembers)
TEST(trace_refuses_what_it_cannot_do)
TEST(trace_has_every_callback_of_four_loops_once)
TEST(trace_leaves_out_the_handles_of_the_library)
TEST(trace_can_be_stopped_while_others_record)
TEST(trace_threads_leave_their_rings_to_others)
TEST(trace_of_a_child_has_a_file_of_its_own)
TEST(trace_environment_never_fails_a_program)
TEST(trace_started_by_the_program_comes_before_the_environment)
HELPER(run_traced)

/* test-trace-details.c */
TEST(trace_details_say_what_slices_are_about)
TEST(trace_without_details_names_nobody)
TEST(trace_details_of_handles_that_are_used_again)
TEST(trace_details_of_the_environment)
HELPER(exit_at_once)

/* test-trace-memory.c */
TEST(trace_memory_is_written_on_request)
TEST(trace_memory_refuses_what_it_cannot_do)
TEST(trace_memory_that_nobody_wants_leaves_no_file)
TEST(trace_memory_is_bounded)
TEST(trace_memory_has_what_is_running)
TEST(trace_memory_is_written_by_the_watchdog)
TEST(trace_memory_is_written_by_many_threads)

/* test-trace-crash.c */
TEST_UNIX(trace_crash_writes_the_record, "signals of faults")
TEST_UNIX(trace_crash_by_abort, "signals of faults")
TEST_UNIX(trace_crash_by_each_signal, "signals of faults")
TEST_UNIX(trace_crash_calls_the_programs_handler, "signals of faults")
TEST_UNIX(trace_crash_that_the_program_survives, "signals of faults")
TEST_UNIX(trace_crash_of_a_forked_child_is_its_own, "fork()")
TEST_UNIX(trace_crash_while_the_writer_waits_for_a_lock, "signals of faults")
TEST_UNIX(trace_signal_starts_and_ends_a_trace, "kill()")
TEST_UNIX(trace_signal_writes_the_record, "kill()")
TEST_UNIX(trace_signal_and_memory_are_checked, "kill()")
TEST_UNIX(trace_memory_of_the_environment_is_checked, "kill()")

/* test-trace-unix.c */
TEST_UNIX(trace_forked_child_goes_on_in_a_file_of_its_own, "fork()")
TEST_UNIX(trace_forked_child_without_a_name_stops, "fork()")
TEST_UNIX(trace_forked_child_may_just_exit, "fork()")
TEST_UNIX(trace_of_a_killed_process_is_readable, "fork()")
TEST_UNIX(trace_that_fills_the_disk_ends_and_says_so_once, "RLIMIT_FSIZE")
TEST_UNIX(trace_files_are_private_and_nobody_elses, "modes of files")
TEST_UNIX(trace_file_of_another_user_is_refused, "modes of files")
TEST_UNIX(trace_file_in_use_is_refused, "fork()")
TEST_UNIX(environment_is_ignored_with_raised_rights, "set-user-ID")
#if TEST_POSIX
HELPER(run_with_raised_rights)
#endif

/* test-tty.c */
TEST_UNIX(tty_modes_and_reset, "pseudo-terminals")
TEST_UNIX(tty_raw_vt_is_raw, "pseudo-terminals")
TEST_UNIX(tty_close_restores_the_mode, "pseudo-terminals")
TEST_UNIX(tty_close_of_the_second_handle_keeps_the_mode, "pseudo-terminals")
TEST_UNIX(tty_close_of_the_first_handle_restores_the_mode, "pseudo-terminals")
TEST(tty_reset_without_anything_to_reset)
TEST_UNIX(tty_winsize, "pseudo-terminals")
TEST(tty_refuses_other_files)
TEST(tty_vterm_state)
TEST_UNIX(tty_nonblocking_does_not_leak, "O_NONBLOCK")
TEST_UNIX(tty_on_a_socket, "terminals that are files")
TEST_UNIX(tty_read_all_before_hangup, "pseudo-terminals")
TEST_UNIX(tty_fork_while_another_thread_sets_the_mode, "pseudo-terminals")

/* test-udp.c */
TEST(udp_send_queue_counters)
TEST(udp_empty_datagram_and_drained)
TEST(udp_try_send_rules)
TEST(udp_send_of_more_than_two_gigabytes)
TEST(udp_try_send2_many)
TEST(udp_open_ex_flags)
TEST(udp_recvmmsg_buffer_too_small)
TEST(udp_recvmmsg_one_terminal_callback)
TEST(udp_close_in_send_callback)
TEST_UNIX(udp_close_cancels_what_is_queued, "collected datagrams")
TEST_UNIX(udp_send_in_send_callback_waits_for_the_poll, "collected datagrams")
TEST_UNIX(udp_recv_stop_beside_sends, "collected datagrams")
TEST(udp_recv_stopped_by_its_alloc_callback)
TEST(udp_recvmmsg_stopped_by_its_alloc_callback)
TEST_UNIX(udp_send_error_ends_the_turn, "collected datagrams")
TEST(udp_multicast_loop_range)

/* test-udp-gso.c */
TEST_UNIX(udp_gso_of_any_sizes, "collected datagrams")
TEST_UNIX(udp_gso_of_any_sizes6, "collected datagrams")
TEST_UNIX(udp_gso_connected, "collected datagrams")
TEST_UNIX(udp_gso_try_send2, "collected datagrams")
TEST_UNIX(udp_gso_try_send2_of_unequal_sizes, "collected datagrams")
TEST_UNIX(udp_gso_try_send2_refused, "collected datagrams")
TEST_UNIX(udp_gso_refused, "SO_NO_CHECK")
TEST_UNIX(udp_gso_unix_socket, "datagram sockets with names")

/* test-udp-errors.c */
TEST_UNIX(udp_error_queue_unreachable, "the error queue of a socket")
TEST_UNIX(udp_error_queue_unreachable6, "the error queue of a socket")
TEST_UNIX(udp_error_queue_in_chunks, "the error queue of a socket")
TEST_UNIX(udp_error_queue_beside_failed_send, "the error queue of a socket")
TEST_UNIX(udp_error_callback_closes, "pending socket errors")
TEST_UNIX(udp_error_without_receiver, "pending socket errors")

/* test-udp-options.c */
TEST(udp_options_bad_arguments)
TEST(udp_options_bad_send_options)
TEST(udp_options_tos_of_each)
TEST(udp_options_tos_of_each6)
TEST(udp_options_tos_of_each_mapped)
TEST(udp_options_tos_of_each_recvmmsg)
TEST(udp_options_tos_of_each_recvmmsg6)
TEST(udp_options_tos_of_socket)
TEST(udp_options_tos_of_socket6)
TEST(udp_options_tos_of_socket_mapped)
TEST(udp_options_connected)
TEST(udp_options_connected6)
TEST(udp_options_connected_mapped)
TEST(udp_options_source)
TEST(udp_options_source6)
TEST(udp_options_source_mapped)
TEST(udp_options_second_source)
TEST(udp_options_source_of_other_family)
TEST(udp_options_segments)
TEST(udp_options_segments6)
TEST(udp_options_segments_mapped)
TEST(udp_options_coalesced)
TEST(udp_options_coalesced6)
TEST(udp_options_coalesced_recvmmsg)
TEST(udp_options_too_many_segments)
TEST(udp_options_try_send_many)
TEST(udp_options_try_send_many6)
TEST(udp_options_try_send_stops)
TEST(udp_options_only_what_was_asked)
TEST(udp_options_only_what_was_asked6)
TEST(udp_options_only_what_was_asked_mapped)
TEST(udp_options_mask_changed_in_callback)
TEST(udp_options_mask_changed_in_callback6)
TEST(udp_options_nested_run)
TEST(udp_options_info_elsewhere)
TEST(udp_options_dontfrag_and_mtu)

/* test-udp-options-unix.c */
TEST_UNIX(udp_options_wait_for_room, "functions of the C library replaced")
TEST_UNIX(udp_options_cancelled, "functions of the C library replaced")
TEST_UNIX(udp_options_deadline, "functions of the C library replaced")
TEST_UNIX(udp_options_close_with_queue, "functions of the C library replaced")
TEST_UNIX(udp_options_of_many_buffers, "functions of the C library replaced")
TEST_UNIX(udp_options_unix_socket, "datagrams of Unix sockets")
TEST_UNIX(udp_options_release, "socket options")
TEST_UNIX(udp_options_beside_the_error_queue, "the error queue of a socket")

/* test-udp-socket.c */
TEST_UNIX(udp_opened_then_bound_by_the_program, "sockets bound with bind(2)")
TEST_UNIX(udp_created_early_then_bound_by_the_program,
          "sockets bound with bind(2)")
TEST_UNIX(udp_opened_then_bound_by_sendto, "sockets bound by sendto(2)")
TEST_UNIX(udp_bound_by_try_send2, "sockets bound by sendmmsg(2)")
TEST_UNIX(udp_recv_start_then_bind, "receiving on a socket without an address")
TEST_UNIX(udp_recv_start_binds_its_own_socket,
          "receiving on a socket without an address")
TEST_UNIX(udp_membership_binds_its_own_socket, "sockets made on demand")
TEST_UNIX(udp_try_send2_checks_all_addresses, "MSG_DONTWAIT")
TEST_UNIX(udp_opened_ipv6_socket, "sockets of the program")
TEST_UNIX(udp_queued_send_of_many_buffers, "unix sockets for datagrams")
TEST_UNIX(udp_recv_truncated, "a datagram in two pieces")
TEST_UNIX(udp_recv_truncated_unix_datagram, "unix sockets for datagrams")
TEST_UNIX(udp_opened_socket_shares_its_port, "sockets that share a port")
TEST_UNIX(udp_try_send2_stops_at_a_bad_batch, "sendmmsg(2)")
TEST_UNIX(udp_reuseport_joins_reuseaddr, "sockets that share a port")
TEST_UNIX(tcp_reuseport_binds_over_time_wait, "sockets that share a port")

/* test-udp-win.c */
TEST_WINDOWS(udp_connected_to_a_closed_port_still_receives, "WSAECONNRESET")

/* test-tcp-win.c */
TEST_WINDOWS(tcp_failed_connect_leaves_nothing_to_write_to, "EPIPE")
TEST_WINDOWS(tcp_simultaneous_accepts_by_state, "AcceptEx()")
TEST_WINDOWS(tcp_close_with_a_write_callback_due, "requests of the port")

/* test-order-win.c */
TEST_WINDOWS(async_callbacks_in_order_of_sends, "order of sends")
TEST_WINDOWS(async_close_waits_for_its_packet, "packets of sends")
TEST_WINDOWS(pipe_write_that_is_taken_skips_the_port, "completion ports")
TEST_WINDOWS(close_phase_takes_one_handle_at_a_time, "close phase in turns")
TEST_WINDOWS(loop_takes_a_limited_number_of_packets, "packets of a port")
TEST_WINDOWS(tcp_shutdown_follows_the_last_write, "one iteration for both")

/* test-poll-win.c */
TEST_WINDOWS(poll_two_handles_of_a_socket, "UV_EEXIST for the second")
TEST_WINDOWS(poll_events_before_a_start_are_not_reported, "poll requests")
TEST_WINDOWS(poll_start_of_a_closed_socket, "poll requests")

/* test-real-win.c */
TEST_WINDOWS(loop_timer_is_not_late_after_sleep, "time-outs of ports")
TEST_WINDOWS(tcp_write_without_buffers_is_overlapped, "WSAENOBUFS")
TEST_WINDOWS(poll_socket_of_another_provider, "base providers")
TEST_WINDOWS(sysinfo_machine_is_not_the_programs, "WOW64")
TEST_WINDOWS(tty_raw_vt_is_never_refused, "consoles")
TEST_WINDOWS(tty_cursor_restored_in_the_last_row, "consoles")

/* test-immediate-win.c */
TEST_WINDOWS(pipe_write_without_a_reader_is_refused, "named pipes")
TEST_WINDOWS(pipe_connect_of_a_connection_is_busy, "named pipes")
TEST_WINDOWS(tcp_try_write_in_a_write_callback, "writes counted longer")
TEST_WINDOWS(stream_write_of_nothing, "a write of nothing is a request")
TEST_WINDOWS(fs_transfer_of_nothing, "errors of empty transfers")
TEST_WINDOWS(fs_directory_is_not_a_file, "errors of directories")
TEST_WINDOWS(fs_poll_close_is_in_its_turn, "a close phase in turns")

/* test-results-win.c */
TEST_WINDOWS(udp_last_send_stops_the_handle, "inactive in the callback")
TEST_WINDOWS(signal_bad_number_changes_nothing, "numbers checked first")
TEST_WINDOWS(tcp_connecting_is_not_open_yet, "streams that open later")
TEST_WINDOWS(pipe_known_error_survives_the_close, "named pipes")
TEST_WINDOWS(pipe_peer_name_while_connecting, "named pipes")
TEST_WINDOWS(pipe_names_without_a_peer, "named pipes")
TEST_WINDOWS(udp_truncated_datagram_ends_the_turn, "WSAEMSGSIZE")
TEST_WINDOWS(tcp_write_that_fails_at_once_is_not_queued, "sends that fail")
TEST_WINDOWS(pipe_close_cancels_writes_in_order, "writes in the port")
TEST_WINDOWS(buffer_size_without_a_socket, "UV_ENOTSOCK")
TEST_WINDOWS(thread_affinity_to_a_missing_cpu, "masks with missing CPUs")

/* test-open-win.c */
TEST_WINDOWS(open_of_what_is_no_socket, "descriptors and sockets")
TEST_WINDOWS(pipe_open_of_what_is_no_pipe, "descriptors of the C runtime")
TEST_WINDOWS(socketpair_of_other_types, "Winsock")
TEST_WINDOWS(fs_chmod_of_a_device_changes_nothing, "the device NUL")

/* test-system-win.c */
TEST_WINDOWS(dl_message_is_the_systems, "texts of FormatMessage()")
TEST_WINDOWS(thread_affinity_with_a_missing_cpu, "masks of a group")
TEST_WINDOWS(tty_of_a_file_is_a_bad_descriptor, "consoles")
TEST_WINDOWS(sysinfo_title_needs_a_console, "titles of consoles")
TEST_WINDOWS(sysinfo_homedir_that_is_no_path, "USERPROFILE")
TEST_WINDOWS(sysinfo_uname_tells_the_compiler, "names of compilers")

/* test-uring.c */
TEST_UNIX(uring_results_equal_the_pools, "io_uring")
TEST_UNIX(uring_all_results_equal_the_pools, "io_uring")
TEST_UNIX(uring_polled_results_equal_the_pools, "io_uring")
TEST_UNIX(uring_polled_all_results_equal_the_pools, "io_uring")
TEST_UNIX(uring_does_what_it_says, "io_uring")
TEST_UNIX(uring_tells_node_whether_it_is_used, "io_uring")
TEST_UNIX(uring_more_than_there_is_room_for, "io_uring")
TEST_UNIX(uring_polled_more_than_there_is_room_for, "io_uring")
TEST_UNIX(uring_reads_in_callbacks, "io_uring")
TEST_UNIX(uring_writes_at_the_cursor, "io_uring")
TEST_UNIX(uring_write_is_never_short, "io_uring")
TEST_UNIX(uring_cancel, "io_uring")
TEST_UNIX(uring_cancel_while_observed, "io_uring")
TEST_UNIX(uring_polled_cancel_is_refused, "io_uring")
TEST_UNIX(uring_large_transfers, "io_uring")
TEST_UNIX(uring_short_write_keeps_what_was_written, "io_uring")
TEST_UNIX(uring_fork, "io_uring")
TEST_UNIX(uring_fork_without_telling_the_loop, "io_uring")
TEST_UNIX(uring_embedded, "io_uring")
TEST_UNIX(uring_chain_beside_timers_and_idle, "io_uring")
TEST_UNIX(uring_thread_ends, "io_uring")

/* test-uring-rights.c */
TEST_UNIX(uring_is_not_used_unless_requested, "io_uring")
TEST_UNIX(uring_refused_uses_the_pool, "io_uring")
TEST_UNIX(uring_refused_later_uses_the_pool, "io_uring")
TEST_UNIX(uring_dropped_credentials_are_gone, "io_uring")

/* test-watchdog.c */
TEST(watchdog_reports_a_blocked_loop_once)
TEST(watchdog_refuses_what_it_cannot_do)
TEST(watchdog_takes_options_of_an_older_header)
TEST(watchdog_leaves_idle_loops_alone)

/* test-watchdog-generated.c */
TEST_UNIX(watchdog_backtrace_names_generated_code, "signals to threads")
TEST_UNIX(watchdog_backtrace_ignores_a_map_behind_a_link, "signals to threads")

/* test-watchdog-unix.c */
TEST_UNIX(watchdog_samples_go_into_the_trace, "signals to threads")
TEST_UNIX(watchdog_backtrace_of_a_sleeping_callback, "signals to threads")
TEST_UNIX(watchdog_backtrace_of_a_busy_callback, "signals to threads")
TEST_UNIX(watchdog_backtrace_that_is_not_to_be_had, "signals to threads")
TEST_UNIX(watchdog_signal_in_use_is_refused, "signals to threads")
TEST_UNIX(watchdog_signal_of_the_environment, "signals to threads")

/* test-lanes.c */
TEST(lanes_others_run_beside_blocked_work)
TEST(lanes_off)
TEST(lanes_off_with_a_size)
TEST(lanes_value_unknown_with_a_size)
TEST(lanes_on_with_a_size)
TEST(lanes_work_may_wait_for_a_file_of_another_loop)
TEST(lanes_keep_the_order_within_a_lane)
TEST(lanes_nested_run_delivers_all_of_them)
TEST(lanes_run_nowait)
TEST(lanes_of_many_loops_with_random_cancels)

/* test-lanes-unix.c */
TEST_UNIX(lanes_files_behind_4_stuck_ones, "FIFOs and fork")
TEST_UNIX(lanes_files_behind_6_stuck_ones, "FIFOs and fork")
TEST_UNIX(lanes_files_behind_12_stuck_ones, "FIFOs and fork")
TEST_UNIX(lanes_files_wait_behind_16_stuck_ones, "FIFOs and fork")
TEST_UNIX(lanes_submit_notices_stuck_files, "FIFOs and fork")
TEST_UNIX(lanes_off_stuck_files_stop_all, "FIFOs and fork")
TEST_UNIX(lanes_stuck_files_limit_the_backend_timeout, "FIFOs and fork")
TEST_UNIX(lanes_stuck_files_do_not_wake_other_loops, "FIFOs and fork")
TEST_UNIX(lanes_threads_exist_after_the_first_callback, "FIFOs and fork")
TEST_UNIX(lanes_off_threads, "FIFOs and fork")
TEST_UNIX(lanes_with_a_size_threads, "FIFOs and fork")
TEST_UNIX(lanes_fork_with_every_lane_busy, "FIFOs and fork")

/* test-work.c */
TEST(work_cancel_twice)
TEST(work_done_is_reported_while_workers_block)
TEST_UNIX(work_queued_at_the_shutdown, "fork()")
TEST_UNIX(work_submitted_during_the_shutdown, "fork()")
TEST(work_saturated_and_asyncs)
TEST_UNIX(work_submitted_twice_is_fatal, "fork()")

/* test-work-threads.c */
TEST(work_items_wait_for_each_other)
TEST(work_one_at_a_time_reaches_every_thread)
TEST(work_cancel_many_newest_first)

/* test-write-cancel.c */
TEST(write_cancel_queued)
TEST(write_cancel_partly_written)
TEST(write_cancel_finished)
TEST_UNIX(write_cancel_twice, "a write queue of our own")
TEST(write_cancel_after_close)
TEST(write_cancel_before_shutdown)
TEST(write_nwritten_many_buffers)
TEST(try_write2_rules)
TEST_UNIX(try_write2_sends_a_handle, "descriptors passed over a socket pair")
