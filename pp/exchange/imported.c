// SPDX-License-Identifier: GPL-2.0-or-later
/* imported.c - read and write stats/imported: a line for each image and event [SS-2] */
#include "pp/exchange/imported.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/session/text_file.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define LIMIT	(64u << 20)	/* bytes */

void imported_add_image(struct imported *i, const struct imported_image *image)
{
	xgrow(i->images, i->nr_images, i->images_room);
	i->images[i->nr_images] = *image;
	i->images[i->nr_images].path = xstrdup(image->path);
	i->images[i->nr_images].original = xstrdup(image->original);
	i->images[i->nr_images].build_id = xstrdup(image->build_id);
	i->nr_images++;
}

void imported_add_event(struct imported *i, const struct imported_event *event)
{
	xgrow(i->events, i->nr_events, i->events_room);
	i->events[i->nr_events] = *event;
	i->events[i->nr_events].event = xstrdup(event->event);
	i->events[i->nr_events].name = xstrdup(event->name);
	i->events[i->nr_events].unit = xstrdup(event->unit);
	i->nr_events++;
}

const struct imported_event *imported_event(const struct imported *i, const char *event,
					    uint64_t count, uint64_t unit_mask)
{
	for (size_t n = 0; n < i->nr_events; n++)
		if (!strcmp(i->events[n].event, event) && i->events[n].count == count &&
		    i->events[n].unit_mask == unit_mask)
			return &i->events[n];
	return NULL;
}

void imported_free(struct imported *i)
{
	for (size_t n = 0; n < i->nr_images; n++) {
		free(i->images[n].path);
		free(i->images[n].original);
		free(i->images[n].build_id);
	}
	for (size_t n = 0; n < i->nr_events; n++) {
		free(i->events[n].event);
		free(i->events[n].name);
		free(i->events[n].unit);
	}
	free(i->images);
	free(i->events);
	free(i->format);
	*i = (struct imported){ 0 };
}

/* --- writing --- */

/* Append a word. An empty one is written as "-", and "-" with an escape. */
static void add_word(struct strbuf *out, const char *word)
{
	strbuf_add_char(out, ' ');
	if (!*word)
		strbuf_add_char(out, '-');
	else if (!strcmp(word, "-"))
		strbuf_add(out, "\\055");
	else
		text_add_escaped(out, word, true);
}

int imported_write(const char *stats_dir, const struct imported *i)
{
	char *path = path_join(stats_dir, IMPORTED_FILE);
	struct strbuf text = STRBUF_INIT;
	int err;

	if (i->format)
		strbuf_addf(&text, "profile %" PRIu64 " %s%s\n", i->samples, i->format,
			    i->salvaged ? " salvaged" : "");
	if (i->has_apps)
		strbuf_add(&text, "apps\n");
	for (size_t n = 0; n < i->nr_images; n++) {
		const struct imported_image *m = &i->images[n];

		strbuf_addf(&text, "image %u %" PRIx64 " %" PRIx64 " %" PRIx64, m->kind,
			    m->start, m->limit, m->offset);
		add_word(&text, m->build_id);
		add_word(&text, m->path);
		add_word(&text, m->original);
		strbuf_add_char(&text, '\n');
	}
	for (size_t n = 0; n < i->nr_events; n++) {
		const struct imported_event *m = &i->events[n];

		strbuf_addf(&text, "event %" PRIu64 " %" PRIu64 " %" PRIu64, m->count,
			    m->unit_mask, m->period);
		add_word(&text, m->event);
		add_word(&text, m->name);
		add_word(&text, m->unit);
		strbuf_add_char(&text, '\n');
	}
	err = file_write_atomic(path, text.text, text.len, 0644);
	strbuf_free(&text);
	free(path);
	return err;
}

/* --- reading --- */

static bool next_text(char **p, char **ret)
{
	*ret = text_next_word(p);
	if (!*ret)
		return false;
	if (!strcmp(*ret, "-"))
		**ret = '\0';
	return text_unescape(*ret);
}

static const char *parse_image(struct imported *i, char *p)
{
	struct imported_image m = { 0 };
	uint64_t kind;

	if (!text_parse_decimal(text_next_word(&p), &kind) || kind > IMPORTED_NAMES)
		return "invalid kind of image";
	m.kind = (unsigned int)kind;
	for (int n = 0; n < 3; n++) {
		char *word = text_next_word(&p);

		if (!word || !text_parse_hex(word, n == 0 ? &m.start : n == 1 ? &m.limit
										: &m.offset))
			return "invalid hexadecimal address";
	}
	if (!next_text(&p, &m.build_id) || !next_text(&p, &m.path) ||
	    !next_text(&p, &m.original) || p)
		return "expected a build-id and two paths";
	imported_add_image(i, &m);
	return NULL;
}

static const char *parse_event(struct imported *i, char *p)
{
	struct imported_event m = { 0 };

	if (!text_parse_decimal(text_next_word(&p), &m.count) ||
	    !text_parse_decimal(text_next_word(&p), &m.unit_mask) ||
	    !text_parse_decimal(text_next_word(&p), &m.period))
		return "invalid decimal number";
	if (!next_text(&p, &m.event) || !next_text(&p, &m.name) || !next_text(&p, &m.unit) || p)
		return "expected an event, a name and a unit";
	imported_add_event(i, &m);
	return NULL;
}

static const char *parse_profile(struct imported *i, char *p)
{
	bool has_sum = text_parse_decimal(text_next_word(&p), &i->samples);
	const char *format = text_next_word(&p), *how = text_next_word(&p);

	if (!has_sum || !format || i->format || (how && strcmp(how, "salvaged")))
		return "expected a number of samples and a format, once";
	i->format = xstrdup(format);
	i->salvaged = how;
	return NULL;
}

static const char *parse_line(void *context, char *line)
{
	struct imported *i = context;
	char *p = line, *word = text_next_word(&p);

	if (word && !strcmp(word, "image"))
		return parse_image(i, p);
	if (word && !strcmp(word, "event"))
		return parse_event(i, p);
	if (word && !strcmp(word, "profile"))
		return parse_profile(i, p);
	i->has_apps |= word && !strcmp(word, "apps");
	return NULL;		/* of a later version */
}

int imported_read(const char *stats_dir, struct imported *ret, struct op_error *e)
{
	char *path = path_join(stats_dir, IMPORTED_FILE), *text;
	struct imported i = { 0 };
	size_t len;
	int err = file_read_all(path, LIMIT, &text, &len);

	if (!err) {
		struct text_lines lines = { text, text + len, path, TEXT_LAST_REFUSED, 0 };

		err = text_each_line(&lines, parse_line, &i, e);
		free(text);
	} else if (err != -ENOENT) {
		op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
	}
	free(path);
	if (err)
		imported_free(&i);
	*ret = i;
	return err;
}
