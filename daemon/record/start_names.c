// SPDX-License-Identifier: GPL-2.0-or-later
/* start_names.c - see start_names.h */
#include "daemon/record/start_names.h"

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libdb/session/processes.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/opener/ask.h"
#include "libutil/thread.h"
#include "libutil/xalloc.h"

#define NR_WAITING	1024		/* more than are read in a second */
#define WAIT_NS		(500 * NS_PER_MS)

/* Requests are a ring: [taken, read) are read, the thread is at @read, up to @asked they wait. */
struct start_names {
	char *proc;
	pthread_mutex_t lock;
	pthread_cond_t asked_more, read_all;
	struct start_name names[NR_WAITING];
	size_t taken, read, asked;
	bool has_thread, is_ending;
	bool was_held_up;
	bool is_orphan;			/* the thread frees it */
};

static struct start_name *name_at(struct start_names *s, size_t i)
{
	return &s->names[i % NR_WAITING];
}

void start_name_free(struct start_name *name)
{
	free(name->path);
	free(name->comm);
	free(name->noted);
}

static void destroy(struct start_names *s)
{
	for (; s->taken != s->asked; s->taken++)
		start_name_free(name_at(s, s->taken));
	pthread_cond_destroy(&s->read_all);
	pthread_cond_destroy(&s->asked_more);
	pthread_mutex_destroy(&s->lock);
	free(s->proc);
	free(s);
}

/*
 * If it has executed another file since the sample, its names are those of the other. The last
 * parts of the paths are compared: the rest may differ in a container.
 */
bool start_names_executes(char *program, const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t n = strlen(program);

	if (n >= sizeof(deleted) && !strcmp(program + n - (sizeof(deleted) - 1), deleted))
		program[n - (sizeof(deleted) - 1)] = '\0';
	return !strcmp(path_base(program), path_base(path));
}

static void read_name(const char *proc, struct start_name *name)
{
	char *path = xasprintf("%s/%" PRIu32 "/cmdline", proc, name->tgid);
	char program[PATH_MAX];

	/* each argument ends in a NUL: this is the first */
	if (file_read_line(path, name->started_as, sizeof(name->started_as)))
		*name->started_as = '\0';
	session_started_as(name->started_as);
	free(path);
	name->executes = !opener_program(proc, name->tgid, program, sizeof(program), NULL) &&
			 start_names_executes(program, name->path);
}

static void *read_names(void *start_names)
{
	struct start_names *s = start_names;
	bool is_orphan;

	pthread_mutex_lock(&s->lock);
	while (!s->is_ending) {
		if (s->read == s->asked) {
			pthread_cond_wait(&s->asked_more, &s->lock);
			continue;
		}
		/* nobody else uses the one at @read */
		pthread_mutex_unlock(&s->lock);
		read_name(s->proc, name_at(s, s->read));
		pthread_mutex_lock(&s->lock);
		s->read++;
		if (s->read == s->asked)
			pthread_cond_signal(&s->read_all);
	}
	s->has_thread = false;
	pthread_cond_signal(&s->read_all);
	is_orphan = s->is_orphan;
	pthread_mutex_unlock(&s->lock);
	if (is_orphan)
		destroy(s);
	return NULL;
}

/* Detached: it may never end. */
static bool start_reader(struct start_names *s)
{
	pthread_t reader;

	s->has_thread = !thread_start(&reader, read_names, s);
	if (s->has_thread)
		pthread_detach(reader);
	return s->has_thread;
}

struct start_names *start_names_new(const char *proc)
{
	struct start_names *s = xcalloc(1, sizeof(*s));

	s->proc = xstrdup(proc);
	lock_init(&s->lock);
	pthread_cond_init(&s->asked_more, NULL);
	pthread_cond_init(&s->read_all, NULL);
	return s;
}

/* Wait for the thread, with the lock held; false: it is held up. */
static bool wait_until(struct start_names *s, bool (*is_done)(const struct start_names *s))
{
	uint64_t until = now_ns() + WAIT_NS;

	while (!is_done(s) && !s->was_held_up)
		s->was_held_up = !lock_wait(&s->read_all, &s->lock, until) && !is_done(s);
	return is_done(s);
}

static bool has_ended(const struct start_names *s)
{
	return !s->has_thread;
}

static bool has_read_all(const struct start_names *s)
{
	return s->read == s->asked || !s->has_thread;
}

void start_names_free(struct start_names *s)
{
	bool ended;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->is_ending = true;
	pthread_cond_signal(&s->asked_more);
	ended = wait_until(s, has_ended);
	s->is_orphan = !ended;
	pthread_mutex_unlock(&s->lock);
	if (ended)
		destroy(s);
}

bool start_names_request(struct start_names *s, const struct start_name *wanted)
{
	bool has_room;

	pthread_mutex_lock(&s->lock);
	has_room = s->asked - s->taken < NR_WAITING && (s->has_thread || start_reader(s));
	if (has_room) {
		*name_at(s, s->asked++) = *wanted;
		pthread_cond_signal(&s->asked_more);
	}
	pthread_mutex_unlock(&s->lock);
	return has_room;
}

bool start_names_take(struct start_names *s, struct start_name *ret)
{
	bool any;

	pthread_mutex_lock(&s->lock);
	any = s->taken != s->read;
	if (any)
		*ret = *name_at(s, s->taken++);
	pthread_mutex_unlock(&s->lock);
	return any;
}

void start_names_wait(struct start_names *s)
{
	pthread_mutex_lock(&s->lock);
	(void)wait_until(s, has_read_all);
	pthread_mutex_unlock(&s->lock);
}
