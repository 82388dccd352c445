// SPDX-License-Identifier: GPL-2.0-or-later
/* cursor.c - "NAME number" lines, all of them, in this order */
#include "fleet/push/cursor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/session/text_file.h"
#include "libutil/file.h"

#define CURSOR_LIMIT	4096	/* bytes */

static const struct {
	const char *name;
	size_t at;
} fields[] = {
	{ "segment", offsetof(struct push_cursor, segment) },
	{ "segment_ns", offsetof(struct push_cursor, segment_ns) },
	{ "end_ns", offsetof(struct push_cursor, end_ns) },
	{ "parts", offsetof(struct push_cursor, parts) },
	{ "parts_ns", offsetof(struct push_cursor, parts_ns) },
	{ "slices", offsetof(struct push_cursor, slices) },
	{ "samples", offsetof(struct push_cursor, samples) },
	{ "bytes", offsetof(struct push_cursor, bytes) },
	{ "refused_parts", offsetof(struct push_cursor, refused_parts) },
	{ "refused_samples", offsetof(struct push_cursor, refused_samples) },
	{ "retries", offsetof(struct push_cursor, retries) },
};
#define NR_FIELDS	(sizeof(fields) / sizeof(*fields))

struct parser {
	struct push_cursor cursor;
	size_t nr;
};

static const char *parse_line(void *context, char *line)
{
	struct parser *p = context;
	const char *name = text_next_word(&line);

	if (p->nr == NR_FIELDS)
		return "trailing text";
	if (!name || strcmp(name, fields[p->nr].name) != 0)
		return "unexpected name";
	if (!text_parse_decimal(text_next_word(&line),
				(uint64_t *)((char *)&p->cursor + fields[p->nr].at)) || line)
		return "expected a name and a number";
	p->nr++;
	return NULL;
}

int push_cursor_parse(char *text, size_t len, const char *path, struct push_cursor *ret,
		      struct op_error *e)
{
	struct text_lines lines = { text, text + len, path, TEXT_LAST_REFUSED, 0 };
	struct parser p = { .nr = 0 };
	int err = text_each_line(&lines, parse_line, &p, e);

	if (!err && p.nr < NR_FIELDS)
		err = op_error_set(e, -EPROTO, "%s: truncated; remove it to send all of the "
				   "history again", path);
	if (!err)
		*ret = p.cursor;
	return err;
}

int push_cursor_read(const char *path, struct push_cursor *ret, struct op_error *e)
{
	char *text;
	size_t len;
	int err = file_read_all(path, CURSOR_LIMIT, &text, &len);

	if (err)
		return op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
	err = push_cursor_parse(text, len, path, ret, e);
	free(text);
	return err;
}

int push_cursor_write(const char *path, const struct push_cursor *c, struct op_error *e)
{
	struct strbuf out = STRBUF_INIT;
	int err;

	for (size_t i = 0; i < NR_FIELDS; i++)
		strbuf_addf(&out, "%s %" PRIu64 "\n", fields[i].name,
			    *(const uint64_t *)((const char *)c + fields[i].at));
	err = file_write_atomic(path, out.text, out.len, 0644);
	strbuf_free(&out);
	return err ? op_error_set(e, err, "cannot write '%s': %s", path, strerror(-err)) : 0;
}
