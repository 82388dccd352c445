// SPDX-License-Identifier: GPL-2.0-or-later
/* walker.c - the BPF program on this machine: who may load it, and samples that the kernel drops */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "daemon/collect/bpf/walker.h"
#include "libutil/sandbox/capabilities.h"
#include "tests/unit/daemon/collect/bpf/need_bpf.h"
#include "tests/unit/daemon/collect/perf/truth.h"
#include "unwind/cache.h"

#define PERIOD_NS	500000
#define NOBODY		65534
#ifndef CAP_BPF
#define CAP_BPF		39
#endif

static bool open_with(struct collector *c, struct bpf_walker *w, struct unwind_cache *cache,
		      struct op_error *e)
{
	static struct collector_event event = {.count = PERIOD_NS, .kernel = true, .user = true};
	struct collector_config config = {.events = &event,
					  .nr_events = 1,
					  .clock_khz = 1000000,
					  .callgraph_depth = 16,
					  .unwind = cache,
					  .walker = w};

	return !c->open(c, &config, e) && !c->start(c, e);
}

static void ignore_words(void *context, const op_word *words, size_t nr)
{
	(void)context, (void)words, (void)nr;
}

static int become_nobody(uint64_t with)
{
	return prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setresgid(NOBODY, NOBODY, NOBODY) ||
	       setresuid(NOBODY, NOBODY, NOBODY) || capabilities_keep(with);
}

/* Sample this process until the program has walked some of its stacks. */
static int sample_self(struct bpf_walker *w)
{
	struct collector *c = collector_perf();
	struct collector_status status = {.nr_walked = 0};
	struct unwind_cache *cache;
	struct op_error e = {""};

	if (unwind_cache_create((size_t)8 << 20, &cache) || !open_with(c, w, cache, &e)) {
		printf("# %s\n", e.text);
		return 4;
	}
	while (status.nr_walked < 20) {
		burn_ms(20);
		if (c->drain(c, false, ignore_words, NULL, &e))
			return 5;
		c->status(c, &status);
	}
	c->close(c);
	unwind_cache_destroy(cache);
	return 0;
}

static int status_of(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* What loads it may drop CAP_BPF then: descriptors and shared memory suffice. */
TEST(loads_with_two_capabilities)
{
	struct bpf_walker *w;
	struct op_error e = {""};
	pid_t pid;

	need_bpf();
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (become_nobody(CAPABILITY(CAP_BPF) | CAPABILITY(CAP_PERFMON)))
			_exit(2);
		if (bpf_walker_load(8 << 20, &w, &e)) {
			printf("# %s\n", e.text);
			fflush(stdout);
			_exit(3);
		}
		_exit(capabilities_keep(CAPABILITY(CAP_PERFMON)) ? 6 : sample_self(w));
	}
	CHECK(status_of(pid) == 0, "see above");
}

TEST(needs_capabilities)
{
	struct bpf_walker *w;
	struct op_error e = {""};
	pid_t pid;

	need_bpf();
	pid = fork();
	if (!pid) {
		if (become_nobody(CAPABILITY(CAP_PERFMON)))
			_exit(2);
		_exit(bpf_walker_load(1 << 20, &w, &e) == -EPERM &&
		      strstr(e.text, "CAP_BPF") ? 0 : 3);
	}
	CHECK(status_of(pid) == 0, "loaded, or another reason");
}

/* Mostly in changes of a map, which no BPF program may interrupt. */
static pid_t start_changing_map(void)
{
	const uint32_t size = 1 << 20;
	union bpf_attr map = {.map_type = BPF_MAP_TYPE_ARRAY,
			      .key_size = 4,
			      .value_size = size,
			      .max_entries = 1};
	long fd = syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof(map));
	union bpf_attr update = {.map_fd = (uint32_t)fd};
	uint32_t key = 0;
	pid_t pid = fd < 0 ? -1 : fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		update.key = (uintptr_t)&key;
		update.value = (uintptr_t)calloc(1, size);
		while (!syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &update, sizeof(update)))
			;
		_exit(1);
	}
	close((int)fd);
	return pid;
}

static double cpu_time_of(pid_t pid)
{
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) ? 0 : seconds_of(clock);
}

/* Others may drop some, too; but together there are no more samples than periods. */
TEST(dropped_samples_are_counted)
{
	struct collector *c = collector_perf();
	struct bpf_walker *w;
	struct unwind_cache *cache;
	struct op_error e = {""};
	double due, all, began;
	struct cpu_counts counts;
	pid_t pid;

	need_bpf();
	began = now_s();
	if (bpf_walker_load(8 << 20, &w, &e) || unwind_cache_create(8 << 20, &cache) ||
	    !open_with(c, w, cache, &e)) {
		CHECK(false, "%s", e.text);
		return;
	}
	pid = start_changing_map();
	CHECK(pid > 0, "no map");
	do {
		usleep(20000);
		CHECK(!c->drain(c, false, ignore_words, NULL, &e), "drain");
	} while (cpu_time_of(pid) < 0.4);
	due = cpu_time_of(pid) * 1e9 / PERIOD_NS;	/* it goes on after the stop */
	CHECK(!c->stop(c, &e), "stop");
	CHECK(!c->drain(c, true, ignore_words, NULL, &e), "flush");
	all = (now_s() - began) * 1e9 / PERIOD_NS * (double)sysconf(_SC_NPROCESSORS_ONLN);
	counts = totals(c);
	stop_spinning(pid);
	printf("# %llu dropped, %.0f were due there, %llu of %.0f received\n",
	       (unsigned long long)counts.lost[LOST_IN_BPF], due,
	       (unsigned long long)counts.received, all);
	CHECK((double)counts.lost[LOST_IN_BPF] > due / 10, "too few");
	CHECK((double)counts.received <= all * 1.02, "too many");
	c->close(c);
	bpf_walker_free(w);
	unwind_cache_destroy(cache);
}

TEST_MAIN()
