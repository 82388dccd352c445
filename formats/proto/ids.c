// SPDX-License-Identifier: GPL-2.0-or-later
/* ids.c - look up ids by binary search if they are sparse [PP-21] */
#include "formats/proto/ids.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "libutil/sorted.h"
#include "libutil/xalloc.h"

int proto_ids_add(struct proto_ids *ids, uint64_t id, uint32_t index, size_t offset,
		  struct op_error *e)
{
	if (!id)
		return op_error_set(e, -EPROTO, "offset %zu: %s with id 0", offset, ids->name);
	xgrow(ids->all, ids->nr, ids->room);
	ids->is_sparse |= id != (uint64_t)ids->nr + 1;
	ids->all[ids->nr++] = (struct proto_id){ id, offset, index };
	return 0;
}

static int compare_ids(const void *x, const void *y)
{
	const struct proto_id *a = x, *b = y;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

int proto_ids_sort(struct proto_ids *ids, struct op_error *e)
{
	if (!ids->is_sparse)
		return 0;
	qsort(ids->all, ids->nr, sizeof(*ids->all), compare_ids);
	for (uint32_t i = 1; i < ids->nr; i++)
		if (ids->all[i].id == ids->all[i - 1].id)
			return op_error_set(e, -EPROTO, "offset %zu: duplicate %s id %" PRIu64,
					    ids->all[i].offset, ids->name,
					    ids->all[i].id);
	return 0;
}

uint32_t proto_ids_search(const struct proto_ids *ids, uint64_t id)
{
	uint32_t low = first_not(ids->nr, i, ids->all[i].id < id);

	return low < ids->nr && ids->all[low].id == id ? ids->all[low].index : PROTO_NOT_FOUND;
}
