/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ids.h - what the ids in a profile.proto stand for
 *
 * Ids may be any numbers but 0. Most writers number from 1: then finding is a look into an array.
 */
#ifndef FORMATS_PROTO_IDS_H
#define FORMATS_PROTO_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

#define PROTO_NO_THING	UINT32_MAX

struct proto_ids {
	const char *name;		/* "location", for errors */
	struct proto_id {
		uint64_t id;
		size_t offset;		/* in the file */
		uint32_t thing;		/* index of ours */
	} *all;
	uint32_t nr;
	size_t room;
	bool scattered;			/* not 1, 2, 3 ... */
};

/* -EPROTO: id 0. @offset: in the file. */
int proto_ids_add(struct proto_ids *ids, uint64_t id, uint32_t thing, size_t offset,
		  struct op_error *e);

/* All are there. -EPROTO: two have the same id. */
int proto_ids_finish(struct proto_ids *ids, struct op_error *e);

uint32_t proto_ids_search(const struct proto_ids *ids, uint64_t id);

/* PROTO_NO_THING: nothing has this id. */
static inline uint32_t proto_ids_find(const struct proto_ids *ids, uint64_t id)
{
	if (ids->scattered)
		return proto_ids_search(ids, id);
	return id - 1 < ids->nr ? ids->all[id - 1].thing : PROTO_NO_THING;
}

#endif
