// SPDX-License-Identifier: GPL-2.0-or-later
/* open.c - open one event, with fewer features if the kernel refuses */
#include "daemon/collect/perf/open.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/records.h"
#include "libutil/file.h"
#include "libutil/opener/ask.h"

/* The first stacks wait for their tables: better few at a time. */
#define WAKEUP_BYTES_MAX	((uint32_t)2 << 20)

static struct perf_event_attr common_attr(const struct perf_event_setup *setup)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(a) };

	a.sample_type = PERF_RECORD_SAMPLE_TYPE;
	a.sample_id_all = 1;
	a.use_clockid = 1;
	a.clockid = PERF_CLOCK;
	a.watermark = 1;	/* wake up when a quarter is full; a timer does the rest */
	a.wakeup_watermark = (uint32_t)(setup->ring_pages * (size_t)sysconf(_SC_PAGESIZE) / 4);
	if (a.wakeup_watermark > WAKEUP_BYTES_MAX)
		a.wakeup_watermark = WAKEUP_BYTES_MAX;
	a.inherit = setup->inherit;
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			(setup->no_lost ? 0 : PERF_FORMAT_LOST);
	a.sample_type |= setup->cgroups ? PERF_SAMPLE_CGROUP : 0;
	return a;
}

/* [PC-80], [PC-81] */
static void ask_for_stacks(struct perf_event_attr *a, const struct perf_event_setup *setup)
{
	a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	a->sample_max_stack = (uint16_t)setup->max_addresses;
	a->exclude_callchain_kernel = a->exclude_kernel;
	if (!setup->copy_bytes)
		return;
	a->exclude_callchain_user = 1;
	a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	a->sample_regs_user = PERF_USER_REGS;
	a->sample_stack_user = setup->copy_bytes;
}

static struct perf_event_attr sampling_attr(const struct perf_event_setup *setup,
					    const struct perf_counter *c)
{
	struct perf_event_attr a = common_attr(setup);

	a.type = c->type;
	a.config = c->config;
	a.sample_period = c->period;
	a.precise_ip = c->precise;
	a.sample_type |= c->raw ? PERF_SAMPLE_RAW : 0;
	a.disabled = 1;
	a.exclude_kernel = a.exclude_hv = !c->kernel;
	a.exclude_user = !c->user;
	a.enable_on_exec = setup->on_exec;
	a.exclude_idle = c->exclude_idle;
	a.exclude_guest = !c->guests_too;
	if (setup->walker && perf_counter_is_clock(c))	/* the BPF program does that [PC-98] */
		a.exclude_kernel = a.exclude_hv = a.exclude_user = a.exclude_idle = 0;
	if (setup->max_addresses)
		ask_for_stacks(&a, setup);
	return a;
}

static struct perf_event_attr mappings_attr(const struct perf_event_setup *setup)
{
	struct perf_event_attr a = common_attr(setup);

	a.config = PERF_COUNT_SW_DUMMY;
	a.exclude_kernel = 1;	/* unprivileged users could not open it otherwise */
	a.mmap = a.mmap2 = 1;
	a.comm = a.comm_exec = 1;
	a.task = 1;
	a.build_id = !setup->no_build_ids;
	a.cgroup = setup->cgroups;
	a.ksymbol = !setup->tid;
	return a;
}

static int sys_open(const struct perf_event_attr *a, pid_t tid, unsigned int cpu)
{
	return opener_perf_event(a, tid ? tid : -1, (int)cpu);
}

static int open_event(const struct perf_event_attr *attr, pid_t tid, unsigned int cpu)
{
	int fd = sys_open(attr, tid, cpu);
	struct rlimit limit;

	if (fd == -EMFILE && !getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur *= 2;
		if (limit.rlim_cur > limit.rlim_max)
			limit.rlim_max = limit.rlim_cur;	/* root may raise it */
		if (!setrlimit(RLIMIT_NOFILE, &limit))
			fd = sys_open(attr, tid, cpu);
	}
	return fd;
}

/* Newer features are dropped one by one, the newest first, if the kernel does not know them. */
int perf_open_mappings(unsigned int cpu, struct perf_event_setup *setup)
{
	bool no_cgroups = !setup->cgroups;
	bool *const newer[] = { &setup->no_lost, &setup->no_build_ids, &no_cgroups };
	struct perf_event_attr attr = mappings_attr(setup);
	int fd = open_event(&attr, setup->tid, cpu);

	for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]); i++) {
		if ((fd != -EINVAL && fd != -E2BIG) || *newer[i])
			continue;
		*newer[i] = true;
		setup->cgroups = !no_cgroups;
		attr = mappings_attr(setup);
		fd = open_event(&attr, setup->tid, cpu);
	}
	return fd;
}

int perf_open_output(unsigned int cpu, const struct perf_event_setup *setup)
{
	struct perf_event_attr attr = common_attr(setup);

	attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	attr.sample_type |= PERF_SAMPLE_RAW;
	attr.sample_period = 1;
	return open_event(&attr, 0, cpu);
}

static bool is_refusal(int err)
{
	return err == -EINVAL || err == -EOPNOTSUPP || err == -ENOENT;
}

/* The highest precise level that the kernel accepts, excluding guests if possible. */
static int open_lowered(unsigned int cpu, const struct perf_event_setup *setup,
			struct perf_counter *c)
{
	struct perf_counter trial = *c;
	int fd;

	for (;;) {
		struct perf_event_attr attr = sampling_attr(setup, &trial);

		fd = open_event(&attr, setup->tid, cpu);
		if (fd >= 0)
			break;
		if (!is_refusal(fd))
			return fd;
		if (!trial.guests_too) {
			trial.guests_too = true;
		} else if (trial.precise) {
			trial.precise--;
			trial.guests_too = c->guests_too;
		} else {
			return fd;
		}
	}
	c->precise = trial.precise;
	c->guests_too = trial.guests_too;
	return fd;
}

int perf_open_sampling(unsigned int cpu, const struct perf_event_setup *setup,
		       struct perf_counter *c)
{
	int fd = open_lowered(cpu, setup, c), other;
	struct perf_counter generic = *c;

	if (!c->cycles || !is_refusal(fd))
		return fd;
	generic.type = PERF_TYPE_HARDWARE;	/* [PC-53] */
	generic.config = PERF_COUNT_HW_CPU_CYCLES;
	other = open_lowered(cpu, setup, &generic);
	if (other < 0)
		return fd;
	*c = generic;
	return other;
}

/* ---- errors ---- */

#define PARANOID_FILE	"/proc/sys/kernel/perf_event_paranoid"

static int permission_error(int err, struct op_error *e)
{
	char paranoid[32];

	if (file_read_line(PARANOID_FILE, paranoid, sizeof(paranoid)))
		strcpy(paranoid, "unknown");
	return op_error_set(e, err,
			    "perf_event_open(2) is not permitted: kernel.perf_event_paranoid is "
			    "%s; run as root or with CAP_PERFMON, outside of containers that "
			    "filter it", paranoid);
}

/* Errors of hardware events only. 0: another error. */
static int counter_error(int err, const struct perf_counter *c, unsigned int cpu,
			   struct op_error *e)
{
	switch (-err) {
	case ENOENT:
	case ENXIO:
		return op_error_set(e, err, "event '%s': CPU %u has no hardware counters for it "
				    "(hidden by a hypervisor or the firmware?); "
				    "sample by time instead: opcontrol --model=timer", c->name,
				    cpu);
	case EOPNOTSUPP:
		return op_error_set(e, err, "event '%s' cannot be sampled on CPU %u, only counted: "
				    "the counters raise no interrupts; sample by time instead: "
				    "opcontrol --model=timer",
				    c->name, cpu);
	case EBUSY:
		return op_error_set(e, err, "event '%s': the counters of CPU %u are in use, "
				    "by the oprofile module or a hypervisor; run opcontrol "
				    "--deinit, or sample by time: opcontrol --model=timer",
				    c->name, cpu);
	case EINVAL:
		return op_error_set(e, err, "event '%s' (select 0x%" PRIx64 "): the kernel cannot "
				    "count it on CPU %u; ophelp lists what this CPU counts",
				    c->name, c->config, cpu);
	case ENOSPC:
		return op_error_set(e, err, "event '%s': no counter of CPU %u can count it",
				    c->name, cpu);
	default:
		return 0;
	}
}

int perf_open_error(int err, const struct perf_counter *c, unsigned int cpu, struct op_error *e)
{
	int set = c && c->type != PERF_TYPE_SOFTWARE ? counter_error(err, c, cpu, e) : 0;

	if (set)
		return set;
	switch (-err) {
	case EACCES:
	case EPERM:
		return permission_error(err, e);
	case ENOSYS:
		return op_error_set(e, err, "this kernel lacks perf_event_open(2) "
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
