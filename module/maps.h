/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps.h - which files a process runs code of, and where: looked up by walks, in NMI
 *
 * The mm's own tree can't be looked at there. So a worker copies what a walk needs of it, for each
 * process that is sampled: its executable mappings, by address. A copy is good until a mapping goes
 * away: the hook on unmapping (hooks.c) then makes it bad, before another one can be in its place,
 * and the next walk that misses it has it made again. Walks without a copy follow frame pointers.
 *
 *	worker				hook			walk, NMI
 *	read epoch			epoch++			read maps, under RCU
 *	copy what is mapped					good if its epoch is
 *	publish it with that epoch				the space's
 *
 * A process is held (mmgrab: the struct, not its memory) until it has not been sampled for a while
 * or is gone, so that its number is not another one's meanwhile. What a process can make us do is
 * bounded: so many mappings, so much memory for all, a hundredth of a CPU's time for its copies.
 */
#ifndef OP_MAPS_H
#define OP_MAPS_H

#include <linux/rcupdate.h>
#include <linux/types.h>

struct mm_struct;
struct op_image;

struct op_map {
	unsigned long start, end;
	u64 offset;			/* of start in the image's file */
	struct op_image *image;		/* NULL: anonymous memory, or no room for its image */
};

struct op_maps {
	struct rcu_head rcu;
	u32 epoch;
	unsigned int nr;
	size_t size;			/* bytes in all */
	struct op_map map[];		/* by address */
};

int op_maps_alloc(void);		/* [task] 0 or -ENOMEM; after op_unwind_tables_alloc() */
void op_maps_free(void);		/* [task] nothing samples, mappings are not watched */

/* The hook is at work; only then there are maps. Before and after it.		[task] */
void op_maps_watch(void);
void op_maps_unwatch(void);

/* The running process is sampled: see to it that there will be maps.		[irq] */
void op_maps_of_current_wanted(void);

/* Code of @mm is about to be unmapped.					[preemption off] */
void op_maps_unmapped(struct mm_struct *mm);

/*
 * The maps of the process of number @mm, or NULL: until rcu_read_unlock().	[nmi]
 * Asks for them if need be.
 */
const struct op_maps *op_maps_find(u64 mm);

/* The map at @address; NULL: none.						[nmi] */
static inline const struct op_map *op_map_at(const struct op_maps *maps, unsigned long address)
{
	unsigned int low = 0, high = maps->nr;

	while (low < high) {
		unsigned int middle = (low + high) / 2;
		const struct op_map *m = &maps->map[middle];

		if (address < m->start)
			high = middle;
		else if (address >= m->end)
			low = middle + 1;
		else
			return m;
	}
	return NULL;
}

/* A walk came to an address that no map has: perhaps it was mapped since.	[nmi] */
void op_maps_outdated(u64 mm);

#endif
