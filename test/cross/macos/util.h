/* SPDX-License-Identifier: MIT */
/* What zig's macOS headers lack of <util.h>: libSystem has the function. */
#ifndef CROSS_MACOS_UTIL_H_
#define CROSS_MACOS_UTIL_H_

#include <sys/ioctl.h>
#include <termios.h>

int openpty(int* master,
            int* slave,
            char* name,
            struct termios* termios,
            struct winsize* size);

#endif /* CROSS_MACOS_UTIL_H_ */
