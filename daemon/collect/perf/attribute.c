// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attribute.c - from (process, address) to (image, offset)
 *
 * The hot path: neighbouring samples mostly share process and mapping, so the last ones are tried
 * before any table is.
 */
#include "daemon/collect/perf/attribute.h"
#include "daemon/collect/perf/callers.h"
#include "daemon/collect/perf/cgroups.h"
#include "daemon/collect/perf/comms.h"
#include "daemon/collect/perf/ibs.h"

#define TID_GONE	((uint32_t)-1)

/* x86-64's fixed page, mapped in no process' table. */
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

/* The process, looked up in /proc if we don't know all of it yet. */
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

const struct perf_mapping *perf_attribute_find(struct perf_attribute *a, uint64_t pc)
{
	const struct perf_mapping *m = mapping_of(a, a->tgid, pc);

	if (!m && !perf_process_read_again(a->processes, a->tgid))
		m = mapping_of(a, a->tgid, pc);
	return m;
}

bool perf_attribute_emit(struct perf_attribute *a, const struct perf_mapping *m, uint64_t pc)
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

/* Whether it is in words now: else it is counted as lost. */
static bool user_sample(struct perf_attribute *a, struct cpu_counts *counts,
			const struct perf_sample *s)
{
	const struct perf_mapping *m = mapping_of(a, s->tgid, s->pc);

	if (!m && s->pc >= VSYSCALL_START && s->pc < VSYSCALL_END) {
		perf_emit_anonymous(a->emit, VSYSCALL_START, VSYSCALL_END, "[vsyscall]", s->pc);
		return true;
	}
	m = m ? m : perf_attribute_find(a, s->pc);
	if (m && perf_attribute_emit(a, m, s->pc))
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
	bool has_callers = s->chain && a->callers, placed = true;

	a->emit->counter = s->counter;
	a->emit->begins_chain = has_callers;
	if (s->mode == PERF_MODE_KERNEL)
		perf_emit_kernel(a->emit, s->pc);
	else
		placed = user_sample(a, counts, s);
	a->emit->begins_chain = false;
	a->emit->counter = 0;
	if (placed && has_callers)
		perf_callers_emit(a->callers, a, s);
}

static void one_sample(struct perf_attribute *a, struct perf_cpu_state *cpu,
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

void perf_attribute_samples(void *context, unsigned int cpu, const struct perf_sample *s, size_t nr)
{
	struct perf_attribute *a = context;
	struct perf_cpu_state *state = &a->cpus[cpu];

	perf_emit_cpu(a->emit, cpu);
	for (size_t i = 0; i < nr; i++) {
		struct perf_sample sample = s[i];

		/* past its exit a task has no ids any more, but it is the one that exited here */
		if (sample.tgid == TID_GONE) {
			sample.tgid = state->exiting_tgid;
			sample.tid = state->exiting_tid;
		}
		one_sample(a, state, &sample);
	}
}

/* [PC-61] */
static void ibs_sample(struct perf_attribute *a, const struct perf_record *r)
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

void perf_attribute_change(void *context, const struct perf_record *r)
{
	struct perf_attribute *a = context;

	if (r->kind == PERF_KIND_SAMPLE) {
		ibs_sample(a, r);
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
