// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jitdump.c - perf's jit-PID.dump: binary records with times and the code itself
 *
 * All numbers are in this machine's byte order: files of other machines are not supported.
 */
#include <string.h>
#include "daemon/jit/code.h"
#include "daemon/jit/live.h"
#include "daemon/jit/record.h"

#define MAGIC		0x4a695444u	/* "JiTD" */
#define FLAG_CPU_CLOCK	1u		/* times are the CPU's own, not CLOCK_MONOTONIC */

enum { CODE_LOAD, CODE_MOVE, CODE_DEBUG_INFO, CODE_CLOSE, CODE_UNWINDING_INFO };

struct header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t timestamp, flags;
};

struct code_load {
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
};

struct code_move {
	uint32_t pid, tid;
	uint64_t vma, old_address, new_address, size, index;
};

struct reading {
	struct jit_code *c;
	struct jit_live live;
	enum jit_clock clock;
	uint64_t end;			/* of the session */
};

static void read_load(struct reading *r, uint64_t when, const unsigned char *p, size_t len)
{
	struct jit_block b = { .birth = when, .death = JIT_FOREVER, .clock = r->clock };
	struct code_load load;

	if (len < sizeof(load)) {
		r->c->dropped++;
		return;
	}
	memcpy(&load, p, sizeof(load));
	b.start = load.address;
	b.size = load.size;
	jit_live_announce(&r->live, r->c, &b, p + sizeof(load), len - sizeof(load));
}

static void read_move(struct reading *r, uint64_t when, const unsigned char *p, size_t len)
{
	struct jit_block *old, b;
	struct code_move move;
	size_t name;

	if (len >= sizeof(move))
		memcpy(&move, p, sizeof(move));
	old = len >= sizeof(move) ? jit_live_find(&r->live, r->c, move.old_address) : NULL;
	if (!old) {
		r->c->dropped++;
		return;
	}
	old->death = when;
	b = *old;
	b.birth = when;
	b.death = JIT_FOREVER;
	b.start = move.new_address;
	b.size = move.size;
	if (b.size > old->size)
		b.code = NULL;
	name = old->name;
	if (jit_code_add(r->c, &b, "?", 1)) {
		r->c->blocks[r->c->nr - 1].name = name;
		jit_live_put(&r->live, r->c);
	}
}

/* A record after the session, or with an invalid time. */
static void drop_later(struct jit_code *c)
{
	c->dropped++;
	c->later++;
}

static void read_record(struct reading *r, const struct jit_record *record)
{
	if (record->timestamp > r->end && record->id == CODE_LOAD)
		drop_later(r->c);
	else if (record->timestamp > r->end)
		return;
	else if (record->id == CODE_LOAD)
		read_load(r, record->timestamp, record->body, record->len);
	else if (record->id == CODE_MOVE)
		read_move(r, record->timestamp, record->body, record->len);
}

bool jit_read_jitdump(const void *bytes, size_t len, struct jit_code *c)
{
	struct reading r = { .c = c, .end = JIT_FOREVER };
	const unsigned char *p = bytes;
	struct jit_record record = { 0 };
	struct jit_records in;
	struct header h;

	if (len < sizeof(h))
		return false;
	memcpy(&h, p, sizeof(h));
	if (h.magic != MAGIC || h.size < sizeof(h) || h.size > len)
		return false;
	c->machine = h.machine;
	r.clock = h.flags & FLAG_CPU_CLOCK ? JIT_OTHER : JIT_STEADY;
	if (c->window.by[r.clock].end)
		r.end = c->window.by[r.clock].end;
	in = (struct jit_records){ p + h.size, len - h.size };
	while (jit_record_next(&in, &record) && record.id != CODE_CLOSE)
		read_record(&r, &record);
	c->dropped += record.id != CODE_CLOSE && jit_records_broken(&in);
	jit_live_free(&r.live);
	return true;
}
