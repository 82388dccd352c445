// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attribute.c - from (process, address) to (image, offset), for samples and their callers
 *
 * This is the hot path. Neighboring samples mostly share process and mapping, so the last ones are
 * tried before any table. An address in no executable mapping is not a caller: a damaged stack ends
 * there.
 */
#include "daemon/collect/perf/attribute.h"

#include <string.h>

#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/held.h"
#include "daemon/collect/perf/ibs.h"
#include "daemon/collect/perf/names.h"
#include "daemon/collect/perf/pushed.h"
#include "daemon/collect/perf/stacks.h"
#include "libdb/session/kernel_symbols.h"

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

static bool is_stale(const struct perf_attribute *a, const struct perf_process *q)
{
	return perf_process_is_stale(a->processes, q);
}

/* The process; read from /proc if it is not completely known. */
static struct perf_process *known_process_of(struct perf_attribute *a, uint32_t tgid)
{
	struct perf_process *q = process_of(a, tgid);

	if ((q && q->known && !is_stale(a, q)) || tgid == 0 || tgid == TID_GONE)
		return q;
	perf_process_read_again(a->processes, tgid);
	return process_of(a, tgid);
}

static struct perf_maps *maps_of(struct perf_attribute *a)
{
	struct perf_process *q = a->held_maps ? NULL : process_of(a, a->tgid);

	if (!q)
		return a->held_maps;
	return is_stale(a, q) ? NULL : q->maps;
}

static const struct perf_mapping *mapping_of(struct perf_attribute *a, uint64_t pc)
{
	/* first, because that forgets the last mapping if it changed */
	const struct perf_maps *maps = maps_of(a);
	const struct perf_mapping *m = a->mapping;

	if (!m || m->start > pc || pc >= m->end)
		m = maps ? perf_maps_find(maps, pc) : NULL;
	if (m)
		a->mapping = m;
	a->is_uncertain = m && m->since > a->time;
	return a->is_uncertain ? NULL : m;
}

/*
 * The mapping of the current process that @pc lies in, or NULL. /proc is read again if needed, but
 * once for a sample, because a walk keeps what it found before.
 */
static const struct perf_mapping *find_mapping(void *attribute, uint64_t pc)
{
	struct perf_attribute *a = attribute;
	const struct perf_mapping *m = mapping_of(a, pc);

	if (m || a->is_uncertain || a->held_maps || a->has_read)
		return m;
	perf_maps_put(a->cookies, a->kept_maps);
	a->kept_maps = perf_maps_share(maps_of(a));
	a->has_read = true;
	return perf_process_read_again(a->processes, a->tgid) ? NULL : mapping_of(a, pc);
}

/* Write @pc, which is in @m or at its end and has a place there. */
static void emit_user(struct perf_attribute *a, const struct perf_mapping *m, uint64_t pc)
{
	if (m->image->anonymous)
		perf_emit_anonymous(a->emit, m->start, m->end, m->image->path, pc);
	else
		perf_emit_file(a->emit, perf_image_cookie(a->cookies, m->image),
			       perf_mapping_offset(m, pc));
}

/* ---- samples ---- */

static struct perf_image vsyscall_image = { .path = (char *)"[vsyscall]", .anonymous = true };
static const struct perf_mapping vsyscall = { .start = VSYSCALL_START, .end = VSYSCALL_END,
					      .image = &vsyscall_image };

/* A sample and what is known of its task; then its place and its stack. */
struct placed {
	const struct perf_sample *sample;
	unsigned int cpu;
	op_word program;
	struct perf_process *process;	/* NULL: unknown, or a held sample's */
	const char *comm;
	const struct perf_mapping *mapping;	/* NULL: in the kernel */
	uint64_t pc;			/* in that */
	bool has_stack;
};

/* False: it is lost, under *ret_reason. */
static bool place_sample(struct perf_attribute *a, struct placed *p, enum loss_reason *ret_reason)
{
	uint64_t pc = p->sample->pc;

	if (p->sample->mode == PERF_MODE_KERNEL)
		return true;
	p->mapping = mapping_of(a, pc);
	if (!p->mapping && pc >= VSYSCALL_START && pc < VSYSCALL_END)
		p->mapping = &vsyscall;
	if (!p->mapping)
		p->mapping = find_mapping(a, pc);
	if (p->mapping && perf_mapping_has_place(p->mapping, pc))
		return true;
	if (p->mapping)
		*ret_reason = LOST_INVALID_PC;
	else if (a->is_uncertain || (p->process && is_stale(a, p->process)))
		*ret_reason = LOST_STALE_MAPPINGS;
	else if (!maps_of(a))
		*ret_reason = LOST_NO_MM;
	else
		*ret_reason = maps_of(a)->is_cut ? LOST_LIMIT : LOST_NO_MAPPING;
	return false;
}

/* Find the stack. Returns the image whose table must be waited for, or NULL. */
static struct perf_image *walk(struct perf_attribute *a, const struct placed *p,
			       const struct perf_sample_stack *stack,
			       const struct perf_entry *entry, bool may_wait)
{
	struct perf_walk *w = &a->walk;
	const struct perf_sample *s = p->sample;

	w->stacks = a->stacks;
	w->cookies = a->cookies;
	w->find = find_mapping;
	w->context = a;
	w->stack = stack;
	w->leaf = p->mapping;
	w->pc = s->pc;
	w->to_push = a->pushed;
	w->to_push_made = p->process ? a->pushed : NULL;
	w->pushed = stack->walked ? perf_pushed_maps(a->pushed, stack->walked->serial, s->tgid) :
				    NULL;
	w->in_kernel = s->mode == PERF_MODE_KERNEL;
	w->may_wait = may_wait;
	w->tgid = s->tgid;
	w->since = p->process ? p->process->memory_since : 0;
	w->time = s->time;
	w->entry = entry && s->tid == s->tgid ? *entry : (struct perf_entry){ 0, 0 };
	return perf_walk_stack(w);
}

/* Keep what a complete stack shows of the main thread. */
static void keep_entry(struct perf_attribute *a, const struct placed *p)
{
	const struct perf_walk *w = &a->walk;

	if (w->found.address && p->process && p->process->program == w->found_image &&
	    p->sample->tid == p->sample->tgid)
		p->process->entry = w->found;
}

static void emit_stack(struct perf_attribute *a)
{
	const struct perf_walk *w = &a->walk;

	for (unsigned int i = 0; i < w->nr; i++) {
		const struct perf_frame *f = &w->frames[i];

		if (f->mapping)
			emit_user(a, f->mapping, f->address);
		else
			perf_emit_kernel(a->emit, f->address);
	}
	perf_emit_stack_end(a->emit, w->end);
}

/* Write what was found. */
static void emit_sample(struct perf_attribute *a, const struct placed *p)
{
	const struct perf_sample *s = p->sample;

	a->cpus[p->cpu].counts.received++;
	a->cpus[p->cpu].counts.stacks_interpreter += p->has_stack && a->walk.has_interpreter;
	perf_emit_task(a->emit, s->tgid, s->tid, p->program);
	perf_emit_cgroup(a->emit, s->cgroup);
	if (a->comms)
		perf_emit_comm(a->emit, p->comm);
	a->emit->counter = s->counter;
	a->emit->begins_stack = p->has_stack;
	if (p->mapping)
		emit_user(a, p->mapping, p->pc);
	else
		perf_emit_kernel(a->emit, s->pc);
	a->emit->begins_stack = false;
	a->emit->counter = 0;
	a->emit->nr_record = 0;
	if (p->has_stack)
		emit_stack(a);
}

/* Keep the sample until @wanted has its table. False: impossible. */
static bool hold(struct perf_attribute *a, const struct placed *p,
		 const struct perf_sample_stack *stack, struct perf_image *wanted)
{
	struct perf_maps *maps = maps_of(a);
	struct perf_held_sample *h = maps ? perf_held_add(a->held, p->sample, stack, maps, wanted,
							  p->comm) : NULL;

	if (!h)
		return false;
	h->cpu = p->cpu;
	h->program = p->program;
	if (p->process) {
		h->entry = p->process->entry;
		h->program_image = perf_image_ref(p->process->program);
	}
	return true;
}

/* What the program did not know, or no longer knows, it is to know for the next sample. */
static void push_process(struct perf_attribute *a, const struct placed *p,
			 const struct perf_sample_stack *stack)
{
	if (a->pushed && p->process && p->process->known && !is_stale(a, p->process) &&
	    (!stack->walked || stack->walked->serial))
		perf_pushed_process(a->pushed, p->process);
}

/* False: the sample waits for a table. */
static bool find_stack(struct perf_attribute *a, struct placed *p)
{
	const struct perf_entry *entry = p->process ? &p->process->entry : NULL;
	bool is_record = a->emit->nr_record;	/* of IBS, which is not held */
	struct perf_sample_stack stack;
	struct perf_image *wanted;

	if (p->sample->walked ?
	    perf_sample_walked_parse(p->sample->stack, p->sample->stack_size, &stack) :
	    perf_sample_stack_parse(p->sample->stack, p->sample->stack_size, is_record,
				    a->stacks->copies, &stack)) {
		a->walk.nr = 0;
		a->walk.end = OP_STACK_UNREADABLE;
		return true;
	}
	a->nr_walked += stack.walked != NULL;
	push_process(a, p, &stack);
	wanted = walk(a, p, &stack, entry, a->held && !is_record);
	if (!wanted) {
		keep_entry(a, p);
		if (a->walk.interpreted.mapping) {
			p->mapping = a->walk.interpreted.mapping;
			p->pc = a->walk.interpreted.address;
		}
		return true;
	}
	if (hold(a, p, &stack, wanted))
		return false;
	(void)walk(a, p, &stack, entry, false);
	return true;
}

static void lose(struct perf_attribute *a, unsigned int cpu, enum loss_reason reason)
{
	a->cpus[cpu].counts.received++;
	a->cpus[cpu].counts.lost[reason]++;
}

static void write_sample(struct perf_attribute *a, unsigned int cpu, const struct perf_sample *s)
{
	struct placed p = { .sample = s, .cpu = cpu, .comm = "", .program = OP_NO_COOKIE,
			    .pc = s->pc,
			    .has_stack = s->stack && a->stacks };
	enum loss_reason reason;

	/* the tasks of other PID namespaces have no ids either, but user code */
	if (a->skip_idle && !s->tgid && !s->tid && s->mode == PERF_MODE_KERNEL) {
		a->cpus[cpu].counts.received++;
		a->cpus[cpu].counts.idle++;
		return;
	}
	if (s->pc == OP_ESCAPE) {
		lose(a, cpu, LOST_INVALID_PC);
		return;
	}
	if (s->mode == PERF_MODE_UNKNOWN) {
		lose(a, cpu, LOST_NO_MODE);
		return;
	}
	p.process = known_process_of(a, s->tgid);
	a->time = s->time;
	if (p.process && p.process->program && !is_stale(a, p.process) &&
	    p.process->program_since <= s->time)
		p.program = perf_image_cookie(a->cookies, p.process->program);
	if (a->comms)
		p.comm = perf_comms_find(a->comms, s->tid);
	if (!place_sample(a, &p, &reason))
		lose(a, cpu, reason);
	else if (!p.has_stack || find_stack(a, &p))
		emit_sample(a, &p);
	perf_maps_put(a->cookies, a->kept_maps);
	a->kept_maps = NULL;
	a->has_read = false;
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
		write_sample(a, cpu, &sample);
	}
}

/* ---- held samples ---- */

/* Its mappings are those of its time. False: it waits on. */
static bool write_held(struct perf_attribute *a, struct perf_held_sample *h, bool may_wait)
{
	struct placed p = { .sample = &h->sample, .cpu = h->cpu, .comm = h->comm,
			    .pc = h->sample.pc,
			    .program = h->program, .has_stack = true };
	const struct op_unwind_table *table;
	enum loss_reason reason;
	bool placed;

	/* most wait for the same few tables: no need to walk again */
	if (may_wait && !perf_tables_get(&a->stacks->tables, h->wanted, &table))
		return false;
	a->tgid = h->sample.tgid;
	a->time = h->sample.time;
	a->held_maps = h->maps;
	a->mapping = NULL;
	placed = place_sample(a, &p, &reason);
	if (placed) {
		h->wanted = walk(a, &p, &h->stack, &h->entry, may_wait);
		if (!h->wanted) {
			perf_emit_cpu(a->emit, h->cpu);
			emit_sample(a, &p);
		}
	} else {
		lose(a, h->cpu, reason);	/* cannot be: it was placed before */
	}
	a->held_maps = NULL;
	a->mapping = NULL;
	a->process = NULL;
	a->generation = a->processes->generation - 1;
	return !placed || !h->wanted;
}

void perf_attribute_held(struct perf_attribute *a, bool all)
{
	struct perf_held_sample *h, *next;
	uint64_t now;

	if (!a->held || list_empty(&a->held->samples))
		return;
	now = perf_now();
	list_for_each_entry_safe(h, next, &a->held->samples, list)
		if (write_held(a, h, !all && now < h->until))
			perf_held_remove(a->held, h);
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
	if (r->kind == PERF_KIND_CODE) {
		if (kernel_bpf_name(r->code.name, strlen(r->code.name)))
			perf_emit_code(a->emit, r->code.is_loaded, r->code.start, r->code.size,
				       r->code.name);
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
