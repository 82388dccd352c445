// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jit_jitdump.c - perf's jit-PID.dump: binary records with times and the code itself
 *
 * All numbers are in the byte order of the machine that wrote them, which is this one: another
 * one's file is no use here.
 */
#include <string.h>
#include "jit_code.h"
#include "jit_live.h"

#define MAGIC		0x4a695444u	/* "JiTD" */
#define FLAG_CPU_CLOCK	1u		/* times are the CPU's own, not CLOCK_MONOTONIC */

enum { CODE_LOAD, CODE_MOVE, CODE_DEBUG_INFO, CODE_CLOSE, CODE_UNWINDING_INFO };

struct header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t timestamp, flags;
};

struct record {
	uint32_t id, size;		/* with all that belongs to it */
	uint64_t timestamp;
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

static void code_load(struct reading *r, uint64_t when, const unsigned char *p, size_t len)
{
	struct jit_block b = { .birth = when, .death = JIT_FOREVER, .clock = r->clock };
	size_t before = r->c->nr, name_len;
	struct code_load load;

	if (len < sizeof(load)) {
		r->c->dropped++;
		return;
	}
	memcpy(&load, p, sizeof(load));
	p += sizeof(load);
	len -= sizeof(load);
	name_len = strnlen((const char *)p, len);
	b.start = load.address;
	b.size = load.size;
	if (name_len < len && load.size && len - name_len - 1 >= load.size)
		b.code = p + name_len + 1;
	jit_code_add(r->c, &b, (const char *)p, name_len);
	if (r->c->nr > before)
		jit_live_put(&r->live, r->c);
}

static void code_move(struct reading *r, uint64_t when, const unsigned char *p, size_t len)
{
	struct jit_block *old, b;
	size_t before = r->c->nr;
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
	jit_code_add(r->c, &b, "?", 1);
	if (r->c->nr > before) {
		r->c->blocks[before].name = name;
		jit_live_put(&r->live, r->c);
	}
}

static void one_record(struct reading *r, const struct record *record, const unsigned char *p,
		       size_t len)
{
	if (record->timestamp > r->end)		/* after the session, or no time at all */
		r->c->dropped += record->id == CODE_LOAD;
	else if (record->id == CODE_LOAD)
		code_load(r, record->timestamp, p, len);
	else if (record->id == CODE_MOVE)
		code_move(r, record->timestamp, p, len);
}

bool jit_read_jitdump(const void *bytes, size_t len, struct jit_code *c)
{
	struct reading r = { .c = c, .end = JIT_FOREVER };
	const unsigned char *p = bytes;
	struct record record;
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
	p += h.size;
	len -= h.size;
	while (len >= sizeof(record)) {
		memcpy(&record, p, sizeof(record));
		if (record.size < sizeof(record) || record.size > len ||
		    record.id == CODE_CLOSE)
			break;
		one_record(&r, &record, p + sizeof(record), record.size - sizeof(record));
		p += record.size;
		len -= record.size;
	}
	jit_live_free(&r.live);
	return true;
}
