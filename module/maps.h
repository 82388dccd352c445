/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps.h - which files a process runs code of, and where: looked up by walks, in NMI
 *
 * The mm's own tree can't be looked at there. So a worker copies what a walk needs of it, for each
 * process that is sampled: its executable mappings, by address. When one of them goes away the hook
 * on unmapping (hooks.c) takes it out of the copy, before another one can be in its place: so a
 * process that maps and unmaps without end spoils no more of its stacks than go through that code.
 * The next walk that comes to an address without a mapping has the copy made again. Walks without
 * a copy follow frame pointers.
 *
 *	worker, mmap_lock held for reading	hook, mmap_lock held	walk, NMI
 *	copy what is mapped			empty the map		read maps, under RCU
 *	publish it
 *
 * What the hook is told of is out of the mm's tree already, and its room is not given away before
 * the hook is done: a copy that was published before has it taken out, a later one never has it.
 *
 * A process is held (mmgrab: the struct, not its memory) until it has not been sampled for a while
 * or is gone, so that its number is not another one's meanwhile. What a process can make us do is
 * bounded: so many mappings, so much memory for all, a hundredth of a CPU's time for its copies.
 */
#ifndef MODULE_MAPS_H
#define MODULE_MAPS_H

#include <linux/jiffies.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

struct mm_struct;
struct op_image;

struct op_map {
	unsigned long start, end;	/* end == start: unmapped since */
	u64 offset;			/* of start in the image's file */
	struct op_image *image;		/* NULL: anonymous memory, or no room for its image */
};

struct op_maps {
	struct rcu_head rcu;
	unsigned long made;		/* jiffies */
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

/* Code of @mm from @start up to @end is about to be unmapped.			[preemption off] */
void op_maps_unmapped(struct mm_struct *mm, unsigned long start, unsigned long end);

/* Whether there are to be maps, of processes that are known.			[nmi] */
bool op_maps_are_kept(void);

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
		else if (address >= READ_ONCE(m->end))
			low = middle + 1;
		else
			return m;
	}
	return NULL;
}

/* The number of maps that begin below @address. */
static inline unsigned int op_maps_below(const struct op_maps *maps, unsigned long address)
{
	unsigned int low = 0, high = maps->nr;

	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (maps->map[middle].start < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Empty those that have something from @start up to @end. */
static inline void op_maps_take_out(struct op_maps *maps, unsigned long start, unsigned long end)
{
	unsigned int i = op_maps_below(maps, end);

	while (i--) {
		struct op_map *m = &maps->map[i];

		if (m->start < start && READ_ONCE(m->end) <= start)
			break;
		WRITE_ONCE(m->end, m->start);
	}
}

/* A walk came to an address that no map has: perhaps it was mapped since.	[nmi] */
void op_maps_outdated(u64 mm);

/*
 * It came to memory without a file, of which no hook tells when it goes away: once in a while
 * they are looked at again.							[nmi]
 */
static inline void op_maps_without_file(const struct op_maps *maps, u64 mm)
{
	if (time_after(jiffies, maps->made + HZ))
		op_maps_outdated(mm);
}

#endif
