// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opdoctor.c - what works on this machine, and what to do about what does not
 *
 * Exit status: 0 something can be profiled, 1 nothing can, 2 wrong options.
 */
#include <popt.h>
#include <stdlib.h>
#include <string.h>

#include "control/opdoctor/probes.h"
#include "libdb/session/session.h"
#include "libutil/message.h"
#include "libutil/terminal_width.h"
#include "pp/cli/common_options.h"
#include "pp/cli/confine.h"
#include "pp/cli/terminal.h"

#define WIDTH		100	/* columns, if the output is not a terminal */
#define MIN_WIDTH	60

static struct raw {
	int json;
	char *session_dir, *session;
} raw;

static const struct poptOption table[] = {
	{ "json", 0, POPT_ARG_NONE, &raw.json, 0, "print JSON, for programs", NULL },
	{ "session-dir", 0, POPT_ARG_STRING, &raw.session_dir, 0,
	  "folder of the samples to examine (default as for opreport)", "path" },
	{ "session", 0, POPT_ARG_STRING, &raw.session, 0,
	  "session to examine (default current)", "name" },
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

static const struct option_set option_set = { "opdoctor", table, "[option...]" };

static unsigned int width(void)
{
	unsigned int width = terminal_width();

	return width < MIN_WIDTH || width > WIDTH ? WIDTH : width;
}

static void print_text(const struct machine *m, const struct findings *f)
{
	const char *what = what_can_be_profiled(f);
	unsigned int poor = 0;

	for (size_t i = 0; i < f->nr; i++)
		poor += f->all[i].verdict >= VERDICT_POOR;
	printf("oprofile %s, Linux %s, user %u: %s%s", OP_VERSION, m->release,
	       (unsigned int)m->uid, what ? what : "only opsample works here",
	       what ? " can be profiled" : "");
	if (poor)
		printf("; %u %s marked 'poor' or 'no'", poor, poor == 1 ? "finding is"
									 : "findings are");
	putchar('\n');
	findings_print(f, width(), stdout);
}

static int examine(void)
{
	const char *session_dir = option_session_dir_quietly(raw.session_dir, false);
	const struct confine_needs needs = { .line_cache = false };
	struct findings f = { 0 };
	struct op_error e = { "" };
	struct machine m;
	int status;

	machine_init(&m);
	probe_collectors(&m, &f);
	probe_counters(&m, &f);
	probe_kernel(&m, &f);
	probe_cost(&m, &f);
	probe_daemon(&m, &f);
	if (confine(&needs, &e)) {
		findings_begin(&f, "session");
		finding_add(&f, VERDICT_NO, "session", "not examined: %s", e.text);
	} else {
		progress_begin();
		probe_session(&m, session_dir, raw.session ? raw.session : SESSION_CURRENT, &f);
		progress_end();
	}
	if (raw.json)
		findings_print_json(&f, stdout);
	else
		print_text(&m, &f);
	status = what_can_be_profiled(&f) ? 0 : 1;
	findings_free(&f);
	machine_free(&m);
	return status;
}

int main(int argc, const char **argv)
{
	struct command_line line;
	struct op_error e = { "" };
	int status = 0;

	set_program_name("opdoctor");
	if (command_line_read(&option_set, argc, argv, &line, &e)) {
		report_error("%s", e.text);
		status = 2;
	} else if (line.asked != ASKED_WORK) {
		option_set_print(&option_set, line.asked);
	} else if (line.nr_args) {
		report_error("unexpected argument '%s'; opdoctor takes only options", line.args[0]);
		status = 2;
	} else {
		status = examine();
	}
	command_line_end(&option_set, &line);
	return finish_output(status);
}
