// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * handler.c - drop what looks like the frame of the signal handler, as Go's pprof does
 *
 * The unwinders of some writers see the frame that the kernel pushes for the profiler's signal,
 * between the interrupted function and its caller. The only sign of it is that all stacks have the
 * same second frame, which can be a real caller as well, so this is done only on request. Rule:
 * doc/cpuprofile.md [GC-23].
 */
#include "formats/cpuprofile/cpuprofile.h"

#include <inttypes.h>

#define ROUNDS		2
#define ONE_IN		32	/* one in so many samples may have another second frame */

static uint32_t second_node(const struct profile *p, uint32_t sample)
{
	uint32_t node = p->samples[sample].node;

	return node == PROFILE_NONE ? node : p->tree.nodes[node].parent;
}

static uint32_t second_place(const struct profile *p, uint32_t sample)
{
	uint32_t node = second_node(p, sample);

	return node == PROFILE_NONE ? node : p->tree.nodes[node].key;
}

static void drop_second(struct profile *p, uint32_t sample)
{
	struct profile_sample *s = &p->samples[sample];

	s->node = profile_node(p, p->tree.nodes[second_node(p, sample)].parent,
			       p->tree.nodes[s->node].key);
}

/* The second place of more than half of the samples, if there is one; else any. */
static uint32_t most_common_second(const struct profile *p)
{
	uint32_t place = PROFILE_NONE, lead = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		uint32_t second = second_place(p, i);

		if (!lead)
			place = second;
		if (second == place)
			lead++;
		else
			lead--;
	}
	return place;
}

static uint32_t count_second(const struct profile *p, uint32_t place)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++)
		nr += second_place(p, i) == place;
	return nr;
}

static bool drop_common(struct profile *p, const struct format_warnings *w)
{
	uint32_t place = most_common_second(p), nr = count_second(p, place);

	if (place == PROFILE_NONE || nr < p->nr_samples - p->nr_samples / ONE_IN)
		return false;
	for (uint32_t i = 0; i < p->nr_samples; i++)
		if (second_place(p, i) == place)
			drop_second(p, i);
	format_warn(w, "dropped the second frame 0x%" PRIx64 " of %u of %u records",
		    p->places[place].address, nr, p->nr_samples);
	return true;
}

static bool is_repeated(const struct profile *p, uint32_t sample)
{
	uint32_t second = second_place(p, sample);

	return second != PROFILE_NONE && p->places[second].address + 1 ==
	       p->places[p->tree.nodes[p->samples[sample].node].key].address;
}

/* The handler gets the interrupted address from the signal, and may find it on the stack again. */
static void drop_repeated(struct profile *p, const struct format_warnings *w)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		if (is_repeated(p, i)) {
			drop_second(p, i);
			nr++;
		}
	}
	if (nr)
		format_warn(w, "dropped the second frame of %u records, which repeats the first",
			    nr);
}

void cpuprofile_drop_handler_frames(struct profile *p, const struct format_warnings *w)
{
	for (int i = 0; i < ROUNDS && drop_common(p, w); i++)
		;
	drop_repeated(p, w);
}
