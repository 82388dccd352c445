// SPDX-License-Identifier: GPL-2.0-or-later
/* binaries.c - which binaries are copied because they are not at their paths, and which are not */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include "daemon/record/binaries.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define MB	(1 << 20)

static char cookie_file[4000]; /* what cookie_fd() opens; "": -ESTALE */
static struct collector collector;
static struct images *images;
static struct binaries *binaries;
static unsigned int nr_meanwhile;

static int cookie_fd(struct collector *c, op_word cookie)
{
	int fd = *cookie_file ? open(cookie_file, O_RDONLY | O_CLOEXEC) : -1;

	(void)c, (void)cookie;
	return fd < 0 ? -ESTALE : fd;
}

static void meanwhile(void *context)
{
	(void)context;
	nr_meanwhile++;
}

static char *in_tmpdir(char path[4000], const char *name)
{
	snprintf(path, 4000, "%s/%s", tmpdir, name);
	return path;
}

static void prepare(void)
{
	char path[4000];

	tmpdir_make();
	log_open(in_tmpdir(path, "log"), NULL);
	collector.cookie_fd = cookie_fd;
	*cookie_file = '\0';
	images = images_new(NULL);
	binaries = binaries_new(&collector);
	in_tmpdir(path, "stats");
	mkdir(path, 0755);
	images_set_session(images, path);
	binaries_set_session(binaries, path);
}

static void finish(void)
{
	binaries_free(binaries);
	images_free(images);
	log_close();
}

static void make_file(const char *name, size_t size, mode_t mode)
{
	char path[4000];
	int fd = open(in_tmpdir(path, name), O_RDWR | O_CREAT | O_TRUNC, mode);

	CHECK(fd >= 0 && !ftruncate(fd, size) && pwrite(fd, "the binary", 10, 0) == 10, "%s", name);
	fchmod(fd, mode);
	close(fd);
}

/* An image with the path @path in the folder, whose file that was executed is @name there. */
static struct image *execute(const char *path, const char *name, const char *build)
{
	char at[4000], file[4000];
	struct image *image = image_get(images, IMAGE_FILE, in_tmpdir(at, path), build);

	binaries_add(binaries, image, 1, open(in_tmpdir(file, name), O_RDONLY | O_CLOEXEC));
	return image;
}

/* Of the copy; -1: there is none. */
static off_t copy_size(const char *build, mode_t *ret_mode)
{
	char path[4000], name[300];
	struct stat st;

	snprintf(name, sizeof(name), "stats/binaries/%s", build);
	if (lstat(in_tmpdir(path, name), &st))
		return -1;
	if (ret_mode)
		*ret_mode = st.st_mode;
	return st.st_size;
}

static bool log_has(const char *what)
{
	char path[4000], *text = NULL;
	bool has = !file_read_all(in_tmpdir(path, "log"), MB, &text, NULL) && strstr(text, what);

	free(text);
	return has;
}

TEST(not_at_its_path)
{
	struct image *image;
	mode_t mode = 0;

	prepare();
	make_file("container", 9 * MB + 5, 0755);
	image = execute("app", "container", "aa01");
	binaries_step(binaries);
	CHECK(copy_size("aa01", NULL) < 0, "copied without samples");
	image_mark_sampled(images, image);
	binaries_step(binaries);
	CHECK(copy_size("aa01", NULL) < 0, "copied in one piece");
	for (int i = 0; i < 3; i++)
		binaries_step(binaries);
	CHECK(copy_size("aa01", &mode) == 9 * MB + 5, "not copied");
	CHECK((mode & 0777) == 0644, "mode %o", mode);
	finish();
}

TEST(unreadable_for_others)
{
	mode_t mode = 0;

	prepare();
	make_file("container", 100, 0711);
	image_mark_sampled(images, execute("app", "container", "aa01"));
	binaries_finish(binaries, meanwhile, NULL);
	CHECK(copy_size("aa01", &mode) == 100 && (mode & 0777) == 0600, "mode %o", mode);
	finish();
}

TEST(at_its_path)
{
	prepare();
	make_file("app", 100, 0755);
	image_mark_sampled(images, execute("app", "app", "aa01"));
	binaries_finish(binaries, meanwhile, NULL);
	CHECK(copy_size("aa01", NULL) < 0, "copied");
	finish();
}

TEST(replaced_later)
{
	char from[4000], to[4000];

	prepare();
	make_file("app", 100, 0755);
	make_file("new", 100, 0755);
	image_mark_sampled(images, execute("app", "app", "aa01"));
	snprintf(cookie_file, sizeof(cookie_file), "%s/old", tmpdir);
	CHECK(!rename(in_tmpdir(from, "app"), cookie_file) &&
	      !rename(in_tmpdir(from, "new"), in_tmpdir(to, "app")), "rename");
	binaries_finish(binaries, meanwhile, NULL);
	CHECK(copy_size("aa01", NULL) == 100, "not copied");
	finish();
}

TEST(removed)
{
	char path[4000];

	prepare();
	make_file("app", 100, 0755);
	image_mark_sampled(images, execute("app", "app", "aa01"));
	unlink(in_tmpdir(path, "app"));
	binaries_finish(binaries, meanwhile, NULL);
	CHECK(copy_size("aa01", NULL) < 0 &&
		      log_has("removed, and no process executes it any more"),
	      "not logged");
	finish();
}

TEST(too_large)
{
	prepare();
	make_file("container", 64 * MB + 1, 0755);
	image_mark_sampled(images, execute("app", "container", "aa01"));
	binaries_finish(binaries, meanwhile, NULL);
	CHECK(copy_size("aa01", NULL) < 0 && log_has("too large: 67108865 bytes, at most 64 MB"),
	      "not logged");
	finish();
}

TEST(limit_of_a_session)
{
	char path[4000];

	prepare();
	mkdir(in_tmpdir(path, "stats/binaries"), 0755);
	make_file("stats/binaries/bb", 500 * MB, 0755);		/* sparse */
	binaries_set_session(binaries, in_tmpdir(path, "stats"));
	make_file("container", 9 * MB, 0755);
	image_mark_sampled(images, execute("app", "container", "aa01"));
	image_mark_sampled(images, execute("other", "container", "aa02"));
	binaries_finish(binaries, meanwhile, NULL);
	CHECK(copy_size("aa01", NULL) == 9 * MB && copy_size("aa02", NULL) < 0, "512 MB");
	CHECK(log_has("no more are copied"), "not logged");
	CHECK(nr_meanwhile >= 3, "called between pieces: %u", nr_meanwhile);
	finish();
}

TEST(links_are_not_followed)
{
	char path[4000], to[4000];

	prepare();
	mkdir(in_tmpdir(to, "elsewhere"), 0755);
	CHECK(!symlink(to, in_tmpdir(path, "stats/binaries")), "link");
	make_file("container", 100, 0755);
	image_mark_sampled(images, execute("app", "container", "aa01"));
	binaries_finish(binaries, meanwhile, NULL);
	CHECK(!file_exists(in_tmpdir(path, "elsewhere/aa01")), "copied there");
	CHECK(log_has("' is not a directory"), "not logged");
	finish();
}

TEST(a_new_session)
{
	struct image *image;
	char path[4000];

	prepare();
	make_file("container", 100, 0755);
	snprintf(cookie_file, sizeof(cookie_file), "%s/container", tmpdir);
	image = execute("app", "container", "aa01");
	image_mark_sampled(images, image);
	binaries_finish(binaries, meanwhile, NULL);
	mkdir(in_tmpdir(path, "next"), 0755);
	images_set_session(images, path);
	binaries_set_session(binaries, path);
	binaries_finish(binaries, meanwhile, NULL);
	CHECK(!file_exists(in_tmpdir(path, "next/binaries/aa01")), "copied without samples");
	usleep(250000);				/* paths are not checked more often */
	image_mark_sampled(images, image);
	binaries_finish(binaries, meanwhile, NULL);
	CHECK(file_exists(in_tmpdir(path, "next/binaries/aa01")), "not copied again");
	finish();
}

TEST_MAIN()
