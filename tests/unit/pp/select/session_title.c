/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_title.c - titles name what was profiled [PI-14] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/select/sessions.h"
#include "tests/tap.h"

#define START	1795770600	/* 2026-11-27 09:10:00 UTC */

static struct report_session session(const char *name, const char *profiled, const char *host,
				     uint64_t start, uint64_t end)
{
	struct report_session s = { .name = (char *)name, .has_info = true };

	snprintf(s.info.profiled, sizeof(s.info.profiled), "%s", profiled);
	snprintf(s.info.host, sizeof(s.info.host), "%s", host);
	s.info.start_time = start;
	s.info.end_time = end;
	return s;
}

static void check_title(struct report_session s, const char *wanted)
{
	const struct session_list list = { .sessions = &s, .nr = 1 };
	char *title = sessions_title(&list);

	CHECK(!strcmp(title, wanted), "'%s', not '%s'", title, wanted);
	free(title);
}

TEST(one_session)
{
	char command[400] = "sh -c ", cut[100] = "sh -c ";

	setenv("TZ", "UTC", 1);
	check_title(session("current", "bzip2 -9 file", "vm", START, START + 60), "bzip2 -9 file");
	check_title(session("current", "/usr/bin/bzip2 -9 /tmp/file", "vm", START, 0),
		    "bzip2 -9 /tmp/file");
	check_title(session("monday", "./a b/c", "vm", START, 0), "a b/c (monday)");
	check_title(session("current", "process 12 (cat), 13 (sh)", "vm", START, 0),
		    "process 12 (cat), 13 (sh)");
	check_title(session("current", "cpu.pb.gz (pprof)", "", 0, 0), "cpu.pb.gz (pprof)");
	check_title(session("current", "", "vm", START, START + 600),
		    "vm, 2026-11-27 09:10 to 09:20");
	check_title(session("current", "", "vm", START, START + 86400),
		    "vm, 2026-11-27 09:10 to 2026-11-28 09:10");
	check_title(session("current", "", "vm", START, START + 10), "vm, 2026-11-27 09:10");
	check_title(session("current", "", "vm", START, 0), "vm, since 2026-11-27 09:10");
	check_title(session("current", "", "vm", 0, 0), "vm");
	check_title(session("current", "", "", 0, 0), "session current");
	check_title((struct report_session){ .name = (char *)"old" }, "session old");
	check_title(session("/x/samples/current", "a", "vm", 0, 0), "a");
	/* hostile: controls, newlines, lengths, no UTF-8 */
	check_title(session("current", "a\tb\nc\033[1m\xff", "", 0, 0), "a b c?[1m?");
	memset(command + 6, 'x', 200);
	memset(cut + 6, 'x', 74);
	strcat(cut, "…");
	check_title(session("current", command, "", 0, 0), cut);
}

TEST(several_sessions)
{
	struct report_session all[4];
	struct session_list list = { .sessions = all, .nr = 4 }, other = list;
	char *title;

	for (size_t i = 0; i < 4; i++)
		all[i] = session("current", "a", "vm", START, 0);
	title = sessions_title(&list);
	CHECK(!strcmp(title, "a; a; a and 1 more"), "%s", title);
	free(title);

	list.nr = other.nr = 1;
	other.sessions = all + 1;
	all[1] = session("current", "b", "vm", START, 0);
	title = sessions_title_of_two(&list, &other);
	CHECK(!strcmp(title, "a → b"), "%s", title);
	free(title);
	all[1] = session("/x/samples/current", "a", "vm", START, 0);
	title = sessions_title_of_two(&list, &other);
	CHECK(!strcmp(title, "a (current) → a (/x/samples/current)"), "%s", title);
	free(title);
}

TEST_MAIN()
