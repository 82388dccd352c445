// SPDX-License-Identifier: GPL-2.0-or-later
/* sender.c - one target: cursor -> slice -> parts -> answers -> cursor */
#include "fleet/push/sender.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "fleet/push/cursor.h"
#include "fleet/push/maker.h"
#include "fleet/push/spool.h"
#include "fleet/push/stream.h"
#include "libutil/clock.h"
#include "libutil/fd_message.h"
#include "libutil/message.h"
#include "libutil/plain_text.h"
#include "libutil/progress.h"
#include "libutil/xalloc.h"
#include "pp/cli/confine.h"

#define HEADERS_VARIABLE	"OPPUSH_HEADERS_"
#define ONCE_TRIES	5
#define ASIDE_TRIES	12	/* of a part, before it is compared with others: some 20 minutes */
#define DAMAGED_TRIES	3	/* of a slice, before it is left out: it is malformed, */
#define READ_TRIES	10	/* or nobody knows why, as without memory: some 20 minutes */
#define WAIT_MS		1000	/* after the first failure; twice as long after each other, */
#define WAIT_MAX_MS	300000	/* up to this */
#define ASKED_MAX_S	3600	/* what a target may ask for */
#define IDLE_MS		10000	/* between looks for a new slice */
#define PACE_MAX_MS	60000	/* between old slices */

/*
 * A part that failed so often that the next ones are tried. A target that takes one for the same
 * place is not away, so it is the part that it does not take; else all go on from here.
 */
struct aside {
	char *name;			/* NULL: there is none */
	uint64_t samples;
	char why[300];
	struct push_cursor before;
};

struct sender {
	const struct push_sending *s;
	struct http *http;
	char *url;			/* without a part's name */
	char *cursor_path;
	struct push_cursor cursor;
	unsigned int tries;		/* that failed in a row, */
	unsigned int unread;		/* and those in a row in which the slice was not read */
	struct aside aside;
	bool has_refused;
	bool slice_refused;		/* a part of this slice */
	bool last_was_sent;		/* all parts of the slice that was asked for before */
	size_t nr_done;			/* slices, by this process */
	uint64_t tried_ns;		/* end of the last slice that may have been sent before */
	bool is_again;			/* this one may have been */
};

/* --- pure rules --- */

char *push_cursor_path(const char *state_dir, const char *target)
{
	return xasprintf("%s/%s.cursor", state_dir, target);
}

enum push_verdict push_judge(int status)
{
	if (status >= 200 && status < 300)
		return PUSH_SENT;
	switch (status) {
	case 401: case 402: case 403: case 404: case 405: case 407:	/* the set-up */
	case 408: case 415: case 425: case 429:
		return PUSH_AGAIN;
	default:
		return status >= 400 && status < 500 ? PUSH_REFUSED : PUSH_AGAIN;
	}
}

uint32_t push_wait_ms(unsigned int tries, uint32_t after_s, uint32_t random)
{
	uint32_t most = tries < 10 ? (uint32_t)WAIT_MS << tries : WAIT_MAX_MS, asked;

	if (most > WAIT_MAX_MS)
		most = WAIT_MAX_MS;
	asked = (after_s < ASKED_MAX_S ? after_s : ASKED_MAX_S) * 1000;
	if (asked <= most / 2)
		return most / 2 + random % (most / 2 + 1);
	/* what many were told is spread, too, but never earlier */
	return asked + random % (asked / 4 + 1);
}

bool push_leaves_out(int err, unsigned int tries)
{
	return tries >= (err == -EPROTO || err == -ESTALE ? DAMAGED_TRIES : READ_TRIES);
}

/* --- */

static uint32_t random_number(void)
{
	uint32_t n = 0;

	(void)!getrandom(&n, sizeof(n), 0);
	return n;
}

static void wait_ms(uint32_t ms)
{
	const struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

void push_forget_headers(void)
{
	for (char **at = environ; *at; at++)
		if (!strncmp(*at, HEADERS_VARIABLE, strlen(HEADERS_VARIABLE)))
			explicit_bzero(strchr(*at, '=') + 1, strlen(strchr(*at, '=') + 1));
}

/* From OPPUSH_HEADERS_NAME in the environment, else the file NAME.headers; "": none. */
static int read_headers(const struct push_sending *s, char **ret, struct op_error *e)
{
	char *variable = xasprintf(HEADERS_VARIABLE "%s", s->target->name), *path;
	const char *value;
	int err = 0;

	for (char *at = variable; *at; at++)
		*at = *at == '-' ? '_' : (char)toupper((unsigned char)*at);
	value = getenv(variable);
	*ret = NULL;
	if (value) {
		*ret = xstrdup(value);
	} else if (s->credentials) {
		path = xasprintf("%s/%s.headers", s->credentials, s->target->name);
		err = http_read_headers(path, ret, e);
		err = err == -ENOENT ? 0 : err;
		free(path);
	}
	free(variable);
	return err;
}

static char *url_of(const struct push_target *t)
{
	const char *host = strstr(t->place, "://"), *path = host ? strchr(host + 3, '/') : NULL;

	if (!t->kind->path || (path && path[1]))
		return xstrdup(t->place);
	return xasprintf("%.*s%s", path ? (int)(path - t->place) : (int)strlen(t->place), t->place,
			 t->kind->path);
}

static int set_up(struct sender *x, struct op_error *e)
{
	const struct push_sending *s = x->s;
	const struct confine_needs needs = {
		.outputs = { s->state_dir, s->target->kind->is_local ? s->target->place : NULL },
		.network = !s->target->kind->is_local, .must_write = true,
	};
	char *headers = NULL;
	int err = 0;

	if (!s->target->kind->is_local) {
		err = read_headers(s, &headers, e);
		push_forget_headers();
		if (!err)
			err = http_new(headers, s->ca_file, s->timeout_s, &x->http, e);
		if (headers)
			explicit_bzero(headers, strlen(headers));
		free(headers);
		x->url = url_of(s->target);
	}
	if (!err)
		err = confine(&needs, e);
	x->cursor_path = push_cursor_path(s->state_dir, s->target->name);
	if (!err)
		err = push_cursor_read(x->cursor_path, &x->cursor, e);
	return err == -ENOENT ? 0 : err;
}

static void save(struct sender *x)
{
	struct op_error e;

	if (push_cursor_write(x->cursor_path, &x->cursor, &e))
		report_warning("%s: what was sent will be sent again", e.text);
}

/* --- a part --- */

/* The first line of an answer, for the message. */
static void describe(const struct http_answer *a, char *text, size_t size)
{
	char body[200];

	if (!a->status) {
		snprintf(text, size, "%s", a->text);
		return;
	}
	snprintf(body, sizeof(body), "%.*s", (int)strcspn(a->body.text, "\r\n"), a->body.text);
	plain_text(body, strlen(body));
	snprintf(text, size, "HTTP status %d%s%s", a->status, *body ? ": " : "", body);
}

static void post(struct sender *x, const struct push_part *part, struct push_answer *ret)
{
	const struct push_kind *kind = x->s->target->kind;
	char *url = xasprintf("%s%s", x->url, part->name);
	struct http_answer a;

	http_post(x->http, &(struct http_request){ .url = url, .content_type = kind->content_type,
						   .gzipped = kind->gzipped, .bytes = part->bytes,
						   .size = part->size }, &a);
	*ret = (struct push_answer){ .verdict = a.status ? push_judge(a.status) : PUSH_AGAIN,
				     .after_s = a.retry_after_s, .wire_bytes = a.wire_bytes,
				     .may_be_part = a.status < 300 || a.status >= 500 };
	describe(&a, ret->text, sizeof(ret->text));
	if (ret->verdict == PUSH_SENT && kind->look)
		kind->look(&a, ret);
	http_answer_free(&a);
	free(url);
}

/* It may have been sent when the answer was lost, or the machine crashed. */
static bool has_already(struct sender *x, const struct push_part *part)
{
	char *url = x->is_again && part->ask ? xasprintf("%s%s", x->url, x->s->target->kind->ask_at)
					     : NULL;
	struct http_answer a;
	bool has;

	if (!url)
		return false;
	http_post(x->http, &(struct http_request){ .url = url, .content_type = "text/plain",
						   .bytes = part->ask,
						   .size = strlen(part->ask) }, &a);
	has = a.status == 200 && *a.body.text == '1';
	x->cursor.bytes += a.wire_bytes;
	http_answer_free(&a);
	free(url);
	return has;
}

static void count_refused(struct sender *x, uint64_t samples, const char *why)
{
	x->cursor.refused_parts++;
	x->cursor.refused_samples += samples;
	x->has_refused = x->slice_refused = true;
	report_warning("%s: refused %" PRIu64 " samples, which are lost: %s", x->s->target->name,
		       samples, why);
}

/* Whether to go on with the parts behind @part, which was tried again and again. */
static bool set_aside(struct sender *x, const struct push_part *part, const struct push_answer *a)
{
	if (x->aside.name || !a->may_be_part ||
	    x->tries + 1 < (x->s->once ? ONCE_TRIES : ASIDE_TRIES))
		return false;
	x->aside = (struct aside){ .name = xstrdup(part->name), .samples = part->samples,
				   .before = x->cursor };
	snprintf(x->aside.why, sizeof(x->aside.why), "%s", a->text);
	x->slice_refused = true;
	return true;
}

static void forget_aside(struct sender *x)
{
	free(x->aside.name);
	x->aside.name = NULL;
}

static void refuse_aside(struct sender *x)
{
	count_refused(x, x->aside.samples, x->aside.why);
	forget_aside(x);
}

/* Back to the part that was set aside: the target takes no other, or there is none. */
static void take_back(struct sender *x)
{
	uint64_t bytes = x->cursor.bytes;

	if (!x->aside.name)
		return;
	x->cursor = x->aside.before;
	x->cursor.bytes = bytes;
	x->slice_refused = false;
	forget_aside(x);
}

static void deliver(struct sender *x, const struct push_part *part, struct push_answer *ret)
{
	const struct push_target *t = x->s->target;

	*ret = (struct push_answer){ .verdict = PUSH_SENT };
	if (t->kind->send)
		t->kind->send(t, part, ret);
	else if (!has_already(x, part))
		post(x, part, ret);
	x->cursor.bytes += ret->wire_bytes;
	if (ret->verdict == PUSH_SENT) {
		x->cursor.samples += part->samples;
		/* not one that was there already, and shows nothing of now */
		if (ret->wire_bytes && x->aside.name && !strcmp(x->aside.name, part->name))
			refuse_aside(x);
	} else if (ret->verdict == PUSH_REFUSED) {
		count_refused(x, part->samples, ret->text);
	} else {
		report_warning("%s: cannot send, trying again: %s", t->name, ret->text);
	}
}

/* --- a slice --- */

static void end_slice(struct sender *x, const struct push_slice *slice)
{
	x->cursor.segment = slice->segment;
	x->cursor.segment_ns = slice->segment_ns;
	x->cursor.end_ns = (uint64_t)slice->end_ns;
	x->cursor.parts = x->cursor.parts_ns = 0;
	x->unread = 0;
	x->slice_refused = false;
	x->nr_done++;
	if (!x->aside.name) {
		x->tries = 0;
		save(x);
	}
}

/* Save what was done, and wait. False: give up. */
static bool wait_and_try_again(struct sender *x, uint32_t after_s)
{
	take_back(x);
	x->cursor.retries++;
	save(x);
	if (x->s->once && x->tries + 1 >= ONCE_TRIES)
		return false;
	wait_ms(push_wait_ms(x->tries++, after_s, random_number()));
	return true;
}

/* Returns where the parts can be read, or -errno. */
static int ask(struct sender *x, const struct push_slice *slice)
{
	const struct push_job job = { slice->segment, slice->segment_ns, slice->begin_ns,
				      slice->end_ns, x->last_was_sent };
	int ends[2], err;

	x->last_was_sent = false;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	err = fd_message_send(x->s->jobs, &job, sizeof(job), &ends[1], 1);
	close(ends[1]);
	if (err)
		close(ends[0]);
	return err ? err : ends[0];
}

/* 1: all were sent or refused. 0: stopped at one that was not. Or an error of reading them. */
static int send_parts(struct sender *x, const struct push_slice *slice, int fd,
		      uint32_t *ret_after_s, struct op_error *e)
{
	struct push_part part;
	uint64_t nr = 0;
	int more;

	if (x->cursor.parts_ns != (uint64_t)slice->end_ns)
		x->cursor.parts = 0;
	x->cursor.parts_ns = (uint64_t)slice->end_ns;
	while ((more = push_stream_next(fd, &part, e)) > 0) {
		struct push_answer a = { .verdict = PUSH_SENT };
		bool stop = false;

		if (nr++ >= x->cursor.parts) {
			deliver(x, &part, &a);
			stop = a.verdict == PUSH_AGAIN && !set_aside(x, &part, &a);
		}
		push_part_free(&part);
		*ret_after_s = a.after_s;
		if (stop)
			return 0;
		if (nr > x->cursor.parts) {
			x->cursor.parts = nr;
			x->tries = x->aside.name ? x->tries : 0;
		}
	}
	return more ? more : 1;
}

/* False: give up. */
static bool send_slice(struct sender *x, const struct push_slice *slice)
{
	struct op_error e = { "" };
	uint32_t after_s = 0;
	int fd = ask(x, slice), sent = fd;

	x->is_again = (uint64_t)slice->end_ns <= x->tried_ns;
	if (!x->is_again)
		x->tried_ns = (uint64_t)slice->end_ns;
	if (fd >= 0) {
		sent = send_parts(x, slice, fd, &after_s, &e);
		close(fd);
	}
	if (sent > 0) {
		/* a whole other slice, without a part for the same place */
		if (x->aside.name && x->cursor.parts &&
		    x->aside.before.parts_ns != (uint64_t)slice->end_ns)
			refuse_aside(x);
		x->cursor.slices++;
		x->last_was_sent = !x->slice_refused;
		end_slice(x, slice);
		return true;
	}
	if (!sent) {
		x->unread = 0;
	} else {
		report_warning("%s: cannot read a slice of '%s': %s", x->s->target->name,
			       slice->folder, *e.text ? e.text : strerror(-sent));
		if (!x->aside.name && push_leaves_out(sent, ++x->unread)) {
			report_warning("%s: left out a slice that cannot be read",
				       x->s->target->name);
			x->cursor.refused_parts++;
			x->has_refused = true;
			end_slice(x, slice);
			return true;
		}
	}
	return wait_and_try_again(x, after_s);
}

/* So that an engine that was away is not flooded when it is back. */
static void pace(const struct sender *x, const struct push_slice *slice)
{
	uint64_t ms = (uint64_t)(slice->end_ns - slice->begin_ns) / NS_PER_MS / x->s->catch_up;

	if (ms > PACE_MAX_MS)
		ms = PACE_MAX_MS;
	wait_ms((uint32_t)(ms / 2 + random_number() % (ms + 1)));
}

int push_sender_run(const struct push_sending *s)
{
	struct sender x = { .s = s, .tried_ns = clock_ns(CLOCK_REALTIME) };
	struct op_error e = { "" };
	bool go_on = true;

	if (set_up(&x, &e)) {
		report_error("%s: %s", s->target->name, e.text);
		return 1;
	}
	while (go_on) {
		struct push_slice slice;
		uint64_t waiting;
		int found = push_spool_next(s->session_dir, &x.cursor, &slice, &waiting, &e);

		if (found < 0)
			report_warning("%s: %s", s->target->name, e.text);
		if (found <= 0 && x.aside.name) {
			go_on = wait_and_try_again(&x, 0);
			continue;
		}
		if (found <= 0 && s->once)
			return found < 0 || x.has_refused;
		if (found <= 0) {
			/* machines look at different times; all slices end with the minute */
			wait_ms(IDLE_MS / 2 + random_number() % IDLE_MS);
			continue;
		}
		progress_tell(s->target->name, x.nr_done, x.nr_done + waiting, "slices");
		go_on = send_slice(&x, &slice);
		if (waiting > 1 && !x.tries && !s->once)
			pace(&x, &slice);
		free(slice.folder);
	}
	report_error("%s: gave up", s->target->name);
	return 1;
}
