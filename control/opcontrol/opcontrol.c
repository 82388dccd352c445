// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opcontrol.c - set up, start and stop the profiler
 *
 * command_line.c parses the command line, setup.c and daemonrc.c handle the set-up, actions.c and
 * actions_start.c have the actions.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "control/opcontrol/actions.h"
#include "control/opcontrol/command_line.h"
#include "control/opcontrol/daemon_link.h"
#include "control/opcontrol/daemonrc.h"
#include "libdb/session/lock.h"
#include "libutil/file.h"
#include "libutil/message.h"
#include "libutil/version.h"
#include "libutil/xalloc.h"

static bool is_start(enum action action)
{
	return action == ACTION_START || action == ACTION_START_DAEMON;
}

/* CTL-05, and also --status, which the daemon answers to any user. */
static int check_user(const struct options *o, struct op_error *e)
{
	if (geteuid() == 0 || o->action == ACTION_DUMP || o->action == ACTION_STATUS ||
	    o->action == ACTION_LIST_EVENTS)
		return 0;
	return op_error_set(e, -EPERM, "permission denied: this needs root; other users may use "
			    "--dump, --status and --list-events");
}

/* The saved set-up; the defaults if this user may not read it. */
static int load_setup(struct control *c, const struct options *o, struct op_error *e)
{
	const struct setting dir = { SET_SESSION_DIR, o->session_dir };
	int err;

	/* without a saved set-up no daemon was started with it, also not in the default folder */
	if (o->session_dir && !file_exists(c->rc))
		return setup_set(&c->setup, &dir, 1, e);
	err = daemonrc_load(c->rc, &c->setup, e);
	return err == -EACCES && geteuid() ? 0 : err;
}

/* Use the pending set-up if the daemon has ended (CTL-57). */
static int adopt_pending(struct control *c, struct op_error *e)
{
	int err;

	if (c->running || geteuid() || !daemonrc_has_pending(c->rc))
		return 0;
	err = daemonrc_adopt_pending(c->rc, e);
	if (err)
		return err;
	setup_free(&c->setup);
	setup_init(&c->setup);
	err = daemonrc_load(c->rc, &c->setup, e);
	c->running = !err && daemon_runs(c->setup.session_dir);
	return err;
}

/* While a daemon runs, changes apply to the pending set-up, if there is one. */
static int load_pending(struct control *c, struct setup *s, struct op_error *e)
{
	char path[4096];

	if (c->running && daemonrc_has_pending(c->rc))
		snprintf(path, sizeof(path), "%s_new", c->rc);
	else
		snprintf(path, sizeof(path), "%s", c->rc);
	return daemonrc_load(path, s, e);
}

static int save_changed(struct control *c, const struct setup *changed, struct op_error *e)
{
	int err;

	if (!c->running)
		return daemonrc_save(c->rc, changed, e);
	err = daemonrc_save_pending(c->rc, changed, e);
	if (!err)
		printf("The daemon is running: the new set-up is saved in\n"
		       "%s_new and takes effect after opcontrol --shutdown.\n", c->rc);
	return err;
}

/* With two daemons, opcontrol could not find the first one any more. */
static int check_same_session(const struct control *c, const struct setup *changed,
			      const struct options *o, struct op_error *e)
{
	if (!c->running || !is_start(o->action) ||
	    !strcmp(c->setup.session_dir, changed->session_dir))
		return 0;
	return op_error_set(e, -EBUSY,
			    "oprofiled (pid %d) is running with session directory '%s'; "
			    "stop it with opcontrol --shutdown",
			    (int)session_lock_pid(c->setup.session_dir), c->setup.session_dir);
}

static void use_setup(struct control *c, struct setup *changed)
{
	bool same_dir = !strcmp(c->setup.session_dir, changed->session_dir);

	setup_free(&c->setup);
	c->setup = *changed;
	if (!same_dir)
		c->running = daemon_runs(c->setup.session_dir);
}

/* A start that fails must not change the saved set-up, so save it after the start. */
static int save_if_running(struct control *c, struct op_error *e)
{
	c->unsaved = !c->running;
	return c->running ? daemonrc_save(c->rc, &c->setup, e) : 0;
}

/* A start does the remaining checks itself. */
static int check_changed(const struct control *c, const struct options *o, struct setup *changed,
		 struct op_error *e)
{
	return is_start(o->action) && !c->running ? setup_check(changed, e) :
						    control_check_setup(c, changed, e);
}

static int change_setup(struct control *c, const struct options *o, struct op_error *e)
{
	struct setup changed;
	int err;

	setup_init(&changed);
	err = load_pending(c, &changed, e);
	if (!err)
		err = setup_set(&changed, o->settings, o->nr_settings, e);
	if (!err)
		err = check_changed(c, o, &changed, e);
	if (!err)
		err = check_same_session(c, &changed, o, e);
	if (!err && (c->running || !is_start(o->action)))
		err = save_changed(c, &changed, e);
	if (err || c->running) {
		setup_free(&changed);
		return err;
	}
	use_setup(c, &changed);
	return is_start(o->action) ? save_if_running(c, e) : 0;
}

/* For actions that do not save the set-up: --session-dir= selects the daemon. */
static int select_session(struct control *c, const struct options *o, struct op_error *e)
{
	char *before;
	int err;

	if (!o->session_dir)
		return 0;
	before = xstrdup(c->setup.session_dir);
	err = setup_set(&c->setup, o->settings, o->nr_settings, e);
	if (!err && strcmp(before, c->setup.session_dir)) {
		c->running = daemon_runs(c->setup.session_dir);
		c->saved_dir = before;
		before = NULL;
	}
	free(before);
	return err;
}

static int act(struct control *c, const struct options *o, struct op_error *e)
{
	switch (o->action) {
	case ACTION_INIT:		return action_init(c, e);
	case ACTION_START_DAEMON:	return action_start_daemon(c, e);
	case ACTION_START:		return action_start(c, e);
	case ACTION_DUMP:		return action_dump(c, e);
	case ACTION_STOP:		return action_stop(c, e);
	case ACTION_SHUTDOWN:		return action_shutdown(c, e);
	case ACTION_RESET:		return action_reset(c, e);
	case ACTION_SAVE:		return action_save(c, o->save_name, e);
	case ACTION_DEINIT:		return action_deinit(c, e);
	case ACTION_LIST_EVENTS:	return action_list_events(c, e);
	case ACTION_STATUS:		return action_status(c, e);
	case ACTION_SERVICE:		return action_service(c, o->service_step, e);
	default:			return 0;
	}
}

static int control(struct control *c, const struct options *o, struct op_error *e)
{
	int err = check_user(o, e);

	if (!err)
		err = load_setup(c, o, e);
	if (err)
		return err;
	c->running = daemon_runs(c->setup.session_dir);
	err = adopt_pending(c, e);
	if (err)
		return err;
	if (!c->running && !geteuid() && !is_start(o->action))
		control_restore_watchdog(c);
	if (o->action == ACTION_NONE || (is_start(o->action) && o->nr_settings))
		err = change_setup(c, o, e);
	else
		err = select_session(c, o, e);
	return err ? err : act(c, o, e);
}

static int run(const struct options *o)
{
	struct control c = { .rc = daemonrc_path(), .verbose = o->verbose };
	struct op_error e = { "" };
	int err;

	setup_init(&c.setup);
	host_init(&c.host);
	err = control(&c, o, &e);
	fflush(stdout);
	if (err && e.text[0])
		report_error("%s", e.text);
	if (err == -ECHILD && is_start(o->action))	/* the daemon has printed the reason */
		report_note("opdoctor shows what can be profiled here, and what to do for more");
	host_free(&c.host);
	setup_free(&c.setup);
	free(c.saved_dir);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct op_error e = { "" };
	struct options o;
	int status = EXIT_SUCCESS;

	set_program_name("opcontrol");
	umask(022);
	if (command_line_parse(argc, (const char **)argv, &o, &e)) {
		report_error("%s", e.text);
		status = EXIT_FAILURE;
	} else if (o.action == ACTION_HELP) {
		options_print_help(stdout);
	} else if (o.action == ACTION_VERSION) {
		version_print("opcontrol");
	} else {
		status = run(&o);
	}
	command_line_free(&o);
	return status;
}
