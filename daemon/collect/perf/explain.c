// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * explain.c - the system call has one errno for many causes; what a user can do about each
 */
#include "daemon/collect/perf/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

#include "libutil/file.h"

#define PARANOID_FILE	"/proc/sys/kernel/perf_event_paranoid"

static int explain_permission(int err, struct op_error *e)
{
	char paranoid[32];

	if (file_read_line(PARANOID_FILE, paranoid, sizeof(paranoid)))
		strcpy(paranoid, "unknown");
	return op_error_set(e, err,
			    "perf_event_open(2) is not permitted: kernel.perf_event_paranoid is "
			    "%s; run as root or with CAP_PERFMON, outside of containers that "
			    "filter it", paranoid);
}

/* What concerns an event of hardware alone. 0: nothing is known of @err. */
static int explain_counter(int err, const struct perf_counter *c, unsigned int cpu,
			   struct op_error *e)
{
	switch (-err) {
	case ENOENT:
	case ENXIO:
		return op_error_set(e, err, "event '%s': the kernel has no hardware counters for "
				    "it on CPU %u (hidden by a hypervisor or the firmware?); "
				    "sample by time instead: opcontrol --model=timer", c->name,
				    cpu);
	case EOPNOTSUPP:
		return op_error_set(e, err, "event '%s' can be counted on CPU %u, but not sampled: "
				    "its counters give no interrupts; sample by time instead: "
				    "opcontrol --model=timer", c->name, cpu);
	case EBUSY:
		return op_error_set(e, err, "event '%s': the counters of CPU %u are held by "
				    "somebody else, such as the oprofile module (opcontrol "
				    "--deinit) or a hypervisor; free them, or sample by time: "
				    "opcontrol --model=timer", c->name, cpu);
	case EINVAL:
		return op_error_set(e, err, "event '%s' (select 0x%" PRIx64 "): the kernel cannot "
				    "count it on CPU %u; ophelp lists what this CPU counts",
				    c->name, c->config, cpu);
	case ENOSPC:
		return op_error_set(e, err, "event '%s': no counter of CPU %u can hold it", c->name,
				    cpu);
	default:
		return 0;
	}
}

int perf_explain(int err, const struct perf_counter *c, unsigned int cpu, struct op_error *e)
{
	int told = c && c->type != PERF_TYPE_SOFTWARE ? explain_counter(err, c, cpu, e) : 0;

	if (told)
		return told;
	switch (-err) {
	case EACCES:
	case EPERM:
		return explain_permission(err, e);
	case ENOSYS:
		return op_error_set(e, err, "this kernel has no perf_event_open(2) "
					    "(CONFIG_PERF_EVENTS is not set)");
	case EMFILE:
	case ENFILE:
		return op_error_set(e, err, "no file descriptors left for perf events on CPU %u; "
					    "raise the limit (ulimit -n)", cpu);
	case ENODEV:
		return op_error_set(e, err, "CPU %u is offline", cpu);
	default:
		return op_error_set(e, err, "cannot open a perf event on CPU %u: %s", cpu,
				    strerror(-err));
	}
}
