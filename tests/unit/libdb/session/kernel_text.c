// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_text.c - pack, share and unpack the text of the kernel's symbols */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libdb/session/kernel_text.h"
#include "libutil/file.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define OWN(start, a, b) start "1000 T first\n" start "1a2b t " a "\n" start "1fff W " b "\n"
#define MODULE "# module ext4 ffffffffc0010000 4096\n1a0 t some_function\n"

static char *snapshot_of(const char *session)
{
	static char path[5000];

	snprintf(path, sizeof(path), "%s/samples/%s/stats/kernel-symbols", tmpdir, session);
	CHECK(!file_make_parent_dirs(path, 0755), "%s", path);
	return path;
}

static void check_text(const char *path, const char *want)
{
	struct op_error e = { "" };
	char *text = NULL;
	size_t len = 0;
	int err = kernel_text_read(path, &text, &len, &e);

	CHECK(!err && len == strlen(want) && !strcmp(text, want), "%s: want\n%sgot\n%s", e.text,
	      want, text ? text : "nothing");
	free(text);
}

static void write_text(const char *session, const char *text)
{
	CHECK(!kernel_text_write(snapshot_of(session), text, strlen(text)), "%s", session);
}

static unsigned int nr_shared(void)
{
	char *folder = path_join(tmpdir, KERNEL_TEXTS);
	struct dirent **entries = NULL;
	int nr = scandir(folder, &entries, NULL, NULL);

	for (int i = 0; i < nr; i++)
		free(entries[i]);
	free(entries);
	free(folder);
	return nr < 2 ? 0 : (unsigned int)nr - 2;
}

TEST(texts_come_back)
{
	static const char *const texts[] = {
		"", "garbage", "# kernel 1000 2000\n", "# kernel 1000 2000\n" OWN("", "a", "b"),
		"# kernel 1000 2000", "# kernel 0 0\n10 t a\n20 t b\n",
		"# kernel 81001000 81002000\n100 T below\n" OWN("8100", "a", "b")
		"81002000 T bpf_prog\nffffffffc0000000 t bpf_trampoline\n" MODULE,
		("# kernel 81001000 81002000\n" MODULE), MODULE,
	};

	tmpdir_make();
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		write_text("current", texts[i]);
		check_text(snapshot_of("current"), texts[i]);
		/* outside a session directory nothing is shared */
		CHECK(!kernel_text_write(tmpdir_path("snapshot"), texts[i], strlen(texts[i])),
		      "%zu", i);
		check_text(tmpdir_path("snapshot"), texts[i]);
	}
}

/* Another boot of one kernel has other addresses. */
TEST(sessions_share_a_kernel)
{
	static const char first[] = "# kernel 81001000 81002000\n" OWN("8100", "a", "b") MODULE;
	static const char second[] = "# kernel 92341000 92342000\n" OWN("9234", "a", "b");
	static const char other[] = "# kernel 81001000 81002000\n" OWN("8100", "a", "c");

	tmpdir_make();
	write_text("current", first);
	write_text("monday", second);
	CHECK(nr_shared() == 1, "%u", nr_shared());
	write_text("tuesday", other);
	CHECK(nr_shared() == 2, "%u", nr_shared());
	check_text(snapshot_of("current"), first);
	check_text(snapshot_of("monday"), second);
	CHECK(!file_remove_tree(tmpdir_path("samples/current")), "remove");
	kernel_texts_remove_unused(tmpdir);
	CHECK(nr_shared() == 2, "%u: monday needs it", nr_shared());
	CHECK(!file_remove_tree(tmpdir_path("samples/monday")), "remove");
	kernel_texts_remove_unused(tmpdir);
	CHECK(nr_shared() == 1, "%u", nr_shared());
	check_text(snapshot_of("tuesday"), other);
}

/* A shared file that was replaced changes no session that has it. */
TEST(a_damaged_shared_file_is_replaced)
{
	static const char text[] = "# kernel 1000 2000\n" OWN("", "a", "b");
	char name[6000], *folder;
	struct dirent **entries = NULL;

	tmpdir_make();
	write_text("monday", text);
	folder = path_join(tmpdir, KERNEL_TEXTS);
	CHECK(scandir(folder, &entries, NULL, alphasort) == 3, "one file");
	snprintf(name, sizeof(name), "%s/%s", folder, entries[2]->d_name);
	CHECK(!unlink(name), "unlink");
	put_text(name, "garbage");
	write_text("tuesday", text);
	check_text(snapshot_of("monday"), text);
	check_text(snapshot_of("tuesday"), text);
	for (int i = 0; i < 3; i++)
		free(entries[i]);
	free(entries);
	free(folder);
}

TEST(damaged_texts)
{
	static const char *const texts[] = {
		"# kernel 1000 2000\n# packed x\n", "# kernel 1000 2000\n# packed 10 -\n",
		"# kernel 1000 2000\n# packed 99999999999999999999 -\nxxxx",
		"# kernel 1000 2000\n# packed 4 ../../../x\nxxxx",
		"# kernel 1000 2000\n# packed 100 0123456789abcdef\nxxxxxxxx",
	};
	static const char text[] = "# kernel 1000 2000\n" OWN("", "a", "b");
	struct op_error e;
	char *got;
	size_t len;

	tmpdir_make();
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		put_text(tmpdir_path("snapshot"), texts[i]);
		CHECK(kernel_text_read(tmpdir_path("snapshot"), &got, &len, &e) == -EPROTO &&
		      strstr(e.text, "snapshot:2: "), "%zu: %s", i, e.text);
	}
	/* the kernel's own symbols were not copied */
	write_text("current", text);
	CHECK(!rename(snapshot_of("current"), tmpdir_path("snapshot")), "rename");
	CHECK(kernel_text_read(tmpdir_path("snapshot"), &got, &len, &e) == -EPROTO &&
	      strstr(e.text, "No such file"), "%s", e.text);
}

TEST_MAIN()
