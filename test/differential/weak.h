/* SPDX-License-Identifier: MIT */
/* Included before everything else on unix: the same objects are linked with
 * older libraries, which lack these. Windows has one libuv to compare with,
 * which has them all. */
#pragma weak uv_clock_gettime
#pragma weak uv_metrics_info
#pragma weak uv_os_free_group
#pragma weak uv_os_get_group
#pragma weak uv_os_get_passwd2
#pragma weak uv_thread_getname
#pragma weak uv_thread_setname
#pragma weak uv_udp_try_send2
#pragma weak uv_utf16_length_as_wtf8
#pragma weak uv_utf16_to_wtf8
#pragma weak uv_wtf8_length_as_utf16
#pragma weak uv_wtf8_to_utf16
