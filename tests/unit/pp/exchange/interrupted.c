// SPDX-License-Identifier: GPL-2.0-or-later
/* interrupted.c - archives, sessions and files that are interrupted while they are written */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/format.h"
#include "libutil/file.h"
#include "pp/cli/output.h"
#include "pp/exchange/archive/plan.h"
#include "pp/exchange/archive/write.h"
#include "pp/exchange/import/session.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

/* The signal stays pending in this thread, so that the test outlives it. */
static void interrupt(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGINT);
}

static bool is_pending(void)
{
	sigset_t set;

	sigpending(&set);
	return sigismember(&set, SIGINT);
}

static int archive(const char *to)
{
	struct archive_plan plan = { 0 };
	struct notices notices = { 0 };
	struct op_error e = { "" };
	struct archive_size size;
	int err;

	archive_plan_add(&plan, ARCHIVE_SESSION, tmpdir, "a", strdup("below/a"));
	archive_plan_add(&plan, ARCHIVE_SESSION, tmpdir, "b", strdup("b"));
	err = archive_write(&plan, to, false, &size, &notices, &e);
	archive_plan_free(&plan);
	notices_free(&notices);
	return err;
}

TEST(archives)
{
	char *to;

	tmpdir_make();
	put_text(tmpdir_path("a"), "a");
	put_text(tmpdir_path("b"), "b");
	to = strdup(tmpdir_path("made/to"));
	interrupt();
	CHECK(archive(to) == -EINTR && !file_exists(to), "left");
	CHECK(!file_make_dirs(to, 0755) && archive(to) == -EINTR && file_is_dir(to) &&
	      !file_exists(tmpdir_path("made/to/below")), "an empty folder stays, and stays empty");
	CHECK(is_pending(), "takes effect afterwards");
	free(to);
}

TEST(whole_archives)
{
	char *to;

	tmpdir_make();
	put_text(tmpdir_path("a"), "a");
	put_text(tmpdir_path("b"), "b");
	to = strdup(tmpdir_path("to"));
	CHECK(!archive(to) && file_exists(tmpdir_path("to/below/a")) &&
	      file_exists(tmpdir_path("to/b")), "without an interrupt");
	free(to);
}

TEST(imported_sessions)
{
	const struct import_session_options how = { .session_dir = tmpdir, .name = "x",
						    .origin = "test" };
	const struct format_read_options reading = { 0 };
	struct import_session_sums sums;
	struct notices notices = { 0 };
	struct op_error e = { "" };
	struct profile *p;

	tmpdir_make();
	CHECK(!profile_read_bytes("text", (const unsigned char *)"main;a 1\n", 9,
				  profile_format_find("folded"), &reading, &p, &e), "%s", e.text);
	interrupt();
	CHECK(import_session(p, &how, &sums, &notices, &e) == -EINTR, "%s", e.text);
	CHECK(!rmdir(tmpdir_path("samples")), "something is left");
	profile_free(p);
	notices_free(&notices);
}

TEST(files)
{
	struct op_error e = { "" };
	char *text;

	tmpdir_make();
	put_text(tmpdir_path("old"), "old");
	CHECK(!symlink("old", tmpdir_path("link")), "link");
	CHECK(!output_replace(tmpdir_path("link"), "new", 3, &e), "%s", e.text);
	CHECK(!file_read_all(tmpdir_path("old"), 100, &text, NULL) && !strcmp(text, "new"),
	      "the link's target");
	free(text);
	CHECK(output_replace(tmpdir_path("none/a"), "new", 3, &e) && strstr(e.text, "none/a"), "%s",
	      e.text);
}

TEST_MAIN()
