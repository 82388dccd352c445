// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stacks.c - the session's stack store: opened when needed, closed with it, its ids at hand
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/record/anon.h"
#include "daemon/record/stacks.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"
#include "oprofilefs/op_abi.h"

#define RETRY_MIN	1		/* seconds until a store that failed is tried again */
#define RETRY_MAX	60
#define BROKEN_MAX	9		/* broken stores kept */
#define BYTES_MAX	(UINT64_C(256) << 20)	/* of a store; its index takes as much memory */
#define NR_KEPT		1024		/* ids at hand, of contexts and of mappings */

struct kept_context {
	struct stacks_context context;
	char comm[OP_COMM_WORDS * 8 + 1];	/* the context's */
	uint32_t id;			/* 0: free */
};

struct kept_map {
	struct anon_map map;
	uint32_t tgid, id;
};

struct stacks {
	const struct sfile_event *events;
	unsigned int nr_events;
	struct images *images;
	struct stats *stats;
	char *path;			/* "": no session yet */
	struct stack_store *store;	/* NULL: not open */
	unsigned int opened;		/* so many times: ids of earlier ones are void */

	uint32_t *event_ids, nowhere;	/* 0: not asked for yet */
	struct kept_context contexts[NR_KEPT];
	struct kept_map maps[NR_KEPT];

	time_t retry_at, retry_delay;	/* failed: not opened, and not fine again, before this */
	time_t failed_at;
	struct op_error trouble;
};

struct stacks *stacks_new(const struct sfile_event *events, unsigned int nr,
			  struct images *images, struct stats *stats)
{
	struct stacks *s = xcalloc(1, sizeof(*s));

	s->events = events;
	s->nr_events = nr;
	s->images = images;
	s->stats = stats;
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
	s->retry_at = s->retry_delay = 0;
}

void stacks_set_session(struct stacks *s, const char *stats_dir)
{
	stacks_close(s);
	free(s->path);
	s->path = path_join(stats_dir, STACK_STORE_FILE);
}

int stacks_sync(struct stacks *s)
{
	return s->store ? stack_store_sync(s->store) : 0;
}

/* Trouble */

/* On a full disk stacks that were seen before still find room: no word at each of the others. */
static void failed(struct stacks *s, int err, const struct op_error *e)
{
	bool first = !s->retry_delay;

	s->failed_at = now_seconds();
	if (!first && s->failed_at < s->retry_at)
		return;
	s->retry_delay = first ? RETRY_MIN : s->retry_delay * 2;
	if (s->retry_delay > RETRY_MAX)
		s->retry_delay = RETRY_MAX;
	s->retry_at = s->failed_at + s->retry_delay;
	if (e)
		s->trouble = *e;
	else
		op_error_set(&s->trouble, err, "cannot add to '%s': %s", s->path, strerror(-err));
	if (first)
		log_line("call stacks are being lost: %s; the file is tried again from time to "
			 "time", s->trouble.text);
}

static void works(struct stacks *s)
{
	if (!s->retry_delay || now_seconds() < s->retry_at)
		return;
	s->retry_at = s->retry_delay = 0;
	log_line("call stacks can be written again");
}

const char *stacks_trouble(const struct stacks *s)
{
	bool lately = now_seconds() <= s->failed_at + RETRY_MAX;

	return s->retry_delay && lately ? s->trouble.text : "";
}

/* Opening */

/* What somebody else did to it must not cost the stacks to come; what can be saved is kept. */
static int set_aside(struct stacks *s, struct op_error *e)
{
	int err = -EEXIST;

	for (int i = 1; i <= BROKEN_MAX && err == -EEXIST; i++) {
		char *to = xasprintf("%s.broken%d", s->path, i);

		err = renameat2(AT_FDCWD, s->path, AT_FDCWD, to, RENAME_NOREPLACE) ? -errno : 0;
		if (!err)
			log_line("the store of call stacks is broken: %s; it is kept as '%s', and "
				 "a new one begun", e->text, path_base(to));
		free(to);
	}
	return err;
}

static int open_store(struct stacks *s, struct op_error *e)
{
	int err = file_make_parent_dirs(s->path, 0755);

	if (err)
		return op_error_set(e, err, "cannot make the folder of '%s': %s", s->path,
				    strerror(-err));
	err = stack_store_open(s->path, BYTES_MAX, &s->store, e);
	if (err == -EPROTO && !set_aside(s, e))
		err = stack_store_open(s->path, BYTES_MAX, &s->store, e);
	return err;
}

bool stacks_ready(struct stacks *s)
{
	struct op_error e = { "" };
	int err;

	if (s->store)
		return true;
	if (!*s->path || (s->retry_at && now_seconds() < s->retry_at))
		return false;
	err = open_store(s, &e);
	if (err) {
		failed(s, err, &e);
		return false;
	}
	s->opened++;
	s->nowhere = 0;
	memset(s->event_ids, 0, s->nr_events * sizeof(*s->event_ids));
	memset(s->contexts, 0, sizeof(s->contexts));
	memset(s->maps, 0, sizeof(s->maps));
	return true;
}

/* Ids */

/* 0 where the store has no room: the stack that asks is lost then. */
static uint32_t image_id(struct stacks *s, const struct image_name *name, const char *build_id)
{
	const struct stack_image image = { *name, build_id };
	uint32_t id = 0;
	int err = stack_store_image(s->store, &image, &id);

	if (err)
		failed(s, err, NULL);
	return id;
}

uint32_t stacks_image(struct stacks *s, struct image *image)
{
	if (image->stack_store == s->opened && image->stack_id)
		return image->stack_id;
	image_tell(s->images, image);
	image->stack_id = image_id(s, &(struct image_name){ .kind = image->kind,
							    .path = image->path },
				   image->build_id);
	image->stack_store = s->opened;
	return image->stack_id;
}

uint32_t stacks_map(struct stacks *s, uint32_t tgid, const struct anon_map *map)
{
	struct kept_map *k = &s->maps[hash_mix(tgid, map->start) % NR_KEPT];
	char name[sizeof(map->name)] = "";

	if (k->id && k->tgid == tgid && k->map.start == map->start && k->map.end == map->end &&
	    !strcmp(k->map.name, map->name))
		return k->id;
	anon_copy_name(name, sizeof(name) - 1, map->name);
	k->map = *map;
	k->tgid = tgid;
	k->id = image_id(s, &(struct image_name){ .kind = IMAGE_ANON, .path = name,
						  .anon_tgid = tgid, .anon_start = map->start,
						  .anon_end = map->end }, "");
	return k->id;
}

uint32_t stacks_nowhere(struct stacks *s)
{
	if (!s->nowhere)
		s->nowhere = image_id(s, &(struct image_name){ .kind = IMAGE_ANON,
							       .path = "unknown" }, "");
	return s->nowhere;
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
		failed(s, err, NULL);
	return s->event_ids[counter];
}

static int64_t number_or_all(uint32_t field)
{
	return field == SFILE_ALL ? SAMPLE_ALL : (int64_t)field;
}

static bool same_context(const struct stacks_context *a, const struct stacks_context *b)
{
	return a->app == b->app && a->tgid == b->tgid && a->tid == b->tid && a->cpu == b->cpu &&
	       a->cgroup == b->cgroup && !strcmp(a->comm, b->comm);
}

static uint32_t context_id(struct stacks *s, const struct stacks_context *c)
{
	uint64_t h = hash_mix((uintptr_t)c->app ^ c->cpu ^ (uintptr_t)c->cgroup,
			      (uint64_t)c->tgid << 32 | c->tid);
	struct kept_context *k = &s->contexts[h % NR_KEPT];
	struct stack_context context = {
		.app = STACK_NONE,
		.tgid = number_or_all(c->tgid),
		.tid = number_or_all(c->tid),
		.cpu = number_or_all(c->cpu),
		.cgroup = c->cgroup ? c->cgroup : "",
		.comm = c->comm,
	};
	int err;

	if (k->id && same_context(&k->context, c))
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
		failed(s, err, NULL);
	return k->id;
}

bool stacks_add(struct stacks *s, const struct stacks_context *context, uint32_t counter,
		const struct stack_frame *frames, size_t nr, unsigned int end)
{
	uint32_t c = context_id(s, context), event = c ? event_id(s, counter) : 0;
	int err;

	if (!event)
		return false;
	for (size_t i = 0; i < nr; i++)
		if (!frames[i].image)
			return false;
	err = stack_store_add(s->store, c, event, frames, nr, end, 1);
	if (err)
		failed(s, err, NULL);
	else
		works(s);
	return !err;
}
