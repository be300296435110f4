/* SPDX-License-Identifier: MIT */
/* Every black-box test and every helper; included with different meanings of
 * TEST and HELPER, so without a guard. A file together, in the order of the
 * file names. */

/* test-async.c */
TEST(async_many_handles_many_threads)
TEST(async_last_send_is_never_lost)
TEST(async_send_in_callback_is_another_iteration)
TEST(async_callbacks_in_order_of_making)
TEST(async_close_keeps_the_others_sends)
TEST(async_callback_closes_the_rest_of_the_batch)
TEST(async_close_while_others_send)
TEST(async_close_races_with_send)

/* test-bad-input.c */
TEST(bad_input_is_named)

/* test-dead-fd.c */
TEST(dead_fd_stream_before_first_poll)
TEST(dead_fd_stream_while_reading)
TEST(dead_fd_stream_write)
TEST(dead_fd_udp)
TEST(dead_fd_poll_handle)
TEST(dead_fd_number_reused)
TEST(dead_fd_listening_socket)

/* test-fs.c */
TEST(fs_sync_needs_no_loop)
TEST(fs_async_copies_what_it_needs)
TEST(fs_scandir_lists_and_ends)
TEST(fs_opendir_outlives_its_request)
TEST(fs_realpath_and_readlink_of_long_names)
TEST(fs_cancel_everything_queued)
TEST(getaddrinfo_overlong_and_empty_names)
TEST(getaddrinfo_without_a_loop)
TEST(fs_poll_tells_an_error_once)
TEST(fs_event_create_is_rename)
TEST(fs_write_of_more_than_two_gigabytes_is_short)
TEST(threadpool_size_nonsense_is_the_default)

/* test-fs-copy.c */
TEST(fs_copyfile_clone_rules)
TEST(fs_copyfile_without_clones)

/* test-limits.c */
TEST(limit_loop_init_without_descriptors)
TEST(limit_everyday_calls_without_descriptors)
TEST(limit_accept_without_descriptors)
TEST(limit_spawn_without_descriptors)
TEST(limit_first_worker_refused)
TEST(limit_ring_without_workers)
TEST(limit_second_worker_refused)
TEST(limit_spawn_without_processes)
TEST(limit_disk_full_or_read_only)

/* test-loop.c */
TEST(loop_init_keeps_data_and_refuses_null)
TEST(loop_close_busy_until_closed)
TEST(loop_closed_tells_the_time)
TEST(loop_default_can_be_made_again)
TEST(loop_configure_unknown_option)
TEST(loop_close_order_is_last_in_first_out)
TEST(loop_alive_and_references)
TEST(loop_start_without_callback)
TEST(loop_fork_keeps_watchers)
TEST(loop_fork_thread_pool)
TEST(signal_after_what_was_sent_before)
TEST(signal_every_handle_on_every_loop)
TEST(poll_handle_rules)
TEST(signal_callbacks_run_last)
TEST(poll_callback_closes_on_error)

/* test-names.c */
TEST(version_number_and_text_agree)
TEST(error_name_r_and_strerror_r)
TEST(error_name_r_cuts_and_ends)
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
TEST(no_memory_spawn_refused_by_the_poller)
TEST(no_memory_write)

/* test-pipe.c */
TEST(pipe_bind_over_a_file)
TEST(pipe_connect_to_nothing_is_told_later)
TEST(pipe_long_names)
TEST(pipe_bind2_reads_only_its_length)
TEST(pipe_abstract_name)
TEST(pipe_empty_name_is_made_up)
TEST(pipe_getsockname_sizes)
TEST(pipe_write2_rules)
TEST(pipe_untaken_descriptors_do_not_leak)
TEST(pipe_chmod_follows_no_link)

/* test-process.c */
TEST(process_killed_by_signal)
TEST(process_waited_for_by_the_program)
TEST(process_spawn_errors_are_told_at_once)
TEST(process_child_starts_clean)
TEST(process_disable_stdio_inheritance)
TEST(process_environment_and_directory)
TEST(process_looked_up_in_the_childs_path)
TEST(process_detached_is_a_session_leader)
TEST(process_setuid_drops_groups)
TEST(process_setuid_refused_is_told)
TEST(process_pipes_both_ways)
TEST(process_reaps_only_its_own)
TEST(process_close_while_it_runs)
HELPER(sleep_for_ever)
HELPER(check_clean_child)
HELPER(check_environment)
HELPER(check_session)
HELPER(check_identity)
HELPER(echo_stdin)

/* test-process-end.c */
TEST(process_end_of_many)
TEST(process_end_after_its_output)
TEST(process_end_reported_early)
TEST(process_end_before_it_is_watched)
TEST(process_end_refused_by_the_poller)
TEST(process_end_needs_no_sigchld)
TEST(process_end_reported_when_closed)
TEST(process_end_in_a_forked_loop)
HELPER(end_with_status)

/* test-pull.c */
TEST(pull_one_thread)
TEST(pull_two_threads)
TEST(pull_async_ends_the_wait)
TEST(pull_dispatch_is_bounded)
TEST(pull_thread_pool)

/* test-security-names.c */
TEST(security_host_name_cut_utf8)
TEST(security_host_name_is_never_cut)
TEST(security_wtf8_exact_fill)

/* test-security-rights.c */
TEST(security_files_after_a_change_of_user)
TEST(security_children_inherit_no_descriptors)
TEST(security_failed_spawn_leaves_nothing)
TEST(security_timers_closed_by_another)
HELPER(list_descriptors)

/* test-storm.c */
TEST(storm_accept_at_the_limit)
TEST(storm_of_signals)
TEST(storm_of_foreign_children)
TEST(storm_of_forks_with_a_busy_pool)
TEST(storm_of_sends_work_cancels_and_closes)

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
TEST(stream_set_blocking_keeps_callbacks_later)
TEST(stream_write_of_very_many_buffers)

/* test-sysinfo-strings.c */
TEST(sysinfo_strings_bad_arguments)
TEST(sysinfo_strings_every_size)
TEST(sysinfo_exepath_is_cut)
TEST(sysinfo_tmpdir_variables)
TEST(sysinfo_interface_unknown_index)
TEST(sysinfo_environ_values_with_equals)

/* test-sysinfo-unix.c */
TEST(sysinfo_user_unknown_id)
TEST(sysinfo_group_freed_twice)
TEST(sysinfo_homedir_without_variable)
TEST(sysinfo_memory_resource_limit)
TEST(sysinfo_sleep_resumes_after_signals)
TEST(sync_sem_wait_resumes_after_signals)
TEST(sysinfo_clock_bad_arguments)
TEST(sysinfo_kill_and_priority_of_nobody)
TEST(dl_symbols_of_the_program)

/* test-tcp.c */
TEST(tcp_connection_waits_for_accept)
TEST(tcp_address_in_use_is_deferred)
TEST(tcp_connect_refused_is_told_later)
TEST(tcp_close_while_connecting_loopback)
TEST(tcp_listen_binds_implicitly)
TEST(tcp_options_before_the_socket)
TEST(tcp_options_on_a_connection)
TEST(tcp_close_reset)
TEST(tcp_fileno_and_bind_after_close)
TEST(tcp_write_of_very_many_large_buffers)

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
TEST(thread_name_long_is_cut)
TEST(thread_name_of_another_thread)

/* test-thread-sync.c */
TEST(sync_once_runs_once_and_everybody_waits)
TEST(sync_cond_timedwait_is_not_early)
TEST(sync_cond_timedwait_for_ever)
TEST(sync_rwlock_last_reader_out_is_not_first_in)
TEST(sync_mutex_trylock_while_held)
TEST(sync_init_impossible_counts)

/* test-timer-signals.c */
TEST(timer_once_waits_through_signals)
TEST(timer_never_early_under_signals)
TEST(timer_repeat_period_is_never_short)

/* test-tty.c */
TEST(tty_modes_and_reset)
TEST(tty_close_restores_the_mode)
TEST(tty_reset_without_anything_to_reset)
TEST(tty_winsize)
TEST(tty_refuses_what_is_none)
TEST(tty_vterm_state)
TEST(tty_nonblocking_does_not_leak)
TEST(tty_read_all_before_hangup)

/* test-udp.c */
TEST(udp_send_queue_counters)
TEST(udp_empty_datagram_and_drained)
TEST(udp_try_send_rules)
TEST(udp_try_send2_many)
TEST(udp_open_ex_flags)
TEST(udp_recvmmsg_buffer_too_small)
TEST(udp_recvmmsg_one_terminal_callback)
TEST(udp_close_in_send_callback)

/* test-uring.c */
TEST(uring_results_are_the_pools)
TEST(uring_all_results_are_the_pools)
TEST(uring_polled_results_are_the_pools)
TEST(uring_polled_all_results_are_the_pools)
TEST(uring_does_what_it_says)
TEST(uring_more_than_there_is_room_for)
TEST(uring_polled_more_than_there_is_room_for)
TEST(uring_reads_in_callbacks)
TEST(uring_writes_at_the_cursor)
TEST(uring_write_is_never_short)
TEST(uring_cancel)
TEST(uring_fork)
TEST(uring_fork_without_telling_the_loop)
TEST(uring_embedded)
TEST(uring_chain_beside_timers_and_idle)
TEST(uring_thread_ends)

/* test-uring-rights.c */
TEST(uring_is_not_touched_unless_asked_for)
TEST(uring_refused_is_the_pool)
TEST(uring_refused_later_is_the_pool)
TEST(uring_rights_given_up_are_gone)

/* test-write-cancel.c */
TEST(write_cancel_queued)
TEST(write_cancel_partly_written)
TEST(write_cancel_finished)
TEST(write_cancel_after_close)
TEST(write_cancel_before_shutdown)
TEST(write_nwritten_many_buffers)
TEST(try_write2_rules)
TEST(try_write2_sends_a_handle)
