// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * children.c - children that are forked under opsample while the sampling thread is working
 *
 * Its data may be half changed in the child, and must not be used there [SM-16]: a child begins its
 * own profile in its own file [SM-74].
 */
#include <sys/wait.h>
#include "tests/unit/libsampler/preloaded.h"
#include "tests/unit/libsampler/seen.h"

#define NR_CHILDREN	40
#define CHILD_NS	(10 * MS)	/* of CPU time, enough for some samples */
#define RATE		"10000"		/* so that it is working most of the time */

enum { ALL_WELL = 7, PARENTS_FILE, DIED, FAILED };

static void *spend_for_ever(void *unused)
{
	run_outer(unused);
	return unused;
}

/* The sampled program writes its file at its end, so an existing file is a child's. */
static int have_child(const char *output)
{
	pid_t pid = fork();
	int status = 0;

	if (!pid) {
		spend(CHILD_NS);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return FAILED;
	return status ? DIED : access(output, F_OK) ? ALL_WELL : PARENTS_FILE;
}

static int have_children(void)
{
	const char *output = getenv("OPSAMPLE_OUTPUT");
	int result = ALL_WELL;
	pthread_t thread;

	alarm(TEST_SECONDS / 2);
	if (!output || pthread_create(&thread, NULL, spend_for_ever, NULL))
		return FAILED;
	for (int i = 0; i < NR_CHILDREN && result == ALL_WELL; i++)
		result = have_child(output);
	_exit(result);
}

TEST(half_changed_data_is_not_used)
{
	char folder[] = "/tmp/sampler_children.XXXXXX", output[64], command[128];
	int status = 0;
	pid_t pid;

	skip_unless_preloaded();
	CHECK(mkdtemp(folder), "a folder");
	snprintf(output, sizeof(output), "%s/out", folder);
	fflush(stdout);
	pid = fork();
	if (!pid)
		be_preloaded("have-children", RATE, output);
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "status %#x",
	      (unsigned int)status);
	CHECK(WEXITSTATUS(status) != PARENTS_FILE, "a child has written its parent's file");
	CHECK(WEXITSTATUS(status) != DIED, "a child has died");
	CHECK(WEXITSTATUS(status) == ALL_WELL, "status %d", WEXITSTATUS(status));
	CHECK(!access(output, F_OK), "the parent's own file");
	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK(!system(command), "%s", command);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "have-children"))
		return have_children();
	return tap_main(argc, argv);
}
