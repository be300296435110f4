/* SPDX-License-Identifier: MIT */
/* Every contract test; included by unit/main.c with different meanings of
 * UNIT, so without a guard. EACH_POLLER makes one test per poller; EACH_WATCHER
 * is for those with watch operations, EACH_PORT for those without, EACH_FORKER
 * where there are signal handlers and fork(). */
#ifndef EACH_POLLER
# if TEST_POSIX
#  define EACH_POLLER(name)                                                    \
   UNIT(name##_epoll)                                                          \
   UNIT(name##_kqueue)                                                         \
   UNIT(name##_poll)                                                           \
   UNIT(name##_select)
#  define EACH_WATCHER(name) EACH_POLLER(name)
#  define EACH_FORKER(name) EACH_POLLER(name)
#  define EACH_PORT(name)
# else
#  define EACH_POLLER(name) UNIT(name##_iocp)
#  define EACH_PORT(name) EACH_POLLER(name)
#  define EACH_WATCHER(name)                                                   \
   UNIT_LEFT_OUT(name##_iocp,                                                  \
                 "unix only: a completion port watches no descriptors")
#  define EACH_FORKER(name)                                                    \
   UNIT_LEFT_OUT(name##_iocp, "unix only: signal handlers and fork()")
# endif
#endif

/* contract.c */
UNIT(every_poller_is_covered)
UNIT(environment_chooses_the_poller)

/* contract-wait.c */
EACH_POLLER(p1_wake_from_another_thread)
EACH_FORKER(p1_wake_from_a_signal_handler)
EACH_POLLER(p3_waits_as_long_as_asked)
EACH_WATCHER(p3_waits_beside_a_quiet_descriptor)
EACH_FORKER(p3_interrupted_wait_returns_0)
EACH_FORKER(p3_blocked_signal)
EACH_POLLER(p6_wake_before_wait_is_kept)
EACH_POLLER(p6_many_wakes_are_one)
EACH_WATCHER(p6_wake_beside_events)
EACH_WATCHER(p6_wake_without_room)
EACH_POLLER(p6_no_wake_is_lost)
EACH_FORKER(p7_reopen_in_a_child)
EACH_FORKER(p7_child_forgets_a_terminal)
EACH_FORKER(p7_child_closes_with_a_terminal)
EACH_POLLER(p7_open_and_close_leak_nothing)

/* contract-req.c */
EACH_PORT(p2_request_is_reported_once)
EACH_PORT(p2_many_requests_in_one_wait)
EACH_PORT(p2_more_requests_than_room)
EACH_PORT(p6_wake_beside_requests)
EACH_PORT(p6_wake_without_room_beside_requests)
EACH_PORT(p6_resume_wakes_every_loop)
EACH_PORT(p7_requests_left_at_close)

/* contract-watch.c */
EACH_WATCHER(p2_level_is_reported_again)
EACH_WATCHER(p2_level_before_apply)
EACH_WATCHER(p2_only_what_was_asked_for)
EACH_WATCHER(p2_hangup_and_half_close)
EACH_WATCHER(p2_half_close_after_data)
EACH_WATCHER(p2_data_after_half_close)
EACH_WATCHER(p2_error_of_a_socket)
EACH_WATCHER(p2_priority_data)
EACH_WATCHER(p2_priority_data_without_a_filter)
EACH_WATCHER(p2_priority_data_on_macos)
EACH_WATCHER(p2_priority_data_read_first)
EACH_WATCHER(p2_priority_data_read_first_on_freebsd)
EACH_WATCHER(p2_priority_data_read_first_on_macos)
EACH_WATCHER(p2_priority_data_inline)
EACH_WATCHER(p2_priority_data_beside_other_data)
EACH_WATCHER(p2_reset_beside_priority_data)
EACH_WATCHER(p2_terminal)
EACH_WATCHER(p2_terminal_refused_by_the_kernel)
EACH_WATCHER(p2_more_ready_than_room)
EACH_WATCHER(p2_many_descriptors_in_any_order)
EACH_WATCHER(p2_end_of_a_child)
EACH_WATCHER(p4_regular_file_is_refused)
EACH_WATCHER(p4_closed_descriptor_is_refused)
EACH_WATCHER(p4_probe_changes_nothing)
EACH_WATCHER(p4_descriptor_closed_while_watched)
EACH_WATCHER(p4_number_reused_behind_its_back)
EACH_WATCHER(p4_number_reused_with_another_interest)
EACH_WATCHER(p4_pipe_without_a_reader)
EACH_WATCHER(p4_registering_again_looks_at_the_descriptor)
EACH_WATCHER(p5_nothing_after_forget)
EACH_WATCHER(p5_forget_with_a_duplicate_open)
EACH_WATCHER(p8_reused_number_is_silent_until_applied)
