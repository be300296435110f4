/* SPDX-License-Identifier: MIT */
/* Every contract test; included by unit/main.c with different meanings of
 * UNIT, so without a guard. EACH_POLLER makes one test per poller. */
#ifndef EACH_POLLER
# define EACH_POLLER(name)                                                     \
   UNIT(name##_epoll) UNIT(name##_kqueue) UNIT(name##_poll)
#endif

/* contract.c */
UNIT(every_poller_is_covered)
UNIT(environment_chooses_the_poller)

/* contract-wait.c */
EACH_POLLER(p1_wake_from_another_thread)
EACH_POLLER(p1_wake_from_a_signal_handler)
EACH_POLLER(p3_waits_as_long_as_asked)
EACH_POLLER(p3_interrupted_wait_returns_0)
EACH_POLLER(p3_blocked_signal)
EACH_POLLER(p6_wake_before_wait_is_kept)
EACH_POLLER(p6_many_wakes_are_one)
EACH_POLLER(p6_wake_beside_events)
EACH_POLLER(p6_wake_without_room)
EACH_POLLER(p6_no_wake_is_lost)
EACH_POLLER(p7_reopen_in_a_child)
EACH_POLLER(p7_open_and_close_leak_nothing)

/* contract-watch.c */
EACH_POLLER(p2_level_is_reported_again)
EACH_POLLER(p2_level_before_apply)
EACH_POLLER(p2_only_what_was_asked_for)
EACH_POLLER(p2_hangup_and_half_close)
EACH_POLLER(p2_error_of_a_socket)
EACH_POLLER(p2_priority_data)
EACH_POLLER(p2_priority_data_without_a_filter)
EACH_POLLER(p2_terminal)
EACH_POLLER(p2_terminal_refused_by_the_kernel)
EACH_POLLER(p2_more_ready_than_room)
EACH_POLLER(p2_many_descriptors_in_any_order)
EACH_POLLER(p2_end_of_a_child)
EACH_POLLER(p4_regular_file_is_refused)
EACH_POLLER(p4_closed_descriptor_is_refused)
EACH_POLLER(p4_probe_changes_nothing)
EACH_POLLER(p4_descriptor_closed_while_watched)
EACH_POLLER(p4_number_reused_behind_its_back)
EACH_POLLER(p5_nothing_after_forget)
EACH_POLLER(p5_forget_with_a_duplicate_open)
EACH_POLLER(p8_reused_number_is_silent_until_applied)
