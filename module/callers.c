// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callers.c - join the kernel's and the user's part of a chain (callers.h)
 */
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include "callers.h"
#include "maps.h"
#include "unwind_tables.h"
#include "user_regs.h"
#include "../oprofilefs/op_abi.h"
#include "../oprofilefs/op_unwind.h"

/*
 * Reads the running process's memory; what is not there stays away: no fault is served. What user
 * space made of its registers and stack is kept within user space here.
 */
static bool read_user(void *unused, u64 address, u64 *ret)
{
	u64 value;

	if (address > TASK_SIZE - sizeof(value) ||
	    op_copy_from_user_nmi(&value, (const void __user *)(unsigned long)address,
				  sizeof(value)))
		return false;
	*ret = value;
	return true;
}

static u32 stack_end(enum op_unwind_result result)
{
	switch (result) {
	case OP_UNWIND_OUTERMOST:
		return OP_STACK_COMPLETE;
	case OP_UNWIND_UNKNOWN:
		return OP_STACK_NO_TABLE;
	case OP_UNWIND_UNREADABLE:
		return OP_STACK_UNREADABLE;
	default:
		return OP_STACK_BAD_FRAME;
	}
}

/* The table for the code that @cursor is at, and where in its file that is; NULL: none. */
static const struct op_unwind_table *table_at(const struct op_maps *maps, u64 mm,
					      const struct op_unwind_cursor *cursor,
					      u64 *ret_offset)
{
	unsigned long place = op_unwind_place(cursor);
	const struct op_unwind_table *table;
	const struct op_map *map;

	if (!maps)
		return NULL;
	map = op_map_at(maps, place);
	if (!map) {
		op_maps_outdated(mm);
		return NULL;
	}
	if (!map->image)
		return NULL;
	*ret_offset = map->offset + (place - map->start);
	table = op_image_table(map->image);
	if (!table)
		op_image_missed(map->image);
	return table;
}

/* Append the callers of @cursor's frame. */
static void walk(struct op_chain *c, u32 depth, u64 mm, struct op_unwind_cursor *cursor)
{
	const struct op_maps *maps = op_maps_find(mm);
	enum op_unwind_result result;
	u64 offset = 0;

	for (;;) {
		const struct op_unwind_table *table = table_at(maps, mm, cursor, &offset);

		result = op_unwind_next(table, offset, cursor, read_user, NULL);
		if (result != OP_UNWIND_STEPPED)
			break;
		/* what is added to it later is to be an address in user space, too */
		if (cursor->pc >= TASK_SIZE - 1) {
			result = OP_UNWIND_BAD;
			break;
		}
		if (c->nr == depth) {
			c->end = OP_STACK_TRUNCATED;
			break;
		}
		c->callers[c->nr++] = op_unwind_caller(cursor);
	}
	if (result != OP_UNWIND_STEPPED)
		c->end = stack_end(result);
	if (cursor->by_frame_pointer)
		c->end |= OP_STACK_FRAME_POINTERS;
}

void op_callers_find(struct op_chain *c, u32 depth, struct pt_regs *regs, u64 mm)
{
	struct op_unwind_cursor cursor = { .top = TASK_SIZE };
	struct pt_regs *user = regs;
	bool partial = false;

	c->nr = c->nr_kernel = 0;
	if (!user_mode(regs)) {
		user = op_kernel_callers(c, depth, regs, &partial);
		if (!user)
			return;
	}
	c->end = OP_STACK_NO_USER;
	/* while it execs, its registers may be of the program before, whose memory is gone */
	if (!mm || current->in_execve || !op_user_cursor(&cursor, user))
		return;
	op_unwind_start(&cursor);
	if (partial)
		cursor.known = 1u << op_unwind_sp(&cursor);
	if (user != regs) {
		if (c->nr == depth) {
			c->end = OP_STACK_TRUNCATED;
			return;
		}
		c->callers[c->nr++] = op_unwind_caller(&cursor);
	}
	rcu_read_lock();
	walk(c, depth, mm, &cursor);
	rcu_read_unlock();
}
