// SPDX-License-Identifier: GPL-2.0-or-later
/* dump.c - read dumps in the format of libopagent */
#include <elf.h>
#include <string.h>
#include "daemon/jit/code.h"
#include "daemon/jit/live.h"
#include "daemon/jit/record.h"
#include "libagent/jit_dump.h"

#define SECOND	UINT64_C(1000000000)

struct reading {
	struct jit_code *c;
	struct jit_live live;
	uint64_t end;			/* of the session, seconds */
	uint64_t last_address;		/* of the last code loaded */
	size_t last_block;		/* index of its block + 1 */
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

static void read_load(struct reading *r, uint64_t when, const unsigned char *p, size_t len)
{
	struct jit_block b = { .birth = when * SECOND, .death = JIT_FOREVER, .clock = JIT_WALL };
	struct jit_dump_load l;

	if (len < sizeof(l)) {
		r->c->dropped++;
		return;
	}
	memcpy(&l, p, sizeof(l));
	b.start = l.vma;
	b.size = l.size;
	if (jit_live_announce(&r->live, r->c, &b, p + sizeof(l), len - sizeof(l))) {
		r->last_address = l.address;
		r->last_block = r->c->nr;
	}
}

static void read_unload(struct reading *r, uint64_t when, const unsigned char *p, size_t len)
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

/* Read the entry at @p of a record of lines. Its size in bytes; 0: malformed or too many. */
static size_t read_line(struct jit_code *c, const unsigned char *p, size_t len)
{
	const char *file = (const char *)p + sizeof(uint64_t) + sizeof(uint32_t);
	uint64_t address;
	uint32_t line;
	size_t n;

	if (len <= sizeof(address) + sizeof(line))
		return 0;
	memcpy(&address, p, sizeof(address));
	memcpy(&line, p + sizeof(address), sizeof(line));
	len -= sizeof(address) + sizeof(line);
	n = strnlen(file, len);
	if (n == len || !jit_code_add_line(c, address, line, file, n))
		return 0;
	return sizeof(address) + sizeof(line) + n + 1;
}

/* Lines refer to code by its address; they mostly follow its load record. */
static struct jit_block *block_at(const struct reading *r, uint64_t address)
{
	if (r->last_block && r->last_address == address)
		return &r->c->blocks[r->last_block - 1];
	return jit_live_find(&r->live, r->c, address);
}

static void read_lines(struct reading *r, const unsigned char *p, size_t len)
{
	size_t first = r->c->nr_lines, n;
	struct jit_block *b = NULL;
	struct jit_dump_lines l;

	if (len >= sizeof(l)) {
		memcpy(&l, p, sizeof(l));
		b = block_at(r, l.address);
	}
	if (!b) {
		r->c->dropped++;
		return;
	}
	p += sizeof(l);
	len -= sizeof(l);
	for (; l.nr && (n = read_line(r->c, p, len)); l.nr--, p += n, len -= n)
		;
	b->first_line = first;
	b->nr_lines = r->c->nr_lines - first;
}

/* A record after the session, or with an invalid time. */
static void drop_later(struct jit_code *c)
{
	c->dropped++;
	c->later++;
}

static void read_record(struct reading *r, const struct jit_record *record)
{
	if (record->timestamp > r->end && record->id == JIT_DUMP_LOAD)
		drop_later(r->c);
	else if (record->timestamp > r->end)
		return;
	else if (record->id == JIT_DUMP_LOAD)
		read_load(r, record->timestamp, record->body, record->len);
	else if (record->id == JIT_DUMP_UNLOAD)
		read_unload(r, record->timestamp, record->body, record->len);
	else if (record->id == JIT_DUMP_LINES)
		read_lines(r, record->body, record->len);
}

bool jit_read_dump(const void *bytes, size_t len, struct jit_code *c)
{
	struct reading r = { .c = c, .end = UINT64_MAX / SECOND - 1 };
	const unsigned char *p = bytes;
	struct jit_record record = { 0 };
	struct jit_dump_header h;
	struct jit_records in;

	if (len < sizeof(h))
		return false;
	memcpy(&h, p, sizeof(h));
	if (h.magic != JIT_DUMP_MAGIC || h.version != JIT_DUMP_VERSION || h.size < sizeof(h) ||
	    h.size > len)
		return false;
	c->machine = machine_of((const char *)p + sizeof(h), h.size - sizeof(h));
	if (c->window.by[JIT_WALL].end)		/* include the second that has begun */
		r.end = c->window.by[JIT_WALL].end / SECOND + 1;
	in = (struct jit_records){ p + h.size, len - h.size };
	while (jit_record_next(&in, &record) && record.id != JIT_DUMP_CLOSE)
		read_record(&r, &record);
	c->dropped += record.id != JIT_DUMP_CLOSE && jit_records_broken(&in);
	jit_live_free(&r.live);
	return true;
}
