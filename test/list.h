/* SPDX-License-Identifier: MIT */
/* Every black-box test and every helper; included with different meanings of
 * TEST and HELPER, so without a guard. A file together, in the order of the
 * file names. */

/* test-async.c */
TEST(async_many_handles_many_threads)
TEST(async_last_send_is_never_lost)
TEST(async_send_in_callback_is_another_iteration)
TEST(async_close_keeps_the_others_sends)
TEST(async_callback_closes_the_rest_of_the_batch)
TEST(async_close_while_others_send)
TEST(async_close_races_with_send)

/* test-dead-fd.c */
TEST(dead_fd_stream_before_first_poll)
TEST(dead_fd_stream_while_reading)
TEST(dead_fd_stream_write)
TEST(dead_fd_udp)
TEST(dead_fd_poll_handle)
TEST(dead_fd_number_reused)
TEST(dead_fd_listening_socket)

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

/* test-pull.c */
TEST(pull_one_thread)
TEST(pull_two_threads)
TEST(pull_async_ends_the_wait)
TEST(pull_dispatch_is_bounded)
TEST(pull_thread_pool)

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

/* test-write-cancel.c */
TEST(write_cancel_queued)
TEST(write_cancel_partly_written)
TEST(write_cancel_finished)
TEST(write_cancel_after_close)
TEST(write_cancel_before_shutdown)
TEST(write_nwritten_many_buffers)
TEST(try_write2_rules)
TEST(try_write2_sends_a_handle)
