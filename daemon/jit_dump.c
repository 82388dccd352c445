// SPDX-License-Identifier: GPL-2.0-or-later
/* jit_dump.c - reads the dumps of libopagent and of whoever else writes their format */
#include <elf.h>
#include <string.h>
#include "jit_code.h"
#include "jit_dump.h"
#include "jit_live.h"

#define SECOND	UINT64_C(1000000000)

struct reading {
	struct jit_code *c;
	struct jit_live live;
	uint64_t end;			/* of the session, seconds */
};

static const struct {
	const char *target;
	uint16_t machine;
} targets[] = {
	{ "elf64-x86-64", EM_X86_64 },
	{ "elf32-i386", EM_386 },
	{ "elf64-littleaarch64", EM_AARCH64 },
};

static uint16_t machine_of(const char *target, size_t len)
{
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		if (strnlen(target, len) < len && !strcmp(target, targets[i].target))
			return targets[i].machine;
	return 0;
}

static void load(struct reading *r, uint64_t when, const unsigned char *p, size_t len)
{
	struct jit_block b = { .birth = when * SECOND, .death = JIT_FOREVER, .clock = JIT_WALL };
	size_t before = r->c->nr, name_len;
	struct jit_dump_load l;

	if (len < sizeof(l)) {
		r->c->dropped++;
		return;
	}
	memcpy(&l, p, sizeof(l));
	p += sizeof(l);
	len -= sizeof(l);
	name_len = strnlen((const char *)p, len);
	b.start = l.vma;
	b.size = l.size;
	if (name_len < len && l.size && len - name_len - 1 >= l.size)
		b.code = p + name_len + 1;
	jit_code_add(r->c, &b, (const char *)p, name_len);
	if (r->c->nr > before)
		jit_live_put(&r->live, r->c);
}

static void unload(struct reading *r, uint64_t when, const unsigned char *p, size_t len)
{
	struct jit_block *b = NULL;
	struct jit_dump_unload u;

	if (len >= sizeof(u)) {
		memcpy(&u, p, sizeof(u));
		b = jit_live_find(&r->live, r->c, u.vma);
	}
	if (!b)
		r->c->dropped++;
	else if (b->death == JIT_FOREVER)
		b->death = when * SECOND;
}

static void one_record(struct reading *r, const struct jit_dump_record *record,
		       const unsigned char *p, size_t len)
{
	if (record->timestamp > r->end)		/* after the session, or no time at all */
		r->c->dropped += record->id == JIT_DUMP_LOAD;
	else if (record->id == JIT_DUMP_LOAD)
		load(r, record->timestamp, p, len);
	else if (record->id == JIT_DUMP_UNLOAD)
		unload(r, record->timestamp, p, len);
}

bool jit_read_dump(const void *bytes, size_t len, struct jit_code *c)
{
	struct reading r = { .c = c, .end = UINT64_MAX / SECOND - 1 };
	const unsigned char *p = bytes;
	struct jit_dump_record record;
	struct jit_dump_header h;

	if (len < sizeof(h))
		return false;
	memcpy(&h, p, sizeof(h));
	if (h.magic != JIT_DUMP_MAGIC || h.version != JIT_DUMP_VERSION || h.size < sizeof(h) ||
	    h.size > len)
		return false;
	c->machine = machine_of((const char *)p + sizeof(h), h.size - sizeof(h));
	if (c->window.by[JIT_WALL].end)		/* a second begun counts */
		r.end = c->window.by[JIT_WALL].end / SECOND + 1;
	p += h.size;
	len -= h.size;
	while (len >= sizeof(record)) {
		memcpy(&record, p, sizeof(record));
		if (record.size < sizeof(record) || record.size > len ||
		    record.id == JIT_DUMP_CLOSE)
			break;
		one_record(&r, &record, p + sizeof(record), record.size - sizeof(record));
		p += record.size;
		len -= record.size;
	}
	jit_live_free(&r.live);
	return true;
}
