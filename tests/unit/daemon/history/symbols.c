// SPDX-License-Identifier: GPL-2.0-or-later
/* symbols.c - each build's symbols are kept once, while some segment needs them */
#include "daemon/history/symbols.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/history/folders.h"
#include "libdb/history/folder.h"
#include "libutil/build_id.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define PLENTY	(UINT64_C(1) << 30)

static struct kept_symbols *k;
static char *app;			/* a copy of this program */
static char build_id[BUILD_ID_TEXT];

static void copy(const char *from, const char *to)
{
	char *bytes;
	size_t n;

	CHECK(!file_read_all(from, 1 << 28, &bytes, &n) && !file_write_atomic(to, bytes, n, 0755),
	      "copy");
	free(bytes);
}

static void prepare(uint64_t room)
{
	struct build_id id;

	tmpdir_make();
	log_open("/dev/null", NULL);
	app = strdup(tmpdir_path("app"));
	copy("/proc/self/exe", app);
	CHECK(!build_id_read(app, &id), "no build ID");
	build_id_text(&id, build_id);
	CHECK(!mkdir(tmpdir_path("history"), 0755), "mkdir");
	CHECK(!kept_symbols_start(tmpdir_path("history"), "/proc", room, false, &k), "start");
}

static char *segment(const char *name)
{
	char *path = strdup(tmpdir_path(name));

	CHECK(!file_make_dirs(path, 0755), "mkdir");
	return path;
}

static void want(const char *folder, const char *path, const char *id)
{
	const struct stack_image image = { { .kind = IMAGE_FILE, .path = path }, id };

	kept_symbols_want(k, folder, &image, path ? 1 : 0);
	kept_symbols_wait(k);
}

/* How many names the file has; 0: there is none. *ret_ino, unless NULL. */
static int links(ino_t *ret_ino)
{
	char *name = history_symbols_name(build_id), *below = path_join("history/symbols", name);
	struct stat st;
	int nr = stat(tmpdir_path(below), &st) ? 0 : (int)st.st_nlink;

	if (nr && ret_ino)
		*ret_ino = st.st_ino;
	free(below);
	free(name);
	return nr;
}

TEST(once_for_each_build)
{
	char *first, *second;
	ino_t made = 0, now = 1;
	struct stat binary;

	prepare(PLENTY);
	first = segment("history/000001-1");
	second = segment("history/000002-2");
	want(first, "/nowhere", build_id);
	CHECK(links(NULL) == 0, "of another file");
	want(first, app, "0123456789");
	CHECK(links(NULL) == 0, "of another build");
	want(first, app, build_id);
	CHECK(links(&made) == 2, "%d names", links(NULL));
	/* also for the segment that comes after an upgrade */
	CHECK(!stat(app, &binary) && !unlink(app), "rm");
	want(second, app, build_id);
	CHECK(links(&now) == 3 && now == made, "%d names", links(NULL));
	kept_symbols_stop(k);
	free(first);
	free(second);
}

TEST(from_the_copy_that_the_session_made)
{
	char *folder, *below;

	prepare(PLENTY);
	folder = segment("history/000001-1");
	below = xasprintf("history/000001-1/stats/binaries/%s", build_id);
	CHECK(!file_make_parent_dirs(tmpdir_path(below), 0755), "mkdir");
	want(folder, "/in/a/container", build_id);
	CHECK(links(NULL) == 0, "of nothing");
	copy(app, tmpdir_path(below));
	want(folder, NULL, NULL);		/* the next slice */
	CHECK(links(NULL) == 2, "%d names", links(NULL));
	/* one without a file is not tried for ever */
	CHECK(!file_remove_tree(tmpdir_path("history/000001-1/stats")), "rm -r");
	CHECK(!unlink(app) && !file_remove_tree(tmpdir_path("history/symbols")) &&
	      !file_remove_tree(tmpdir_path("history/000001-1/symbols")), "rm -r");
	want(folder, app, build_id);
	want(folder, NULL, NULL);
	want(folder, NULL, NULL);
	copy("/proc/self/exe", app);
	want(folder, NULL, NULL);
	CHECK(links(NULL) == 0, "tried a fourth time");
	kept_symbols_stop(k);
	free(below);
	free(folder);
}

TEST(room_of_a_segment)
{
	struct build_id id;
	char *folder, *other;

	prepare(1);
	folder = segment("history/000001-1");
	other = segment("history/000002-2");
	CHECK(!build_id_read("/bin/sh", &id), "no build ID");
	build_id_text(&id, build_id);
	want(folder, "/bin/sh", build_id);
	CHECK(links(NULL) == 2, "not the first");
	CHECK(!build_id_read(app, &id), "no build ID");
	build_id_text(&id, build_id);
	want(folder, app, build_id);
	CHECK(links(NULL) == 0, "beyond the room");
	want(other, app, build_id);
	CHECK(links(NULL) == 2, "the next segment has room");
	kept_symbols_stop(k);
	free(folder);
	free(other);
}

TEST(removed_with_the_last_segment)
{
	const struct history_config nothing = { .age_s = UINT64_C(1) << 32 };
	struct kept_folders kept;
	char *first, *second;

	prepare(PLENTY);
	first = segment("history/000001-1");
	second = segment("history/000002-2");
	want(first, app, build_id);
	want(second, app, build_id);
	CHECK(links(NULL) == 3, "%d names", links(NULL));
	CHECK(!kept_folders_open(&kept, tmpdir_path("history")), "open");
	CHECK(history_make_room(&kept, &nothing, 2, 0) && links(NULL) == 2, "%d names",
	      links(NULL));
	CHECK(history_make_room(&kept, &nothing, 3, 0) && links(NULL) == 0, "%d names",
	      links(NULL));
	kept_folders_free(&kept);
	kept_symbols_stop(k);
	free(first);
	free(second);
}

/* It has no bytes of the code, so it is small; and who may not read the binary may not read it. */
TEST(small_and_as_readable_as_the_binary)
{
	char *folder, *name, *below;
	struct stat binary, st, with;

	prepare(PLENTY);
	folder = segment("history/000001-1");
	CHECK(!chmod(app, 0700), "chmod");
	want(folder, app, build_id);
	name = history_symbols_name(build_id);
	below = path_join("history/symbols", name);
	CHECK(!stat(app, &binary) && !stat(tmpdir_path(below), &st), "stat");
	CHECK(st.st_size < binary.st_size / 2, "%d of %d bytes", (int)st.st_size,
	      (int)binary.st_size);
	CHECK((st.st_mode & 0777) == 0600, "mode %o", st.st_mode);
	kept_symbols_stop(k);
	/* much of this program are line tables, if they are asked for */
	CHECK(!file_remove_tree(tmpdir_path("history")) && !mkdir(tmpdir_path("history"), 0755),
	      "rm -r");
	CHECK(!file_make_dirs(folder, 0755), "mkdir");
	CHECK(!kept_symbols_start(tmpdir_path("history"), "/proc", PLENTY, true, &k), "start");
	want(folder, app, build_id);
	CHECK(!stat(tmpdir_path(below), &with) && with.st_size > 2 * st.st_size, "%d bytes",
	      (int)with.st_size);
	kept_symbols_stop(k);
	free(below);
	free(name);
	free(folder);
}

TEST_MAIN()
