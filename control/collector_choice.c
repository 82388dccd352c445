// SPDX-License-Identifier: GPL-2.0-or-later
/* collector_choice.c - find out what can take samples on this machine */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "collector_choice.h"

int collector_choose(const struct driver *d, enum collector_wish wish,
		     struct collector_choice *ret, struct op_error *e)
{
	struct collector_choice choice = { .module = wish != COLLECTOR_PERF };

	if (choice.module) {
		struct op_error why = { "" };
		int err = driver_ready(d, &why);

		if (err && wish == COLLECTOR_MODULE)
			return op_error_set(e, err, "%s; --collector=perf needs no module",
					    why.text);
		if (err) {
			choice.module = false;
			choice.no_module = why;
		}
	}
	*ret = choice;
	return 0;
}

static int perf_try(__u32 type, __u64 config, pid_t pid, int cpu)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

int perf_usable(struct op_error *e)
{
	int err = perf_try(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, -1, 0);

	if (err == -EACCES || err == -EPERM)
		return op_error_set(e, err, "perf_event_open is not permitted "
				    "(kernel.perf_event_paranoid, a container's seccomp filter, "
				    "or CAP_PERFMON is missing)");
	if (err)
		return op_error_set(e, err, "perf_event_open does not work here: %s",
				    strerror(-err));
	return 0;
}

bool hardware_cycles(const char **ret_why)
{
	int err = perf_try(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1);

	if (!err)
		*ret_why = "this version does not program hardware counters yet";
	else if (err == -EBUSY)
		*ret_why = "another program holds the hardware counters";
	else if (err == -EACCES || err == -EPERM)
		*ret_why = "hardware counters are not permitted here";
	else
		*ret_why = "no hardware counters here";
	return !err;
}
