// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exits.c - a process that ends while a sample is being taken ends with its own status, and under
 * opsample with all samples written
 */
#include <sys/stat.h>
#include "tests/unit/libsampler/preloaded.h"
#include "tests/unit/libsampler/seen.h"

#define STATUS	7

/* --- in the middle of a callback that does not return --- */

static atomic_bool is_under_way;

static void stay(void)
{
	is_under_way = true;
	for (;;)
		;
}

static void stay_in_handler(void *unused)
{
	(void)unused;
	stay();
}

static void stay_in_sample(void *unused, const struct sampler_sample *sample)
{
	(void)unused;
	(void)sample;
	stay();
}

static const struct sampler_builder_ops staying_in_handler = {
	.size = sizeof(staying_in_handler), .capture = stay_in_handler,
};
static const struct sampler_builder_ops staying_in_sample = {
	.size = sizeof(staying_in_sample), .sample = stay_in_sample,
};

static void (*end_process)(int status);

/* A thread that is neither the target nor the sampling thread. */
static void *end_when_under_way(void *unused)
{
	while (!is_under_way)
		usleep(100);
	end_process(STATUS);
	return unused;
}

static void ends(const struct sampler_builder_ops *ops, void (*by)(int status))
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct sampler_params params = SAMPLER_PARAMS;
		struct sampler_builder builder = { ops, NULL };
		struct sampler_profiler *p;
		pthread_t thread;

		alarm(TEST_SECONDS / 2);
		end_process = by;
		begin(run_outer);
		params.interval_ns = MS;
		if (sampler_create(&target, &params, &builder, &p) || sampler_start(p) ||
		    pthread_create(&thread, NULL, end_when_under_way, NULL))
			_exit(1);
		for (;;)
			pause();
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	      WEXITSTATUS(status) == STATUS, "status %#x", (unsigned int)status);
}

TEST(by__exit_while_a_thread_is_stopped)
{
	ends(&staying_in_handler, _exit);
}

TEST(by__exit_while_a_builder_has_a_sample)
{
	ends(&staying_in_sample, _exit);
}

TEST(by_exit_while_a_thread_is_stopped)
{
	ends(&staying_in_handler, exit);
}

/* --- under opsample, where _exit() waits until the samples are written --- */

#define CPU_NS		(100 * MS)	/* to be sampled */
#define RATE		"10000"		/* so that a sample is always being taken */
#define PATIENCE_S	5		/* of _exit(), after which unwritten samples are lost */

static void *spend_and_end(void *unused)
{
	spend(CPU_NS);
	_exit(STATUS);
	return unused;
}

/* The sampled program: two threads end it at about the same time, and a third keeps working. */
static int be_sampled(void)
{
	pthread_t threads[2];

	alarm(TEST_SECONDS / 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, spend_and_end, NULL);
	run_outer(NULL);
	return 1;
}

TEST(by__exit_of_two_threads_under_opsample)
{
	char output[64];
	off_t most = 0;

	skip_unless_preloaded();
	snprintf(output, sizeof(output), "/tmp/sampler_exits.%d", getpid());
	for (int i = 0; i < 5; i++) {
		struct stat written = { 0 };
		time_t before = time(NULL);
		int status = 0;
		pid_t pid = fork();

		if (!pid)
			be_preloaded("be-sampled", RATE, output);
		CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
		      WEXITSTATUS(status) == STATUS, "status %#x", (unsigned int)status);
		CHECK(!stat(output, &written) || time(NULL) - before >= PATIENCE_S,
		      "what was sampled is there");
		most = written.st_size > most ? written.st_size : most;
		unlink(output);
	}
	CHECK(most > 0, "samples");
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "be-sampled"))
		return be_sampled();
	return tap_main(argc, argv);
}
