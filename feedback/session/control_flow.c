/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control_flow.c - find the blocks of a procedure and the edges between them */
#include "feedback/session/control_flow.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/sorted.h"
#include "libutil/xalloc.h"

static bool is_word(const char *text, size_t len, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == len && !strncmp(*words, text, len))
			return true;
	return false;
}

static enum jump_kind classify_x86(const char *word, size_t len)
{
	static const char *const out[] = {
		"ret", "retq", "retl", "iret", "iretq", "hlt", "ud2", "sysret", "sysretq", NULL
	};

	if (is_word(word, len, out))
		return JUMP_EXIT;
	if (!strncmp(word, "jmp", 3))
		return JUMP_ALWAYS;
	return *word == 'j' || (len >= 4 && !strncmp(word, "loop", 4)) ||
	       (len >= 6 && !strncmp(word, "xbegin", 6)) ? JUMP_CONDITIONAL : JUMP_NONE;
}

static enum jump_kind classify_arm(const char *word, size_t len)
{
	static const char *const out[] = { "ret", "retaa", "retab", "eret", "udf", "brk", NULL };
	static const char *const anywhere[] = { "br", "braa", "brab", "braaz", "brabz", NULL };
	static const char *const maybe[] = { "cbz", "cbnz", "tbz", "tbnz", NULL };

	if (is_word(word, len, out))
		return JUMP_EXIT;
	if (is_word(word, len, anywhere))
		return JUMP_INDIRECT;
	if (len == 1 && *word == 'b')
		return JUMP_ALWAYS;
	return is_word(word, len, maybe) || !strncmp(word, "b.", 2) ? JUMP_CONDITIONAL : JUMP_NONE;
}

/* The last operand, before "<name>", is the target in hex. False: an indirect jump. */
static bool parse_target(const char *operands, uint64_t *ret)
{
	size_t len = strcspn(operands, "<");
	const char *last = operands;
	char *end;

	for (size_t i = 0; i < len; i++)
		if (operands[i] == ',')
			last = operands + i + 1;
	last += strspn(last, " \t");
	if (*last == '*' || *last == '[' || *last == '%')
		return false;
	*ret = strtoull(last, &end, 16);
	return end > last && (!*end || *end == ' ' || *end == '<');
}

void instruction_parse(const char *text, uint64_t address, bool is_arm, struct instruction *ret)
{
	static const char *const prefixes[] = { "notrack", "bnd", "repz", "rep", "data16", "lock",
						NULL };
	const char *word = strchr(text, ':'), *operands;
	size_t len;

	*ret = (struct instruction){ .address = address };
	word = word ? word + 1 : text;
	do {
		word += strspn(word, " \t");
		len = strcspn(word, " \t,");	/* "jne" in "jne,pn" */
		operands = word + strcspn(word, " \t");
	} while (is_word(word, len, prefixes) && (word = operands));
	if (!len)
		return;
	operands += strspn(operands, " \t");
	ret->is_indirect_call = is_arm ? !strncmp(word, "blr", 3)
				     : !strncmp(word, "call", 4) && *operands == '*';
	ret->kind = is_arm ? classify_arm(word, len) : classify_x86(word, len);
	if ((ret->kind == JUMP_ALWAYS || ret->kind == JUMP_CONDITIONAL) &&
	    !parse_target(operands, &ret->target))
		ret->kind = ret->kind == JUMP_ALWAYS ? JUMP_INDIRECT : JUMP_NONE;
}

/* --- blocks --- */

static size_t find_instruction(const struct instruction *all, size_t nr, uint64_t address)
{
	size_t low = first_not(nr, i, all[i].address < address);

	return low < nr && all[low].address == address ? low : nr;
}

static void mark_starts(const struct instruction *all, size_t nr, bool *starts)
{
	starts[0] = true;
	for (size_t i = 0; i < nr; i++) {
		if (all[i].kind == JUMP_NONE)
			continue;
		starts[i + 1] = true;
		if (all[i].kind == JUMP_ALWAYS || all[i].kind == JUMP_CONDITIONAL)
			starts[find_instruction(all, nr, all[i].target)] = true;
	}
}

static void add_block(struct control_flow *f, uint64_t start, uint32_t first)
{
	xgrow(f->blocks, f->nr_blocks, f->blocks_room);
	f->blocks[f->nr_blocks++] = (struct code_block){
		.start = start, .end = start, .first_instruction = first,
	};
}

static void make_blocks(struct control_flow *f, const struct instruction *all, size_t nr,
			uint64_t end, uint32_t *block_of)
{
	bool *starts = xcalloc(nr + 1, sizeof(*starts));

	mark_starts(all, nr, starts);
	add_block(f, all[0].address, 0);
	for (size_t i = 0; i < nr; i++) {
		if (starts[i])
			add_block(f, all[i].address, i);
		block_of[i] = f->nr_blocks - 1;
		f->blocks[f->nr_blocks - 1].nr_instructions++;
		f->blocks[f->nr_blocks - 1].end = i + 1 < nr ? all[i + 1].address : end;
	}
	add_block(f, end, nr);
	block_of[nr] = f->nr_blocks - 1;	/* jumps out of the procedure leave it */
	free(starts);
}

static void add_edge(struct control_flow *f, uint32_t from, uint32_t to)
{
	xgrow(f->edges, f->nr_edges, f->edges_room);
	f->edges[f->nr_edges++] = (struct flow_edge){ from, to };
}

static void add_jumps(struct control_flow *f, const struct instruction *all, size_t nr,
		      const uint32_t *block_of)
{
	for (uint32_t b = 1; b + 1 < f->nr_blocks; b++) {
		size_t next = f->blocks[b].first_instruction + f->blocks[b].nr_instructions;
		const struct instruction *last = &all[next - 1];

		if (last->kind == JUMP_ALWAYS || last->kind == JUMP_CONDITIONAL)
			add_edge(f, b, block_of[find_instruction(all, nr, last->target)]);
		if (last->kind == JUMP_NONE || last->kind == JUMP_CONDITIONAL)
			add_edge(f, b, block_of[next]);
		if (last->kind == JUMP_EXIT || last->kind == JUMP_INDIRECT)
			add_edge(f, b, f->nr_blocks - 1);
	}
}

/*
 * A block without edges into it is assumed to be a target of the last indirect jump before it, or
 * to be entered from outside if there is none, as landing pads are.
 */
static void add_entries(struct control_flow *f, const struct instruction *all)
{
	bool *is_reached = xcalloc(f->nr_blocks, sizeof(*is_reached));
	uint32_t nr_jumps = 0, nr_edges = f->nr_edges, *jumps;

	jumps = xcalloc(f->nr_blocks, sizeof(*jumps));
	for (uint32_t e = 0; e < nr_edges; e++)
		is_reached[f->edges[e].to] |= f->edges[e].from != f->edges[e].to;
	for (uint32_t b = 1; b + 1 < f->nr_blocks; b++)
		if (all[f->blocks[b].first_instruction + f->blocks[b].nr_instructions - 1].kind ==
		    JUMP_INDIRECT)
			jumps[nr_jumps++] = b;
	add_edge(f, 0, 1);
	for (uint32_t b = 2; b + 1 < f->nr_blocks; b++) {
		uint32_t from = 0;

		if (is_reached[b])
			continue;
		for (uint32_t i = 0; i < nr_jumps && jumps[i] < b; i++)
			from = jumps[i];
		add_edge(f, from, b);
	}
	free(is_reached);
	free(jumps);
}

static int compare_edges(const void *a, const void *b)
{
	const struct flow_edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static void sort_edges(struct control_flow *f)
{
	uint32_t kept = 0;

	qsort(f->edges, f->nr_edges, sizeof(*f->edges), compare_edges);
	for (uint32_t i = 0; i < f->nr_edges; i++)
		if (!kept || compare_edges(&f->edges[kept - 1], &f->edges[i]))
			f->edges[kept++] = f->edges[i];
	f->nr_edges = kept;
}

void control_flow_make(const struct instruction *instructions, size_t nr, uint64_t end,
		       struct control_flow *ret)
{
	struct control_flow f = { 0 };
	uint32_t *block_of = xcalloc(nr + 1, sizeof(*block_of));

	make_blocks(&f, instructions, nr, end, block_of);
	add_jumps(&f, instructions, nr, block_of);
	add_entries(&f, instructions);
	sort_edges(&f);
	free(block_of);
	*ret = f;
}

void control_flow_free(struct control_flow *flow)
{
	free(flow->blocks);
	free(flow->edges);
	*flow = (struct control_flow){ 0 };
}
