// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * walk.c - find the callers of a sample
 *
 * A stack deeper than was asked for keeps its innermost frames and, if its outermost ones are in
 * the copy, too, some of these: which program and which thread it was remains known [PC-89].
 */
#include "daemon/collect/perf/walk.h"

#include <linux/perf_event.h>
#include <string.h>

#include "daemon/collect/bpf/shared.h"
#include "daemon/collect/perf/pushed.h"
#include "daemon/collect/perf/stacks.h"
#include "daemon/collect/perf/unwind.h"

#define FRAMES_MAX	4096	/* walked: a copy may have 7680, at some 50 ns each */
#define MAIN_STACK	(UINT64_C(8) << 20)	/* no other memory is so close to the main stack */

static bool is_context(uint64_t address)
{
	return address >= (uint64_t)PERF_CONTEXT_MAX;
}

/* The *ret_nr addresses of the kernel's list after the marker @context. */
static const uint64_t *listed_after(const struct perf_sample_stack *c, uint64_t context,
				    size_t *ret_nr)
{
	size_t first = 0, end;

	while (first < c->nr_addresses && c->addresses[first] != context)
		first++;
	if (first < c->nr_addresses)
		first++;
	for (end = first; end < c->nr_addresses && !is_context(c->addresses[end]); end++)
		;
	*ret_nr = end - first;
	return c->addresses + first;
}

/* Whether the kernel's list ended for lack of room. */
static bool list_is_full(const struct perf_walk *w)
{
	size_t nr = 0;

	for (size_t i = 0; i < w->stack->nr_addresses; i++)
		nr += !is_context(w->stack->addresses[i]);
	return nr >= w->stacks->max_addresses;
}

static unsigned int depth_of(const struct perf_walk *w)
{
	return w->stacks->depth < OP_STACK_DEPTH_MAX ? w->stacks->depth : OP_STACK_DEPTH_MAX;
}

/* How many of the frames are the outermost ones if the stack is deeper than was asked for. */
static unsigned int nr_outer(const struct perf_walk *w)
{
	unsigned int nr = depth_of(w) / PERF_OUTER_SHARE;

	return nr < PERF_OUTER_MAX ? nr : PERF_OUTER_MAX;
}

/* False: the requested depth is reached. */
static bool add_frame(struct perf_walk *w, const struct perf_mapping *m, uint64_t address)
{
	if (w->nr == depth_of(w))
		return false;
	w->frames[w->nr++] = (struct perf_frame){ m, address };
	return true;
}

/*
 * The same in a walk that can see the outermost frames: further frames replace each other in a
 * ring, the last ones of frames[].
 */
static bool add_copied(struct perf_walk *w, const struct perf_mapping *m, uint64_t address)
{
	unsigned int outer = nr_outer(w), first = depth_of(w) - outer;

	if (add_frame(w, m, address))
		return true;
	if (!outer || w->nr + w->nr_omitted >= FRAMES_MAX)
		return false;
	w->frames[first + w->nr_omitted++ % outer] = (struct perf_frame){ m, address };
	return true;
}

/* Put the ring of the outermost frames in order. */
static void turn_outer(struct perf_walk *w)
{
	struct perf_frame in_order[PERF_OUTER_MAX];
	unsigned int outer = nr_outer(w), first = depth_of(w) - outer;

	for (unsigned int i = 0; i < outer; i++)
		in_order[i] = w->frames[first + (w->nr_omitted + i) % outer];
	for (unsigned int i = 0; i < outer; i++)
		w->frames[first + i] = in_order[i];
}

/*
 * The outermost frame of the main thread never returns, so what a complete stack showed of it
 * remains true until exec, on the same stack.
 */
static bool add_entry(struct perf_walk *w, uint64_t sp)
{
	const struct perf_mapping *m;

	if (!w->entry.address || sp >= w->entry.sp || w->entry.sp - sp > MAIN_STACK ||
	    (w->nr && w->frames[w->nr - 1].address == w->entry.address))
		return false;
	m = w->find(w->context, w->entry.address - 1);
	if (!m || m->image->anonymous || !perf_mapping_has_place(m, w->entry.address))
		return false;
	(void)perf_image_cookie(w->cookies, m->image);
	if (w->nr == depth_of(w))
		w->nr--;
	return add_frame(w, m, w->entry.address);
}

static bool is_incomplete(enum op_stack_end end)
{
	return end != OP_STACK_COMPLETE && end != OP_STACK_NO_USER && end != OP_STACK_UNKNOWN;
}

/* What is kept of a deep stack, and how that is written [EB-44]. */
static void end_walked(struct perf_walk *w, uint64_t sp, enum op_stack_end end)
{
	unsigned int outer = 0;

	if (w->nr_omitted) {
		if (end == OP_STACK_COMPLETE)
			turn_outer(w);
		else
			w->nr -= nr_outer(w);
		outer = end == OP_STACK_COMPLETE ? nr_outer(w) : 0;
		end = OP_STACK_TRUNCATED;
	}
	if (!outer && is_incomplete(end))
		outer = add_entry(w, sp);
	w->end = end | w->flags | outer << OP_STACK_OUTER_SHIFT;
}

/* The table for @pc in @m, or NULL, and the offset in it. False: it is being built. */
static bool find_table(struct perf_walk *w, const struct perf_mapping *m, uint64_t pc,
		       const struct op_unwind_table **ret, uint64_t *ret_offset)
{
	struct perf_tables *tables = &w->stacks->tables;

	if (perf_image_is_made(m->image)) {
		*ret_offset = (uint32_t)pc;
		return perf_tables_made(tables, w->tgid, pc, w->since, w->time, ret);
	}
	*ret_offset = perf_mapping_offset(m, pc);
	return perf_tables_get(tables, m->image, ret);
}

/* NULL: done, *ret_end says how. */
static struct perf_image *walk_copy(struct perf_walk *w, struct perf_unwind *u,
				    enum op_stack_end *ret_end)
{
	bool is_supported = perf_unwind_begin(u, w->stack, w->in_kernel);
	bool is_leaf = !w->in_kernel, is_entered = w->in_kernel;
	const struct op_unwind_table *table;
	uint64_t offset;

	do {
		uint64_t pc = perf_unwind_place(u);
		const struct perf_mapping *m = w->find(w->context, pc);

		/* an exec may have removed the mapping from which the kernel was entered [PC-88] */
		*ret_end = is_entered ? OP_STACK_NO_USER : OP_STACK_BAD_FRAME;
		if (!m || !perf_mapping_has_place(m, pc))
			return NULL;
		is_entered = false;
		*ret_end = OP_STACK_TRUNCATED;
		if (!is_leaf && !add_copied(w, m, perf_unwind_caller(u)))
			return NULL;
		w->found = (struct perf_entry){ u->cursor.floor,
						is_leaf ? 0 : perf_unwind_caller(u) };
		w->found_image = m->image;
		is_leaf = false;
		*ret_end = OP_STACK_NO_TABLE;
		if (!is_supported)
			return NULL;
		(void)perf_image_cookie(w->cookies, m->image);
		if (!find_table(w, m, pc, &table, &offset)) {
			if (w->may_wait)
				return m->image;
		} else if (!perf_image_is_made(m->image)) {
			if (w->to_push)
				perf_pushed_table(w->to_push, m->image, table);
		} else if (table && w->to_push_made) {
			perf_pushed_made(w->to_push_made, w->tgid, w->since, pc, table);
		}
		w->has_interpreter |= m->image->unwind.table &&
				      m->image->unwind.table->runtime.number;
		if (!perf_unwind_step(u, table, offset, ret_end))
			return NULL;
	} while (true);
}

static struct perf_image *find_by_tables(struct perf_walk *w)
{
	enum op_stack_end end;
	struct perf_image *wanted;
	struct perf_unwind u;

	w->end = w->in_kernel ? OP_STACK_NO_USER : OP_STACK_UNREADABLE;
	if (!w->stack->registers)
		return NULL;
	wanted = walk_copy(w, &u, &end);
	if (wanted)
		return wanted;
	if (u.cursor.by_frame_pointer)
		w->flags |= OP_STACK_FRAME_POINTERS;
	if (end != OP_STACK_COMPLETE || w->flags)
		w->found.address = 0;
	perf_copy_size_add(&w->stacks->copy_size, u.needed, u.size, u.asked,
			   end == OP_STACK_SHORT_COPY ? u.beyond : 0);
	end_walked(w, u.sp, end);
	return NULL;
}

/* Whether the program knew @pc, which is in @m, as what it was: else it had the wrong table. */
static bool was_pushed(const struct perf_walk *w, const struct perf_mapping *m, uint64_t pc)
{
	const struct perf_mapping *then = w->pushed ? perf_maps_find(w->pushed, pc) : NULL;

	return then && (then == m || (then->image == m->image &&
				      then->offset - then->start == m->offset - m->start));
}

/* Interpreted code is in memory with the name of the runtime. */
#define INTERPRETED(kind, text)							\
	[kind] = { .end = OP_RUNTIME_END, .image = &(struct perf_image){		\
			.path = (char *)(text), .anonymous = true } }
static const struct perf_mapping interpreted[OP_RUNTIME_KINDS] = {
	INTERPRETED(OP_RUNTIME_PYTHON, OP_RUNTIME_PYTHON_NAME),
	INTERPRETED(OP_RUNTIME_PHP, OP_RUNTIME_PHP_NAME),
	INTERPRETED(OP_RUNTIME_RUBY, OP_RUNTIME_RUBY_NAME),
};

/* The frame at @address[0] and [1], as a caller; its object is to be read. */
static struct perf_frame interpreted_frame(struct perf_walk *w, const uint64_t *address)
{
	uint64_t object = address[0] & ~BPF_INTERPRETED, offset = address[1] & ~BPF_INTERPRETED;
	uint32_t number = (uint32_t)(offset >> BPF_RUNTIME_SHIFT) & (OP_RUNTIME_ROOM - 1);

	perf_tables_interpreted(&w->stacks->tables, w->tgid, object, number);
	return (struct perf_frame){ &interpreted[op_runtime_tables[number].kind],
				    object + (uint32_t)offset + 1 };
}

/*
 * The sample's own place if it is in an interpreter, and the interpreted frames that follow: they
 * need no mapping. False: no room. *ret_nr: addresses used, 0 if the next is another frame.
 */
static bool add_interpreted(struct perf_walk *w, const struct bpf_stack *s, unsigned int i,
			    unsigned int *ret_nr)
{
	const uint64_t *address = s->addresses + s->nr_kernel;
	struct perf_frame f;

	*ret_nr = 0;
	if (i + 1 >= s->nr_user || !(address[i] & BPF_INTERPRETED))
		return true;
	*ret_nr = 2;
	f = interpreted_frame(w, address + i);
	if (i || !s->is_leaf_interpreted)
		return add_copied(w, f.mapping, f.address);
	w->interpreted = (struct perf_frame){ f.mapping, f.address - 1 };
	return true;
}

/* [PC-96] The frames after a wrong table are wrong, so those before it are kept. */
static void find_by_program(struct perf_walk *w)
{
	const struct bpf_stack *s = w->stack->walked;
	const uint64_t *address = s->addresses + s->nr_kernel;
	enum op_stack_end end = s->end & OP_STACK_END_MASK;
	unsigned int nr;

	w->flags = s->end & OP_STACK_FRAME_POINTERS;
	if (s->serial && w->leaf && !was_pushed(w, w->leaf, w->pc)) {
		w->end = OP_STACK_NO_MAPS;
		return;
	}
	for (unsigned int i = 0; i < s->nr_user; i += nr ? nr : 1) {
		const struct perf_mapping *m;

		if (!add_interpreted(w, s, i, &nr)) {
			end = OP_STACK_TRUNCATED;
			break;
		}
		if (nr)
			continue;
		m = w->find(w->context, address[i] - 1);
		if (!m || !perf_mapping_has_place(m, address[i])) {
			end = OP_STACK_NO_MAPS;
			break;
		}
		if (!add_copied(w, m, address[i])) {
			end = OP_STACK_TRUNCATED;
			break;
		}
		(void)perf_image_cookie(w->cookies, m->image);
		w->found = (struct perf_entry){ s->sp, address[i] };
		w->found_image = m->image;
		if (!was_pushed(w, m, address[i] - 1)) {
			end = OP_STACK_NO_MAPS;
			break;
		}
	}
	if (end != OP_STACK_COMPLETE || w->flags)
		w->found.address = 0;
	end_walked(w, s->sp, end);
}

/* The sample's own address comes first; before it newer kernels put a marker. */
static bool add_walked_kernel(struct perf_walk *w)
{
	const struct bpf_stack *s = w->stack->walked;
	unsigned int i = s->nr_kernel && is_context(s->addresses[0]);

	while (++i < s->nr_kernel)
		if (!add_frame(w, NULL, s->addresses[i]))
			return false;
	return true;
}

static unsigned int find_by_list(struct perf_walk *w)
{
	size_t nr, i = !w->in_kernel;
	const uint64_t *address = listed_after(w->stack, (uint64_t)PERF_CONTEXT_USER, &nr);

	if (!nr)
		return w->in_kernel ? OP_STACK_NO_USER : OP_STACK_UNREADABLE;
	for (; i < nr; i++) {
		bool exact = i == 0;
		const struct perf_mapping *m = w->find(w->context, address[i] - !exact);

		if (!m)
			return exact ? OP_STACK_NO_USER : OP_STACK_BAD_FRAME;
		if (!perf_mapping_has_place(m, address[i] + exact))
			return OP_STACK_BAD_FRAME;
		if (!add_frame(w, m, address[i] + exact))
			return OP_STACK_TRUNCATED;
		w->flags |= OP_STACK_FRAME_POINTERS;
	}
	/* frame pointers end at the outermost frame or at code without them */
	return list_is_full(w) ? OP_STACK_TRUNCATED : OP_STACK_UNKNOWN;
}

struct perf_image *perf_walk_stack(struct perf_walk *w)
{
	size_t nr;
	const uint64_t *address = listed_after(w->stack, (uint64_t)PERF_CONTEXT_KERNEL, &nr);

	w->nr = w->nr_omitted = w->flags = 0;
	w->interpreted.mapping = NULL;
	w->has_interpreter = false;
	w->found = (struct perf_entry){ 0, 0 };
	w->end = OP_STACK_TRUNCATED;
	if (w->stack->walked) {
		if (add_walked_kernel(w))
			find_by_program(w);
		return NULL;
	}
	for (size_t i = 1; w->in_kernel && i < nr; i++)
		if (!add_frame(w, NULL, address[i]))
			return NULL;
	if (!w->stacks->copies) {
		w->end = find_by_list(w);
		w->end |= w->flags;
		return NULL;
	}
	return w->in_kernel && list_is_full(w) ? NULL : find_by_tables(w);
}
