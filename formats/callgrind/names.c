// SPDX-License-Identifier: GPL-2.0-or-later
/* names.c - look up names by their numbers, which may be any */
#include "formats/callgrind/names.h"

#include <ctype.h>
#include <stdlib.h>

#include "libutil/hash.h"
#include "libutil/xalloc.h"

static inline bool has_id(const void *names, uint32_t at, const void *id)
{
	return ((const struct callgrind_names *)names)->all[at].id == *(const uint64_t *)id;
}

/* Remove "(7)" from the beginning of @t. */
static bool take_id(struct text *t, uint64_t *ret)
{
	const char *at = t->at;
	uint64_t id = 0;

	if (text_length(*t) < 3 || *at++ != '(' || !isdigit((unsigned char)*at))
		return false;
	for (; at < t->end && isdigit((unsigned char)*at); at++)
		if (__builtin_mul_overflow(id, 10, &id) ||
		    __builtin_add_overflow(id, *at - '0', &id))
			return false;
	if (at == t->end || *at != ')')
		return false;
	t->at = at + 1;
	*ret = id;
	return true;
}

static uint32_t add_string(struct profile *p, struct text name)
{
	if (text_is(name, "???"))
		return 0;
	return profile_string_n(p, name.at, text_length(name));
}

bool callgrind_name_find(struct callgrind_names *names, struct profile *p, struct text text,
			 uint32_t *ret)
{
	uint64_t id, hash;
	uint32_t at;

	text_trim(&text);
	if (!take_id(&text, &id)) {
		*ret = add_string(p, text);
		return true;
	}
	text_trim(&text);
	hash = hash_u64(id);
	at = hash_table_find(&names->table, hash, has_id, names, &id);
	if (text.at == text.end) {
		if (at != HASH_NONE)
			*ret = names->all[at].name;
		return at != HASH_NONE;
	}
	*ret = add_string(p, text);
	if (at == HASH_NONE) {
		xgrow(names->all, names->nr, names->room);
		at = names->nr++;
		hash_table_add(&names->table, hash, at);
	}
	names->all[at] = (struct callgrind_name){ id, *ret };
	return true;
}

void callgrind_names_free(struct callgrind_names *names)
{
	free(names->all);
	hash_table_free(&names->table);
	*names = (struct callgrind_names){ 0 };
}
