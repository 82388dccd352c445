// SPDX-License-Identifier: GPL-2.0-or-later
/* dcookie.c - cookies by name, mount and inode, and a million of them */
#include "tests/tap.h"
#include "tests/unit/module/files/fake.h"
#include "module/dcookie.c"

/* The event buffer: words are counted, and the reader reads when a test says so. */
static size_t written, seen;
static unsigned int nr_ends;
static bool is_full;

bool op_event_cookie_end(op_word cookie, size_t *ret_at)
{
	CHECK(cookie, "a cookie ends");
	if (is_full)
		return false;
	nr_ends++;
	written += 3;
	*ret_at = written;
	return true;
}

size_t op_event_seen(void)
{
	return seen;
}

static op_word held;			/* the number that maps use; 0: none */

static bool release_number(op_word number)
{
	return number != held;
}

static struct op_image *hold_number(op_word number)
{
	held = number;
	return (void *)&held;
}

static struct super_block disk = { .s_dev = 1 };
static struct vfsmount root = { "" }, bind = { "/bind" };

static const char *path_of(op_word cookie)
{
	static char buf[PATH_MAX + 100];
	struct op_cookie_path ask = { .cookie = cookie, .buf = (uintptr_t)buf,
				      .len = sizeof(buf) };

	return op_cookie_path(&ask) ? "" : buf;
}

static bool next_pass(void)
{
	bool urgent = op_cookies_end_pass(release_number);

	op_cookies_begin_pass();
	return urgent;
}

static op_word cookie_of(struct vfsmount *mount, struct dentry *dentry)
{
	struct file f = { .f_path = { mount, dentry } };

	return op_cookie_get(&f);
}

TEST(each_name_has_its_cookie)
{
	struct inode inode = { .i_ino = 5, .i_nlink = 2, .i_sb = &disk };
	struct dentry a = { { 1 }, "/a", false, &inode, 0 }, b = { { 2 }, "/b", false, &inode, 0 };
	op_word by_a, by_b, by_bind;

	CHECK(!op_cookies_alloc(), "alloc");
	by_a = cookie_of(&root, &a);
	by_b = cookie_of(&root, &b);
	by_bind = cookie_of(&bind, &a);
	CHECK(!strcmp(path_of(by_a), "/a"), "%s", path_of(by_a));
	CHECK(!strcmp(path_of(by_b), "/b"), "a hard link is %s", path_of(by_b));
	CHECK(!strcmp(path_of(by_bind), "/bind/a"), "a bind mount is %s", path_of(by_bind));
	next_pass();
	CHECK(cookie_of(&root, &a) == by_a && cookie_of(&root, &b) == by_b &&
	      cookie_of(&bind, &a) == by_bind, "they stay");

	/* the name "a" is gone, and its memory is used for another of the same file */
	next_pass();
	a.text = "/c";
	a.d_name.hash = 3;
	CHECK(!strcmp(path_of(cookie_of(&root, &a)), "/c"), "not the name of a reused dentry");
	/* the same for a mount */
	next_pass();
	bind.at = "/other";
	CHECK(!strcmp(path_of(cookie_of(&bind, &b)), "/other/b"), "not that of a reused mount");
	op_cookies_free();
	CHECK(!a.refs && !b.refs, "nothing is held");
	bind.at = "/bind";
}

TEST(renamed_files_continue)
{
	struct inode inode = { .i_ino = 5, .i_nlink = 1, .i_sb = &disk };
	struct dentry d = { { 1 }, "/a", false, &inode, 0 };
	op_word cookie;

	CHECK(!op_cookies_alloc(), "alloc");
	cookie = cookie_of(&root, &d);
	next_pass();
	d.text = "/b";
	d.d_name.hash = 2;
	CHECK(cookie_of(&root, &d) == cookie, "renamed");
	next_pass();
	CHECK(cookie_of(&root, &d) == cookie && !strcmp(path_of(cookie), "/a"), "and later");
	next_pass();
	d.deleted = true;
	inode.i_nlink = 0;
	CHECK(cookie_of(&root, &d) == cookie, "deleted");
	next_pass();
	inode.i_generation++;
	CHECK(cookie_of(&root, &d) != cookie, "another file with the same number");
	op_cookies_free();
}

TEST(deleted_files_continue)
{
	struct inode inode = { .i_ino = 5, .i_nlink = 1, .i_sb = &disk };
	struct dentry d = { { 1 }, "/a", false, &inode, 0 };
	op_word cookie;

	CHECK(!op_cookies_alloc(), "alloc");
	cookie = cookie_of(&root, &d);
	next_pass();
	d.deleted = true;
	inode.i_nlink = 0;
	CHECK(cookie_of(&root, &d) == cookie && !strcmp(path_of(cookie), "/a"), "deleted");
	op_cookies_free();
}

TEST(files_without_a_path)
{
	static char deep[PATH_MAX + 1];
	struct inode inode = { .i_ino = 5, .i_nlink = 1, .i_sb = &disk };
	struct dentry d = { { 1 }, memset(deep, 'a', PATH_MAX), false, &inode, 0 };

	CHECK(!op_cookies_alloc(), "alloc");
	next_pass();
	fake_paths = 0;
	for (int i = 0; i < 1000; i++)
		CHECK(cookie_of(&root, &d) == OP_INVALID_COOKIE, "no path");
	CHECK(fake_paths == 1, "asked %u times in a pass", fake_paths);
	next_pass();
	d.text = "/a";
	CHECK(!strcmp(path_of(cookie_of(&root, &d)), "/a"), "as soon as there is one");
	op_cookies_free();
}

/* A million programs, each of which runs once; the reader reads now and then. */
TEST(a_million_binaries)
{
	enum { NR = 1000000, PER_PASS = 500 };
	struct inode inode = { .i_nlink = 1, .i_sb = &disk };
	struct dentry d = { { 1 }, "/x", false, &inode, 0 }, often = { { 2 }, "/often", false,
								      &inode, 0 };
	op_word last = 0, first = 0, by_often, mapped;
	struct file f = { .f_path = { &root, &d } };
	unsigned int lost = 0, repeated = 0;

	CHECK(!op_cookies_alloc(), "alloc");
	by_often = cookie_of(&root, &often);
	CHECK(op_cookie_image(&f, hold_number), "maps hold one");
	mapped = held;
	for (int i = 1; i <= NR; i++) {
		op_word cookie;

		inode.i_ino = i;
		cookie = cookie_of(&root, &d);
		inode.i_ino = 0;
		lost += cookie == OP_INVALID_COOKIE;
		repeated += cookie <= last;
		last = cookie;
		first = first ?: cookie;
		if (i % PER_PASS)
			continue;
		CHECK(cookie_of(&root, &often) == by_often, "what is used stays");
		next_pass();
		if (i % (4 * PER_PASS) == 0)
			seen = written;
	}
	CHECK(!lost && !repeated, "%u lost, %u numbers not new", lost, repeated);
	CHECK(nr_cookies <= COOKIES_MAX && nr_ends > NR - COOKIES_MAX, "%u kept, %u ended",
	      nr_cookies, nr_ends);
	CHECK(!*path_of(first) && *path_of(last), "the first one is unknown now");
	CHECK(cookie_of(&root, &d) == mapped, "what maps hold stays");
	op_cookies_free();
	CHECK(!d.refs && !often.refs, "nothing is held");
	held = 0;
}

TEST(a_cookie_ends_after_the_reader_is_done)
{
	struct inode inode = { .i_nlink = 1, .i_sb = &disk };
	struct dentry d = { { 1 }, "/x", false, &inode, 0 };
	op_word first = 0;
	bool urgent = false;

	CHECK(!op_cookies_alloc(), "alloc");
	is_full = true;
	for (int i = 1; i <= COOKIES_MAX; i++) {
		inode.i_ino = i;
		CHECK(cookie_of(&root, &d) != OP_INVALID_COOKIE, "%d", i);
		first = first ?: next_number - 1;
		if (i % 1000 == 0)
			urgent = next_pass();
	}
	CHECK(urgent && nr_cookies == COOKIES_MAX && *path_of(first),
	      "no end fits in the buffer: none is recycled");
	inode.i_ino++;
	CHECK(cookie_of(&root, &d) == OP_INVALID_COOKIE, "the table is full");
	is_full = false;
	next_pass();
	CHECK(nr_cookies == COOKIES_MAX && *path_of(first), "the reader may still ask");
	next_pass();
	CHECK(*path_of(first), "until it comes back");
	seen = written;
	next_pass();
	CHECK(!*path_of(first) && nr_cookies < COOKIES_MAX, "then it is free");
	CHECK(cookie_of(&root, &d) != OP_INVALID_COOKIE, "and there is room");
	op_cookies_free();
}

TEST_MAIN()
