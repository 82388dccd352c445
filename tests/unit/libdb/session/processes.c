/* SPDX-License-Identifier: GPL-2.0-or-later */
/* processes.c - the list of tasks: written, read, found; what a process was started as */
#include <errno.h>
#include "libdb/session/name.h"
#include "libdb/session/processes.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

TEST(written_and_read)
{
	static const struct session_process rows[] = {
		{ 70, 71, "a b\n", "/usr/bin/\\odd\033", "/app one" },
		{ 70, 70, "sh", "", "/bin/sh" },
		{ SAMPLE_ALL, SAMPLE_ALL, "-", "-", "-" },
		{ 9, 9, "kworker/0:1", "", "" },
	};
	struct session_processes all = { 0 };
	const struct session_process *p;
	size_t nr;

	tmpdir_make();
	CHECK(session_processes_read(tmpdir, &all, NULL) == -ENOENT, "no file yet");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK(!session_processes_append(tmpdir, &rows[i]), "row %zu", i);
	CHECK(!session_processes_read(tmpdir, &all, NULL) && all.nr == 4, "%zu", all.nr);
	p = session_processes_find(&all, 70, &nr);
	CHECK(nr == 2 && p[0].tid == 71 && p[1].tid == 70, "%zu", nr);
	CHECK(!strcmp(p[0].comm, rows[0].comm) && !strcmp(p[0].started_as, rows[0].started_as) &&
	      !strcmp(p[0].app, rows[0].app), "escaped and back");
	CHECK(!*p[1].started_as, "an empty name");
	p = session_processes_find(&all, SAMPLE_ALL, &nr);
	CHECK(nr == 1 && !strcmp(p->comm, "-") && !strcmp(p->started_as, "-") &&
	      !strcmp(p->app, "-"), "a name of one hyphen");
	p = session_processes_find(&all, 9, &nr);
	CHECK(nr == 1 && !*p->app, "a thread of the kernel");
	CHECK(!session_processes_find(&all, 8, &nr) && !nr, "no such process");
	session_processes_free(&all);
}

static int parse(const char *text)
{
	struct session_processes all = { 0 };
	char *copy = xstrdup(text);
	int err = session_processes_parse(copy, strlen(copy), "f", &all, NULL);

	if (err)
		free(copy);
	else
		session_processes_free(&all);
	return err;
}

TEST(refused)
{
	CHECK(!parse(""), "empty");
	CHECK(!parse("1 1 a b c\n1 1 a"), "a killed daemon's last line is ignored");
	CHECK(parse("1 1 a b\n") == -EPROTO, "a name is missing");
	CHECK(parse("1 1 a b c d\n") == -EPROTO, "one too many");
	CHECK(parse("1 1 a  c\n") == -EPROTO, "an empty one");
	CHECK(parse("1 x a b c\n") == -EPROTO, "no number");
	CHECK(parse("1 4294967296 a b c\n") == -EPROTO, "too large");
	CHECK(parse("1 1 a b\\000 c\n") == -EPROTO, "a NUL");
}

TEST(too_many)
{
	char *text = xcalloc(SESSION_PROCESSES_MAX + 1, 12), *p = text;

	for (size_t i = 0; i <= SESSION_PROCESSES_MAX; i++) {
		CHECK(i != SESSION_PROCESSES_MAX || !parse(text), "as many as fit");
		p += sprintf(p, "1 1 a b c\n");
	}
	CHECK(parse(text) == -EPROTO, "one more");
	free(text);
}

TEST(started_as)
{
	static const char *const rows[][2] = {
		{ "/usr/bin/redis-server 127.0.0.1:6379", "/usr/bin/redis-server" },
		{ "nginx: worker process", "nginx" }, { "-bash", "bash" }, { "sh", "sh" },
		{ "", "" }, { " x", "" }, { "-", "" }, { "a:", "a:" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s", rows[i][0]);
		session_started_as(text);
		CHECK(!strcmp(text, rows[i][1]), "'%s' from '%s'", text, rows[i][0]);
	}
}

TEST_MAIN()
