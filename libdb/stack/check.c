// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * check.c - check a stack store before anything in it is used
 *
 * One pass from the beginning. A record may only refer to the beginning of an earlier one of the
 * right kind [ST-2], so there are no loops, and nothing outside the log is read.
 */
#include <errno.h>
#include <string.h>
#include "libdb/stack/packed.h"

/*
 * Whether a record of @kind begins at @at, before @pos. The marks say so: they are a quarter of the
 * records' memory, which matters because nodes refer to places all over it.
 */
static bool is_kind(const struct stack_log *log, uint32_t at, uint32_t pos, enum stack_kind kind)
{
	return at < pos && log->marks[at] == (STACK_MARK | kind);
}

static bool is_node(const struct stack_log *log, uint32_t at, uint32_t pos)
{
	return at < pos && log->marks[at] && !(log->marks[at] & STACK_MARK);
}

static bool is_label(const struct stack_log *log, uint32_t at, uint32_t pos,
		     enum stack_label which)
{
	return is_kind(log, at, pos, STACK_LABEL) && log->records[at].second == which;
}

static bool is_frame(const struct stack_log *log, uint32_t at, uint32_t pos)
{
	return is_kind(log, at, pos, STACK_FRAME) || is_kind(log, at, pos, STACK_WIDE_FRAME);
}

/* Bytes before the strings, and the number of strings; 0: unknown kind. */
static size_t label_fields(uint32_t which, unsigned int *ret_strings)
{
	switch (which) {
	case STACK_IMAGE:
		*ret_strings = 2;
		return sizeof(struct stack_image_fields);
	case STACK_EVENT:
		*ret_strings = 1;
		return sizeof(struct stack_event_fields);
	case STACK_CONTEXT:
	case STACK_LABELED_CONTEXT:
		*ret_strings = which == STACK_CONTEXT ? 2 : 3;
		return sizeof(struct stack_context_fields);
	}
	return 0;
}

void stack_label_strings(const struct stack_record *label,
			 const char *ret_strings[STACK_LABEL_STRINGS])
{
	unsigned int nr = 0;
	const char *p = (const char *)(label + 1) + label_fields(label->second, &nr);

	for (unsigned int i = 0; i < nr; i++) {
		ret_strings[i] = p;
		p += strlen(p) + 1;
	}
}

/* Whether @nr strings and then less than 8 NULs fill @bytes exactly. */
static bool strings_fill(const char *p, size_t bytes, unsigned int nr)
{
	for (; nr; nr--) {
		const char *nul = memchr(p, '\0', bytes < STACK_STRING_MAX ? bytes
									  : STACK_STRING_MAX);

		if (!nul)
			return false;
		bytes -= (size_t)(nul + 1 - p);
		p = nul + 1;
	}
	if (bytes >= 8)
		return false;
	while (bytes && !p[bytes - 1])
		bytes--;
	return !bytes;
}

static const char *check_label(const struct stack_log *log, uint32_t pos)	/* [ST-10] */
{
	const struct stack_record *r = &log->records[pos];
	size_t bytes = (stack_argument(r) - 1) * sizeof(*r);
	unsigned int nr_strings = 0;
	size_t fields = label_fields(r->second, &nr_strings);
	const void *value = r + 1;

	if (!fields)
		return "unknown kind of label";
	if (bytes < fields || !strings_fill((const char *)value + fields, bytes - fields,
					    nr_strings))
		return "the strings of a label do not fill it";
	if (r->second == STACK_IMAGE) {
		const struct stack_image_fields *i = value;

		if (!stack_image_is_named(i->kind, (const char *)(i + 1)))
			return "image with an unknown kind or an invalid path";
	}
	if (stack_label_is_context(r->second)) {
		const struct stack_context_fields *c = value;

		if (c->app && !is_label(log, c->app, pos, STACK_IMAGE))
			return "the application of a context is not an image";
	}
	return NULL;
}

/* In units of 8 bytes; 0: not a record. */
static uint32_t length_of(const struct stack_record *r)
{
	switch (stack_kind(r)) {
	case STACK_NODE:
	case STACK_FRAME:
	case STACK_COUNT:
	case STACK_SERIES:
		return 1;
	case STACK_WIDE_FRAME:
	case STACK_WIDE_COUNT:
		return 2;
	case STACK_LABEL:
		return stack_argument(r) > STACK_LABEL_MAX ? 0 : stack_argument(r);
	}
	return 0;
}

/* [ST-2]; of the two halves of a count beside a node, and of wide frames, also [ST-4] */
static const char *check_references(const struct stack_log *log, uint32_t pos)
{
	const struct stack_record *r = &log->records[pos];
	uint32_t argument = stack_argument(r);

	switch (stack_kind(r)) {
	case STACK_NODE:
		if (!argument)
			return r->second <= STACK_END_MAX ? NULL :
				"unknown kind of root";			/* [ST-12] */
		if (!is_node(log, argument, pos) || !is_frame(log, r->second, pos))
			return "node without parent or frame";
		return log->marks[argument] > STACK_FRAMES_MAX ?
			"stack with too many frames" : NULL;		/* [ST-13] */
	case STACK_WIDE_FRAME:
		if (r->second)
			return "wide frame with a nonzero reserved field";
		/* fall through */
	case STACK_FRAME:
		return is_label(log, argument, pos, STACK_IMAGE) ? NULL :
			"frame without image";
	case STACK_COUNT:
		return is_kind(log, argument, pos, STACK_SERIES) &&
		       is_node(log, pos - 1, pos) ? NULL :
			"count without series or node";
	case STACK_WIDE_COUNT:
		return is_kind(log, argument, pos, STACK_SERIES) &&
		       is_node(log, r->second, pos) ? NULL :
			"wide count without series or node";
	case STACK_SERIES:
		return (is_label(log, argument, pos, STACK_CONTEXT) ||
			is_label(log, argument, pos, STACK_LABELED_CONTEXT)) &&
		       is_label(log, r->second, pos, STACK_EVENT) ? NULL :
			"series without context or event";
	}
	return check_label(log, pos);
}

int stack_log_check(struct stack_log *log, uint32_t pos, const char **ret_why)
{
	uint32_t length = length_of(&log->records[pos]);
	const char *why;

	if (!length) {		/* [ST-4] */
		*ret_why = "invalid record";
		return -EPROTO;
	}
	if (length > log->have - pos)
		return 0;
	why = check_references(log, pos);
	if (why) {
		*ret_why = why;
		return -EPROTO;
	}
	/* a root's argument is position 0, which has no mark */
	if (stack_kind(&log->records[pos]) == STACK_NODE)
		log->marks[pos] = 1 + log->marks[stack_argument(&log->records[pos])];
	else
		log->marks[pos] = (uint16_t)(STACK_MARK | stack_kind(&log->records[pos]));
	return (int)length;
}

static bool all_zero(const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	while (n && !p[n - 1])
		n--;
	return !n;
}

/* [ST-1] */
int stack_header_check(const struct stack_header *h, uint64_t length, const char *path,
		       struct op_error *e)
{
	if (all_zero(h->magic, sizeof(h->magic)) || !length)
		return op_error_set(e, -ENODATA, "'%s': contains no stacks yet", path);
	if (length < sizeof(*h) || memcmp(h->magic, STACK_MAGIC, sizeof(h->magic)))
		return op_error_set(e, -EPROTO, "'%s': not a stack store", path);
	if (h->byte_order == __builtin_bswap32(STACK_BYTE_ORDER))
		return op_error_set(e, -EPROTO, "'%s': written on a machine of the other byte "
				    "order", path);
	if (h->byte_order != STACK_BYTE_ORDER ||
	    (h->version != STACK_VERSION && h->version != STACK_VERSION_PACKED))
		return op_error_set(e, -EPROTO, "'%s': unsupported version %u of a stack store: "
				    "expected %u or %u", path, h->version, STACK_VERSION,
				    STACK_VERSION_PACKED);
	if (h->used < STACK_FIRST || h->used > STACK_POSITIONS || h->zero ||
	    !all_zero(h->zeros, sizeof(h->zeros)))
		return op_error_set(e, -EPROTO, "'%s': malformed header", path);
	if (h->version == STACK_VERSION_PACKED)
		return h->used / STACK_EXPANSION_MAX <= length / 8 ? 0 :
			op_error_set(e, -EPROTO, "'%s': truncated or malformed", path);
	if ((uint64_t)h->used * 8 > length)
		return op_error_set(e, -EPROTO, "'%s': truncated: expected %llu bytes, got %llu",
				    path, (unsigned long long)h->used * 8,
				    (unsigned long long)length);
	return 0;
}
