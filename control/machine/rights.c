// SPDX-License-Identifier: GPL-2.0-or-later
/* rights.c - try perf_event_open(2), and explain failures */
#include "control/machine/rights.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "libutil/file.h"
#include "libutil/number.h"

#define PARANOID_FILE	"/proc/sys/kernel/perf_event_paranoid"
#define KPTR_FILE	"/proc/sys/kernel/kptr_restrict"
#define MLOCK_FILE	"/proc/sys/kernel/perf_event_mlock_kb"
#define UNREADABLE	-100	/* below any valid level */

static int try_event(uint32_t type, uint64_t config, bool kernel, pid_t pid, int cpu)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
		.exclude_kernel = !kernel,
		.exclude_hv = !kernel,
	};
	int fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int try_clock(bool kernel, pid_t pid, int cpu)
{
	return try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, kernel, pid, cpu);
}

int rights_try_cycles(void)
{
	return try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false, 0, -1);
}

/* UNREADABLE: hidden, for example by a container. */
static int paranoid(void)
{
	char line[32];
	int level;

	if (file_read_line(PARANOID_FILE, line, sizeof(line)) || sscanf(line, "%d", &level) != 1)
		return UNREADABLE;
	return level;
}

/* Seccomp filters return EPERM, the kernel itself EACCES. */
static bool is_filtered(void)
{
	char *text, *line;
	bool filtered = false;

	if (file_read_all("/proc/self/status", 1 << 16, &text, NULL))
		return false;
	line = strstr(text, "\nSeccomp:");
	filtered = line && strtoul(line + 9, NULL, 10) == 2;
	free(text);
	return filtered;
}

/* @highest: level of kernel.perf_event_paranoid that permits it without a capability. */
static int explain(int err, int highest, const char *what, struct op_error *e)
{
	int level = paranoid();

	if (err == -ENOSYS)
		return op_error_set(e, err, "the kernel does not support perf_event_open(2) "
				    "(CONFIG_PERF_EVENTS is not set), or a filter hides it");
	if (err != -EACCES && err != -EPERM)
		return op_error_set(e, err, "%s: perf_event_open(2): %s", what, strerror(-err));
	if (err == -EPERM && is_filtered())
		return op_error_set(e, err, "%s is not permitted: a seccomp filter, such as a "
				    "container's, forbids perf_event_open(2); start the container "
				    "with CAP_PERFMON (docker: --cap-add=PERFMON) or a seccomp "
				    "profile that allows it", what);
	if (level > highest)
		return op_error_set(e, err, "%s is not permitted: kernel.perf_event_paranoid is "
				    "%d; run as root, have CAP_PERFMON (setcap cap_perfmon+ep), or "
				    "as root: sysctl kernel.perf_event_paranoid=%d", what, level,
				    highest);
	if (level == UNREADABLE)
		return op_error_set(e, err, "%s is not permitted (%s), and "
				    "kernel.perf_event_paranoid cannot be read: a security module "
				    "or a container forbids it; run as root, or have CAP_PERFMON",
				    what, strerror(-err));
	return op_error_set(e, err, "%s is not permitted (%s), though kernel.perf_event_paranoid "
			    "is %d: a security module or a container forbids it; run as root, or "
			    "have CAP_PERFMON", what, strerror(-err), level);
}

int rights_find(bool whole_machine, struct rights *ret, struct op_error *e)
{
	pid_t pid = whole_machine ? -1 : 0;
	int cpu = whole_machine ? 0 : -1, err;
	struct op_error why;

	*ret = (struct rights){ .kernel = true };
	if (!try_clock(true, pid, cpu))
		return 0;
	err = try_clock(false, pid, cpu);
	if (err) {
		explain(err, whole_machine ? 0 : 2, whole_machine ?
			"profiling the whole machine" : "profiling programs", &why);
		return op_error_set(e, err, "%s%s", why.text,
				    err == -EACCES || err == -EPERM || err == -ENOSYS ?
				    "; opsample profiles a command without perf_event_open(2)" :
				    "");
	}
	ret->kernel = false;
	snprintf(ret->no_kernel, sizeof(ret->no_kernel), "kernel.perf_event_paranoid is %d; "
		 "set it to 1, or have CAP_PERFMON", paranoid());
	return 0;
}

int rights_check_process(pid_t pid, struct op_error *e)
{
	int err = try_clock(false, pid, -1);

	if (!err)
		return 0;
	if (err == -ESRCH)
		return op_error_set(e, err, kill(pid, 0) ? "process %d not found" :
				    "cannot profile process %d: it, or its first thread, has "
				    "ended", (int)pid);
	if (err != -EACCES && err != -EPERM)
		return explain(err, 2, "profiling a process", e);
	return op_error_set(e, err, "profiling process %d is not permitted: it belongs to another "
			    "user, or its program is privileged; run as root, or have CAP_PERFMON "
			    "(before Linux 5.8, and in most containers: CAP_SYS_PTRACE)", (int)pid);
}

/*
 * [OF-8] At kptr_restrict 2 the kernel shows addresses to nobody, at 1 to processes with
 * CAP_SYSLOG, at 0 also to those that may profile the kernel without a capability.
 */
void rights_explain_hidden(char *ret, size_t size)
{
	int level = paranoid();
	uint64_t kptr;

	if (file_read_u64(KPTR_FILE, &kptr))
		snprintf(ret, size, "cannot read kernel.kptr_restrict; run outside the container");
	else if (kptr > 1)
		snprintf(ret, size, "kernel.kptr_restrict is %" PRIu64 "; as root: sysctl "
			 "kernel.kptr_restrict=1%s", kptr, geteuid() ?
			 ", then run as root or have CAP_SYSLOG" : "");
	else if (kptr)
		snprintf(ret, size, "kernel.kptr_restrict is 1; run as root, have CAP_SYSLOG, or "
			 "as root: sysctl kernel.kptr_restrict=0%s",
			 level > 1 ? " kernel.perf_event_paranoid=1" : "");
	else if (level > 1)
		snprintf(ret, size, "kernel.perf_event_paranoid is %d; run as root, have "
			 "CAP_SYSLOG, or as root: sysctl kernel.perf_event_paranoid=1", level);
	else
		snprintf(ret, size, "a security module or a container hides them; have CAP_SYSLOG");
}

size_t rights_ring_bytes(void)
{
	struct rlimit limit;
	uint64_t kib, cpus = get_nprocs_conf();

	if (!geteuid() || paranoid() == -1 || file_read_u64(MLOCK_FILE, &kib))
		return 0;
	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur > UINT32_MAX)
		return 0;
	return kib * 1024 + limit.rlim_cur / (cpus ? cpus : 1);
}
