/* SPDX-License-Identifier: GPL-2.0-or-later */
/* room.h - limit on the values of a profile: samples are rows with a value for each event */
#ifndef FORMATS_PROFILE_ROOM_H
#define FORMATS_PROFILE_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include "formats/profile/profile.h"

#define VALUES_ALWAYS_ALLOWED	65536

/*
 * In formats that name an event with each sample a few bytes could widen all rows. So one more
 * sample is allowed only while there are no more values than the file has bytes [PF-7].
 */
static inline bool has_room_for_sample(const struct profile *p, size_t file_size)
{
	return ((uint64_t)p->nr_samples + 1) * p->nr_events <= file_size + VALUES_ALWAYS_ALLOWED;
}

#endif
