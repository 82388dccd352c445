// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opjitconv.c - name JIT code in an existing session
 *
 * The daemon and operf do this themselves while the processes live. This is for dumps that were
 * written too late for them, and for scripts that run OProfile's program of this name.
 */
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "daemon/jit/places.h"
#include "daemon/jit/processes.h"
#include "daemon/jit/sweep.h"
#include "libdb/session/name.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/message.h"
#include "libutil/number.h"
#include "libutil/option_help.h"
#include "libutil/xalloc.h"

#define NOTHING_TO_DO	1
#define FAILED		255		/* OProfile's -1 */

static struct {
	int debug, non_root, delete, help, usage, version;
	char *session_dir;
} raw;

static const struct poptOption table[] = {
	{ "session-dir", 0, POPT_ARG_STRING, &raw.session_dir, 0,
	  "the session directory (default " SESSION_DIR_DEFAULT ")", "dir" },
	{ "delete-jitdumps", 0, POPT_ARG_NONE, &raw.delete, 0,
	  "afterwards remove dumps that no process has open for writing", NULL },
	{ "debug", 'd', POPT_ARG_NONE, &raw.debug, 0,
	  "print what is found for each process", NULL },
	{ "non-root", 0, POPT_ARG_NONE, &raw.non_root, 0,
	  "accepted for compatibility with OProfile, without effect", NULL },
	{ "version", 'v', POPT_ARG_NONE, &raw.version, 0, "show the version", NULL },
	{ "help", '?', POPT_ARG_NONE, &raw.help, 0, "show this help", NULL },
	{ "usage", 0, POPT_ARG_NONE, &raw.usage, 0, "show the options in short", NULL },
	POPT_TABLEEND
};

struct time_range {
	uint64_t start, end;		/* seconds since 1970 */
};

/* State of visit(), because nftw() has no argument for its callback. */
static struct walk {
	struct jit_processes *processes;
	size_t prefix;			/* length of the current root's path */
	size_t nr;
} walk;

static int visit(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	struct sample_name name;

	(void)st;
	if (type == FTW_D && ftw->level == 1 && !strcmp(path + ftw->base, "stats"))
		return FTW_SKIP_SUBTREE;
	if (type != FTW_F || sample_name_parse(path + walk.prefix, &name, NULL))
		return FTW_CONTINUE;
	if (name.image.kind == IMAGE_ANON && name.app.kind == IMAGE_FILE) {
		jit_processes_add_sample(walk.processes, name.app.path, name.image.anon_tgid,
				  name.image.path, 0, 0);
		walk.nr++;
	}
	sample_name_free(&name);
	return FTW_CONTINUE;
}

static void find_processes(const char *samples, struct jit_processes *processes)
{
	struct jit_roots roots;

	walk.processes = processes;
	jit_roots_read(samples, &roots);
	for (size_t i = 0; i < roots.nr; i++) {
		walk.prefix = strlen(roots.dirs[i]) + 1;
		nftw(roots.dirs[i], visit, 32, FTW_PHYS | FTW_ACTIONRETVAL);
	}
	jit_roots_free(&roots);
}

static int convert(const char *session_dir, const struct time_range *times)
{
	char *samples = session_samples_path(session_dir, SESSION_CURRENT);
	struct jit_processes *processes;
	size_t nr = 0;

	if (!file_is_dir(samples)) {
		report_error("'%s' is not a session: '%s' is missing", session_dir, samples);
		free(samples);
		return FAILED;
	}
	processes = jit_processes_new(NULL);
	jit_processes_set_session(processes, samples);
	find_processes(samples, processes);
	if (walk.nr)
		nr = jit_processes_convert_times(processes, times->start, times->end);
	if (raw.debug)
		report_note("%zu sample files of anonymous memory, JIT code of %zu processes named",
			    walk.nr, nr);
	jit_processes_free(processes);
	free(samples);
	return nr ? 0 : NOTHING_TO_DO;
}

/* [SESSION_DIR] START END */
static int parse_arguments(poptContext context, const char **ret_dir, struct time_range *ret)
{
	const char **args = poptGetArgs(context);
	size_t nr = 0;

	while (args && args[nr])
		nr++;
	*ret_dir = nr == 3 ? args[0] : raw.session_dir ? raw.session_dir : SESSION_DIR_DEFAULT;
	if (nr == 0) {
		*ret = (struct time_range){ 0, 0 };
		return 0;
	}
	if ((nr != 2 && nr != 3) || (nr == 3 && raw.session_dir) ||
	    number_parse_u64(args[nr - 2], &ret->start) ||
	    number_parse_u64(args[nr - 1], &ret->end)) {
		report_error("expected the session's start and end in seconds since 1970, or "
			     "neither; 'opjitconv --help' lists the options");
		return -EINVAL;
	}
	if (!ret->start || ret->start > ret->end) {
		report_error("invalid session times %" PRIu64 " and %" PRIu64 ": expected a start "
			     "above 0 and not after the end", ret->start, ret->end);
		return -EINVAL;
	}
	return 0;
}

static bool print_help_or_version(poptContext context)
{
	if (raw.help) {
		puts("Usage: opjitconv [OPTION...] [[SESSION_DIR] START END]");
		option_help_print(table, stdout);
	} else if (raw.usage) {
		poptPrintUsage(context, stdout, 0);
	} else if (raw.version) {
		puts("opjitconv " OP_VERSION);
	}
	return raw.help || raw.usage || raw.version;
}

int main(int argc, char **argv)
{
	poptContext context = poptGetContext("opjitconv", argc, (const char **)argv, table, 0);
	struct time_range times;
	const char *dir;
	int c, status;

	set_program_name("opjitconv");
	poptSetOtherOptionHelp(context, "[[SESSION_DIR] START END]");
	c = poptGetNextOpt(context);
	if (c < -1) {
		report_error("%s: %s; 'opjitconv --help' lists the options",
			     poptBadOption(context, POPT_BADOPTION_NOALIAS), poptStrerror(c));
		status = FAILED;
	} else if (print_help_or_version(context)) {
		status = 0;
	} else if (parse_arguments(context, &dir, &times)) {
		status = FAILED;
	} else {
		log_topics = raw.debug ? LOG_MISC : 0;
		status = convert(dir, &times);
		if (raw.delete)
			jit_sweep();
	}
	poptFreeContext(context);
	free(raw.session_dir);
	return finish_output(status);
}
