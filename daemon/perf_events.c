// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_events.c - open perf events, and say why it doesn't work when it doesn't
 *
 * The system call has one errno for many causes; what a user can do about each stands here.
 */
#include "perf_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file.h"
#include "op_abi.h"
#include "perf_clock.h"
#include "perf_records.h"

#define PARANOID_FILE	"/proc/sys/kernel/perf_event_paranoid"
#define RING_BYTES_MIN	(512 * 1024)	/* some hundred forks and execs between two drains */
#define RING_BYTES_MAX	(64 * 1024 * 1024)
#define PERIOD_MAX	(3600 * NS_PER_SECOND)

int perf_period(uint64_t count, uint64_t clock_khz, uint64_t max_rate, uint64_t *ret_ns,
		struct op_error *e)
{
	uint64_t least_ns = OP_TIMER_MIN_PERIOD_NS;
	unsigned __int128 ns, least;

	if (!clock_khz)
		return op_error_set(e, -EINVAL, "the clock is 0 kHz");
	if (max_rate && NS_PER_SECOND / max_rate >= least_ns)
		least_ns = (NS_PER_SECOND + max_rate - 1) / max_rate;
	ns = (unsigned __int128)count * 1000000 / clock_khz;
	least = ((unsigned __int128)least_ns * clock_khz + 999999) / 1000000;
	if (ns < least_ns && least_ns > OP_TIMER_MIN_PERIOD_NS)
		return op_error_set(e, -EINVAL,
				    "a count of %llu is a higher rate than "
				    "kernel.perf_event_max_sample_rate (%llu) allows; "
				    "raise that, or use a count of at least %llu",
				    (unsigned long long)count, (unsigned long long)max_rate,
				    (unsigned long long)least);
	if (ns < least_ns)
		return op_error_set(e, -EINVAL,
				    "a count of %llu is too small for sampling by time; "
				    "the smallest is %llu at %llu kHz",
				    (unsigned long long)count, (unsigned long long)least,
				    (unsigned long long)clock_khz);
	if (ns > PERIOD_MAX)
		return op_error_set(e, -EINVAL,
				    "a count of %llu would be less than a sample an hour",
				    (unsigned long long)count);
	*ret_ns = (uint64_t)ns;
	return 0;
}

size_t perf_ring_pages(uint64_t period_ns, size_t words, size_t page_size)
{
	size_t bytes = words, pages = 1;

	if (words > RING_BYTES_MAX / sizeof(op_word))
		bytes = RING_BYTES_MAX;
	else if (words)
		bytes = words * sizeof(op_word);
	else if (period_ns)
		bytes = RING_BYTES_MIN + NS_PER_SECOND / 2 / period_ns * PERF_SAMPLE_BYTES;
	while (pages * page_size < bytes)
		pages *= 2;
	return pages;
}

static struct perf_event_attr common_attr(const struct perf_event_setup *setup)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(a) };

	a.sample_type = PERF_RECORD_SAMPLE_TYPE;
	a.sample_id_all = 1;
	a.use_clockid = 1;
	a.clockid = PERF_CLOCK;
	a.watermark = 1;	/* be woken when a quarter is full; a timer does the rest */
	a.wakeup_watermark = (uint32_t)(setup->ring_pages * (size_t)sysconf(_SC_PAGESIZE) / 4);
	return a;
}

static struct perf_event_attr sampling_attr(const struct perf_event_setup *setup)
{
	struct perf_event_attr a = common_attr(setup);

	a.config = PERF_COUNT_SW_CPU_CLOCK;
	a.sample_period = setup->period_ns;
	a.disabled = 1;
	a.exclude_kernel = !setup->kernel;
	a.exclude_user = !setup->user;
	a.exclude_idle = setup->exclude_idle;
	a.exclude_guest = 1;
	a.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING | (setup->no_lost ? 0 : PERF_FORMAT_LOST);
	return a;
}

static struct perf_event_attr mappings_attr(const struct perf_event_setup *setup)
{
	struct perf_event_attr a = common_attr(setup);

	a.config = PERF_COUNT_SW_DUMMY;
	a.mmap = a.mmap2 = 1;
	a.comm = a.comm_exec = 1;
	a.task = 1;
	a.build_id = !setup->no_build_ids;
	a.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING | (setup->no_lost ? 0 : PERF_FORMAT_LOST);
	return a;
}

static long sys_open(struct perf_event_attr *a, unsigned int cpu)
{
	return syscall(SYS_perf_event_open, a, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int open_event(const struct perf_event_attr *attr, unsigned int cpu)
{
	struct perf_event_attr a = *attr;
	struct rlimit limit;
	long fd = sys_open(&a, cpu);

	if (fd < 0 && errno == EMFILE && !getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur *= 2;
		if (limit.rlim_cur > limit.rlim_max)
			limit.rlim_max = limit.rlim_cur;	/* as root we may */
		if (!setrlimit(RLIMIT_NOFILE, &limit))
			fd = sys_open(&a, cpu);
		else
			errno = EMFILE;
	}
	return fd < 0 ? -errno : (int)fd;
}

static int explain(int err, unsigned int cpu, struct op_error *e)
{
	char paranoid[32];

	switch (-err) {
	case EACCES:
	case EPERM:
		if (file_read_line(PARANOID_FILE, paranoid, sizeof(paranoid)))
			strcpy(paranoid, "unknown");
		return op_error_set(e, err,
				    "perf_event_open(2) is not permitted: "
				    "kernel.perf_event_paranoid is %s; run as root "
				    "or with CAP_PERFMON, outside of containers that filter it",
				    paranoid);
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

/* Newer features are asked for once and done without where they are unknown. */
static int open_sampling(unsigned int cpu, struct perf_event_setup *setup)
{
	struct perf_event_attr attr = sampling_attr(setup);
	int fd = open_event(&attr, cpu);

	if (fd == -EINVAL && !setup->no_lost) {
		setup->no_lost = true;
		attr = sampling_attr(setup);
		fd = open_event(&attr, cpu);
	}
	return fd;
}

static int open_mappings(unsigned int cpu, struct perf_event_setup *setup)
{
	struct perf_event_attr attr = mappings_attr(setup);
	int fd = open_event(&attr, cpu);

	if ((fd == -EINVAL || fd == -E2BIG) && !setup->no_build_ids) {
		setup->no_build_ids = true;
		attr = mappings_attr(setup);
		fd = open_event(&attr, cpu);
	}
	return fd;
}

/* The largest ring that we may lock, up to what was asked for. */
static int map_ring(struct perf_events *ev, struct perf_event_setup *setup)
{
	int err = perf_ring_map(&ev->ring, ev->mappings_fd, setup->ring_pages);

	while ((err == -EPERM || err == -ENOMEM) && setup->ring_pages > 1) {
		setup->ring_pages /= 2;
		err = perf_ring_map(&ev->ring, ev->mappings_fd, setup->ring_pages);
	}
	return err;
}

int perf_events_open(struct perf_events *ev, unsigned int cpu, struct perf_event_setup *setup,
		     struct op_error *e)
{
	int err;

	*ev = (struct perf_events){ -1, -1, { 0 }, false };
	ev->sampling_fd = open_sampling(cpu, setup);
	if (ev->sampling_fd < 0)
		return explain(ev->sampling_fd, cpu, e);
	ev->tells_lost = !setup->no_lost;

	ev->mappings_fd = open_mappings(cpu, setup);
	if (ev->mappings_fd < 0) {
		err = explain(ev->mappings_fd, cpu, e);
		goto close_events;
	}
	err = map_ring(ev, setup);
	if (err) {
		op_error_set(e, err, "cannot map the ring of CPU %u: %s; "
				     "see kernel.perf_event_mlock_kb and ulimit -l",
			     cpu, strerror(-err));
		goto close_events;
	}
	if (ioctl(ev->sampling_fd, PERF_EVENT_IOC_SET_OUTPUT, ev->mappings_fd) < 0) {
		err = op_error_set(e, -errno, "cannot share the ring of CPU %u: %s", cpu,
				   strerror(errno));
		goto close_events;
	}
	return 0;

close_events:
	perf_events_close(ev);
	return err;
}

static void close_fd(int *fd)
{
	if (*fd > 0)
		close(*fd);
	*fd = -1;
}

void perf_events_close(struct perf_events *ev)
{
	close_fd(&ev->sampling_fd);
	perf_ring_unmap(&ev->ring);
	close_fd(&ev->mappings_fd);
}

int perf_events_sample(struct perf_events *ev, bool on)
{
	unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	return ioctl(ev->sampling_fd, request, 0) < 0 ? -errno : 0;
}

void perf_events_unthrottle(struct perf_events *ev, uint64_t period_ns)
{
	(void)ioctl(ev->sampling_fd, PERF_EVENT_IOC_PERIOD, &period_ns);
}

/* What read() on either event gives; the last one only if the kernel tells it. */
struct reading {
	uint64_t value, time_running, lost;
};

static struct reading read_event(int fd)
{
	struct reading r = { 0 };

	if (fd < 0 || read(fd, &r, sizeof(r)) < 0)
		r = (struct reading){ 0 };
	return r;
}

uint64_t perf_events_alive_ns(const struct perf_events *ev)
{
	return read_event(ev->mappings_fd).time_running;
}

uint64_t perf_events_lost_samples(const struct perf_events *ev)
{
	return read_event(ev->sampling_fd).lost;
}

uint64_t perf_events_lost_mappings(const struct perf_events *ev)
{
	return read_event(ev->mappings_fd).lost;
}
