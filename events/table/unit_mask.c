// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unit_mask.c - find a unit mask of an event by number or name [EV-20..23]
 */
#include "events/table/unit_mask.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/number.h"
#include "libutil/strbuf.h"

static struct mask_choice default_mask(const struct event *event)
{
	const struct mask_set *s = event->masks;

	return (struct mask_choice){ s->default_value, s->default_mask ? s->default_mask->extra : 0,
				     s->default_mask };
}

bool event_mask_admits(const struct mask_set *s, uint32_t value)
{
	uint32_t known = 0;

	for (size_t i = 0; i < s->nr; i++) {
		if (s->masks[i].value == value)
			return true;
		known |= s->masks[i].value;
	}
	if (s->kind != MASKS_BITMASK)
		return false;
	return value == s->default_value || (value && !(value & ~known));
}

/* The valid masks, "0x01 (STA), 0x02 (STD)", as far as they fit a line. */
static char *mask_list(const struct mask_set *s)
{
	struct strbuf list = STRBUF_INIT;

	for (size_t i = 0; i < s->nr; i++) {
		if (list.len > 200) {
			strbuf_add(&list, ", ...");
			break;
		}
		strbuf_addf(&list, "%s0x%02" PRIx32, i ? ", " : "", s->masks[i].value);
		if (s->masks[i].name)
			strbuf_addf(&list, " (%s)", s->masks[i].name);
	}
	return strbuf_steal(&list);
}

static int invalid_mask(const struct event *event, const char *mask, struct op_error *e)
{
	char *list = mask_list(event->masks);
	bool is_one_of = event->masks->kind == MASKS_EXCLUSIVE;

	op_error_set(e, -EINVAL, "event '%s': invalid unit mask '%s': expected %s%s%s", event->name,
		     mask, is_one_of ? "one of " : "", list,
		     event->masks->kind == MASKS_BITMASK ? ", or a combination" : "");
	free(list);
	return -EINVAL;
}

static int ambiguous_mask(const struct event *event, const char *mask, struct op_error *e)
{
	char *list = mask_list(event->masks);

	op_error_set(e, -ENOTUNIQ, "event '%s': ambiguous unit mask '%s'; use a name: %s",
		     event->name, mask, list);
	free(list);
	return -ENOTUNIQ;
}

int event_mask_by_number(const struct event *event, uint32_t value, struct mask_choice *ret,
			 struct op_error *e)
{
	const struct mask_set *s = event->masks;
	const struct unit_mask *found = NULL;
	size_t nr_found = 0;
	char text[16];

	snprintf(text, sizeof(text), "0x%" PRIx32, value);
	if (!event_mask_admits(s, value))
		return invalid_mask(event, text, e);
	for (size_t i = 0; i < s->nr; i++) {
		if (s->masks[i].value != value)
			continue;
		found = &s->masks[i];
		nr_found++;
	}
	if (nr_found > 1)
		return ambiguous_mask(event, text, e);
	*ret = (struct mask_choice){ value, found ? found->extra : 0, found };
	return 0;
}

static int mask_by_name(const struct event *event, const char *name, struct mask_choice *ret,
			struct op_error *e)
{
	const struct mask_set *s = event->masks;

	for (size_t i = 0; i < s->nr; i++) {
		const struct unit_mask *m = &s->masks[i];

		if (!m->name || strcmp(m->name, name))
			continue;
		*ret = (struct mask_choice){ m->value, m->extra, m };
		return 0;
	}
	return invalid_mask(event, name, e);
}

int event_mask_parse(const struct event *event, const char *text, struct mask_choice *ret,
		     struct op_error *e)
{
	uint64_t value;

	if (!text || !*text) {
		*ret = default_mask(event);
		return 0;
	}
	if (!isdigit((unsigned char)*text))
		return mask_by_name(event, text, ret, e);
	if (number_parse_range(text, 0, UINT32_MAX, &value))
		return mask_by_name(event, text, ret, e); /* "2nd" may be a name */
	return event_mask_by_number(event, (uint32_t)value, ret, e);
}

bool event_has_masks(const struct event *event)
{
	const struct mask_set *s = event->masks;

	return s->nr != 1 || s->masks[0].value || s->masks[0].name;
}

const char *mask_kind_name(enum mask_kind kind)
{
	static const char *const names[] = { "mandatory", "bitmask", "exclusive" };

	return names[kind];
}
