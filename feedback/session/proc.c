/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc.c - make a procedure of a function: graph, consistent counts, calls, lines */
#include <stdlib.h>
#include <string.h>

#include "feedback/session/calls.h"
#include "feedback/session/control_flow.h"
#include "feedback/session/session.h"
#include "feedback/xprof/lines.h"
#include "libutil/hash.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"
#include "pp/binary/binary.h"
#include "pp/binary/disassemble/disassemble.h"
#include "pp/binary/line/binary.h"
#include "pp/select/samples.h"

#define SCALE	1000	/* count of a block with one sample for each instruction [XP-41] */

struct listing {
	struct instruction *all;
	size_t nr, room;
	bool is_arm;
	uint64_t low, high;
};

static void take_line(void *context, enum disassembly_line kind, uint64_t vma, const char *text)
{
	struct listing *l = context;

	if (kind != DISASSEMBLY_INSTRUCTION || vma < l->low || vma >= l->high ||
	    (l->nr && vma <= l->all[l->nr - 1].address))
		return;
	xgrow(l->all, l->nr, l->room);
	instruction_parse(text, vma, l->is_arm, &l->all[l->nr++]);
}

static const char *section_name(const struct xprof_image *image, const struct code_symbol *s)
{
	return s->section == UINT32_MAX ? NULL : image->binary->sections[s->section].name;
}

/* The weights of blocks, from the samples in them. */
static uint64_t *make_weights(const struct xprof_image *image, const struct code_symbol *s,
			      const struct control_flow *flow, size_t first, size_t nr)
{
	uint64_t *weights = xcalloc(flow->nr_blocks, sizeof(*weights));
	uint32_t b = 1;

	for (size_t i = first; i < first + nr; i++) {
		const struct sample *sample = &image->samples->samples[i];
		uint64_t place = sample->offset + image->binary->key_base;
		uint64_t vma = s->vma + (place - s->start);

		while (b + 2 < flow->nr_blocks && vma >= flow->blocks[b].end)
			b++;
		weights[b] += sample->count;
	}
	for (b = 1; b + 1 < flow->nr_blocks; b++) {
		uint64_t n = flow->blocks[b].nr_instructions;

		weights[b] = weights[b] ? (weights[b] * SCALE + n - 1) / n : 0;
	}
	return weights;
}

static void add_graph(struct xprof *x, struct xprof_proc *p, const struct control_flow *flow,
		      const uint64_t *weights)
{
	bool is_too_large = flow->nr_blocks > FLOW_BLOCKS_MAX;
	uint64_t *counts = xcalloc((size_t)flow->nr_edges + 1, sizeof(*counts));

	if (!is_too_large)
		flow_smooth(flow->nr_blocks, weights, flow->edges, flow->nr_edges, counts);
	p->nr_blocks = flow->nr_blocks;
	p->nr_edges = is_too_large ? 0 : flow->nr_edges;
	p->nr_counters = is_too_large ? flow->nr_blocks : flow->nr_edges;
	for (uint32_t b = 0; b < flow->nr_blocks; b++) {
		xprof_add_blocks(x)->counter = is_too_large ? b + 1 : 0;
		if (is_too_large)
			*xprof_add_counters(x) = weights[b];
	}
	for (uint32_t e = 0; e < p->nr_edges; e++) {
		*xprof_add_counters(x) = counts[e];
		*xprof_add_edges(x) = (struct xprof_edge){
			.counter = e + 1, .from = flow->edges[e].from + 1,
			.to = flow->edges[e].to + 1,
		};
	}
	free(counts);
}

static bool add_tuple(struct xprof *x, struct xprof_proc *p, uint32_t block,
		      const struct line_place *place)
{
	struct xprof_tuple *t;
	uint32_t file;

	if (!place->file || !place->line ||
	    xprof_name_fault(place->file, strlen(place->file)))
		return false;
	file = xprof_intern(x, place->file);
	for (uint32_t i = p->nr_tuples; i-- > 0; ) {
		t = &x->tuples[p->first_tuple + i];
		if (t->block != block)
			break;
		if (t->line == place->line && t->file == file)
			return false;
	}
	t = xprof_add_tuples(x);
	*t = (struct xprof_tuple){
		.id = ++p->nr_tuples, .block = block, .line = place->line, .file = file,
	};
	return true;
}

/*
 * Add the lines of each block's instructions, without duplicates, and first that of the function's
 * declaration, in the file of its first instruction [XP-43].
 */
static void add_lines(struct xprof *x, struct xprof_proc *p, const struct xprof_image *image,
		      const struct code_symbol *s, const struct control_flow *flow,
		      const struct listing *l)
{
	struct line_place *found = xcalloc(l->nr, sizeof(*found));
	uint64_t *places = xcalloc(l->nr, sizeof(*places));

	for (size_t i = 0; i < l->nr; i++)
		places[i] = s->start + (l->all[i].address - s->vma);
	line_binary_find(image->lines, places, l->nr, found);
	if (image->decl_lines[s - image->binary->symbols]) {
		struct line_place decl = found[0];

		decl.line = image->decl_lines[s - image->binary->symbols];
		add_tuple(x, p, 2, &decl);
	}
	for (uint32_t b = 1; b + 1 < flow->nr_blocks; b++)
		for (uint32_t i = 0; i < flow->blocks[b].nr_instructions; i++)
			add_tuple(x, p, b + 1, &found[flow->blocks[b].first_instruction + i]);
	p->nr_srcmap_ops = p->nr_tuples;
	free(places);
	free(found);
}

/* A hash of the graph and the code, which changes when the function is recompiled [XP-43]. */
static uint64_t make_signature(const struct xprof_image *image, const struct code_symbol *s,
			       const struct control_flow *flow)
{
	uint64_t signature = hash_u64(flow->nr_blocks);
	size_t size;
	unsigned char *code = binary_code(image->binary, s->start, s->end, &size);

	for (uint32_t e = 0; e < flow->nr_edges; e++)
		signature = hash_mix(signature, (uint64_t)flow->edges[e].from << 32 |
						flow->edges[e].to);
	if (code)
		signature = hash_mix(signature, hash_bytes(code, size));
	free(code);
	return signature;
}

struct callee {
	const char *name;	/* NULL: in another binary */
	uint64_t count;
};

static int compare_callees(const void *a, const void *b)
{
	const struct callee *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

/* The function at @offset in the file, or NULL. */
static const char *name_at(const struct binary *b, uint64_t offset)
{
	size_t low = first_not(b->nr_symbols, i, b->symbols[i].end <= offset);

	if (low == b->nr_symbols || b->symbols[low].start > offset ||
	    xprof_name_fault(b->symbols[low].name, strlen(b->symbols[low].name)))
		return NULL;
	return b->symbols[low].name;
}

static size_t list_callees(const struct xprof_image *image, const struct xprof_call *calls,
			   size_t nr, struct callee *ret)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		const char *name = strcmp(calls[i].callee, image->path)
				   ? NULL : name_at(image->binary, calls[i].to);
		size_t k = 0;

		while (k < kept && ret[k].name != name)
			k++;
		if (k == kept)
			ret[kept++] = (struct callee){ .name = name };
		ret[k].count += calls[i].count;
	}
	qsort(ret, kept, sizeof(*ret), compare_callees);
	return kept;
}

/* Add a value record of one call: its most frequent callees. */
static void add_call(struct xprof *x, struct xprof_proc *p, const struct xprof_image *image,
		     const struct xprof_call *calls, size_t nr)
{
	struct callee *callees = xcalloc(nr, sizeof(*callees));
	size_t found = list_callees(image, calls, nr, callees);

	p->nr_vp_sites = ++p->nr_vp_records;
	for (size_t i = 0; i < XPROF_SESSION_VALUES; i++) {
		bool has_name = i < found && callees[i].name;
		uint32_t name = has_name ? xprof_intern(x, callees[i].name) : 0;

		*xprof_add_values(x) = (struct xprof_value){
			.type = XPROF_PROC, .expr = p->nr_vp_sites,
			.count = i < found ? callees[i].count : 0, .name = name,
			.path = name ? x->objects[x->nr_objects - 1].path : 0,
		};
	}
	free(callees);
}

/* The end of instruction @i, where the next one starts. */
static uint64_t call_end(const struct code_symbol *s, const struct listing *l, size_t i)
{
	return i + 1 < l->nr ? s->start + (l->all[i + 1].address - s->vma) : s->end;
}

/* Add value records of indirect calls [XP-44]. */
static void add_calls(struct xprof *x, struct xprof_proc *p, const struct xprof_image *image,
		      const struct code_symbol *s, const struct listing *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		uint64_t start = s->start + (l->all[i].address - s->vma);
		const struct xprof_call *calls;
		size_t nr;

		if (!l->all[i].is_indirect_call)
			continue;
		calls = xprof_calls_find(image->calls, image->path, start, call_end(s, l, i), &nr);
		if (nr)
			add_call(x, p, image, calls, nr);
	}
}

/* A function without samples is added if it makes indirect calls. */
static bool has_indirect_calls(const struct xprof_image *image, const struct code_symbol *s,
			       const struct listing *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		uint64_t start = s->start + (l->all[i].address - s->vma);
		size_t nr = 0;

		if (l->all[i].is_indirect_call)
			xprof_calls_find(image->calls, image->path, start,
					 call_end(s, l, i), &nr);
		if (nr)
			return true;
	}
	return false;
}

static void make_proc(struct xprof *x, const struct xprof_image *image,
		      const struct code_symbol *s, const struct listing *l, size_t first,
		      size_t nr)
{
	struct control_flow flow;
	struct xprof_proc *p;
	uint64_t *weights;

	control_flow_make(l->all, l->nr, l->high, &flow);
	weights = make_weights(image, s, &flow, first, nr);
	p = xprof_begin_proc(x);
	p->name = xprof_intern(x, s->name);
	p->id = x->objects[x->nr_objects - 1].nr_procs;
	p->has = XPROF_HAS_MAX | XPROF_HAS_SUM;
	p->signature = make_signature(image, s, &flow);
	add_graph(x, p, &flow, weights);
	add_calls(x, p, image, s, l);
	if (image->lines)
		add_lines(x, p, image, s, &flow, l);
	free(weights);
	control_flow_free(&flow);
}

bool xprof_session_add_proc(struct xprof *x, const struct xprof_image *image,
			    const struct code_symbol *s, size_t first, size_t nr)
{
	struct listing l = {
		.is_arm = image->is_arm, .low = s->vma, .high = s->vma + (s->end - s->start),
	};
	const struct disassembly_reader reader = { .line = take_line, .context = &l };
	bool is_added = false;

	if (xprof_name_fault(s->name, strlen(s->name)))
		return false;
	disassemble(image->disassembler, section_name(image, s), l.low, l.high, &reader);
	if (l.nr && (nr || has_indirect_calls(image, s, &l))) {
		make_proc(x, image, s, &l, first, nr);
		is_added = true;
	}
	free(l.all);
	return is_added;
}
