/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps.h - the executable mappings of a process, for walks in NMI
 *
 * An NMI cannot read the mm's own tree. So for each sampled process a worker copies what a walk
 * needs: its executable mappings, sorted by address. When one is unmapped, the hook (hooks.c)
 * removes it from the copy before another can take its place, so a process that keeps mapping and
 * unmapping spoils only stacks that go through that code. A walk that finds no mapping at an
 * address requests a new copy. Walks without a copy follow frame pointers.
 *
 *	worker, mmap_lock held for reading	hook, mmap_lock held	walk, NMI
 *	copy what is mapped			empty the map		read maps, under RCU
 *	publish it
 *
 * A mapping that the hook sees has already left the mm's tree, and its address range is not reused
 * before the hook is done: it is removed from a copy published earlier, and a later copy never
 * contains it.
 *
 * A process is held (mmgrab: the struct, not its memory) until it is gone or has not been sampled
 * for a while, so that no other process gets its mm number. The work per process is bounded: the
 * number of mappings, the memory for all copies, and one percent of a CPU's time.
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
	struct op_image *image;		/* NULL: none, as of memory without a file or table */
};

struct op_maps {
	struct rcu_head rcu;
	unsigned long made;		/* jiffies */
	unsigned int nr;
	size_t size;			/* of this struct, bytes */
	struct op_map map[];		/* by address */
};

int op_maps_alloc(void);		/* [task] 0 or -ENOMEM; after op_unwind_tables_alloc() */
void op_maps_free(void);		/* [task] nothing samples, mappings are not watched */

/* Call after the hook is installed and before it is removed; no maps otherwise.	[task] */
void op_maps_watch(void);
void op_maps_unwatch(void);

/* The running process is sampled: request a copy of its maps.			[irq] */
void op_maps_request_current(void);

/* Code of @mm from @start up to @end is about to be unmapped.			[preemption off] */
void op_maps_unmapped(struct mm_struct *mm, unsigned long start, unsigned long end);

/* Whether maps are kept at all.						[nmi] */
bool op_maps_are_kept(void);

/*
 * The maps of the process @mm, valid until rcu_read_unlock(); or NULL.		[nmi]
 * Requests a copy if there is none.
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

/* Empty the maps that overlap @start up to @end. */
static inline void op_maps_remove(struct op_maps *maps, unsigned long start, unsigned long end)
{
	unsigned int i = op_maps_below(maps, end);

	while (i--) {
		struct op_map *m = &maps->map[i];

		if (m->start < start && READ_ONCE(m->end) <= start)
			break;
		WRITE_ONCE(m->end, m->start);
	}
}

/* A walk found an address in no map: request a new copy.			[nmi] */
void op_maps_request(u64 mm);

/*
 * A walk found memory without a file, which the hook does not watch: request a new copy if this one
 * is old.									[nmi]
 */
static inline void op_maps_request_if_old(const struct op_maps *maps, u64 mm)
{
	if (time_after(jiffies, maps->made + HZ))
		op_maps_request(mm);
}

#endif
