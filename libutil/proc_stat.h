/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc_stat.h - what distinguishes a process or thread from later ones with its id */
#ifndef LIBUTIL_PROC_STAT_H
#define LIBUTIL_PROC_STAT_H

#include <stdint.h>

struct proc_stat {
	char state;			/* 'R', 'S', ... */
	unsigned int nr_threads;
	uint64_t start_time;		/* in ticks since boot */
};

/* From @path, such as /proc/PID/stat. -ESRCH: none such. -EIO: not as expected. */
int proc_stat_read(const char *path, struct proc_stat *ret);

#endif
