/* SPDX-License-Identifier: GPL-2.0-or-later */
/* indexes.h - what a profile keeps besides its arrays: hash tables, room, text and image ranges */
#ifndef FORMATS_PROFILE_INDEXES_H
#define FORMATS_PROFILE_INDEXES_H

#include <stddef.h>
#include <stdint.h>
#include "libutil/table.h"

/* Images by address: newer ones hide older ones, so ranges are disjoint and ascending. */
struct profile_range {
	uint64_t start, limit;
	uint32_t image;
};

struct profile_indexes {
	struct hash_table strings, functions, places, label_sets;
	size_t room_strings, room_images, room_functions, room_lines, room_line_lists;
	size_t room_places, room_events, room_labels, room_label_sets, room_samples, room_values;
	size_t room_comments;

	char **chunks;			/* text of the strings */
	size_t nr_chunks, room_chunks, chunk_left;
	char *chunk_next;

	struct profile_range *ranges;
	size_t nr_ranges;
	uint32_t nr_ranged_images;	/* images that the ranges include */
};

#endif
