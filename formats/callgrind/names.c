// SPDX-License-Identifier: GPL-2.0-or-later
/* names.c - numbers may be any, so they are looked up in a table */
#include "formats/callgrind/names.h"

#include <ctype.h>
#include <stdlib.h>

#include "libutil/hash.h"

struct key {
	const struct callgrind_names *names;
	uint64_t id;
};

static inline bool same_id(const struct profile *p, uint32_t at, const void *key)
{
	const struct key *k = key;

	(void)p;
	return k->names->all[at].id == k->id;
}

/* Cut "(7)" off the text. */
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

static uint32_t string_of(struct profile *p, struct text name)
{
	if (text_is(name, "???"))
		return 0;
	return profile_string_n(p, name.at, text_length(name));
}

bool callgrind_name(struct callgrind_names *names, struct profile *p, struct text text,
		    uint32_t *ret)
{
	struct key key = { names, 0 };
	struct profile_slot *slot;
	uint64_t hash;

	text_trim(&text);
	if (!take_id(&text, &key.id)) {
		*ret = string_of(p, text);
		return true;
	}
	text_trim(&text);
	hash = hash_u64(key.id);
	profile_table_reserve(&names->table);
	slot = profile_table_find(&names->table, hash, p, same_id, &key);
	if (text.at == text.end) {
		if (slot->id != PROFILE_NONE)
			*ret = names->all[slot->id].name;
		return slot->id != PROFILE_NONE;
	}
	*ret = string_of(p, text);
	if (slot->id == PROFILE_NONE) {
		if (names->nr == names->room)
			names->all = profile_grow(names->all, names->nr, &names->room, 1,
						  sizeof(*names->all));
		profile_table_fill(&names->table, slot, hash, names->nr++);
	}
	names->all[slot->id] = (struct callgrind_name){ key.id, *ret };
	return true;
}

void callgrind_names_free(struct callgrind_names *names)
{
	free(names->all);
	free(names->table.slots);
	*names = (struct callgrind_names){ 0 };
}
