/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake_perf_open.h - a syscall() of the test's own, which answers perf_event_open itself */
#ifndef TESTS_UNIT_DAEMON_COLLECT_PERF_FAKE_PERF_OPEN_H
#define TESTS_UNIT_DAEMON_COLLECT_PERF_FAKE_PERF_OPEN_H

#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/types.h>

/* The test's answer: a descriptor, or -1 and errno. */
static int fake_perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu);

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	va_list list;
	long arg[6];

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(list, long);
	va_end(list);
	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	if (number != SYS_perf_event_open)
		return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
	return fake_perf_open((const struct perf_event_attr *)arg[0], (pid_t)arg[1], (int)arg[2]);
}

#endif
