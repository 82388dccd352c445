// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet.c - see fleet.h */
#include "pp/cli/fleet.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libutil/file.h"
#include "libutil/xalloc.h"

char *option_fleet;

/* What the store selects; everything else is the report's. */
static bool is_for_store(const char *arg)
{
	static const char *const names[] = {
		"host:", "service:", "label:", "version:", "container:", "pod:", "namespace:",
		"unit:", "time:",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(arg, names[i], strlen(names[i])))
			return true;
	return false;
}

struct argv {
	const char **list;
	size_t nr, room;
};

static void add(struct argv *a, const char *arg)
{
	xgrow(a->list, a->nr, a->room);
	a->list[a->nr++] = arg;
}

/* The program beside this one, or that of $PATH. */
static void run_opfleet(const char **argv)
{
	char *dir = path_program_dir(), *beside = path_join(dir, "opfleet");

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	execv(beside, (char *const *)argv);
	execvp("opfleet", (char *const *)argv);
	_exit(127);
}

static int fetch(struct argv *a, struct op_error *e)
{
	int status = 0;
	pid_t pid;

	add(a, NULL);
	pid = fork();
	if (!pid)
		run_opfleet(a->list);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0)
		return op_error_set(e, -errno, "cannot start opfleet: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return op_error_set(e, -ENOENT, "--fleet: opfleet is not installed");
	return !status ? 0 : op_error_set(e, -EIO, "--fleet: nothing was fetched");
}

/*
 * Fetch the session @name, by the words for the store that are outside of braces or in the @pair'th
 * one, from 1 on.
 */
static int fetch_session(const char *const *args, size_t nr, const struct fleet_times *times,
			 const char *dir, const char *name, int pair, struct op_error *e)
{
	char *options[] = {
		xasprintf("--url=%s", option_fleet), xasprintf("--output=%s", dir),
		xasprintf("--session=%s", name),
		times->since ? xasprintf("--since=%s", times->since) : NULL,
		times->until ? xasprintf("--until=%s", times->until) : NULL,
		times->last ? xasprintf("--last=%s", times->last) : NULL,
	};
	struct argv a = { NULL, 0, 0 };
	int at = 0, pairs = 0, err;

	add(&a, "opfleet");
	add(&a, "fetch");
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (options[i])
			add(&a, options[i]);
	for (size_t i = 0; i < nr; i++) {
		if (*args[i] == '{')
			at = ++pairs;
		else if (*args[i] == '}')
			at = 0;
		else if (is_for_store(args[i]) && (!at || at == pair))
			add(&a, args[i]);
	}
	err = fetch(&a, e);
	free(a.list);
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		free(options[i]);
	return err;
}

static pid_t report;

static void pass_on(int signal)
{
	kill(report, signal);
}

/* In the parent: remove the directory when the child has ended, and end as it did. */
static void wait_for_report(const char *dir) __attribute__((noreturn));
static void wait_for_report(const char *dir)
{
	int status = 0;

	signal(SIGINT, SIG_IGN);	/* the child gets it, too, and ends */
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTERM, pass_on);
	signal(SIGHUP, pass_on);
	while (waitpid(report, &status, 0) < 0 && errno == EINTR)
		;
	(void)file_remove_tree(dir);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

int fleet_fetch_for_report(const char *const *args, size_t nr, const struct fleet_times *times,
			   char **ret_dir, const char ***ret_args, size_t *ret_nr,
			   struct op_error *e)
{
	static const char *const names[] = { "first", "second" };
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/oprofile-fleet-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	struct argv left = { NULL, 0, 0 };
	int pairs = 0, err = 0;

	for (size_t i = 0; i < nr; i++) {
		if (is_for_store(args[i]))
			continue;
		add(&left, args[i]);
		if (*args[i] == '{' && pairs < 2)
			add(&left, pairs++ ? "session:second" : "session:first");
	}
	if (!mkdtemp(dir)) {
		err = op_error_set(e, -errno, "cannot create '%s': %s", dir, strerror(errno));
		free(left.list);
		free(dir);
		return err;
	}
	report = fork();
	if (report > 0)
		wait_for_report(dir);
	if (report < 0)
		err = op_error_set(e, -errno, "cannot fork: %s", strerror(errno));
	if (!pairs && !err)
		err = fetch_session(args, nr, times, dir, "current", 0, e);
	for (int i = 0; i < pairs && !err; i++)
		err = fetch_session(args, nr, times, dir, names[i], i + 1, e);
	*ret_dir = dir;
	*ret_args = left.list;
	*ret_nr = left.nr;
	return err;
}
