// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cold_jobs.c - whole stacks of short jobs from the first sample on
 *
 * Compilers run for a second each, in libraries whose unwind tables are not there yet. At four
 * times the rate other programs without tables can fill the memory for samples that wait for one.
 */
#include <poll.h>
#include <sys/wait.h>
#include "tests/unit/daemon/collect/perf/truth.h"

#include "daemon/record/trans.h"
#include "libutil/file.h"
#include "tests/unit/tmpdir.h"
#include "unwind/cache.h"

#define PERIOD_NS	4000000		/* about operf's own, with stacks */
#define JOBS		20
#define RING_WORDS	(1 << 23)	/* for 64 MiB, in case we are not scheduled for a second */

static const char source[] =
	"#include <iostream>\n#include <string>\n#include <vector>\n"
	"int main(int argc, char **argv)\n"
	"{\n\tstd::vector<std::string> all(argv, argv + argc);\n"
	"\tfor (auto &s : all)\n\t\tstd::cout << s << '\\n';\n}\n";

static struct world {
	struct collector *collector;
	const char *program;		/* the end of the path of what is counted */
	uint64_t nr, ends[NR_OP_STACK_ENDS];
	uint64_t first_nr, first_whole;	/* of the first job */
	uint32_t most;			/* bytes of a copy */
	bool is_smaller;		/* or was, during a job */
	struct cpu_counts counts;
} world;

static void take_stack(void *context, const struct trans_state *leaf,
		       const struct trans_frame *frames, size_t nr, uint32_t counter,
		       unsigned int end)
{
	char *path;

	(void)context, (void)frames, (void)nr, (void)counter;
	if (world.collector->cookie_path(world.collector, leaf->app_cookie, &path))
		return;
	if (strstr(path, world.program)) {
		world.nr++;
		world.ends[(end & OP_STACK_END_MASK) % NR_OP_STACK_ENDS]++;
	}
	free(path);
}

static void feed(void *context, const op_word *words, size_t nr)
{
	trans_feed(context, words, nr);
}

/* If the machine stalls too often, copies become smaller for a while. */
static void drain(bool flush, struct trans *trans)
{
	struct collector_status status;

	CHECK(!world.collector->drain(world.collector, flush, feed, trans, NULL), "drain");
	world.collector->status(world.collector, &status);
	world.is_smaller |= status.copy_bytes < world.most;
}

/* Drains as the daemon does. */
static void run_job(const char *const *argv, struct trans *trans)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)!nice(5);	/* behind the one who looks, but before other work */
		setenv("CCACHE_DISABLE", "1", 1);
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	for (;;) {
		struct pollfd fd = { .fd = world.collector->poll_fd(world.collector),
				     .events = POLLIN };
		int status;

		poll(&fd, 1, 1000);
		drain(false, trans);
		if (waitpid(pid, &status, WNOHANG) != pid)
			continue;
		CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "%s: %x", argv[0], status);
		return;
	}
}

/* As the daemon goes on draining, until each table that was asked for is there. */
static void drain_until_built(struct unwind_cache *cache, struct trans *trans)
{
	struct pollfd built = { .fd = unwind_cache_fd(cache), .events = POLLIN };
	struct unwind_cache_stats stats;

	do {
		drain(false, trans);
		poll(&built, 1, 100);
		unwind_cache_stats(cache, &stats);
	} while (stats.pending);
	drain(true, trans);
}

static bool has_program(const char *name)
{
	char command[100];

	snprintf(command, sizeof(command), "command -v %s > /dev/null", name);
	return !system(command);
}

static uint64_t nr_whole(void)
{
	return world.ends[OP_STACK_COMPLETE] + world.ends[OP_STACK_NO_USER];
}

static void check_whole(void)
{
	uint64_t whole = nr_whole();

	printf("# %s: %llu stacks; ends", world.program, (unsigned long long)world.nr);
	for (int end = 0; end < NR_OP_STACK_ENDS; end++)
		printf(" %llu", (unsigned long long)world.ends[end]);
	printf("; lost in rings %llu of %llu\n", (unsigned long long)world.counts.lost[LOST_RING],
	       (unsigned long long)world.counts.received);
	printf("# CPU time of collecting, with all tables: %.2f s\n",
	       seconds_of(CLOCK_PROCESS_CPUTIME_ID));
	printf("# of the first job %llu of %llu whole\n", (unsigned long long)world.first_whole,
	       (unsigned long long)world.first_nr);
	/* copies shrink then: it is not the collector's speed that is seen */
	if (world.counts.lost[LOST_RING] * 200 > world.counts.received)
		SKIP("the machine is too busy: rings were full");
	CHECK(world.nr >= 500, "only %llu stacks", (unsigned long long)world.nr);
	CHECK(whole * 100 >= world.nr * 99, "%s: %llu of %llu whole", world.program,
	      (unsigned long long)whole, (unsigned long long)world.nr);
	/* of few, some may be too deep for any copy */
	CHECK(world.first_whole * 100 >= world.first_nr * 95, "%s: %llu of the first %llu whole",
	      world.program, (unsigned long long)world.first_whole,
	      (unsigned long long)world.first_nr);
}

static void compile(const char *compiler, const char *program)
{
	static const struct trans_ops ops = { .stack = take_stack };
	char path[PATH_MAX], object[PATH_MAX];
	const char *argv[] = { compiler, "-O0", "-c", path, "-o", object, NULL };
	struct collector_event event = { .count = PERIOD_NS, .kernel = true, .user = true };
	struct collector_config config = { .events = &event, .nr_events = 1, .clock_khz = 1000000,
					   .buffer_words = RING_WORDS,
					   .callgraph_depth = OP_STACK_DEPTH_MAX };
	struct trans *trans = trans_new(&ops, NULL);
	struct op_error e = { "" };
	struct collector_status status;

#ifdef __SANITIZE_ADDRESS__
	SKIP("a collector with sanitizers is too slow for whole stacks");
#endif
	need_perf();
	if (!has_program(compiler))
		SKIP("the compiler is not installed");
	(void)!nice(-10);
	tmpdir_make();
	snprintf(path, sizeof(path), "%s/job.cc", tmpdir);
	snprintf(object, sizeof(object), "%s/job.o", tmpdir);
	CHECK(!file_write_atomic(path, source, strlen(source), 0644), "cannot write %s", path);
	world = (struct world){ .collector = collector_perf(), .program = program };
	CHECK(!unwind_cache_create((size_t)64 << 20, &config.unwind), "cache");
	if (world.collector->open(world.collector, &config, &e) ||
	    world.collector->start(world.collector, &e)) {
		CHECK(false, "open: %s", e.text);
		exit(1);
	}
	world.collector->status(world.collector, &status);
	world.most = status.copy_bytes;
	for (int i = 0, left = 3 * JOBS; i < JOBS && left; left--) {
		uint64_t nr = world.nr, whole = nr_whole();

		world.is_smaller = false;
		run_job(argv, trans);
		if (left == 3 * JOBS)
			drain_until_built(config.unwind, trans);
		if (world.is_smaller) {		/* what is not whole does not count */
			world.nr = nr + nr_whole() - whole;
			continue;
		}
		if (left == 3 * JOBS) {
			world.first_nr = world.nr;
			world.first_whole = nr_whole();
		}
		i++;
	}
	CHECK(!world.collector->stop(world.collector, &e), "stop: %s", e.text);
	drain(true, trans);
	world.counts = totals(world.collector);
	world.collector->close(world.collector);
	unwind_cache_destroy(config.unwind);
	trans_free(trans);
	check_whole();
}

TEST(clang)
{
	compile("clang++", "/clang");
}

TEST(gcc)
{
	compile("g++", "/cc1plus");
}

TEST_MAIN()
