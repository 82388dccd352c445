// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callers.c - join the kernel's and the user's part of a stack (callers.h)
 */
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include "module/callers.h"
#include "module/maps.h"
#include "module/unwind_tables.h"
#include "module/user_regs.h"
#include "oprofilefs/op_abi.h"
#include "unwind/walk.h"

/* Reads user memory for a walk, with page faults disabled throughout. */
struct reader {
	u64 top;		/* the end of user space */
	bool is_short;		/* words have 4 bytes */
	bool safe;		/* the process's page tables are known to be loaded */
};

/*
 * No fault is served: absent pages cannot be read. An NMI may hit while page tables are switched,
 * which the kernel's own function checks. Nothing switches them before the NMI is over, so one
 * successful call of it is enough.
 */
static __always_inline bool read_user(void *context, u64 address, u64 *ret)
{
	const void __user *from = (const void __user *)(unsigned long)address;
	struct reader *r = context;
	size_t size = r->is_short ? sizeof(u32) : sizeof(u64);
	u64 value = 0;			/* of a short word the upper half */
	u32 half;

	if (address > r->top - size)
		return false;
	if (!r->safe) {
		if (op_copy_from_user_nmi(&value, from, size))
			return false;
		r->safe = true;
	} else {
		if (!user_access_begin(from, size))
			return false;
		if (r->is_short) {
			unsafe_get_user(half, (const u32 __user *)from, unreadable);
			value = half;
		} else {
			unsafe_get_user(value, (const u64 __user *)from, unreadable);
		}
		user_access_end();
	}
	*ret = value;
	return true;

unreadable:
	user_access_end();
	return false;
}

/* A process's code mappings; last: the map of the previous frame, or NULL. */
struct code {
	u64 mm;
	const struct op_maps *maps;
	const struct op_map *last;
	bool unknown;		/* the mapping of the last frame was not known */
};

/* The table for the code at @cursor, and its offset in the file; NULL: none. */
static const struct op_unwind_table *table_at(struct code *code,
					      const struct op_unwind_cursor *cursor,
					      u64 *ret_offset)
{
	unsigned long place = op_unwind_place(cursor);
	const struct op_unwind_table *table;
	const struct op_map *map = code->last;

	code->unknown = !code->maps && op_maps_are_kept();
	if (!code->maps)
		return NULL;
	if (!map || place < map->start || place >= READ_ONCE(map->end))
		map = code->last = op_map_at(code->maps, place);
	if (!map) {
		code->unknown = true;
		op_maps_request(code->mm);
		return NULL;
	}
	if (!map->image) {
		op_maps_request_if_old(code->maps, code->mm);
		return NULL;
	}
	*ret_offset = map->offset + (place - map->start);
	table = op_image_table(map->image);
	if (!table)
		op_image_missed(map->image);
	return table;
}

/* Append the callers of @cursor's frame. */
static void walk(struct op_stack *c, u32 depth, u64 mm, struct op_unwind_cursor *cursor)
{
	struct code code = { .mm = mm, .maps = op_maps_find(mm) };
	struct reader reader = { .top = cursor->top,
				 .is_short = cursor->machine == OP_UNWIND_I386 };
	enum op_unwind_result result;
	u64 offset = 0;

	for (;;) {
		const struct op_unwind_table *table = table_at(&code, cursor, &offset);

		result = op_unwind_next(table, offset, cursor, read_user, &reader);
		if (result != OP_UNWIND_STEPPED)
			break;
		/* later additions must not leave user space */
		if (cursor->pc >= reader.top - 1) {
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
		c->end = op_unwind_end(result);
	if (code.unknown && (c->end == OP_STACK_NO_TABLE || c->end == OP_STACK_BAD_FRAME))
		c->end = OP_STACK_NO_MAPS;
	if (cursor->by_frame_pointer)
		c->end |= OP_STACK_FRAME_POINTERS;
}

void op_callers_find(struct op_stack *c, u32 depth, struct pt_regs *regs, u64 mm)
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
	/* during exec the registers may still be the old program's, whose memory is gone */
	if (!mm || current->in_execve || !op_user_cursor(&cursor, user))
		return;
	if (user != regs)
		op_unwind_start_entered(&cursor);
	else
		op_unwind_start(&cursor);
	if (partial) {
		cursor.known = 1u << op_unwind_sp(&cursor);
		cursor.in_syscall = false;
	}
	if (user != regs) {
		if (c->nr == depth) {
			c->end = OP_STACK_TRUNCATED;
			return;
		}
		c->callers[c->nr++] = op_unwind_caller(&cursor);
	}
	rcu_read_lock();
	pagefault_disable();
	walk(c, depth, mm, &cursor);
	pagefault_enable();
	rcu_read_unlock();
}
