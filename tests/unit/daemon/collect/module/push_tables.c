// SPDX-License-Identifier: GPL-2.0-or-later
/* push_tables.c - tables that a collector wants: late, shared and missing ones */
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include "daemon/collect/module/push_tables.h"
#include "tests/unit/daemon/record/session.h"
#include "unwind/cache.h"

#define PUSHES_MAX 16

static struct {
	op_word cookie, same_as;
	size_t len;
} pushes[PUSHES_MAX];
static unsigned int nr_pushes;
static int answer;			/* to further pushes */
static bool forgotten;			/* no cookie has a table any more */

static int take_table(struct collector *c, op_word cookie, op_word same_as, const void *blob,
		      size_t len)
{
	(void)c;
	CHECK(!blob == (same_as != OP_NO_COOKIE), "a table, or another's");
	if (nr_pushes < PUSHES_MAX) {
		pushes[nr_pushes].cookie = cookie;
		pushes[nr_pushes].same_as = same_as;
		pushes[nr_pushes++].len = len;
	}
	return same_as != OP_NO_COOKIE && forgotten ? -ENOENT : answer;
}

static struct unwind_cache *cache;
static struct unwind_push *push;

static void begin(void)
{
	fake_collector_init(&fake, NULL, 0);
	fake.collector.unwind_table = take_table;
	nr_pushes = answer = 0;
	forgotten = false;
	CHECK(!unwind_cache_create(64 << 20, &cache), "cache");
	push = unwind_push_new(&fake.collector, cache, NULL);
}

static void end(void)
{
	unwind_push_free(push);
	unwind_cache_destroy(cache);
	fake_collector_free(&fake);
}

static void tell_file(op_word cookie, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0, "%s", path);
	unwind_push_file(push, cookie, fd);
	close(fd);
}

static struct unwind_push_stats stats(void)
{
	struct unwind_push_stats s;

	unwind_push_stats(push, &s);
	return s;
}

/* Push until nothing waits. */
static void settle(void)
{
	struct pollfd news = { .events = POLLIN };

	unwind_push_turn(push);
	for (;;) {
		news.fd = unwind_push_fd(push);
		CHECK((news.fd >= 0) == (stats().waiting > 0), "fd %d", news.fd);
		if (news.fd < 0 || poll(&news, 1, 60000) <= 0)
			break;
		unwind_push_turn(push);
	}
}

TEST(wanted_tables_are_built_and_pushed)
{
	unsigned int vdso;

	begin();
	tell_file(7, "/proc/self/exe");
	unwind_push_want(push, 7);
	unwind_push_want(push, 7);
	settle();
	CHECK(stats().without == 0 && stats().waiting == 0, "all settled");
	vdso = pushes[0].cookie == OP_COOKIE_VDSO ? 0 : 1;
	CHECK(nr_pushes == 2 && pushes[vdso].cookie == OP_COOKIE_VDSO, "the vdso's, once");
	CHECK(pushes[!vdso].cookie == 7 && pushes[!vdso].len > 100, "ours");
	unwind_push_turn(push);
	CHECK(nr_pushes == 2, "once");
	end();
}

TEST(same_binaries_share_a_table)
{
	begin();
	tell_file(7, "/proc/self/exe");
	tell_file(8, "/proc/self/exe");
	unwind_push_want(push, 7);
	settle();
	nr_pushes = 0;
	unwind_push_want(push, 8);
	settle();
	CHECK(nr_pushes == 1 && pushes[0].cookie == 8 && pushes[0].same_as == 7, "shared");
	forgotten = true;
	nr_pushes = 0;
	unwind_push_want(push, 7);
	settle();
	CHECK(nr_pushes == 2 && pushes[0].same_as == 8 && pushes[1].same_as == OP_NO_COOKIE &&
	      pushes[1].len, "%u pushes: the other's is gone", nr_pushes);
	end();
}

TEST(binaries_without_a_table)
{
	begin();
	tell_file(9, "/proc/self/status");
	unwind_push_want(push, 9);
	unwind_push_want(push, 10);
	settle();
	CHECK(stats().without == 2 && !stats().waiting, "%" PRIu64 " without", stats().without);
	answer = -ENOSPC;
	tell_file(7, "/proc/self/exe");
	unwind_push_want(push, 7);
	settle();
	CHECK(stats().without == 3 && !stats().waiting, "no room there");
	end();
}

TEST(cookies_that_end)
{
	begin();
	tell_file(7, "/proc/self/exe");
	unwind_push_want(push, 7);
	unwind_push_forget(push, 7);
	unwind_push_forget(push, 8);
	settle();
	CHECK(stats().waiting == 0 && stats().pushed + stats().without <= 2, "nothing waits");
	for (unsigned int i = 0; i < nr_pushes; i++)
		CHECK(pushes[i].cookie == OP_COOKIE_VDSO || stats().pushed == 2, "not pushed");
	/* another file has the next number; the table of the same binary is there already */
	tell_file(9, "/proc/self/exe");
	nr_pushes = 0;
	unwind_push_want(push, 9);
	settle();
	CHECK(nr_pushes == 1 && pushes[0].cookie == 9 && pushes[0].same_as == OP_NO_COOKIE,
	      "not shared with one that ended");
	end();
}

/* From the word in the stream to the push, through the recorder. */
TEST(through_the_recorder)
{
	struct recorder *r;

	test_prepare();
	fake.collector.unwind_table = take_table;
	nr_pushes = 0;
	CHECK(!unwind_cache_create(64 << 20, &cache), "cache");
	test_config.unwind = cache;
	fake_want_table(&fake, APP);
	r = test_open();
	test_drain(r);
	CHECK(fake.nr_cookie_questions == 1, "asked for its file");
	CHECK(nr_pushes == 1 && pushes[0].cookie == OP_COOKIE_VDSO, "%u", nr_pushes);
	test_close(r);
	unwind_cache_destroy(cache);
}

TEST_MAIN()
