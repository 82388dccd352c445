// SPDX-License-Identifier: GPL-2.0-or-later
/* labels.c - images, events and contexts, each written once and identified by its position */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "libdb/session/text_file.h"
#include "libdb/stack/open_store.h"

/* A label under construction; its bytes start as zeros, which pads it. */
struct label {
	union {
		struct stack_record records[STACK_LABEL_MAX];
		char bytes[STACK_LABEL_MAX * sizeof(struct stack_record)];
	};
	size_t used;
};

static void begin(struct label *l, const void *fields, size_t bytes)
{
	memset(l, 0, sizeof(*l));
	memcpy(&l->records[1], fields, bytes);
	l->used = sizeof(l->records[0]) + bytes;
}

static int add_string(struct label *l, const char *text)
{
	size_t n = text ? strnlen(text, STACK_STRING_MAX) : STACK_STRING_MAX;

	if (n == STACK_STRING_MAX)
		return -EINVAL;
	memcpy(l->bytes + l->used, text, n);
	l->used += n + 1;
	return 0;
}

/* The label's id; a new label is appended. */
static int intern(struct stack_store *s, struct label *l, enum stack_label which,
		  uint32_t *ret_id)
{
	uint32_t units = (uint32_t)((l->used + 7) / 8), id;
	int err = 0;

	l->records[0] = (struct stack_record){ STACK_HEAD(STACK_LABEL, units), which };
	id = stack_index_find_long(s, l->records);
	if (!id)
		id = stack_append(s, l->records, units, &err);
	if (!err)
		*ret_id = id;
	return err;
}

/* The caller's @id is not trusted: it must be a position in the index. */
bool stack_is_label(const struct stack_store *s, uint32_t id, enum stack_label which)
{
	const struct stack_record *r = &s->records[id];

	return id >= STACK_FIRST && id < s->used && stack_kind(r) == STACK_LABEL &&
	       r->second == which && stack_argument(r) <= s->used - id &&
	       stack_index_find_long(s, r) == id;
}

int stack_store_image(struct stack_store *s, const struct stack_image *image, uint32_t *ret_id)
{
	bool is_anon = image->name.kind == IMAGE_ANON;
	const struct stack_image_fields fields = {
		.kind = image->name.kind,
		.tgid = is_anon || image->name.kind == IMAGE_JIT ? image->name.anon_tgid : 0,
		.start = is_anon ? image->name.anon_start : 0,
		.end = is_anon ? image->name.anon_end : 0,
	};
	struct label l;

	begin(&l, &fields, sizeof(fields));
	if (!image->name.path || !stack_image_is_named(fields.kind, image->name.path) ||
	    add_string(&l, image->name.path) || add_string(&l, image->build_id))
		return -EINVAL;
	return intern(s, &l, STACK_IMAGE, ret_id);
}

int stack_store_event(struct stack_store *s, const struct stack_event *event, uint32_t *ret_id)
{
	const struct stack_event_fields fields = { event->count, event->unit_mask };
	struct label l;

	begin(&l, &fields, sizeof(fields));
	if (add_string(&l, event->name))
		return -EINVAL;
	return intern(s, &l, STACK_EVENT, ret_id);
}

int stack_store_context(struct stack_store *s, const struct stack_context *context,
			uint32_t *ret_id)
{
	const struct stack_context_fields fields = {
		.app = context->app == STACK_NONE ? 0 : context->app,
		.tgid = context->tgid,
		.tid = context->tid,
		.cpu = context->cpu,
	};
	bool labeled = context->labels && *context->labels;
	struct label l;

	begin(&l, &fields, sizeof(fields));
	if (add_string(&l, context->cgroup) || add_string(&l, context->comm) ||
	    (labeled && add_string(&l, context->labels)) ||
	    (context->app != STACK_NONE && !stack_is_label(s, context->app, STACK_IMAGE)))
		return -EINVAL;
	return intern(s, &l, labeled ? STACK_LABELED_CONTEXT : STACK_CONTEXT, ret_id);
}

/* --- the text of a context's labels [ST-14] --- */

bool stack_label_add(struct strbuf *labels, const char *name, int64_t number)
{
	size_t before = labels->len;

	if (before)
		strbuf_add_char(labels, ' ');
	text_add_escaped(labels, name, true);
	strbuf_addf(labels, " %" PRId64, number);
	if (*name && labels->len < STACK_STRING_MAX)
		return true;
	strbuf_truncate(labels, before);
	return false;
}

char *stack_label_next(char **labels, int64_t *ret_number)
{
	char *name = text_next_word(labels), *word = name ? text_next_word(labels) : NULL;
	bool negative = word && *word == '-';
	uint64_t number;

	if (!word || !*name || !text_unescape(name) ||
	    !text_parse_decimal(word + negative, &number) ||
	    number > (uint64_t)INT64_MAX + negative)
		return NULL;
	*ret_number = (int64_t)(negative ? 0 - number : number);
	return name;
}
