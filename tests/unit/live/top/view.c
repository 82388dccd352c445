// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view.c - rows of a session that grows: its sample files, or its stack store
 *
 * The binaries do not exist, so each is one row, which has its name.
 */
#include "live/top/view.h"

#include <errno.h>
#include <sys/stat.h>

#include "libdb/session/writer.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

static const struct spec_list no_paths;

/* SD/samples/current: @samples of /lib/libm.so on behalf of /bin/app, as process 12. */
static void describe(void *context, uint64_t file, struct session_file *ret)
{
	(void)context;
	*ret = (struct session_file){
		.name = { .app = { .kind = IMAGE_FILE, .path = "/bin/app" },
			  .image = { .kind = IMAGE_FILE,
				     .path = file ? "/bin/app" : "/lib/libm.so" },
			  .event = "TIMER", .tgid = 12, .tid = 12, .cpu = SAMPLE_ALL },
		.build_id = "", .cgroup = "",
	};
}

static void check_added(void *context, const struct session_record *record, int err)
{
	(void)context;
	CHECK(!err, "key %llx: %d", (unsigned long long)record->key, err);
}

static void add_samples(uint64_t file, uint64_t key, uint64_t count)
{
	const struct session_file_ops ops = { .describe = describe, .added = check_added };
	const struct session_record record = { file, key, count };
	struct session_writer w;
	struct op_error e = { "" };
	char *samples = session_samples_path(tmpdir, SESSION_CURRENT);
	char *stats = session_stats_path(tmpdir, SESSION_CURRENT, NULL);

	CHECK(!file_make_dirs(stats, 0755), "folders");
	session_writer_init(&w, samples);
	CHECK(!session_write_records(&w, &record, 1, &ops, NULL, &e), "%s", e.text);
	session_writer_free(&w);
	free(samples);
	free(stats);
}

struct shown {
	struct top_place place;
	struct top_model m;
	struct top *t;
};

static void show(struct shown *s)
{
	s->place = (struct top_place){ .session_dir = tmpdir, .image_path = &no_paths };
	top_model_init(&s->m, 80, 24);
	s->t = top_new(&s->place, DEMANGLE_NORMAL, &s->m);
}

static void hide(struct shown *s)
{
	top_free(s->t);
	top_model_free(&s->m);
}

static void press(struct shown *s, const char *keys)
{
	for (; *keys; keys++)
		top_apply(s->t, top_key(&s->m, *keys));
}

static void check_rows(const struct shown *s, const char *expected)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < s->m.nr_shown; i++)
		strbuf_addf(&text, "%s%s:%llu", i ? " " : "", s->m.rows[i].name,
			    (unsigned long long)s->m.rows[i].since);
	CHECK(!strcmp(text.text, expected), "'%s', not '%s'", text.text, expected);
	strbuf_free(&text);
}

TEST(sample_files)
{
	struct shown s;

	tmpdir_make();
	show(&s);
	top_refresh(s.t, 1);
	check_rows(&s, "");
	CHECK(!*s.m.message, "without a session yet: %s", s.m.message);
	add_samples(0, 0x100, 50);
	top_refresh(s.t, 1);
	check_rows(&s, "");	/* what was there before */
	add_samples(0, 0x100, 5);
	add_samples(0, 0x200, 2);
	top_refresh(s.t, 1);
	check_rows(&s, "libm.so:7");
	CHECK(s.m.rate == 7 && s.m.seconds == 1, "%g/s in %g s", s.m.rate, s.m.seconds);
	CHECK(!strcmp(s.m.event, "TIMER"), "%s", s.m.event);
	press(&s, "1");
	check_rows(&s, "libm.so:7");
	press(&s, "3");
	check_rows(&s, "app (12):7");
	press(&s, "\n");
	check_rows(&s, "libm.so:7");
	press(&s, "\n");
	check_rows(&s, "[callers are not recorded: opcontrol --callgraph]:7");
	press(&s, "4");
	check_rows(&s, "[not recorded]:7");
	/* a file that is new is found a little later, with all its samples */
	add_samples(1, 0x300, 4);
	for (int i = 0; i < 10; i++)
		top_refresh(s.t, 1);
	press(&s, "1");
	check_rows(&s, "app:4 libm.so:7");
	CHECK(s.m.rows[1].now * 2 < s.m.rows[0].now, "older samples weigh less");
	hide(&s);
}

struct ids {
	uint32_t app, lib, event, other, contexts[2];
};

static struct stack_store *open_stacks_at(const char *path, struct ids *ids)
{
	const struct stack_image app = { { .kind = IMAGE_FILE, .path = "/bin/app" }, "" };
	const struct stack_image lib = { { .kind = IMAGE_FILE, .path = "/lib/libm.so" }, "" };
	const struct stack_event event = { "CPU_CLK_UNHALTED", 100000, 0 };
	const struct stack_event other = { "LLC_MISSES", 6000, 0x41 };
	struct stack_context context = { 0, 12, 12, SAMPLE_ALL, "/a.service", "", NULL };
	struct stack_store *s = NULL;
	struct op_error e = { "" };

	CHECK(!stack_store_open(path, 0, &s, &e), "%s", e.text);
	stack_store_image(s, &app, &ids->app);
	stack_store_image(s, &lib, &ids->lib);
	stack_store_event(s, &event, &ids->event);
	stack_store_event(s, &other, &ids->other);
	context.app = ids->app;
	stack_store_context(s, &context, &ids->contexts[0]);
	context.tgid = 13;
	context.cgroup = "/b.service";
	stack_store_context(s, &context, &ids->contexts[1]);
	return s;
}

static struct stack_store *open_stacks(struct ids *ids)
{
	char *path = session_stats_path(tmpdir, SESSION_CURRENT, STACK_STORE_FILE);
	struct stack_store *s = open_stacks_at(path, ids);

	free(path);
	return s;
}

/* The store of segment @number of the history; the one before it is complete. */
static struct stack_store *open_hour(unsigned int number, struct ids *ids)
{
	char *before = xasprintf("%s/history/%06u-5/stacks", tmpdir, number - 1);
	char *path = xasprintf("%s/history/%06u-5/stacks", tmpdir, number);
	struct stack_store *s;

	(void)unlink(before);
	CHECK(!file_make_parent_dirs(path, 0755), "%s", path);
	s = open_stacks_at(path, ids);
	free(before);
	free(path);
	return s;
}

/* Of process @process: libm called by app, or app alone. */
static void add_stack(struct stack_store *s, const struct ids *ids, unsigned int process,
		      bool is_lib, unsigned int end, uint64_t count)
{
	const struct stack_frame frames[] = { { ids->lib, 0x10 }, { ids->app, 0x20 } };

	CHECK(!stack_store_add(s, ids->contexts[process], ids->event, frames + !is_lib,
			       1 + is_lib, end, count), "add");
}

TEST(stacks)
{
	struct stack_store *store;
	struct shown s;
	struct ids ids;

	tmpdir_make();
	add_samples(0, 0, 1);
	store = open_stacks(&ids);
	add_stack(store, &ids, 0, true, STACK_COMPLETE, 100);
	show(&s);
	top_refresh(s.t, 1);
	check_rows(&s, "");
	add_stack(store, &ids, 0, true, STACK_COMPLETE, 6);
	add_stack(store, &ids, 0, false, STACK_COMPLETE, 3);
	add_stack(store, &ids, 1, true, STACK_TRUNCATED, 1);
	top_refresh(s.t, 1);
	check_rows(&s, "libm.so:7 app:3");
	press(&s, "\n");
	check_rows(&s, "app:7");
	press(&s, "\n");
	check_rows(&s, "[no caller]:6 [truncated]:1");
	press(&s, "5");
	check_rows(&s, "libm.so < app:6 app:3 libm.so < app < [truncated]:1");
	press(&s, "\n");
	check_rows(&s, "libm.so:6 app:6");
	CHECK(s.m.since == 6, "percent of %llu", (unsigned long long)s.m.since);
	press(&s, "3");
	check_rows(&s, "app (12):9 app (13):1");
	press(&s, "j\n");
	check_rows(&s, "libm.so:1");
	press(&s, "4");
	check_rows(&s, "/a.service:9 /b.service:1");
	press(&s, "\n\n");
	check_rows(&s, "app:6");
	/* the source of what has no line information */
	press(&s, "2a");
	check_rows(&s, "+0x0:7");
	/* since a mark, and all again */
	press(&s, "1m");
	add_stack(store, &ids, 0, false, STACK_COMPLETE, 5);
	top_refresh(s.t, 1);
	CHECK(s.m.nr_shown == 2 && s.m.since == 5 && s.m.before == 10 && s.m.seconds == 1,
	      "%llu since the mark", (unsigned long long)s.m.since);
	press(&s, "M");
	CHECK(s.m.since == 15 && !s.m.before && s.m.seconds == 2, "all");
	/* another event has samples of its own */
	press(&s, "e");
	check_rows(&s, "");
	CHECK(!strcmp(s.m.event, "LLC_MISSES"), "%s", s.m.event);
	hide(&s);
	stack_store_close(store);
}

/* The history begins another store each hour, in which labels have other positions. */
TEST(hours)
{
	const struct stack_image first = { { .kind = IMAGE_FILE, .path = "/bin/first" }, "" };
	struct stack_store *store;
	struct shown s;
	struct ids ids;
	uint32_t id;

	tmpdir_make();
	add_samples(0, 0, 1);
	store = open_hour(1, &ids);
	show(&s);
	top_refresh(s.t, 1);
	add_stack(store, &ids, 0, true, STACK_COMPLETE, 6);
	top_refresh(s.t, 1);
	press(&s, "m");
	add_stack(store, &ids, 0, true, STACK_COMPLETE, 2);
	stack_store_close(store);
	for (unsigned int hour = 2; hour < 5; hour++) {
		char *path = xasprintf("%s/history/%06u-5/stacks", tmpdir, hour);

		store = open_hour(hour, &ids);
		stack_store_close(store);
		CHECK(!unlink(path) && !stack_store_open(path, 0, &store, NULL), "%s", path);
		CHECK(!stack_store_image(store, &first, &id), "image");
		stack_store_close(store);
		store = open_hour(hour, &ids);
		add_stack(store, &ids, 0, true, STACK_COMPLETE, 10);
		top_refresh(s.t, 1);
		stack_store_close(store);
		free(path);
	}
	stack_store_close(open_hour(5, &ids));
	CHECK(!truncate(tmpdir_path("history/000005-5/stacks"), 0), "truncate");
	top_refresh(s.t, 1);	/* one that is never filled, because the daemon is killed */
	store = open_hour(6, &ids);
	add_stack(store, &ids, 0, true, STACK_COMPLETE, 10);
	top_refresh(s.t, 1);
	stack_store_close(store);
	check_rows(&s, "libm.so:42");
	CHECK(s.m.has_mark && s.m.before == 6, "%llu before the mark",
	      (unsigned long long)s.m.before);
	press(&s, "5");
	check_rows(&s, "libm.so < app:42");
	hide(&s);
}

/* A session that is reset, or saved, is another one. */
TEST(replaced)
{
	char *samples, *saved;
	struct stack_store *store;
	struct shown s;
	struct ids ids;

	tmpdir_make();
	add_samples(0, 0, 1);
	store = open_stacks(&ids);
	show(&s);
	top_refresh(s.t, 1);
	add_stack(store, &ids, 0, true, STACK_COMPLETE, 6);
	top_refresh(s.t, 1);
	press(&s, "m");
	stack_store_close(store);
	samples = session_samples_path(tmpdir, SESSION_CURRENT);
	saved = session_samples_path(tmpdir, "saved");
	CHECK(!rename(samples, saved), "save");
	add_samples(0, 0, 1);
	store = open_stacks(&ids);
	top_refresh(s.t, 1);
	check_rows(&s, "");
	CHECK(!s.m.has_mark && strstr(s.m.message, "anew"), "%s", s.m.message);
	add_stack(store, &ids, 0, true, STACK_COMPLETE, 2);
	top_refresh(s.t, 1);
	check_rows(&s, "libm.so:2");
	hide(&s);
	stack_store_close(store);
	free(samples);
	free(saved);
}

/* A store that breaks a rule is reported, and shown no more. */
TEST(malformed)
{
	char *path;
	struct stack_store *store;
	struct shown s;
	struct ids ids;

	tmpdir_make();
	add_samples(0, 0, 1);
	store = open_stacks(&ids);
	stack_store_close(store);
	path = session_stats_path(tmpdir, SESSION_CURRENT, STACK_STORE_FILE);
	put_text(path, "nothing of the kind, but long enough to have a header of sixty-four bytes");
	show(&s);
	top_refresh(s.t, 1);
	CHECK(strstr(s.m.message, "stack store"), "%s", s.m.message);
	check_rows(&s, "");
	press(&s, "12345\na\n");
	hide(&s);
	free(path);
}

TEST_MAIN()
