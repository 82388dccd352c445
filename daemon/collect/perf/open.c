// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * open.c - ask the kernel for one event, and for less where it does not take that
 */
#include "daemon/collect/perf/open.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/collect/perf/chain.h"
#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/records.h"

/* The first chains wait for their tables: they shall not be too many. */
#define WAKEUP_BYTES_MAX	((uint32_t)2 << 20)

static struct perf_event_attr common_attr(const struct perf_event_setup *setup)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(a) };

	a.sample_type = PERF_RECORD_SAMPLE_TYPE;
	a.sample_id_all = 1;
	a.use_clockid = 1;
	a.clockid = PERF_CLOCK;
	a.watermark = 1;	/* be woken when a quarter is full; a timer does the rest */
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
static void ask_for_callers(struct perf_event_attr *a, const struct perf_event_setup *setup)
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
	if (setup->max_addresses && !c->raw)
		ask_for_callers(&a, setup);
	return a;
}

static struct perf_event_attr mappings_attr(const struct perf_event_setup *setup)
{
	struct perf_event_attr a = common_attr(setup);

	a.config = PERF_COUNT_SW_DUMMY;
	a.exclude_kernel = 1;	/* or those who may not look into the kernel could not have it */
	a.mmap = a.mmap2 = 1;
	a.comm = a.comm_exec = 1;
	a.task = 1;
	a.build_id = !setup->no_build_ids;
	a.cgroup = setup->cgroups;
	return a;
}

static long sys_open(struct perf_event_attr *a, pid_t tid, unsigned int cpu)
{
	return syscall(SYS_perf_event_open, a, tid ? tid : -1, (int)cpu, -1,
		       PERF_FLAG_FD_CLOEXEC);
}

static int open_event(const struct perf_event_attr *attr, pid_t tid, unsigned int cpu)
{
	struct perf_event_attr a = *attr;
	struct rlimit limit;
	long fd = sys_open(&a, tid, cpu);

	if (fd < 0 && errno == EMFILE && !getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur *= 2;
		if (limit.rlim_cur > limit.rlim_max)
			limit.rlim_max = limit.rlim_cur;	/* as root we may */
		if (!setrlimit(RLIMIT_NOFILE, &limit))
			fd = sys_open(&a, tid, cpu);
		else
			errno = EMFILE;
	}
	return fd < 0 ? -errno : (int)fd;
}

/* Newer features are asked for once, the newest first, and done without where they are unknown. */
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

static bool may_be_asked_too_much(int err)
{
	return err == -EINVAL || err == -EOPNOTSUPP || err == -ENOENT;
}

/* The highest precise level that is taken, at each with guests left out if that is possible. */
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
		if (!may_be_asked_too_much(fd))
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

	if (!c->cycles || !may_be_asked_too_much(fd))
		return fd;
	generic.type = PERF_TYPE_HARDWARE;	/* [PC-53] */
	generic.config = PERF_COUNT_HW_CPU_CYCLES;
	other = open_lowered(cpu, setup, &generic);
	if (other < 0)
		return fd;
	*c = generic;
	return other;
}
