/* SPDX-License-Identifier: MIT */
/* Included before everything else on unix: the same objects are linked with
 * older libraries, which lack these. Windows has one libuv to compare with,
 * which has them all. */
#pragma weak uv_clock_gettime
#pragma weak uv_cpumask_size
#pragma weak uv_get_available_memory
#pragma weak uv_getrusage_thread
#pragma weak uv_metrics_info
#pragma weak uv_os_free_group
#pragma weak uv_os_get_group
#pragma weak uv_os_get_passwd2
#pragma weak uv_pipe_bind2
#pragma weak uv_pipe_connect2
#pragma weak uv_tcp_keepalive_ex
#pragma weak uv_thread_detach
#pragma weak uv_thread_getaffinity
#pragma weak uv_thread_getcpu
#pragma weak uv_thread_getname
#pragma weak uv_thread_getpriority
#pragma weak uv_thread_setaffinity
#pragma weak uv_thread_setname
#pragma weak uv_thread_setpriority
#pragma weak uv_udp_open_ex
#pragma weak uv_udp_try_send2
#pragma weak uv_utf16_length_as_wtf8
#pragma weak uv_utf16_to_wtf8
#pragma weak uv_write_nwritten
#pragma weak uv_wtf8_length_as_utf16
#pragma weak uv_wtf8_to_utf16
