// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cache.c - one table for each binary, within the limit, with several threads
 *
 * Run it with -fsanitize=thread, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include "libutil/file.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"
#include "unwind/build.h"
#include "unwind/cache.h"

#define MB	(1 << 20)

static char *self_bytes;
static size_t self_len;

/*
 * A new file with this program's contents; it is writable by all, so its build ID is not trusted.
 */
static int copy_of_self(int n)
{
	char path[300];
	int fd;

	if (!tmpdir[0])
		tmpdir_make();
	if (!self_bytes && file_read_all("/proc/self/exe", 64 * MB, &self_bytes, &self_len))
		abort();
	snprintf(path, sizeof(path), "%s/copy.%d", tmpdir, n);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	if (fd < 0 || file_write_fd(fd, self_bytes, self_len) || fchmod(fd, 0777))
		abort();
	return fd;
}

static struct unwind_key key_of(int fd)
{
	struct unwind_key key;

	if (unwind_key_of_fd(fd, &key))
		abort();
	return key;
}

/* Wait until it is not PENDING any more. */
static enum unwind_state get(struct unwind_cache *c, int fd, const struct unwind_table **ret,
			     const char **ret_reason)
{
	struct unwind_key key = key_of(fd);
	enum unwind_state state;

	while ((state = unwind_cache_get(c, &key, fd, ret, ret_reason)) == UNWIND_PENDING ||
	       state == UNWIND_ABSENT)
		poll(NULL, 0, 1);
	return state;
}

static struct unwind_cache *create(size_t limit)
{
	struct unwind_cache *c;
	int err = unwind_cache_create(limit, &c);

	if (err) {
		CHECK(false, "create: %d", err);
		exit(1);
	}
	return c;
}

TEST(built_once_and_shared)
{
	struct unwind_cache *c = create(64 * MB);
	const struct unwind_table *a = NULL, *b = NULL;
	struct unwind_cache_stats s;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct unwind_key key = key_of(fd);
	struct pollfd ready = { .fd = unwind_cache_fd(c), .events = POLLIN };

	CHECK(unwind_cache_get(c, &key, -1, &a, NULL) == UNWIND_ABSENT, "not asked for yet");
	CHECK(unwind_cache_get(c, &key, fd, &a, NULL) == UNWIND_PENDING, "begun");
	CHECK(poll(&ready, 1, 20000) == 1, "told when it is there");
	unwind_cache_seen(c);
	CHECK(poll(&ready, 1, 0) == 0, "told once");
	CHECK(unwind_cache_get(c, &key, -1, &a, NULL) == UNWIND_READY, "there");
	CHECK(unwind_cache_get(c, &key, fd, &b, NULL) == UNWIND_READY && a == b, "the same");
	CHECK(op_unwind_check(a->blob, a->len), "sound");
	unwind_cache_stats(c, &s);
	CHECK(s.tables == 1 && s.built == 1 && !s.pending && !s.refused, "%lu", s.tables);
	CHECK(s.bytes > a->len && s.limit == 64 * MB && s.build_ns > 0, "%lu bytes", s.bytes);
	unwind_cache_put(c, a);
	unwind_cache_put(c, b);
	CHECK(!unwind_cache_destroy(c) && !unwind_cache_destroy(NULL), "gone");
	close(fd);
}

static bool is_pending(struct unwind_cache *c, const struct unwind_key *key, int fd)
{
	const struct unwind_table *table;
	enum unwind_state state = unwind_cache_get(c, key, fd, &table, NULL);

	if (state == UNWIND_READY)
		unwind_cache_put(c, table);
	return state == UNWIND_PENDING;
}

/*
 * One user's files are read one at a time: while the first is, two others wait, of which the second
 * is asked for more often. False: they did not wait for long enough to tell.
 */
static bool is_most_wanted_first(struct unwind_cache *c, int fd, uint8_t try)
{
	struct unwind_key key[3] = { key_of(fd), key_of(fd), key_of(fd) };
	bool waits[3];

	for (uint8_t i = 0; i < 3; i++) {
		key[i].bytes[0] ^= try;
		key[i].bytes[1] ^= i;
		is_pending(c, &key[i], fd);
	}
	for (int i = 0; i < 3; i++)
		is_pending(c, &key[2], -1);
	if (!is_pending(c, &key[0], -1))
		return false;
	do {
		poll(NULL, 0, 1);
		for (int i = 1; i < 3; i++)
			waits[i] = is_pending(c, &key[i], -1);
	} while (waits[1] && waits[2]);
	CHECK(!waits[2], "what was asked for first was built first");
	return waits[1] || waits[2];
}

TEST(most_wanted_is_built_first)
{
	struct unwind_cache *c = create(64 * MB);
	int fd = copy_of_self(0);
	uint8_t tries = 0;

	CHECK(getuid() || !fchown(fd, 65534, 65534), "fchown");
	while (!is_most_wanted_first(c, fd, tries) && ++tries < 200)
		;
	CHECK(tries < 200, "never seen");
	CHECK(!unwind_cache_destroy(c), "gone");
	close(fd);
}

TEST(refused_is_remembered_with_its_reason)
{
	struct unwind_cache *c = create(64 * MB);
	const struct unwind_table *t;
	const char *reason = "";
	struct unwind_cache_stats s;
	int fd = copy_of_self(1), script = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	CHECK(get(c, script, &t, &reason) == UNWIND_REFUSED, "no ELF file");
	CHECK(!strcmp(reason, unwind_refusal(-ENOEXEC)), "%s", reason);
	if (ftruncate(fd, 1000))
		abort();
	CHECK(get(c, fd, &t, &reason) == UNWIND_REFUSED, "cut short");
	CHECK(!strcmp(reason, unwind_refusal(-ENODATA)) || !strcmp(reason, unwind_refusal(-EPROTO)),
	      "%s", reason);
	CHECK(get(c, script, &t, NULL) == UNWIND_REFUSED, "again, and nobody wants to know why");
	unwind_cache_stats(c, &s);
	CHECK(s.refused == 2 && !s.tables && !s.bytes && s.refused_for[0].count == 1, "%lu",
	      s.refused);
	unwind_cache_destroy(c);
	close(fd);
	close(script);
}

TEST(oldest_is_evicted_at_the_limit)
{
	const struct unwind_table *t, *held;
	struct unwind_cache_stats s;
	struct unwind_cache *c;
	const char *reason = "";
	struct unwind_key keys[4];
	int fds[4];
	size_t len;

	for (int i = 0; i < 4; i++) {
		fds[i] = copy_of_self(i);
		keys[i] = key_of(fds[i]);
	}
	c = create(64 * MB);
	CHECK(get(c, fds[0], &t, NULL) == UNWIND_READY, "how large is one?");
	len = t->len;
	unwind_cache_put(c, t);
	unwind_cache_destroy(c);

	c = create(5 * len / 2);	/* room for two */
	CHECK(get(c, fds[0], &held, NULL) == UNWIND_READY, "0");
	CHECK(get(c, fds[1], &t, NULL) == UNWIND_READY, "1");
	unwind_cache_put(c, t);
	CHECK(get(c, fds[2], &t, &reason) == UNWIND_REFUSED, "both were used just now");
	CHECK(!strcmp(reason, unwind_refusal(-ENOSPC)), "%s", reason);
	unwind_cache_keep(c, 0);
	CHECK(get(c, fds[2], &t, NULL) == UNWIND_READY, "is tried again, and 1 goes");
	unwind_cache_put(c, t);
	CHECK(unwind_cache_get(c, &keys[1], -1, &t, NULL) == UNWIND_ABSENT, "1 is gone");
	CHECK(get(c, fds[3], &t, NULL) == UNWIND_READY, "2 goes, for 0 is held");
	unwind_cache_put(c, t);
	CHECK(unwind_cache_get(c, &keys[2], -1, &t, NULL) == UNWIND_ABSENT, "2 is gone");
	CHECK(unwind_cache_get(c, &keys[0], -1, &t, NULL) == UNWIND_READY && t == held, "0 is not");
	unwind_cache_put(c, t);
	unwind_cache_put(c, held);
	unwind_cache_stats(c, &s);
	CHECK(s.tables == 2 && s.evicted == 2 && s.bytes <= s.limit, "%lu evicted", s.evicted);
	unwind_cache_destroy(c);

	c = create(len / 2);
	CHECK(get(c, fds[0], &t, &reason) == UNWIND_REFUSED, "never fits");
	CHECK(!strcmp(reason, unwind_refusal(-EFBIG)), "%s", reason);
	unwind_cache_destroy(c);
	for (int i = 0; i < 4; i++)
		close(fds[i]);
}

TEST(only_trusted_files_share_by_build_id)
{
	int mine = copy_of_self(1), other = copy_of_self(2);
	struct unwind_key a, b;

	if (fchmod(mine, 0700) || fchmod(other, 0700))
		abort();
	a = key_of(mine);
	b = key_of(other);
	if (!a.by_build_id)
		SKIP("this program has no build-id");
	CHECK(!memcmp(&a, &b, sizeof(a)), "ours: by what they say");
	if (fchmod(other, 0777))
		abort();
	b = key_of(other);
	CHECK(!b.by_build_id && memcmp(&a, &b, sizeof(a)), "anybody may write to it");
	if (fchmod(other, 0700) || fchown(other, 12345, -1))
		SKIP("not root: no file can be given away");
	b = key_of(other);
	CHECK(!b.by_build_id && memcmp(&a, &b, sizeof(a)), "somebody else's");
	close(mine);
	close(other);
}

TEST(vdso_has_a_table)
{
	struct unwind_cache *c = create(MB);
	const struct unwind_table *t = unwind_cache_vdso(c);

	if (!t) {
		unwind_cache_destroy(c);
		SKIP("this kernel has no vdso, or nothing about its frames");
	}
	CHECK(op_unwind_check(t->blob, t->len), "%zu bytes", t->len);
	unwind_cache_destroy(c);
}

/* --- threads --- */

enum { FILES = 6, ROUNDS = 400 };
static struct unwind_cache *shared;
static int shared_fds[FILES];

static void *ask(void *arg)
{
	unsigned int seed = (unsigned int)(size_t)arg, ready = 0;
	struct unwind_cache_stats s = { .built = 0 };

	/* at least so often, and until it had to build again what it had evicted */
	for (int i = 0; i < ROUNDS || !ready || s.built <= FILES || !s.evicted; i++) {
		int fd = shared_fds[rand_r(&seed) % FILES];
		struct unwind_key key = key_of(fd);
		const struct unwind_table *t;

		unwind_cache_stats(shared, &s);
		if (unwind_cache_get(shared, &key, fd, &t, NULL) != UNWIND_READY) {
			poll(NULL, 0, 1);
			continue;
		}
		ready++;
		if (op_unwind_lookup(t->blob, 0) != NULL)
			ready = 0;	/* destroys the file's header */
		unwind_cache_put(shared, t);
		unwind_cache_seen(shared);
	}
	return (void *)(size_t)ready;
}

TEST(threads_with_evictions)
{
	pthread_t threads[4];
	const struct unwind_table *t;
	struct unwind_cache_stats s;
	size_t len;

	for (int i = 0; i < FILES; i++)
		shared_fds[i] = copy_of_self(i);
	shared = create(64 * MB);
	CHECK(get(shared, shared_fds[0], &t, NULL) == UNWIND_READY, "how large is one?");
	len = t->len;
	unwind_cache_put(shared, t);
	unwind_cache_destroy(shared);
	shared = create(4 * len);
	unwind_cache_keep(shared, 0);
	for (size_t i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, ask, (void *)(i + 1)))
			abort();
	for (int i = 0; i < 4; i++) {
		void *ready;

		pthread_join(threads[i], &ready);
		CHECK(ready != NULL, "thread %d got tables", i);
	}
	unwind_cache_stats(shared, &s);
	CHECK(s.built > FILES && s.evicted > 0 && s.bytes <= s.limit, "%lu built", s.built);
	unwind_cache_destroy(shared);	/* with others possibly in the queue */
	for (int i = 0; i < FILES; i++)
		close(shared_fds[i]);
}

TEST_MAIN()
