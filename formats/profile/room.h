/* SPDX-License-Identifier: GPL-2.0-or-later */
/* room.h - how many values a file's samples may have: they are rows with one for each event */
#ifndef FORMATS_PROFILE_ROOM_H
#define FORMATS_PROFILE_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include "formats/profile/profile.h"

#define VALUES_ALWAYS_FINE	65536

/*
 * Formats that name an event with a sample could ask for rows of any width with a few bytes: one
 * more sample is fine while there are no more values than the file has bytes [PF-7].
 */
static inline bool has_room_for_sample(const struct profile *p, size_t file_size)
{
	return ((uint64_t)p->nr_samples + 1) * p->nr_events <= file_size + VALUES_ALWAYS_FINE;
}

#endif
