// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trans_notes.c - what the notes of the word stream do to the decoder's state
 *
 * Every OP_ESCAPE code has a line in trans_notes[]: how long its payload is and who handles it. A
 * decoder has its own copy, since one length is not in the stream.
 */
#include <string.h>
#include "daemon/record/trans_private.h"

/* The handlers; @p is the payload. False: it is not what the code promised. */

static bool note_ctx_switch(struct trans *t, const op_word *p)
{
	if (p[0] == OP_ESCAPE || p[2] != OP_ESCAPE || p[3] != OP_CTX_TGID || p[4] == OP_ESCAPE)
		return false;
	trans_end_untold(t);
	t->state.tid = p[0];
	t->state.app_cookie = p[1];
	t->state.tgid = p[4];
	t->state.cgroup = 0;
	t->state.comm[0] = '\0';
	return true;
}

static bool note_cgroup(struct trans *t, const op_word *p)
{
	if (p[0] == OP_ESCAPE)
		return false;
	t->state.cgroup = p[0];
	return true;
}

static bool note_comm(struct trans *t, const op_word *p)
{
	memcpy(t->state.comm, p, OP_COMM_WORDS * 8);
	return true;
}

static bool note_cpu_switch(struct trans *t, const op_word *p)
{
	if (p[0] == OP_ESCAPE)
		return false;
	trans_end_untold(t);
	t->state.cpu = p[0] < UINT32_MAX ? p[0] : UINT32_MAX;
	return true;
}

static bool note_cookie_switch(struct trans *t, const op_word *p)
{
	t->state.cookie = p[0];
	memset(&t->state.anon, 0, sizeof(t->state.anon));
	return true;
}

static bool note_kernel_enter(struct trans *t, const op_word *p)
{
	(void)p;
	t->state.mode = MODE_KERNEL;
	return true;
}

static bool note_user_enter(struct trans *t, const op_word *p)
{
	(void)p;
	t->state.mode = MODE_USER;
	return true;
}

static bool note_module_loaded(struct trans *t, const op_word *p)
{
	(void)p;
	trans_end_untold(t);
	if (t->ops->module_loaded)
		t->ops->module_loaded(t->context);
	return true;
}

static bool note_trace_begin(struct trans *t, const op_word *p)
{
	(void)p;
	trans_end_untold(t);
	t->state.tracing = true;
	return true;
}

static bool note_stack_end(struct trans *t, const op_word *p)
{
	if (p[0] & ~(op_word)(OP_STACK_END_MASK | OP_STACK_FRAME_POINTERS) ||
	    (p[0] & OP_STACK_END_MASK) >= NR_OP_STACK_ENDS)
		return false;
	trans_end_chain(t, p[0]);
	return true;
}

static bool note_want_table(struct trans *t, const op_word *p)
{
	if (p[0] == OP_ESCAPE)
		return false;
	if (t->ops->want_table)
		t->ops->want_table(t->context, p[0]);
	return true;
}

static bool note_anon_map(struct trans *t, const op_word *p)
{
	struct anon_map *map = &t->state.anon;

	map->start = p[0];
	map->end = p[1];
	memcpy(map->name, p + 2, OP_ANON_NAME_WORDS * 8);
	map->name[OP_ANON_NAME_WORDS * 8] = '\0';
	return true;
}

static bool note_module_range(struct trans *t, const op_word *p)
{
	char name[OP_MODULE_NAME_WORDS * 8 + 1];

	if (p[0] > 1)
		return false;
	trans_end_untold(t);
	memcpy(name, p + 3, OP_MODULE_NAME_WORDS * 8);
	name[OP_MODULE_NAME_WORDS * 8] = '\0';
	if (t->ops->module_range)
		t->ops->module_range(t->context, p[0], p[1], p[2], name);
	return true;
}

/* They are no callers, so a trace ends with one. [EB-30] */
static bool take_ibs(struct trans *t, enum op_code code, const op_word *p, unsigned int nr)
{
	if (p[0] == OP_ESCAPE)
		return false;
	for (unsigned int i = 1; i < nr; i++)
		if (p[i] > UINT32_MAX)
			return false;
	trans_end_untold(t);
	t->state.tracing = false;
	if (t->ops->ibs)
		t->ops->ibs(t->context, &t->state, code, p);
	return true;
}

static bool note_ibs_fetch(struct trans *t, const op_word *p)
{
	return take_ibs(t, OP_IBS_FETCH, p, OP_IBS_FETCH_WORDS);
}

static bool note_ibs_op(struct trans *t, const op_word *p)
{
	if (t->notes[OP_IBS_OP].payload > OP_IBS_OP_WORDS && p[OP_IBS_OP_WORDS] == OP_ESCAPE)
		return false;
	return take_ibs(t, OP_IBS_OP, p, OP_IBS_OP_WORDS);
}

const struct note trans_notes[NR_CODES] = {
	[OP_CTX_SWITCH]    = { note_ctx_switch,    5 },
	[OP_CPU_SWITCH]    = { note_cpu_switch,    1 },
	[OP_COOKIE_SWITCH] = { note_cookie_switch, 1 },
	[OP_KERNEL_ENTER]  = { note_kernel_enter,  0 },
	[OP_USER_ENTER]    = { note_user_enter,    0 },
	[OP_MODULE_LOADED] = { note_module_loaded, 0 },
	[OP_TRACE_BEGIN]   = { note_trace_begin,   0 },
	[OP_IBS_FETCH]     = { note_ibs_fetch,     OP_IBS_FETCH_WORDS },
	[OP_IBS_OP]        = { note_ibs_op,        OP_IBS_OP_WORDS },
	[OP_ANON_MAP]      = { note_anon_map,      OP_ANON_MAP_WORDS },
	[OP_MODULE_RANGE]  = { note_module_range,  OP_MODULE_RANGE_WORDS },
	[OP_STACK_END]     = { note_stack_end,     1 },
	[OP_WANT_TABLE]    = { note_want_table,    1 },
	[OP_CGROUP]        = { note_cgroup,        1 },
	[OP_COMM]          = { note_comm,          OP_COMM_WORDS },
};
