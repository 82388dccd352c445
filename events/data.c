// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * data.c - find the event tables, and describe an event of a finished profile
 */
#include "events/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "events/table/unit_mask.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#ifndef OP_DATA_DIR /* events/build.mk sets that of make install */
#define OP_DATA_DIR "/usr/share/oprofile"
#endif

char *event_data_dir(void)
{
	const char *given = getenv("OPROFILE_EVENTS_DIR");
	char *programs, *dir;

	if (given && *given)
		return xstrdup(given);
	programs = path_program_dir();
	dir = programs ? path_join(programs, "../share/oprofile") : NULL;
	free(programs);
	if (dir && file_is_dir(dir))
		return dir;
	free(dir);
	return xstrdup(OP_DATA_DIR);
}

int event_table_open(const struct cpu_type *type, struct event_table **ret, struct op_error *e)
{
	char *dir = event_data_dir();
	int err = event_table_load(dir, type, 0, ret, e);

	free(dir);
	return err;
}

static const struct event *find_either_case(const struct event_table *t, const char *name)
{
	const struct event *found = event_table_find(t, name);

	for (size_t i = 0; i < t->nr && !found; i++)
		if (!strcasecmp(t->events[i].name, name))
			found = &t->events[i];
	return found;
}

/* The default mask comes first, if several masks share the value. NULL: not listed. */
static const char *find_mask_text(const struct mask_set *s, uint32_t value)
{
	if (s->default_mask && s->default_mask->value == value)
		return s->default_mask->desc;
	for (size_t i = 0; i < s->nr; i++)
		if (s->masks[i].value == value)
			return s->masks[i].desc;
	return NULL;
}

/* "L2 shared, L2 owned" for a combination of single bits; false: too long, or another one. */
static bool name_combination(const struct mask_set *s, uint32_t value, char *ret, size_t room)
{
	uint32_t named = 0;
	size_t len = 0;

	for (size_t i = 0; i < s->nr; i++) {
		uint32_t bit = s->masks[i].value;

		if (!bit || bit & (bit - 1) || bit & ~value || bit & named)
			continue;
		len += (size_t)snprintf(ret + len, room - len, "%s%s", len ? ", " : "",
					s->masks[i].desc);
		if (len >= room)
			return false;
		named |= bit;
	}
	return s->kind == MASKS_BITMASK && named == value && value & (value - 1);
}

/* @as_listed: as the original, which does not name combinations. */
static void describe_mask(const struct event *event, uint32_t value, bool as_listed, char *ret,
			  size_t room)
{
	const char *listed = find_mask_text(event->masks, value);

	/* tables have no words of their own for some combinations */
	if (!as_listed && (!listed || !strcmp(listed, "No unit mask")) &&
	    name_combination(event->masks, value, ret, room))
		return;
	snprintf(ret, room, "%s", listed ? listed : "multiple flags");
}

void event_describe(const struct event_table *t, const char *name, uint64_t code,
		    uint32_t unit_mask, bool by_code, struct event_description *ret)
{
	const struct event *found = NULL;

	if (t && by_code)
		found = event_table_find_code(t, code, unit_mask);
	if (t && !found)
		found = find_either_case(t, name);
	if (t && !found && !by_code)
		found = event_table_find_code(t, code, unit_mask);
	*ret = (struct event_description){ name, "", "" };
	if (!found)
		return;
	ret->name = found->name;
	ret->desc = found->desc;
	describe_mask(found, unit_mask, by_code, ret->mask_desc, sizeof(ret->mask_desc));
}
