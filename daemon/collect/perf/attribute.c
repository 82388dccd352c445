// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attribute.c - from (process, address) to (image, offset), for samples and their callers
 *
 * This is the hot path. Neighboring samples mostly share process and mapping, so the last ones are
 * tried before any table. An address in no executable mapping is not a caller: a damaged stack ends
 * there.
 */
#include "daemon/collect/perf/attribute.h"

#include <linux/perf_event.h>

#include "daemon/collect/perf/ibs.h"
#include "daemon/collect/perf/names.h"
#include "daemon/collect/perf/stacks.h"
#include "daemon/collect/perf/unwind.h"

#define TID_GONE	((uint32_t)-1)

/* x86-64's fixed page, which is in no process's mappings. */
#if defined(__x86_64__)
#define VSYSCALL_START	UINT64_C(0xffffffffff600000)
#define VSYSCALL_END	UINT64_C(0xffffffffff601000)
#else
#define VSYSCALL_START	UINT64_MAX
#define VSYSCALL_END	UINT64_MAX
#endif

static struct perf_process *process_of(struct perf_attribute *a, uint32_t tgid)
{
	if (a->generation != a->processes->generation || a->tgid != tgid) {
		a->process = perf_process_find(a->processes, tgid);
		a->mapping = NULL;
		a->tgid = tgid;
		a->generation = a->processes->generation;
	}
	return a->process;
}

/* The process; read from /proc if it is not completely known. */
static struct perf_process *known_process_of(struct perf_attribute *a, uint32_t tgid)
{
	struct perf_process *q = process_of(a, tgid);

	if ((q && q->known) || tgid == 0 || tgid == TID_GONE)
		return q;
	perf_process_read_again(a->processes, tgid);
	return process_of(a, tgid);
}

static const struct perf_mapping *mapping_of(struct perf_attribute *a, uint32_t tgid, uint64_t pc)
{
	struct perf_process *q = process_of(a, tgid);
	const struct perf_mapping *m = a->mapping;

	if (m && m->start <= pc && pc < m->end)
		return m;
	m = q ? perf_maps_find(q->maps, pc) : NULL;
	if (m)
		a->mapping = m;
	return m;
}

/* The mapping of the current process that @pc lies in, or NULL. Reads /proc again if needed. */
static const struct perf_mapping *find_mapping(struct perf_attribute *a, uint64_t pc)
{
	const struct perf_mapping *m = mapping_of(a, a->tgid, pc);

	if (!m && !perf_process_read_again(a->processes, a->tgid))
		m = mapping_of(a, a->tgid, pc);
	return m;
}

/* Write @pc, in @m or at its end. False: no word can hold its offset, nothing written. */
static bool emit_user(struct perf_attribute *a, const struct perf_mapping *m, uint64_t pc)
{
	uint64_t offset = m->offset + (pc - m->start);

	if (m->image->anonymous)
		perf_emit_anonymous(a->emit, m->start, m->end, m->image->path, pc);
	else if (offset == OP_ESCAPE)
		return false;
	else
		perf_emit_file(a->emit, perf_image_cookie(a->cookies, m->image), offset);
	return true;
}

/* ---- stacks ---- */

/* One stack being written. */
struct walk {
	struct perf_stacks *stacks;
	struct perf_attribute *attribute;
	struct perf_sample_stack stack;
	unsigned int left;		/* callers until the depth is reached */
	bool in_kernel;			/* the sample is */
	unsigned int flags;
};

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
static bool list_is_full(const struct walk *w)
{
	size_t nr = 0;

	for (size_t i = 0; i < w->stack.nr_addresses; i++)
		nr += !is_context(w->stack.addresses[i]);
	return nr >= w->stacks->max_addresses;
}

/* False: the requested depth is reached. */
static bool emit_kernel_caller(struct walk *w, uint64_t address)
{
	if (!w->left)
		return false;
	w->left--;
	perf_emit_kernel(w->attribute->emit, address);
	return true;
}

/*
 * Write the user caller @address, whose call, or instruction, is in @m. False: the stack ends here,
 * *ret_end says how.
 */
static bool emit_user_caller(struct walk *w, const struct perf_mapping *m, uint64_t address,
			     enum op_stack_end *ret_end)
{
	*ret_end = OP_STACK_TRUNCATED;
	if (!w->left)
		return false;
	w->left--;
	*ret_end = OP_STACK_BAD_FRAME;
	return emit_user(w->attribute, m, address);
}

static enum op_stack_end walk_copy(struct walk *w, struct perf_unwind *u)
{
	enum op_stack_end end = OP_STACK_COMPLETE;
	const struct op_unwind_table *table;
	bool is_leaf = !w->in_kernel, is_entered = w->in_kernel;

	do {
		uint64_t pc = perf_unwind_place(u);
		const struct perf_mapping *m = find_mapping(w->attribute, pc);

		/* an exec may have removed the mapping from which the kernel was entered [PC-88] */
		if (!m)
			return is_entered ? OP_STACK_NO_USER : OP_STACK_BAD_FRAME;
		is_entered = false;
		if (!is_leaf && !emit_user_caller(w, m, perf_unwind_caller(u), &end))
			return end;
		is_leaf = false;
		if (w->stack.is_32bit)
			return OP_STACK_NO_TABLE;
		table = perf_tables_get(&w->stacks->tables, m->image);
		if (!perf_unwind_step(u, table, m->offset + (pc - m->start), &end))
			return end;
	} while (true);
}

static enum op_stack_end write_user_by_tables(struct walk *w)
{
	struct perf_unwind u;
	enum op_stack_end end;

	if (!w->stack.registers)
		return w->in_kernel ? OP_STACK_NO_USER : OP_STACK_UNREADABLE;
	perf_unwind_begin(&u, &w->stack, w->in_kernel);
	end = walk_copy(w, &u);
	if (u.cursor.by_frame_pointer)
		w->flags |= OP_STACK_FRAME_POINTERS;
	perf_copy_size_add(&w->stacks->copy_size, u.needed, u.asked,
			   end == OP_STACK_SHORT_COPY ? u.beyond : 0);
	return end;
}

static enum op_stack_end write_user_by_list(struct walk *w)
{
	enum op_stack_end end = OP_STACK_COMPLETE;
	size_t nr, i = !w->in_kernel;
	const uint64_t *address = listed_after(&w->stack, (uint64_t)PERF_CONTEXT_USER, &nr);

	if (!nr)
		return w->in_kernel ? OP_STACK_NO_USER : OP_STACK_UNREADABLE;
	for (; i < nr; i++) {
		bool exact = i == 0;
		const struct perf_mapping *m = find_mapping(w->attribute, address[i] - !exact);

		if (!m)
			return exact ? OP_STACK_NO_USER : OP_STACK_BAD_FRAME;
		if (!emit_user_caller(w, m, address[i] + exact, &end))
			return end;
		w->flags |= OP_STACK_FRAME_POINTERS;
	}
	/* frame pointers end at the outermost frame or at code without them */
	return list_is_full(w) ? OP_STACK_TRUNCATED : OP_STACK_UNKNOWN;
}

static enum op_stack_end write_callers(struct walk *w)
{
	size_t nr;
	const uint64_t *address = listed_after(&w->stack, (uint64_t)PERF_CONTEXT_KERNEL, &nr);

	for (size_t i = 1; w->in_kernel && i < nr; i++)
		if (!emit_kernel_caller(w, address[i]))
			return OP_STACK_TRUNCATED;
	if (!w->stacks->copies)
		return write_user_by_list(w);
	return w->in_kernel && list_is_full(w) ? OP_STACK_TRUNCATED : write_user_by_tables(w);
}

/* Write the callers of @s, which was written as the leaf; its process is current. */
static void emit_stack(struct perf_attribute *a, const struct perf_sample *s)
{
	struct walk w = { .stacks = a->stacks, .attribute = a, .left = a->stacks->depth,
			  .in_kernel = s->mode == PERF_MODE_KERNEL };
	enum op_stack_end end = OP_STACK_UNREADABLE;

	if (!perf_sample_stack_parse(s->stack, s->stack_size, a->stacks->copies, &w.stack))
		end = write_callers(&w);
	perf_emit_stack_end(a->emit, end | w.flags);
}

/* ---- samples ---- */

/* False: the sample was counted as lost. */
static bool place_user_sample(struct perf_attribute *a, struct cpu_counts *counts,
			      const struct perf_sample *s)
{
	const struct perf_mapping *m = mapping_of(a, s->tgid, s->pc);

	if (!m && s->pc >= VSYSCALL_START && s->pc < VSYSCALL_END) {
		perf_emit_anonymous(a->emit, VSYSCALL_START, VSYSCALL_END, "[vsyscall]", s->pc);
		return true;
	}
	m = m ? m : find_mapping(a, s->pc);
	if (m && emit_user(a, m, s->pc))
		return true;
	if (m)
		counts->lost[LOST_INVALID_PC]++;
	else if (!a->process || !a->process->maps)
		counts->lost[LOST_NO_MM]++;
	else
		counts->lost[LOST_NO_MAPPING]++;
	return false;
}

static void place_sample(struct perf_attribute *a, struct cpu_counts *counts,
			 const struct perf_sample *s)
{
	bool has_stack = s->stack && a->stacks, placed = true;

	a->emit->counter = s->counter;
	a->emit->begins_stack = has_stack;
	if (s->mode == PERF_MODE_KERNEL)
		perf_emit_kernel(a->emit, s->pc);
	else
		placed = place_user_sample(a, counts, s);
	a->emit->begins_stack = false;
	a->emit->counter = 0;
	if (placed && has_stack)
		emit_stack(a, s);
}

static void write_sample(struct perf_attribute *a, struct perf_cpu_state *cpu,
		       const struct perf_sample *s)
{
	struct perf_process *q;
	op_word program;

	cpu->counts.received++;
	if (s->pc == OP_ESCAPE) {
		cpu->counts.lost[LOST_INVALID_PC]++;
		return;
	}
	if (s->mode == PERF_MODE_UNKNOWN) {
		cpu->counts.lost[LOST_NO_MODE]++;
		return;
	}
	q = known_process_of(a, s->tgid);
	program = q && q->program ? perf_image_cookie(a->cookies, q->program) : OP_NO_COOKIE;
	perf_emit_task(a->emit, s->tgid, s->tid, program);
	perf_emit_cgroup(a->emit, s->cgroup);
	if (a->comms)
		perf_emit_comm(a->emit, perf_comms_find(a->comms, s->tid));
	place_sample(a, &cpu->counts, s);
}

void perf_attribute_samples(struct perf_attribute *a, unsigned int cpu,
			    const struct perf_sample *s, size_t nr)
{
	struct perf_cpu_state *state = &a->cpus[cpu];

	perf_emit_cpu(a->emit, cpu);
	for (size_t i = 0; i < nr; i++) {
		struct perf_sample sample = s[i];

		/* a task has no ids after its exit: it is the last one that exited here */
		if (sample.tgid == TID_GONE) {
			sample.tgid = state->exiting_tgid;
			sample.tid = state->exiting_tid;
		}
		write_sample(a, state, &sample);
	}
}

/* [PC-61] */
static void write_ibs_sample(struct perf_attribute *a, const struct perf_record *r)
{
	enum op_code code = PERF_IBS_CODE(r->sample.counter);
	struct perf_emit *e = a->emit;

	if (r->cpu >= a->nr_cpus)
		return;
	e->nr_record = r->raw ? perf_ibs_words(code, a->branch_target, r->raw, r->raw_size,
					       e->record) : 0;
	e->record_code = code;
	if (e->nr_record) {
		perf_attribute_samples(a, r->cpu, &r->sample, 1);
	} else {
		a->cpus[r->cpu].counts.received++;
		a->cpus[r->cpu].counts.lost[LOST_STREAM]++;
	}
	e->nr_record = 0;
}

void perf_attribute_change(struct perf_attribute *a, const struct perf_record *r)
{
	if (r->kind == PERF_KIND_SAMPLE) {
		write_ibs_sample(a, r);
		return;
	}
	if (r->kind == PERF_KIND_CGROUP) {
		perf_cgroups_add(a->cgroups, r->cgroup.id, r->cgroup.path);
		return;
	}
	if (r->kind == PERF_KIND_EXIT && r->cpu < a->nr_cpus) {
		a->cpus[r->cpu].exiting_tgid = r->tgid;
		a->cpus[r->cpu].exiting_tid = r->tid;
	}
	if (a->comms)
		perf_comms_change(a->comms, r);
	perf_processes_change(a->processes, r);
}

void perf_attribute_run(struct perf_attribute *a, struct perf_order *order, uint64_t bound)
{
	struct perf_order_item item;

	while (perf_order_next(order, bound, &item)) {
		if (item.change)
			perf_attribute_change(a, item.change);
		else
			perf_attribute_samples(a, item.cpu, item.samples, item.nr_samples);
	}
}
