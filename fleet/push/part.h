/* SPDX-License-Identifier: GPL-2.0-or-later */
/* part.h - one event of a batch as a profile of its own, and as a file */
#ifndef FLEET_PUSH_PART_H
#define FLEET_PUSH_PART_H

#include "fleet/push/target.h"

#define PUSH_ALL_SERIES	UINT32_MAX

/*
 * The samples of one event and series, merged, without labels; of all series, with the series'
 * labels. *ret_samples: how many, if the event has a period. NULL: none. @by_function: what engines
 * show, in half the bytes: a function is one place, of address 0, and has no system name; code
 * without a function keeps its addresses.
 */
struct profile *push_part_profile(const struct push_batch *b, uint32_t event, uint32_t series,
				  bool by_function, uint64_t *ret_samples);

/* @p as profile.proto, packed; malloc'd. */
int push_part_proto(const struct profile *p, unsigned char **ret, size_t *ret_size,
		    struct op_error *e);

/* @n bytes packed with gzip: ret->bytes, malloc'd, and ret->size. */
int push_part_pack(const void *bytes, size_t n, struct push_part *ret, struct op_error *e);

/* The event's name with characters other than letters, digits and '_' replaced by '_'; malloc'd. */
char *push_event_name(const struct profile *p, uint32_t event);

#endif
