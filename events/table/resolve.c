// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resolve.c - connect events with their unit masks, and check the table as a whole
 *
 * Checked here is what a single line cannot show [EV-10..16]: duplicate names, missing or unused
 * sets, defaults that are not among the masks.
 */
#include "events/table/build.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events/table/unit_mask.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"

#define MERGED_MASKS_MAX 65536 /* copies that events with several sets may make */

static const struct unit_mask no_mask = { .desc = (char[]){ "No unit mask" } };
static const struct mask_set no_masks = {
	.name = (char[]){ "zero" },
	.kind = MASKS_MANDATORY,
	.default_mask = &no_mask,
	.masks = (struct unit_mask *)&no_mask,
	.nr = 1,
};

static bool is_event(const void *context, uint32_t id, const void *name)
{
	const struct table_build *b = context;

	return !strcmp(b->events[id].event.name, name);
}

static int check_event_names(const struct table_build *b, struct op_error *e)
{
	struct hash_table by_name = { 0 };
	int err = 0;

	for (uint32_t i = 0; i < b->nr_events && !err; i++) {
		const struct raw_event *r = &b->events[i];
		uint64_t hash = hash_string(r->event.name);
		uint32_t first = hash_table_find(&by_name, hash, is_event, b, r->event.name);

		if (first == HASH_NONE)
			hash_table_add(&by_name, hash, i);
		else
			err = table_error(&r->name_at, e,
					  "duplicate event '%s': already defined at %s:%u",
					  r->event.name, b->events[first].name_at.file,
					  b->events[first].name_at.line);
	}
	hash_table_free(&by_name);
	return err;
}

static bool is_set(const void *context, uint32_t id, const void *name)
{
	const struct table_build *b = context;

	return !strcmp(b->sets[id]->set.name, name);
}

static struct raw_set *find_set(const struct table_build *b, const char *name)
{
	uint32_t id = hash_table_find(&b->sets_by_name, hash_string(name), is_set, b, name);

	return id == HASH_NONE ? NULL : b->sets[id];
}

static int check_set_names(struct table_build *b, struct op_error *e)
{
	for (uint32_t i = 0; i < b->nr_sets; i++) {
		const struct raw_set *s = b->sets[i], *first = find_set(b, s->set.name);

		if (first)
			return table_error(&s->at, e,
					   "duplicate unit masks '%s': already defined at %s:%u",
					   s->set.name, first->at.file, first->at.line);
		hash_table_add(&b->sets_by_name, hash_string(s->set.name), i);
	}
	return 0;
}

/* Set default_mask; NULL, without an error, if the default is an OR of several. */
static int resolve_default(struct raw_set *s, struct op_error *e)
{
	struct mask_set *m = &s->set;

	for (size_t i = 0; i < m->nr && !m->default_mask; i++) {
		const struct unit_mask *mask = &m->masks[i];

		if (s->default_name ? mask->name && !strcmp(mask->name, s->default_name)
				    : mask->value == m->default_value)
			m->default_mask = mask;
	}
	if (!s->default_name)
		return 0;
	if (!m->default_mask)
		return table_error(&s->default_at, e,
				   "default '%s' is not the name of a mask of '%s'",
				   s->default_name, m->name);
	m->default_value = m->default_mask->value;
	m->default_is_name = true;
	return 0;
}

/* Masks with the same value are distinguished by name only. [EV-14] */
static int check_names(const struct raw_set *s, struct op_error *e)
{
	const struct mask_set *m = &s->set;

	for (size_t i = 0; i < m->nr; i++)
		for (size_t j = i + 1; j < m->nr; j++)
			if (m->masks[i].value == m->masks[j].value &&
			    (!m->masks[i].name || !m->masks[j].name))
				return table_error(
					&s->at, e,
					"unit masks '%s': duplicate value 0x%" PRIx32
					"; name all of its masks (extra: NAME)",
					m->name, m->masks[i].value);
	return 0;
}

/* The default of a bitmask may combine several masks, or be 0. */
static bool is_valid_default(const struct mask_set *m)
{
	uint32_t known = 0;

	for (size_t i = 0; i < m->nr; i++)
		known |= m->masks[i].value;
	return m->kind == MASKS_BITMASK ? !(m->default_value & ~known) :
					  event_mask_admits(m, m->default_value);
}

static int check_set(struct raw_set *s, struct op_error *e)
{
	const struct mask_set *m = &s->set;
	int err;

	if (!m->nr)
		return table_error(&s->at, e,
				   "unit masks '%s' are empty; list them below, each on a line "
				   "that begins with a tab",
				   m->name);
	if (m->kind == MASKS_MANDATORY && m->nr != 1)
		return table_error(&s->at, e,
				   "unit masks '%s' are mandatory: expected one mask, got %zu; "
				   "keep one, or change the type to exclusive",
				   m->name, m->nr);
	err = resolve_default(s, e);
	if (err)
		return err;
	if (!m->default_mask && !is_valid_default(m))
		return table_error(
			&s->default_at, e, "default 0x%" PRIx32 " is not %s of '%s'",
			m->default_value,
			m->kind == MASKS_BITMASK ? "a combination of the masks"
						 : "one of the masks",
			m->name);
	return check_names(s, e);
}

/* Add @from's masks to @to, whose kind and default remain. */
static void merge(struct raw_set *to, const struct raw_set *from)
{
	struct mask_set *m = &to->set;

	m->masks = xrealloc_array(m->masks, m->nr + from->set.nr, sizeof(*m->masks));
	for (size_t i = 0; i < from->set.nr; i++) {
		struct unit_mask mask = from->set.masks[i];

		mask.name = mask.name ? xstrdup(mask.name) : NULL;
		mask.desc = xstrdup(mask.desc);
		m->masks[m->nr++] = mask;
	}
}

static int merge_sets(struct table_build *b, struct raw_set *const *parts, size_t nr,
		      const struct raw_event *r, size_t *nr_merged, struct raw_set **ret,
		      struct op_error *e)
{
	struct raw_set *s = xcalloc(1, sizeof(*s));

	*s = (struct raw_set){
		.set = { .name = xstrdup(r->um),
			 .kind = parts[0]->set.kind,
			 .default_value = parts[0]->set.default_value },
		.default_name = parts[0]->default_name ? xstrdup(parts[0]->default_name) : NULL,
		.at = r->um_at,
		.default_at = r->um_at,
		.is_used = true,
	};
	for (size_t i = 0; i < nr; i++) {
		*nr_merged += parts[i]->set.nr;
		if (*nr_merged > MERGED_MASKS_MAX) {
			raw_set_free(s);
			return table_error(&r->um_at, e,
					   "more than %d masks in events with "
					   "several sets",
					   MERGED_MASKS_MAX);
		}
		merge(s, parts[i]);
	}
	hash_table_add(&b->sets_by_name, hash_string(r->um), (uint32_t)b->nr_sets);
	xgrow(b->sets, b->nr_sets, b->sets_room);
	b->sets[b->nr_sets++] = *ret = s;
	return check_set(s, e);
}

/* The set that @r names, or the merged sets. */
static int event_masks(struct table_build *b, const struct raw_event *r, size_t *nr_merged,
		       struct raw_set **ret, struct op_error *e)
{
	struct raw_set *parts[TABLE_UM_MAX];
	char *names, *save = NULL;
	size_t nr = 0;
	int err = 0;

	*ret = find_set(b, r->um);
	if (*ret) {
		(*ret)->is_used = true;
		return 0;
	}
	names = xstrdup(r->um);
	for (char *n = strtok_r(names, ",", &save); n && !err; n = strtok_r(NULL, ",", &save)) {
		struct raw_set *s = find_set(b, n);

		if (!s)
			err = table_error(&r->um_at, e,
					  "unit masks '%s' are not defined in unit_masks", n);
		else if (nr == TABLE_UM_MAX)
			err = table_error(&r->um_at, e, "more than %d sets of unit masks",
					  TABLE_UM_MAX);
		else
			(parts[nr++] = s)->is_used = true;
	}
	if (!err && !nr)
		err = table_error(&r->um_at, e, "missing name of unit masks in '%s'", r->um);
	if (!err && nr == 1)
		*ret = parts[0];
	else if (!err)
		err = merge_sets(b, parts, nr, r, nr_merged, ret, e);
	free(names);
	return err;
}

static int connect_masks(struct table_build *b, struct op_error *e)
{
	size_t nr_merged = 0;

	for (size_t i = 0; i < b->nr_events; i++) {
		struct raw_event *r = &b->events[i];
		struct raw_set *s = NULL;
		int err;

		r->event.masks = &no_masks;
		if (!r->um)
			continue;
		err = event_masks(b, r, &nr_merged, &s, e);
		if (err)
			return err;
		r->event.masks = &s->set;
	}
	for (size_t i = 0; i < b->nr_sets; i++)
		if (!b->sets[i]->is_used)
			return table_error(&b->sets[i]->at, e,
					   "unused unit masks '%s'; remove them, or name them in "
					   "an event's um:",
					   b->sets[i]->set.name);
	return 0;
}

int table_resolve(struct table_build *b, struct op_error *e)
{
	int err = check_event_names(b, e);

	if (!err)
		err = check_set_names(b, e);
	for (size_t i = 0; i < b->nr_sets && !err; i++)
		err = check_set(b->sets[i], e);
	return err ? err : connect_masks(b, e);
}
