// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * metadata.c - the labels of a sample: set, changed, removed, too many, and read while other
 * threads change them
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include "libsampler/sampling.h"
#include "tests/tap.h"

/* fork_watch() is tested with the profiler. */
int fork_watch(struct fork_hook *hook)
{
	(void)hook;
	return 0;
}

static struct sampler_metadata plain(const char *name, int64_t value)
{
	return (struct sampler_metadata){ .name = name, .value = value };
}

static struct sampler_metadata keyed(const char *name, int64_t key, int64_t value)
{
	return (struct sampler_metadata){
		.name = name, .has_key = true, .key = key, .value = value,
	};
}

static struct sampler_metadata threaded(const char *name, pid_t tid, int64_t value)
{
	return (struct sampler_metadata){
		.name = name, .has_tid = true, .tid = tid, .value = value,
	};
}

static int set(struct sampler_metadata item)
{
	return sampler_metadata_set(&item);
}

static int drop(struct sampler_metadata item)
{
	return sampler_metadata_remove(&item);
}

static struct metadata_snapshot taken;

static size_t take(void)
{
	metadata_take(gettid(), &taken);
	return taken.nr;
}

static const struct sampler_metadata *find(struct sampler_metadata like)
{
	take();
	for (size_t i = 0; i < taken.nr; i++) {
		const struct sampler_metadata *m = &taken.items[i];

		if (!strcmp(m->name, like.name) && m->has_key == like.has_key &&
		    m->has_tid == like.has_tid && (!m->has_key || m->key == like.key))
			return m;
	}
	return NULL;
}

static bool has(struct sampler_metadata item)
{
	const struct sampler_metadata *m = find(item);

	return m && m->value == item.value;
}

TEST(empty)
{
	CHECK(take() == 0, "%zu", taken.nr);
	CHECK(metadata_lost() == 0, "lost some");
}

TEST(set_and_overwritten)
{
	CHECK(!set(plain("a", 10)) && !set(plain("b", 20)), "set");
	CHECK(take() == 2 && has(plain("a", 10)) && has(plain("b", 20)), "both");
	CHECK(!set(plain("b", 21)), "again");
	CHECK(take() == 2 && has(plain("a", 10)) && has(plain("b", 21)), "the new value");
}

/* By contents, not by address. */
TEST(name_is_copied)
{
	char name[] = "name";

	set(plain(name, 1));
	memset(name, 'x', 4);
	CHECK(has(plain("name", 1)), "kept");
	memcpy(name, "name", 4);
	set(plain(name, 2));
	CHECK(take() == 1, "the same name from elsewhere is the same: %zu", taken.nr);
}

TEST(key_and_no_key)
{
	set(plain("a", 1));
	set(keyed("a", 0, 2));
	set(keyed("a", 7, 3));
	CHECK(take() == 3, "%zu", taken.nr);
	CHECK(has(plain("a", 1)) && has(keyed("a", 0, 2)) && has(keyed("a", 7, 3)), "apart");
	set(keyed("a", 7, 4));
	CHECK(take() == 3 && has(keyed("a", 7, 4)), "the key's own");
}

static void *look_from_another(void *unused)
{
	CHECK(has(plain("all", 1)), "what is everybody's");
	CHECK(!find(threaded("mine", 0, 0)), "what is another thread's");
	CHECK(!set(threaded("mine", gettid(), 5)) && has(threaded("mine", 0, 5)), "our own");
	return unused;
}

TEST(thread_scope)
{
	pthread_t other;

	set(plain("all", 1));
	set(threaded("mine", gettid(), 2));
	pthread_create(&other, NULL, look_from_another, NULL);
	pthread_join(other, NULL);
	CHECK(take() == 2, "without the other's: %zu", taken.nr);
	CHECK(has(plain("all", 1)) && has(threaded("mine", 0, 2)), "both of ours");
}

TEST(removed)
{
	set(plain("a", 1));
	set(keyed("a", 1, 2));
	set(threaded("a", gettid(), 3));
	CHECK(drop(keyed("a", 2, 2)) == -ENOENT, "another key");
	CHECK(drop(threaded("a", 1, 3)) == -ENOENT, "another thread");
	CHECK(drop(plain("b", 1)) == -ENOENT, "another name");
	CHECK(take() == 3, "all are there");
	CHECK(!drop(keyed("a", 1, 99)), "the value does not matter");
	CHECK(take() == 2 && !find(keyed("a", 1, 0)), "the one with the key");
	CHECK(!drop(threaded("a", gettid(), 0)) && take() == 1 && has(plain("a", 1)),
	      "the thread's");
	CHECK(!drop(plain("a", 0)) && take() == 0, "the last");
	CHECK(drop(plain("a", 0)) == -ENOENT, "twice");
}

TEST(added_again)
{
	set(plain("a", 1));
	drop(plain("a", 0));
	CHECK(!set(plain("a", 2)) && take() == 1 && has(plain("a", 2)), "back");
}

static void fill_up(void)
{
	for (int i = 0; i < SAMPLER_METADATA_MAX; i++)
		CHECK(!set(keyed("full", i, i)), "%d", i);
}

TEST(added_again_in_a_full_table)
{
	fill_up();
	drop(keyed("full", 3, 0));
	CHECK(take() == SAMPLER_METADATA_MAX - 1, "%zu", taken.nr);
	CHECK(!set(keyed("full", 3, 33)), "its place is still there");
	CHECK(take() == SAMPLER_METADATA_MAX && has(keyed("full", 3, 33)), "all");
}

TEST(too_many)
{
	fill_up();
	CHECK(set(plain("one more", 1)) == -ENOSPC, "full");
	CHECK(metadata_lost() == 1, "%llu", (unsigned long long)metadata_lost());
	CHECK(take() == SAMPLER_METADATA_MAX && !find(plain("one more", 1)), "the others stay");
	CHECK(!set(keyed("full", 3, 34)), "what is there can be changed");
}

/* An item in a reused place has no field of the old one. */
TEST(room_is_reclaimed)
{
	fill_up();
	drop(keyed("full", 5, 0));
	CHECK(!set(plain("new", 55)), "there is room");
	CHECK(take() == SAMPLER_METADATA_MAX && has(plain("new", 55)), "without a key");
	CHECK(!find(keyed("full", 5, 0)) && drop(keyed("full", 5, 0)) == -ENOENT, "the old one");
	drop(plain("new", 0));
	CHECK(!set(threaded("new", gettid(), 56)) && has(threaded("new", 0, 56)), "a thread's");
	drop(threaded("new", gettid(), 0));
	CHECK(!set(keyed("new", 8, 57)) && has(keyed("new", 8, 57)), "with a key");
	CHECK(set(plain("newer", 1)) == -ENOSPC, "and it is full again");
}

static void *set_and_end(void *ret_tid)
{
	CHECK(!set(threaded("a thread's", gettid(), 1)), "set");
	*(pid_t *)ret_tid = gettid();
	return NULL;
}

/* The places of threads that have ended are reused. */
TEST(room_of_ended_threads_is_reclaimed)
{
	pthread_t other;
	pid_t tid;

	for (int i = 0; i < SAMPLER_METADATA_MAX - 1; i++)
		set(keyed("full", i, i));
	pthread_create(&other, NULL, set_and_end, &tid);
	pthread_join(other, NULL);
	while (!tgkill(getpid(), tid, 0))
		usleep(1000);	/* a joined thread may not have quite ended */
	CHECK(!set(plain("new", 1)) && has(plain("new", 1)), "in its place");
	metadata_take(tid, &taken);
	CHECK(taken.nr == SAMPLER_METADATA_MAX, "nothing of its: %zu", taken.nr);
}

TEST(number_of_names_is_limited)
{
	char name[32];
	int i, err = 0;

	for (i = 0; i < 100000 && !err; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		err = set(plain(name, i));
		drop(plain(name, 0));
	}
	CHECK(err == -ENOSPC && i > 500, "%d: %d", i, err);
	CHECK(!set(plain("name 0", 7)) && has(plain("name 0", 7)), "known ones are no problem");
}

/* --- readers and writers at once --- */

static atomic_bool is_over;

/* Items whose other fields follow from the value, so that a mixture is detected. */
static int64_t right_value(const struct sampler_metadata *m)
{
	return (m->name[0] - 'a') * 1000 + (m->has_key ? 100 + m->key : 0);
}

static void *change(void *seed)
{
	unsigned int state = (unsigned int)(uintptr_t)seed;

	for (int i = 0; i < 20000; i++) {
		char name[2] = { (char)('a' + rand_r(&state) % 3) };
		struct sampler_metadata m = plain(name, 0);

		m.has_key = rand_r(&state) % 4;
		m.key = rand_r(&state) % 40;
		m.value = right_value(&m);
		if (rand_r(&state) % 2)
			sampler_metadata_set(&m);
		else
			sampler_metadata_remove(&m);
	}
	return NULL;
}

static void *read_all(void *unused)
{
	struct metadata_snapshot s;

	while (!is_over) {
		metadata_take(gettid(), &s);
		for (size_t i = 0; i < s.nr; i++)
			CHECK(s.items[i].value == right_value(&s.items[i]), "%s %lld: %lld",
			      s.items[i].name, (long long)s.items[i].key,
			      (long long)s.items[i].value);
	}
	return unused;
}

TEST(read_while_written)
{
	pthread_t writers[3], reader;

	pthread_create(&reader, NULL, read_all, NULL);
	for (uintptr_t i = 0; i < 3; i++)
		pthread_create(&writers[i], NULL, change, (void *)(i + 1));
	for (int i = 0; i < 3; i++)
		pthread_join(writers[i], NULL);
	is_over = true;
	pthread_join(reader, NULL);
}

/* A handler may read and write, whatever it interrupts. */
#define HANDLED	200
static atomic_int nr_handled;

static void on_signal(int unused)
{
	struct metadata_snapshot s;

	(void)unused;
	metadata_take(gettid(), &s);
	set(keyed("a", nr_handled % 10, 100 + nr_handled % 10));
	drop(keyed("a", (nr_handled + 5) % 10, 0));
	nr_handled++;
}

static void *change_until_handled(void *unused)
{
	while (nr_handled < HANDLED)
		change(NULL);
	return unused;
}

TEST(read_and_written_in_a_handler)
{
	struct sigaction action = { .sa_handler = on_signal };
	pthread_t writer;

	set(plain("a", 0));	/* the handler's name is known */
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&writer, NULL, change_until_handled, NULL);
	for (int sent = 0; sent < HANDLED; sent++) {
		pthread_kill(writer, SIGUSR1);
		while (nr_handled <= sent)
			usleep(50);
	}
	pthread_join(writer, NULL);
	CHECK(take() <= SAMPLER_METADATA_MAX, "%zu", taken.nr);
}

TEST_MAIN()
