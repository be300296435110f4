/* SPDX-License-Identifier: MIT */
#ifndef SCENARIOS_H_
#define SCENARIOS_H_

#include "scenario.h"

void scenario_loop(void);
void scenario_closed_stdio(void);
void scenario_watchers(void);
void scenario_post(void);
void scenario_deadline(void);
void scenario_loops(void);
void scenario_listener(void);
void scenario_signal(void);
void scenario_poll(void);
void scenario_tty(void);
void scenario_tcp(void);
void scenario_pipe(void);
void scenario_fifo(void);
void scenario_ipc(void);
void scenario_udp(void);
void scenario_udp_options(void);
void scenario_udp_quic(void);
void scenario_process(void);
void scenario_process_detached(void);
void scenario_process_user(void);
void scenario_process_many(void);
void scenario_fs_event(void);
void scenario_tree(void);
void scenario_fs_poll(void);
void scenario_fs_async(void);
void scenario_fs_many(void);
void scenario_fs_sync(void);
void scenario_work(void);
void scenario_names(void);
void scenario_lanes(void);
void scenario_pools(void);
void scenario_threads(void);
void scenario_system(void);
void scenario_fork(void);
void scenario_observe(void);
void scenario_record(void);

#endif /* SCENARIOS_H_ */
