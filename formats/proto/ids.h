/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ids.h - map the ids in a profile.proto to indices in the profile
 *
 * Ids may be any numbers but 0. Most writers count from 1: then a lookup is an array access.
 */
#ifndef FORMATS_PROTO_IDS_H
#define FORMATS_PROTO_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

#define PROTO_NOT_FOUND	UINT32_MAX

struct proto_ids {
	const char *name;		/* "location", for errors */
	struct proto_id {
		uint64_t id;
		size_t offset;		/* in the file */
		uint32_t index;		/* in the profile */
	} *all;
	uint32_t nr;
	size_t room;
	bool is_sparse;			/* not 1, 2, 3 ... */
};

/* -EPROTO: id 0. @offset is that of the definition in the file. */
int proto_ids_add(struct proto_ids *ids, uint64_t id, uint32_t index, size_t offset,
		  struct op_error *e);

/* After all were added, before the first lookup. -EPROTO: duplicate ids. */
int proto_ids_sort(struct proto_ids *ids, struct op_error *e);

uint32_t proto_ids_search(const struct proto_ids *ids, uint64_t id);

/* PROTO_NOT_FOUND: nothing has this id. */
static inline uint32_t proto_ids_find(const struct proto_ids *ids, uint64_t id)
{
	if (ids->is_sparse)
		return proto_ids_search(ids, id);
	return id - 1 < ids->nr ? ids->all[id - 1].index : PROTO_NOT_FOUND;
}

#endif
