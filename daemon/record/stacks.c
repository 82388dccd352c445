// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stacks.c - a stack store: opened when needed, and a cache of its ids
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/record/anon.h"
#include "daemon/record/retry.h"
#include "daemon/record/set_aside.h"
#include "daemon/record/stacks.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"
#include "oprofilefs/op_abi.h"

#define NR_CACHED	1024		/* ids of contexts, and of mappings */

struct cached_context {
	struct stacks_context context;
	char comm[OP_COMM_WORDS * 8 + 1];	/* the context's */
	uint32_t id;			/* 0: free */
};

struct cached_map {
	struct anon_map map;
	const char *program;
	uint32_t tgid, id;
};

struct stacks {
	enum stacks_kind kind;
	uint64_t max_bytes;
	const struct sfile_event *events;
	unsigned int nr_events;
	struct images *images;
	char *path;			/* "": no session yet */
	struct stack_store *store;	/* NULL: not open */
	unsigned int generation;	/* number of opens: ids of earlier ones are invalid */

	uint32_t *event_ids, unknown_image;	/* 0: not known yet */
	struct cached_context contexts[NR_CACHED];
	struct cached_map maps[NR_CACHED];

	struct retry retry;		/* until then it is not opened, and the failure not over */
	time_t failed_at;
	struct op_error trouble;
};

struct stacks *stacks_new(enum stacks_kind kind, const struct sfile_event *events, unsigned int nr,
			  struct images *images, uint64_t max_bytes)
{
	struct stacks *s = xcalloc(1, sizeof(*s));

	s->kind = kind;
	s->max_bytes = max_bytes;
	s->events = events;
	s->nr_events = nr;
	s->images = images;
	s->event_ids = xcalloc(nr, sizeof(*s->event_ids));
	s->path = xstrdup("");
	return s;
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	stacks_close(s);
	free(s->event_ids);
	free(s->path);
	free(s);
}

void stacks_close(struct stacks *s)
{
	s->store = stack_store_close(s->store);
	s->retry = (struct retry){ 0, 0 };
}

void stacks_pack(struct stacks *s)
{
	struct op_error e = { "" };
	int err;

	stacks_close(s);
	err = *s->path ? stack_store_pack(s->path, &e) : -ENOENT;
	if (err && err != -ENOENT && err != -ENODATA)
		log_line("did not pack the stacks: %s", e.text);
}

void stacks_set_file(struct stacks *s, const char *path)
{
	stacks_close(s);
	free(s->path);
	s->path = xstrdup(path);
}

uint64_t stacks_bytes(const struct stacks *s)
{
	struct stack_store_size size = { .bytes = 0 };

	if (s->store)
		stack_store_size(s->store, &size);
	return size.bytes;
}

uint64_t stacks_memory(const struct stacks *s)
{
	struct stack_store_size size = { .memory = 0 };

	if (s->store)
		stack_store_size(s->store, &size);
	return size.memory;
}

int stacks_sync(struct stacks *s)
{
	return s->store ? stack_store_sync(s->store) : 0;
}

/* Failures */

/* On a full disk known stacks can still be counted, so failures and successes are mixed. */
static void report_failure(struct stacks *s, int err, const struct op_error *e)
{
	bool is_new = !retry_has_failed(&s->retry);

	s->failed_at = now_seconds();
	if (!retry_is_due(&s->retry))
		return;
	retry_later(&s->retry);
	if (e)
		s->trouble = *e;
	else
		op_error_set(&s->trouble, err, "cannot add to '%s': %s", s->path, strerror(-err));
	if (is_new)
		log_line("call stacks are being lost: %s; retrying periodically",
			 s->trouble.text);
}

static void report_success(struct stacks *s)
{
	if (!retry_has_failed(&s->retry) || !retry_is_due(&s->retry))
		return;
	s->retry = (struct retry){ 0, 0 };
	log_line("call stacks can be written again");
}

const char *stacks_trouble(const struct stacks *s)
{
	bool is_recent = now_seconds() <= s->failed_at + RETRY_SECONDS_MAX;

	return retry_has_failed(&s->retry) && is_recent ? s->trouble.text : "";
}

/* Opening */

static int set_broken_aside(struct stacks *s, struct op_error *e)
{
	char *name;
	int err = set_aside(s->path, &name);

	if (err)
		return err;
	log_line("%s; renamed it to '%s' and started a new stack store", e->text, name);
	free(name);
	return 0;
}

static int open_store(struct stacks *s, struct op_error *e)
{
	int err = file_make_parent_dirs(s->path, 0755);

	if (err)
		return op_error_set(e, err, "cannot create the directory of '%s': %s", s->path,
				    strerror(-err));
	err = stack_store_open(s->path, s->max_bytes, &s->store, e);
	if (err == -EPROTO && !set_broken_aside(s, e))
		err = stack_store_open(s->path, s->max_bytes, &s->store, e);
	return err;
}

void stacks_forget_images(struct stacks *s)
{
	memset(s->contexts, 0, sizeof(s->contexts));
	memset(s->maps, 0, sizeof(s->maps));
}

bool stacks_ready(struct stacks *s)
{
	struct op_error e = { "" };
	int err;

	if (s->store)
		return true;
	if (!*s->path || !retry_is_due(&s->retry))
		return false;
	err = open_store(s, &e);
	if (err) {
		report_failure(s, err, &e);
		return false;
	}
	s->generation++;
	s->unknown_image = 0;
	memset(s->event_ids, 0, s->nr_events * sizeof(*s->event_ids));
	stacks_forget_images(s);
	return true;
}

/* Ids */

/* 0: the store has no room, and the stack is lost. */
static uint32_t image_id(struct stacks *s, const struct image_name *name, const char *build_id)
{
	const struct stack_image image = { *name, build_id };
	uint32_t id = 0;
	int err = stack_store_image(s->store, &image, &id);

	if (err)
		report_failure(s, err, NULL);
	return id;
}

uint32_t stacks_image(struct stacks *s, struct image *image)
{
	struct stack_image_id *known = &image->stack[s->kind];

	if (known->store == s->generation && known->id)
		return known->id;
	image_mark_sampled(s->images, image);
	known->id = image_id(s, &(struct image_name){ .kind = image->kind, .path = image->path },
			     image->build_id);
	known->store = s->generation;
	return known->id;
}

uint32_t stacks_map(struct stacks *s, uint32_t tgid, const struct anon_map *map,
		    const char *program)
{
	struct cached_map *k = &s->maps[hash_mix(tgid, map->start) % NR_CACHED];
	char name[sizeof(map->name)] = "";

	if (k->id && k->tgid == tgid && k->program == program && k->map.start == map->start &&
	    k->map.end == map->end && !strcmp(k->map.name, map->name))
		return k->id;
	anon_copy_name(name, sizeof(name) - 1, map->name);
	k->map = *map;
	k->tgid = tgid;
	k->program = program;
	k->id = image_id(s, &(struct image_name){ .kind = IMAGE_ANON, .path = name,
						  .anon_tgid = tgid, .anon_start = map->start,
						  .anon_end = map->end }, program);
	return k->id;
}

uint32_t stacks_unknown_image(struct stacks *s)
{
	if (!s->unknown_image)
		s->unknown_image = image_id(s, &(struct image_name){ .kind = IMAGE_ANON,
								     .path = "unknown" }, "");
	return s->unknown_image;
}

static uint32_t event_id(struct stacks *s, uint32_t counter)
{
	const struct sfile_event *event = &s->events[counter];
	int err;

	if (s->event_ids[counter])
		return s->event_ids[counter];
	err = stack_store_event(s->store, &(struct stack_event){ event->name, event->count,
								 event->unit_mask },
				&s->event_ids[counter]);
	if (err)
		report_failure(s, err, NULL);
	return s->event_ids[counter];
}

static int64_t number_or_all(uint32_t field)
{
	return field == SFILE_ALL ? SAMPLE_ALL : (int64_t)field;
}

static bool is_same_context(const struct stacks_context *a, const struct stacks_context *b)
{
	return a->app == b->app && a->tgid == b->tgid && a->tid == b->tid && a->cpu == b->cpu &&
	       a->cgroup == b->cgroup && !strcmp(a->comm, b->comm);
}

static uint32_t context_id(struct stacks *s, const struct stacks_context *c)
{
	uint64_t h = hash_mix((uintptr_t)c->app ^ c->cpu ^ (uintptr_t)c->cgroup,
			      (uint64_t)c->tgid << 32 | c->tid);
	struct cached_context *k = &s->contexts[h % NR_CACHED];
	struct stack_context context = {
		.app = STACK_NONE,
		.tgid = number_or_all(c->tgid),
		.tid = number_or_all(c->tid),
		.cpu = number_or_all(c->cpu),
		.cgroup = c->cgroup ? c->cgroup : "",
		.comm = c->comm,
	};
	int err;

	if (k->id && is_same_context(&k->context, c))
		return k->id;
	if (c->app) {
		context.app = stacks_image(s, c->app);
		if (!context.app)
			return 0;
	}
	k->context = *c;
	snprintf(k->comm, sizeof(k->comm), "%s", c->comm);
	k->context.comm = k->comm;
	k->id = 0;
	err = stack_store_context(s->store, &context, &k->id);
	if (err)
		report_failure(s, err, NULL);
	return k->id;
}

bool stacks_add(struct stacks *s, const struct stacks_context *context, uint32_t counter,
		const struct stack_frame *frames, size_t nr, unsigned int end, uint64_t count)
{
	uint32_t c = context_id(s, context), event = c ? event_id(s, counter) : 0;
	int err;

	if (!event)
		return false;
	for (size_t i = 0; i < nr; i++)
		if (!frames[i].image)
			return false;
	err = stack_store_add(s->store, c, event, frames, nr, end, count);
	if (err)
		report_failure(s, err, NULL);
	else
		report_success(s);
	return !err;
}
