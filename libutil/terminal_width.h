/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terminal_width.h - columns of the terminal on standard output */
#ifndef LIBUTIL_TERMINAL_WIDTH_H
#define LIBUTIL_TERMINAL_WIDTH_H

#include <sys/ioctl.h>
#include <unistd.h>

/* 0: standard output is no terminal, or one that does not know. */
static inline unsigned int terminal_width(void)
{
	struct winsize size;

	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

#endif
