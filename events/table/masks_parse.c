// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * masks_parse.c - lines of a "unit_masks" file: a set's line, then its masks [EV-6]
 *
 *	name:ld_blocks type:bitmask default:0x2
 *		0x2 extra:cmask=1 store_forward Loads that ...
 *
 * With "extra:", even an empty one, the next word is the mask's name.
 */
#include "events/table/build.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events/table/unit_mask.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"

static int parse_kind(const char *value, const struct table_where *where, struct raw_set *s,
		      struct op_error *e)
{
	for (enum mask_kind k = MASKS_MANDATORY; k <= MASKS_EXCLUSIVE; k++) {
		if (strcmp(value, mask_kind_name(k)))
			continue;
		s->set.kind = k;
		return 0;
	}
	return table_error(where, e,
			   "invalid type '%.40s': expected mandatory, bitmask or exclusive", value);
}

/* A number, or the name of one of the masks, in quotes or not. */
static int parse_default(char *value, const struct table_where *where, struct raw_set *s,
			 struct op_error *e)
{
	uint64_t n;

	s->default_at = *where;
	if (isdigit((unsigned char)*value) && !number_parse_range(value, 0, UINT32_MAX, &n)) {
		s->set.default_value = (uint32_t)n;
		return 0;
	}
	if (*value == '"') {
		value++;
		value[strcspn(value, "\"")] = '\0';
	}
	if (!table_name_ok(value))
		return table_error(where, e,
				   "invalid default '%.40s': expected a number or a mask's name",
				   value);
	s->default_name = xstrdup(value);
	return 0;
}

static int parse_set_word(const struct table_text *t, char *word, struct raw_set *s,
			  unsigned int *has, struct op_error *e)
{
	static const char *const keys[] = { "name", "type", "default" };
	struct table_where where = table_text_where(t, word);
	char *colon = strchr(word, ':');
	unsigned int k = 0;

	if (colon)
		*colon++ = '\0';
	while (k < 3 && strcmp(word, keys[k]))
		k++;
	if (!colon || k == 3)
		return table_error(&where, e,
				   "unknown key '%.40s': expected name:, type: or default:", word);
	if (*has & 1u << k)
		return table_error(&where, e, "duplicate '%s:'", word);
	*has |= 1u << k;
	where = table_text_where(t, colon);
	if (k == 1)
		return parse_kind(colon, &where, s, e);
	if (k == 2)
		return parse_default(colon, &where, s, e);
	if (!table_name_ok(colon))
		return table_error(&where, e,
				   "invalid name '%.80s': expected up to %d letters, digits "
				   "and '_'",
				   colon, EVENT_NAME_MAX_LEN);
	s->set.name = xstrdup(colon);
	s->at = where;
	return 0;
}

static int parse_set_line(const struct table_text *t, char *line, struct raw_set *s,
			  struct op_error *e)
{
	static const char *const keys[] = { "name", "type", "default" };
	struct table_where where = table_text_where(t, line);
	unsigned int has = 0;
	char *rest = line, *word;
	int err;

	while ((word = table_text_word(&rest))) {
		err = parse_set_word(t, word, s, &has, e);
		if (err)
			return err;
	}
	for (unsigned int k = 0; k < 3; k++)
		if (!(has & 1u << k))
			return table_error(&where, e, "missing '%s:'", keys[k]);
	return 0;
}

static int parse_extra_word(const char *word, const struct table_where *where, uint32_t *extra,
			    struct op_error *e)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} bits[] = { { "edge", EXTRA_EDGE },
		     { "pebs", EXTRA_PEBS },
		     { "any", EXTRA_ANY },
		     { "inv", EXTRA_INV } };
	uint64_t n;

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		if (strcmp(word, bits[i].name))
			continue;
		*extra |= bits[i].bit;
		return 0;
	}
	if (!strncmp(word, "cmask=", 6)) {
		char hex[20] = "0x";

		/* OProfile reads hex without 0x: "10" is sixteen */
		strncat(hex, word + (strncmp(word + 6, "0x", 2) ? 6 : 8), sizeof(hex) - 3);
		if (!number_parse_range(hex, 0, 255, &n)) {
			*extra |= (uint32_t)n << EXTRA_CMASK_SHIFT;
			return 0;
		}
	}
	return table_error(where, e,
			   "invalid extra bit '%.40s': expected edge, inv, any, pebs or cmask=HEX "
			   "up to ff",
			   word);
}

static int parse_extra(const struct table_text *t, char *list, uint32_t *ret, struct op_error *e)
{
	struct table_where where = table_text_where(t, list);
	uint32_t extra = EXTRA_NONE;
	char *save = NULL;

	for (char *w = strtok_r(list, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		int err = parse_extra_word(w, &where, &extra, e);

		if (err)
			return err;
	}
	*ret = extra;
	return 0;
}

/* Parse "0x2 extra:inv,cmask=1 NAME description". */
static int parse_mask(const struct table_text *t, char *line, struct unit_mask *m,
		      struct op_error *e)
{
	char *rest = line, *word = table_text_word(&rest);
	struct table_where where = table_text_where(t, word);
	uint64_t n;

	if (number_parse_range(word, 0, UINT32_MAX, &n))
		return table_error(&where, e,
				   "invalid unit mask '%.40s': expected a number, such as 0x01",
				   word);
	m->value = (uint32_t)n;
	rest += strspn(rest, " \t");
	if (!strncmp(rest, "extra:", 6)) {
		word = table_text_word(&rest);
		if (parse_extra(t, word + 6, &m->extra, e))
			return -EINVAL;
		word = table_text_word(&rest);
		where = table_text_where(t, word ? word : line);
		if (!word || !table_name_ok(word))
			return table_error(&where, e,
					   "missing name of the mask after extra:, or one that has "
					   "other characters than letters, digits and '_'");
		m->name = xstrdup(word);
		rest += strspn(rest, " \t");
	}
	where = table_text_where(t, rest);
	if (!*rest)
		return table_error(&where, e, "missing description of the mask");
	if (strlen(rest) > TABLE_TEXT_MAX)
		return table_error(&where, e, "description longer than %d bytes", TABLE_TEXT_MAX);
	m->desc = xstrdup(rest);
	return 0;
}

static int add_mask(const struct table_text *t, struct raw_set *s, char *line, struct op_error *e)
{
	struct table_where where = table_text_where(t, line);
	struct unit_mask m = { 0 };
	int err;

	if (!s)
		return table_error(&where, e, "unit mask outside a set; begin the set with name:");
	if (s->set.nr == TABLE_MASKS_MAX)
		return table_error(&where, e, "more than %d masks in a set", TABLE_MASKS_MAX);
	err = parse_mask(t, line, &m, e);
	if (err) {
		free(m.name);
		free(m.desc);
		return err;
	}
	s->set.masks = xrealloc_array(s->set.masks, s->set.nr + 1, sizeof(m));
	s->set.masks[s->set.nr++] = m;
	return 0;
}

void raw_set_free(struct raw_set *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->set.nr; i++) {
		free(s->set.masks[i].name);
		free(s->set.masks[i].desc);
	}
	free(s->set.masks);
	free(s->set.name);
	free(s->default_name);
	free(s);
}

static int add_set(struct table_build *b, const struct table_text *t, char *line,
		   struct raw_set **ret, struct op_error *e)
{
	struct table_where where = table_text_where(t, line);
	struct raw_set *s;
	int err;

	if (b->nr_sets == TABLE_SETS_MAX)
		return table_error(&where, e, "more than %d sets of unit masks", TABLE_SETS_MAX);
	s = xcalloc(1, sizeof(*s));
	err = parse_set_line(t, line, s, e);
	if (err) {
		raw_set_free(s);
		return err;
	}
	xgrow(b->sets, b->nr_sets, b->sets_room);
	b->sets[b->nr_sets++] = *ret = s;
	return 0;
}

int masks_parse(struct table_build *b, struct table_text *t, table_include *include, void *context,
		struct op_error *e)
{
	struct raw_set *set = NULL;
	char *line;

	while ((line = table_text_line(t))) {
		int err;

		if (isspace((unsigned char)*line)) {
			err = add_mask(t, set, line, e);
		} else {
			err = table_include_line(t, line, include, context, e);
			if (!err)
				err = add_set(b, t, line, &set, e);
		}
		if (err < 0)
			return err;
	}
	return 0;
}
