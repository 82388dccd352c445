// SPDX-License-Identifier: GPL-2.0-or-later
/* command_line.c - valid and invalid command lines of opcontrol */
#include <errno.h>
#include "control/opcontrol/command_line.h"
#include "tests/tap.h"

#define NR(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_ARGS 8

struct line {
	const char *args[MAX_ARGS];
	enum action action;
	size_t nr_settings;
};

static int parse(const char *const *args, struct options *o, struct op_error *e)
{
	const char *argv[MAX_ARGS + 2] = { "opcontrol" };
	int argc = 1;

	while (argc <= MAX_ARGS && args[argc - 1]) {
		argv[argc] = args[argc - 1];
		argc++;
	}
	return command_line_parse(argc, argv, o, e);
}

static const struct line good[] = {
	{ { NULL }, ACTION_HELP, 0 },
	{ { "--help" }, ACTION_HELP, 0 },
	{ { "-?" }, ACTION_HELP, 0 },
	{ { "--version" }, ACTION_VERSION, 0 },
	{ { "-v" }, ACTION_VERSION, 0 },
	{ { "--init" }, ACTION_INIT, 0 },
	{ { "--start-daemon" }, ACTION_START_DAEMON, 0 },
	{ { "--start" }, ACTION_START, 0 },
	{ { "-s" }, ACTION_START, 0 },
	{ { "--dump" }, ACTION_DUMP, 0 },
	{ { "-d" }, ACTION_DUMP, 0 },
	{ { "--stop" }, ACTION_STOP, 0 },
	{ { "-t" }, ACTION_STOP, 0 },
	{ { "--shutdown" }, ACTION_SHUTDOWN, 0 },
	{ { "-h" }, ACTION_SHUTDOWN, 0 },
	{ { "--reset" }, ACTION_RESET, 0 },
	{ { "--save=before" }, ACTION_SAVE, 0 },
	{ { "--save", "before" }, ACTION_SAVE, 0 },
	{ { "--deinit" }, ACTION_DEINIT, 0 },
	{ { "--status" }, ACTION_STATUS, 0 },
	{ { "--list-events" }, ACTION_LIST_EVENTS, 0 },
	{ { "-l" }, ACTION_LIST_EVENTS, 0 },
	{ { "--model=intel" }, ACTION_NONE, 1 },
	{ { "--status", "--session-dir=/tmp/s" }, ACTION_STATUS, 1 },
	{ { "--no-vmlinux" }, ACTION_NONE, 1 },
	{ { "--setup", "--no-vmlinux" }, ACTION_NONE, 1 },
	{ { "--event=default" }, ACTION_NONE, 1 },
	{ { "--event", "default" }, ACTION_NONE, 1 },
	{ { "-e", "default" }, ACTION_NONE, 1 },
	{ { "-e", "A:1", "-e", "B:2", "-p", "lib,cpu", "-c", "5" }, ACTION_NONE, 4 },
	{ { "--start", "--event=CPU_CLK_UNHALTED:100000", "--no-vmlinux" }, ACTION_START, 2 },
	{ { "--buffer-size=0x10000", "--buffer-watershed=1", "--cpu-buffer-size=010" },
	  ACTION_NONE, 3 },
	{ { "--image=all", "--kernel-range=1,2", "--vmlinux=/x", "--collector=perf" },
	  ACTION_NONE, 4 },
	{ { "--start", "--exact-count" }, ACTION_START, 1 },
	{ { "--max-cost=0.5", "--exact-count" }, ACTION_NONE, 2 },
	{ { "--start", "--verbose" }, ACTION_START, 0 },
	{ { "--start", "--verbose=misc,module" }, ACTION_START, 0 },
	{ { "-Vall", "--start-daemon" }, ACTION_START_DAEMON, 0 },
};

TEST(valid_lines)
{
	for (size_t i = 0; i < NR(good); i++) {
		struct op_error e = { "" };
		struct options o;
		int err = parse(good[i].args, &o, &e);

		CHECK(!err, "line %zu: %s", i, e.text);
		CHECK(o.action == good[i].action, "line %zu: action %d", i, o.action);
		CHECK(o.nr_settings == good[i].nr_settings, "line %zu: %zu settings", i,
		      o.nr_settings);
		command_line_free(&o);
	}
}

static const struct {
	const char *args[MAX_ARGS];
	const char *message;
} bad[] = {
	{ { "--start", "--stop" }, "--start and --stop cannot be combined" },
	{ { "--dump", "--event=default" }, "--event and --dump cannot be combined" },
	{ { "--status", "--no-vmlinux" }, "--no-vmlinux and --status cannot be combined" },
	{ { "--reset", "--setup" }, "--setup and --reset cannot be combined" },
	{ { "--setup" }, "--setup needs" },
	{ { "--bogus" }, "--bogus" },
	{ { "--bogus" }, "--help" },
	{ { "-x" }, "-x" },
	{ { "--list-events", "--event=A:1" }, "--event and --list-events cannot be combined" },
	{ { "--model" }, "--model needs a value" },
	{ { "--max-cost" }, "--max-cost needs a value" },
	{ { "--dump", "--exact-count" }, "--exact-count and --dump cannot be combined" },
	{ { "--ctr0-event=X" }, "--ctr0-event" },
	{ { "--pid-filter=1" }, "--pid-filter" },
	{ { "start" }, "unexpected argument 'start'" },
	{ { "--start", "now" }, "'now'" },
	{ { "--event" }, "--event needs a value" },
	{ { "--event=" }, "--event needs a value" },
	{ { "--event", "--start" }, "--event needs a value" },
	{ { "--save" }, "--save needs a value" },
	{ { "--event=a;b:1" }, "expected letters" },
	{ { "--session-dir=/tmp/$HOME" }, "expected letters" },
	{ { "--session-dir=/tmp/a b" }, "expected letters" },
	{ { "--image=/bin/\xc3\xa9" }, "expected letters" },
	{ { "--save=../x" }, "invalid session name" },
	{ { "--save=a/b" }, "invalid session name" },
	{ { "--save=.." }, "invalid session name" },
	{ { "--save=.hidden" }, "invalid session name" },
	{ { "--save=current" }, "invalid session name" },
	{ { "--save=a b" }, "invalid session name" },
	{ { "--verbose" }, "--verbose needs" },
	{ { "--verbose", "--dump" }, "--verbose needs" },
	{ { "--start", "--verbose=loud" }, "'loud'" },
};

TEST(invalid_lines)
{
	for (size_t i = 0; i < NR(bad); i++) {
		struct op_error e = { "" };
		struct options o;
		int err = parse(bad[i].args, &o, &e);

		CHECK(err == -EINVAL, "line %zu (%s): %d", i, bad[i].message, err);
		CHECK(strstr(e.text, bad[i].message), "line %zu: \"%s\" does not contain \"%s\"", i,
		      e.text, bad[i].message);
		command_line_free(&o);
	}
}

TEST(save_name_is_kept)
{
	const char *const args[] = { "--save", "run-1.a_b+c", NULL };
	struct options o;

	CHECK(!parse(args, &o, NULL), "parse");
	CHECK(o.save_name && !strcmp(o.save_name, "run-1.a_b+c"), "name");
	command_line_free(&o);
}

TEST_MAIN()
