// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * leaks.c - no leaks with 64 threads, forks, and libraries that are loaded and unloaded
 *
 * Each test runs itself under valgrind, whose exit status reports leaks. With AddressSanitizer that
 * checks for leaks at the end of the test.
 */
#include "tests/unit/asan_fork.h"
#include "tests/unit/libsampler/seen.h"
#include "tests/unit/libsampler/test.h"

#define LEAK_STATUS	9
#define FAILED_STATUS	2	/* 1 is an error of valgrind itself */
#define RUN		"run"

#ifdef __SANITIZE_ADDRESS__
#define IS_CHECKED	true
#else
#define IS_CHECKED	false
#endif

/* --- the checked programs: with few samples, because valgrind is slow --- */

static atomic_int nr_samples;
static atomic_bool has_no_target;

static void count_sample(void *unused, const struct sampler_sample *sample)
{
	(void)unused;
	(void)sample;
	nr_samples++;
}

static struct sampler_profiler *start_counting(const struct sampler_thread *who)
{
	static const struct sampler_builder_ops ops = { .size = sizeof(ops),
							.sample = count_sample };
	const struct sampler_builder builder = { &ops, NULL };
	struct sampler_params params = SAMPLER_PARAMS;
	struct sampler_profiler *p = NULL;

	nr_samples = 0;
	params.interval_ns = MS;
	params.samples = 0;
	CHECK(!sampler_create(who, &params, &builder, &p) && !sampler_start(p), "start");
	return p;
}

static void sample_until(const struct sampler_thread *who, int samples)
{
	struct sampler_profiler *p = start_counting(who);

	while (nr_samples < samples && !has_no_target)
		usleep(1000);
	sampler_destroy(p);
}

static pthread_barrier_t gate;

static void *attend(void *unused)
{
	pthread_barrier_wait(&gate);
	return unused;
}

static void threads(void)
{
	pthread_t crowd[64];

	pthread_barrier_init(&gate, NULL, 64 + 1);
	for (int i = 0; i < 64; i++)
		pthread_create(&crowd[i], NULL, attend, NULL);
	sample_until(NULL, 2 * 64);
	pthread_barrier_wait(&gate);
	for (int i = 0; i < 64; i++)
		pthread_join(crowd[i], NULL);
}

static void wait_for(pid_t child)
{
	int status = 0;

	CHECK(waitpid(child, &status, 0) == child && !status, "child: %#x", (unsigned int)status);
}

/*
 * A child of a process whose profile has ended must not leak either. Data that was being changed
 * during the fork is not freed in the child [SM-16], so other children end without a check.
 */
static void forks(void)
{
	pthread_t thread = begin(run_outer);
	struct sampler_profiler *p;
	pid_t child;

	sample_until(&target, 1);
	end(thread);
	child = fork();
	if (!child) {
		struct sampler_thread self;

		sampler_thread_self(&self);
		sample_until(&self, 1);
		exit(tap_failures != 0);
	}
	wait_for(child);

	p = start_counting(NULL);
	for (int i = 0; i < 5 || nr_samples < 5; i++) {
		child = fork();
		if (!child) {
			if (!ASAN_LOCKS_CHILDREN)
				sampler_destroy(p);
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		wait_for(child);
	}
	sampler_destroy(p);
}

/* With a pause: under valgrind the loader's lock would never be free otherwise. */
static void wait_for_sample(void *unused)
{
	int before = nr_samples;

	(void)unused;
	while (nr_samples == before && !is_over)
		usleep(100);
}

static atomic_int nr_loads;

static void *load_and_unload(void *unused)
{
	tell_who();
	while (!is_over) {
		struct tiny tiny;

		if (tiny_open("sampler_tiny.so", &tiny)) {
			CHECK(false, "%s", dlerror());
			has_no_target = true;
			break;
		}
		nr_loads++;
		tiny.call(wait_for_sample, NULL);
		tiny_close(&tiny);
	}
	return unused;
}

static void libraries(void)
{
	pthread_t thread = begin(load_and_unload);
	struct sampler_profiler *p = start_counting(&target);

	/* the same library: valgrind 3.19 crashes if two alternate at one address */
	while ((nr_samples < 20 || nr_loads < 10) && !has_no_target)
		usleep(1000);
	sampler_destroy(p);
	end(thread);
}

/* --- */

static const struct subject {
	const char *name;
	void (*run)(void);
} subjects[] = {
	{ "threads", threads }, { "forks", forks }, { "libraries", libraries },
};

static void run(const char *name)
{
	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
		if (!strcmp(subjects[i].name, name))
			subjects[i].run();
}

static void run_under_valgrind(const char *name)
{
	char self[PATH_MAX] = "", status[32];

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		_exit(FAILED_STATUS);
	snprintf(status, sizeof(status), "--error-exitcode=%d", LEAK_STATUS);
	fflush(stdout);
	dup2(STDOUT_FILENO, STDERR_FILENO);
	execlp("valgrind", "valgrind", "-q", "--fair-sched=try", "--leak-check=full",
	       "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite", status, self, RUN,
	       name, (char *)NULL);
	_exit(FAILED_STATUS);
}

static void check_leaks(const char *name)
{
	int status = 0;
	pid_t pid;

	if (IS_CHECKED) {
		run(name);
		return;
	}
	if (system("valgrind --version > /dev/null 2>&1"))
		SKIP("no valgrind");
	fflush(stdout);
	pid = fork();
	if (!pid)
		run_under_valgrind(name);
	CHECK(waitpid(pid, &status, 0) == pid, "wait");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 1)
		SKIP("valgrind has failed itself");
	CHECK(!status, "%s: %#x", name, (unsigned int)status);
}

TEST(no_leaks_with_64_threads)
{
	check_leaks("threads");
}

TEST(no_leaks_with_forks)
{
	check_leaks("forks");
}

TEST(no_leaks_with_libraries)
{
	check_leaks("libraries");
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], RUN)) {
		alarm(TEST_SECONDS);
		run(argv[2]);
		return tap_failures ? FAILED_STATUS : 0;
	}
	return tap_main(argc, argv);
}
