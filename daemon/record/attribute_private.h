/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attribute_private.h - what samples, extended samples and stacks are attributed with */
#ifndef DAEMON_RECORD_ATTRIBUTE_PRIVATE_H
#define DAEMON_RECORD_ATTRIBUTE_PRIVATE_H

#include "daemon/record/attribute.h"

#define NR_ROUTES	256
#define NR_FOUND	4	/* of a route: samples of several counters come mixed */
#define NR_ARC_FILES	256
#define EXTENDED	63	/* counter of an extended sample: above any of words */

/* A sample file, good for the rest as long as the generation is the same. */
struct found {
	struct sfile *sfile;
	unsigned int generation;
	uint32_t counter;
	const struct image *place;	/* image of a file or of the kernel; NULL: a mapping, */
	uint64_t start, end;		/* this one */
};

/* The part of a state that matters to this daemon's separation; the rest is 0. */
struct origin {
	op_word cookie, app_cookie;
	uint32_t tgid, tid, cpu;
	const char *cgroup;
	enum trans_mode mode;		/* MODE_UNKNOWN: none */
};

/*
 * What follows from it: who is to be credited, and the sample files that were found for it last.
 * CPUs and tasks take turns quickly, so the routes of many states are kept at hand.
 */
struct route {
	struct origin origin;
	struct image *app;		/* NULL: not known */
	struct image *image;		/* of the cookie, in user mode */
	struct found found[NR_FOUND];	/* by the lowest bits of the counter */
};

/* A {cg} file whose both ends are files' or the kernel's, good as long as struct found. */
struct arc_file {
	struct sfile *sfile;
	unsigned int generation;
	struct image *app, *caller, *callee;
	uint32_t counter, tgid, tid, cpu;
	const char *cgroup;
};

struct attribution {
	struct attribution_config config;
	const unsigned int *generation;	/* of sample files */
	bool filtered;
	bool stale;			/* the state changed since @route was chosen */
	uint64_t wanted[MODE_USER + 1];	/* counters whose samples in that mode are to be filed */
	const struct derived_event *derived;	/* from the extended sample at hand */
	size_t nr_derived;
	struct route *route;
	struct route routes[NR_ROUTES];

	/* attribute_stack.c */
	op_word frame_cookie;		/* of the frame placed last, and its image */
	struct image *frame_image;
	struct arc_file arc_files[NR_ARC_FILES];
	struct stack_frame frames[STACK_FRAMES_MAX];
};

/* One run's samples that share the counter: what is common to the functions below. */
struct span {
	const struct trans_state *state;
	struct route *route;
	uint32_t counter;
	const uint64_t *pcs;
	size_t nr;
};

/* Where a span's samples lie: in @image, or in @map, an address being @base + the key. */
struct place {
	struct image *image;
	const struct anon_map *map;
	bool is_kernel;
	uint64_t base;
};

/* Of the mapping @map of process @tgid. @ret's other fields must be 0 already. */
static inline void place_in_map(struct sfile_place *ret, uint32_t tgid, const struct anon_map *map)
{
	ret->anon_tgid = tgid;
	ret->anon_start = map->start;
	ret->anon_end = map->end;
	anon_copy_name(ret->anon_name, sizeof(ret->anon_name), map->name);
}

/* attribute.c: the sample file of @s, whose counter is set, for a sample at @place. */
struct sfile *attribute_sfile(struct attribution *a, const struct span *s, struct place place);

/* attribute_extended.c: file the extended sample that @s is under all that is derived from it. */
void attribute_derived(struct attribution *a, const struct span *s, struct place place);

#endif
