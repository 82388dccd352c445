// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callers.c - a chain's kernel part, its user part and its end
 *
 * An address that is in no mapping where code runs is no caller, whoever found it: so what is
 * wrong on a stack ends a chain and does not lead it through the dark.
 */
#include "daemon/collect/perf/callers.h"

#include <linux/perf_event.h>

#include "daemon/collect/perf/attribute.h"
#include "daemon/collect/perf/chain.h"
#include "daemon/collect/perf/unwind.h"

/* One chain on its way out. */
struct way {
	struct perf_callers *callers;
	struct perf_attribute *attribute;
	struct perf_chain chain;
	unsigned int left;		/* callers that there is room for */
	bool in_kernel;			/* is where the sample was */
	unsigned int flags;
};

static bool is_context(uint64_t address)
{
	return address >= (uint64_t)PERF_CONTEXT_MAX;
}

/* The part of the kernel's list behind the mark @context; how many, *ret_nr. */
static const uint64_t *listed(const struct perf_chain *c, uint64_t context, size_t *ret_nr)
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

/* The kernel stopped listing since there was no more room. */
static bool list_is_full(const struct way *w)
{
	size_t nr = 0;

	for (size_t i = 0; i < w->chain.nr_addresses; i++)
		nr += !is_context(w->chain.addresses[i]);
	return nr >= w->callers->max_addresses;
}

/* False: there is no room for it. */
static bool emit_kernel(struct way *w, uint64_t address)
{
	if (!w->left)
		return false;
	w->left--;
	perf_emit_kernel(w->attribute->emit, address);
	return true;
}

/*
 * Write the user caller @address, whose call, or instruction, is in @m. *ret_end is set if that
 * ends the chain.
 */
static bool emit_user(struct way *w, const struct perf_mapping *m, uint64_t address,
		      enum op_stack_end *ret_end)
{
	*ret_end = OP_STACK_TRUNCATED;
	if (!w->left)
		return false;
	w->left--;
	*ret_end = OP_STACK_BAD_FRAME;
	return perf_attribute_emit(w->attribute, m, address);
}

static enum op_stack_end walk(struct way *w, struct perf_unwind *u)
{
	enum op_stack_end end = OP_STACK_COMPLETE;
	const struct op_unwind_table *table;
	bool is_leaf = !w->in_kernel, is_entered = w->in_kernel;

	do {
		uint64_t pc = perf_unwind_place(u);
		const struct perf_mapping *m = perf_attribute_find(w->attribute, pc);

		if (!m)		/* something was where the kernel was entered, till exec [PC-88] */
			return is_entered ? OP_STACK_NO_USER : OP_STACK_BAD_FRAME;
		is_entered = false;
		if (!is_leaf && !emit_user(w, m, perf_unwind_caller(u), &end))
			return end;
		is_leaf = false;
		if (w->chain.is_32bit)
			return OP_STACK_NO_TABLE;
		table = perf_tables_get(&w->callers->tables, m->image);
		if (!perf_unwind_step(u, table, m->offset + (pc - m->start), &end))
			return end;
	} while (true);
}

static enum op_stack_end user_by_tables(struct way *w)
{
	struct perf_copy_size *size = &w->callers->copy_size;
	struct perf_unwind u;
	enum op_stack_end end;

	if (!w->chain.registers)
		return w->in_kernel ? OP_STACK_NO_USER : OP_STACK_UNREADABLE;
	perf_unwind_begin(&u, &w->chain, w->in_kernel);
	end = walk(w, &u);
	if (u.cursor.by_frame_pointer)
		w->flags |= OP_STACK_FRAME_POINTERS;
	perf_copy_size_chain(size, u.needed, u.asked, end == OP_STACK_SHORT_COPY ? u.beyond : 0);
	return end;
}

static enum op_stack_end user_as_listed(struct way *w)
{
	enum op_stack_end end = OP_STACK_COMPLETE;
	size_t nr, i = !w->in_kernel;
	const uint64_t *address = listed(&w->chain, (uint64_t)PERF_CONTEXT_USER, &nr);

	if (!nr)
		return w->in_kernel ? OP_STACK_NO_USER : OP_STACK_UNREADABLE;
	for (; i < nr; i++) {
		bool exact = i == 0;
		const struct perf_mapping *m =
			perf_attribute_find(w->attribute, address[i] - !exact);

		if (!m)
			return exact ? OP_STACK_NO_USER : OP_STACK_BAD_FRAME;
		if (!emit_user(w, m, address[i] + exact, &end))
			return end;
		w->flags |= OP_STACK_FRAME_POINTERS;
	}
	/* frame pointers led no further: at the outermost frame, or at code without any */
	return list_is_full(w) ? OP_STACK_TRUNCATED : OP_STACK_UNTOLD;
}

static enum op_stack_end kernel_then_user(struct way *w)
{
	size_t nr;
	const uint64_t *address = listed(&w->chain, (uint64_t)PERF_CONTEXT_KERNEL, &nr);

	for (size_t i = 1; w->in_kernel && i < nr; i++)
		if (!emit_kernel(w, address[i]))
			return OP_STACK_TRUNCATED;
	if (!w->callers->copies)
		return user_as_listed(w);
	return w->in_kernel && list_is_full(w) ? OP_STACK_TRUNCATED : user_by_tables(w);
}

void perf_callers_emit(struct perf_callers *k, struct perf_attribute *a,
		       const struct perf_sample *s)
{
	struct way w = { .callers = k, .attribute = a, .left = k->depth,
			 .in_kernel = s->mode == PERF_MODE_KERNEL };
	enum op_stack_end end = OP_STACK_UNREADABLE;

	if (!perf_chain_parse(s->chain, s->chain_size, k->copies, &w.chain))
		end = kernel_then_user(&w);
	perf_emit_stack_end(a->emit, end | w.flags);
}
