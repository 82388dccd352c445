// SPDX-License-Identifier: GPL-2.0-or-later
/* event_times.c - stats/event-times: "NAME count unit-mask enabled running" [SS-50] */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "libdb/session/event_times.h"
#include "libdb/session/text_file.h"
#include "libutil/file.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define TIMES_LIMIT (EVENT_TIMES_MAX * 256)	/* bytes */

void event_times_free(struct event_times *times)
{
	free(times->event);
	memset(times, 0, sizeof(*times));
}

const struct event_time *event_times_find(const struct event_times *times, const char *name,
					  uint64_t count, uint64_t unit_mask)
{
	for (const struct event_time *t = times->event; t < times->event + times->nr; t++)
		if (t->count == count && t->unit_mask == unit_mask && !strcmp(t->name, name))
			return t;
	return NULL;
}

bool event_time_is_partial(const struct event_time *time)
{
	return time->running_ns < time->enabled_ns - time->enabled_ns / 100;
}

static void append(struct event_times *times, const struct event_time *new)
{
	times->event = xrealloc_array(times->event, times->nr + 1, sizeof(*times->event));
	times->event[times->nr++] = *new;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

void event_times_add(struct event_times *times, const struct event_time *more)
{
	const struct event_time *found =
		event_times_find(times, more->name, more->count, more->unit_mask);

	if (found) {
		struct event_time *t = &times->event[found - times->event];

		t->enabled_ns = sum(t->enabled_ns, more->enabled_ns);
		t->running_ns = sum(t->running_ns, more->running_ns);
	} else if (times->nr < EVENT_TIMES_MAX) {
		append(times, more);
	}
}

int event_times_write(const char *stats_dir, const struct event_times *times)
{
	char *path = path_join(stats_dir, EVENT_TIMES_FILE);
	struct strbuf out = STRBUF_INIT;
	int err;

	for (const struct event_time *t = times->event; t < times->event + times->nr; t++) {
		text_add_escaped(&out, t->name, true);
		strbuf_addf(&out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", t->count,
			    t->unit_mask, t->enabled_ns, t->running_ns);
	}
	err = file_write_atomic(path, out.text ? out.text : "", out.len, 0644);
	strbuf_free(&out);
	free(path);
	return err;
}

/* NULL or what is wrong with @line. */
static const char *parse_line(char *line, struct event_time *ret)
{
	char *name = text_next_word(&line);
	uint64_t *const numbers[] = { &ret->count, &ret->unit_mask, &ret->enabled_ns,
				      &ret->running_ns };

	if (!name || !text_unescape(name) || !*name)
		return "expected an event name";
	if (strlen(name) >= sizeof(ret->name))
		return "event name is too long";
	strcpy(ret->name, name);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!text_parse_decimal(text_next_word(&line), numbers[i]))
			return "expected 'NAME count unit-mask enabled running'";
	if (line)
		return "trailing text after 'NAME count unit-mask enabled running'";
	return ret->running_ns > ret->enabled_ns ? "running time exceeds enabled time" : NULL;
}

static const char *add_line(void *context, char *line)
{
	struct event_times *times = context;
	struct event_time t;
	const char *wrong = parse_line(line, &t);

	if (wrong)
		return wrong;
	if (event_times_find(times, t.name, t.count, t.unit_mask))
		return "duplicate event";
	if (times->nr == EVENT_TIMES_MAX)
		return "too many events";
	append(times, &t);
	return NULL;
}

int event_times_parse(char *text, size_t len, const char *name, struct event_times *ret,
		      struct op_error *e)
{
	struct text_lines lines = { text, text + len, name, TEXT_LAST_REFUSED, 0 };
	struct event_times times = { NULL, 0 };
	int err = text_each_line(&lines, add_line, &times, e);

	if (err)
		event_times_free(&times);
	else
		*ret = times;
	return err;
}

int event_times_read(const char *stats_dir, struct event_times *ret, struct op_error *e)
{
	char *path = path_join(stats_dir, EVENT_TIMES_FILE), *text;
	size_t len;
	int err = file_read_all(path, TIMES_LIMIT, &text, &len);

	if (err == -ENOENT)
		memset(ret, 0, sizeof(*ret));
	if (err) {
		op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
	} else {
		err = event_times_parse(text, len, path, ret, e);
		free(text);
	}
	free(path);
	return err;
}
