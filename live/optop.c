// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * optop.c - show what the machine does now, from what the running daemon records
 *
 * Two processes: this one has the terminal, its child reads samples and binaries in the sandbox.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libdb/session/session.h"
#include "libutil/channel.h"
#include "libutil/message.h"
#include "libutil/number.h"
#include "live/top/screen.h"
#include "live/top/worker.h"
#include "pp/cli/common_options.h"
#include "pp/cli/confine.h"
#include "pp/cli/option_words.h"

#define DELAY_MAX	3600	/* seconds */
#define DAEMON_MS	10000

static struct raw {
	char *delay, *color, *demangle, *session_dir, *image_path, *root;
} raw;

static const struct poptOption table[] = {
	{ "delay", 'd', POPT_ARG_STRING, &raw.delay, 0,
	  "seconds from one reading to the next (default 1)", "seconds" },
	{ "demangle", 'D', POPT_ARG_STRING, &raw.demangle, 0,
	  "form of C++ names (default normal)", "none|normal|smart" },
	COMMON_OPTIONS_COLOR(raw),
	COMMON_OPTIONS_PLACES(raw),
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

static const struct option_set option_set = { "optop", table, "[OPTION...]" };

struct options {
	struct top_place place;
	enum demangle_style demangle;
	uint64_t delay;
	bool color;
};

static int read_options(const struct command_line *line, struct options *o, struct op_error *e)
{
	int err = option_demangle(raw.demangle, false, &o->demangle, e);

	if (!err)
		err = option_color(raw.color, false, &o->color, e);
	if (err)
		return err;
	if (line->nr_args)
		return op_error_set(e, -EINVAL, "unexpected argument '%s' (see --help)",
				    line->args[0]);
	if (number_parse_range(raw.delay ? raw.delay : "1", 1, DELAY_MAX, &o->delay))
		return op_error_set(e, -EINVAL, "invalid value '%s' for --delay: expected 1 to %d "
				    "seconds", raw.delay, DELAY_MAX);
	o->place.session_dir = option_session_dir_quietly(raw.session_dir, false);
	o->place.root = raw.root;
	return 0;
}

/* Does not return. */
static void work(const struct options *o, int from, int to)
{
	const struct confine_needs needs = { .line_cache = true };
	struct op_error e = { "" };

	signal(SIGINT, SIG_IGN);	/* the terminal's: it ends when its pipe does */
	signal(SIGQUIT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	if (confine(&needs, &e)) {
		report_error("%s", e.text);
		exit(1);
	}
	top_work(from, to, &o->place, o->demangle);
	exit(0);
}

static int start_worker(const struct options *o, struct top_screen *screen, pid_t *ret,
			struct op_error *e)
{
	int events[2], frames[2];

	if (pipe2(events, O_CLOEXEC) || pipe2(frames, O_CLOEXEC))
		return op_error_set(e, -errno, "cannot create a pipe: %s", strerror(errno));
	*ret = fork();
	if (*ret < 0)
		return op_error_set(e, -errno, "cannot create a process: %s", strerror(errno));
	if (!*ret) {
		close(events[1]);
		close(frames[0]);
		work(o, events[0], frames[1]);
	}
	close(events[0]);
	close(frames[1]);
	screen->to = events[1];
	screen->from = frames[0];
	return 0;
}

static int check_daemon(const struct options *o, const char *control, struct op_error *e)
{
	struct op_error why = { "" };
	int err = channel_ask(control, "ping", DAEMON_MS, NULL, &why);

	if (err == -ECONNREFUSED || err == -ENOENT)
		return op_error_set(e, err, "no daemon is sampling into '%s'; run opcontrol "
				    "--start, or optop with another --session-dir",
				    o->place.session_dir);
	return err ? op_error_set(e, err, "the daemon does not answer: %s", why.text) : 0;
}

static int run(const struct options *o, struct op_error *e)
{
	char *control = session_control_path(o->place.session_dir);
	struct top_screen screen = { .control = control, .delay_ms = (int)o->delay * 1000,
				     .color = o->color };
	pid_t worker = -1;
	int err, status;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		err = op_error_set(e, -ENOTTY, "standard input and output must be a terminal; use "
				   "opreport for a file");
	else
		err = check_daemon(o, control, e);
	if (!err)
		err = start_worker(o, &screen, &worker, e);
	if (!err) {
		signal(SIGPIPE, SIG_IGN);
		err = top_screen_run(&screen, e);
		close(screen.to);
		close(screen.from);
		while (waitpid(worker, &status, 0) < 0 && errno == EINTR)
			;
	}
	free(control);
	return err;
}

int main(int argc, const char **argv)
{
	struct spec_list image_path = { 0 };
	struct options o = { .place.image_path = &image_path };
	struct command_line line;
	struct op_error e = { "" };
	int err;

	setlocale(LC_CTYPE, "");
	err = command_line_read(&option_set, argc, argv, &line, &e);
	if (!err && line.asked != ASKED_WORK) {
		option_set_print(&option_set, line.asked);
	} else if (!err) {
		err = read_options(&line, &o, &e);
		option_list_split(raw.image_path, &image_path);
		if (!err)
			err = run(&o, &e);
	}
	if (err)
		report_error("%s", e.text);
	option_list_free(&image_path);
	command_line_end(&option_set, &line);
	return err ? 1 : 0;
}
