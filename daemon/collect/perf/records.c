// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * records.c - parse the records of a perf ring
 *
 * The only place that knows their layout (linux/perf_event.h) and checks it: everything after it
 * works on checked structs.
 */
#include "daemon/collect/perf/records.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "daemon/collect/bpf/shared.h"

#define TID_GONE	((uint32_t)-1)

/* The end of every record that is not a sample, due to sample_id_all. */
struct trailer {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t id;
};

struct sample_body {
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
};

struct task_body {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct mmap2_body {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	union {
		struct {
			uint32_t maj, min;
			uint64_t ino, ino_generation;
		};
		struct {
			uint8_t build_id_size, reserved_1;
			uint16_t reserved_2;
			uint8_t build_id[20];
		};
	};
	uint32_t prot, flags;
};

struct ksymbol_body {
	uint64_t address;
	uint32_t size;
	uint16_t type, flags;
};

_Static_assert(sizeof(struct perf_event_header) + sizeof(struct sample_body) == PERF_SAMPLE_BYTES,
	       "layout of a sample");
_Static_assert(sizeof(struct mmap2_body) == 64, "layout of MMAP2");

/* The part between header and trailer. */
struct body {
	const unsigned char *at;
	size_t size;
	uint16_t misc;
};

static bool take(const struct body *b, void *to, size_t size)
{
	if (b->size < size)
		return false;
	memcpy(to, b->at, size);
	return true;
}

static enum perf_mode mode_of(uint16_t misc)
{
	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		return PERF_MODE_KERNEL;
	case PERF_RECORD_MISC_USER:
		return PERF_MODE_USER;
	default:
		return PERF_MODE_UNKNOWN;
	}
}

/* By far the most frequent, so written directly to the caller's struct. */
static int parse_sample(const struct body *b, struct perf_record *r)
{
	struct sample_body s;

	if (!take(b, &s, sizeof(s)))
		return -EBADMSG;
	r->kind = PERF_KIND_SAMPLE;
	r->time = s.time;
	r->tgid = s.pid;
	r->tid = s.tid;
	r->cpu = s.cpu;
	r->id = s.id;
	r->sample = (struct perf_sample){ .time = s.time, .pc = s.ip, .tgid = s.pid, .tid = s.tid,
					  .mode = mode_of(b->misc) };
	return 0;
}

static bool parse_mmap(const struct body *b, struct perf_record *r)
{
	const char *path = (const char *)b->at + sizeof(struct mmap2_body);
	struct perf_mmap *m = &r->mmap;
	struct mmap2_body s;

	if (!take(b, &s, sizeof(s)))
		return false;
	if (!memchr(path, 0, b->size - sizeof(s)))
		return false;
	if (s.len == 0 || s.addr + s.len < s.addr)
		return false;
	r->tgid = s.pid;
	r->tid = s.tid;
	*m = (struct perf_mmap){ .start = s.addr, .end = s.addr + s.len, .offset = s.pgoff };
	m->path = path;
	m->executable = s.prot & PROT_EXEC;
	if (!(b->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		m->major = s.maj;
		m->minor = s.min;
		m->inode = s.ino;
		m->generation = s.ino_generation;
	} else if (s.build_id_size <= sizeof(s.build_id)) {
		memcpy(m->build_id.bytes, s.build_id, s.build_id_size);
		m->build_id.len = s.build_id_size;
	}
	return true;
}

static bool parse_task(const struct body *b, struct perf_record *r)
{
	struct task_body s;

	if (!take(b, &s, sizeof(s)))
		return false;
	r->tgid = s.pid;
	r->tid = s.tid;
	r->parent_tgid = s.ppid;
	r->parent_tid = s.ptid;
	return true;
}

static bool parse_comm(const struct body *b, struct perf_record *r)
{
	const char *name = (const char *)b->at + sizeof(uint32_t[2]);
	uint32_t ids[2];

	if (!take(b, ids, sizeof(ids)) || !memchr(name, 0, b->size - sizeof(ids)))
		return false;
	r->tgid = ids[0];
	r->tid = ids[1];
	r->comm = name;
	r->kind = b->misc & PERF_RECORD_MISC_COMM_EXEC ? PERF_KIND_EXEC : PERF_KIND_COMM;
	return true;
}

static bool parse_lost(const struct body *b, struct perf_record *r)
{
	uint64_t id_lost[2];

	if (!take(b, id_lost, sizeof(id_lost)))
		return false;
	r->lost = id_lost[1];
	return true;
}

static bool parse_lost_samples(const struct body *b, struct perf_record *r)
{
	return take(b, &r->lost, sizeof(r->lost));
}

static bool parse_cgroup(const struct body *b, struct perf_record *r)
{
	uint64_t id;

	if (!take(b, &id, sizeof(id)) || !memchr(b->at + sizeof(id), 0, b->size - sizeof(id)))
		return false;
	r->cgroup.id = id;
	r->cgroup.path = (const char *)b->at + sizeof(id);
	return true;
}

static bool parse_code(const struct body *b, struct perf_record *r)
{
	const char *name = (const char *)b->at + sizeof(struct ksymbol_body);
	struct ksymbol_body s;

	if (!take(b, &s, sizeof(s)) || !memchr(name, 0, b->size - sizeof(s)))
		return false;
	r->code.start = s.address;
	r->code.size = s.size;
	r->code.is_loaded = !(s.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	r->code.name = name;
	return true;
}

static bool parse_nothing(const struct body *b, struct perf_record *r)
{
	(void)b;
	(void)r;
	return true;
}

static const struct {
	enum perf_kind kind;
	bool (*parse)(const struct body *b, struct perf_record *r);
} types[] = {
	[PERF_RECORD_LOST] = { PERF_KIND_LOST, parse_lost },
	[PERF_RECORD_COMM] = { PERF_KIND_COMM, parse_comm },
	[PERF_RECORD_EXIT] = { PERF_KIND_EXIT, parse_task },
	[PERF_RECORD_THROTTLE] = { PERF_KIND_THROTTLE, parse_nothing },
	[PERF_RECORD_UNTHROTTLE] = { PERF_KIND_UNTHROTTLE, parse_nothing },
	[PERF_RECORD_FORK] = { PERF_KIND_FORK, parse_task },
	[PERF_RECORD_MMAP2] = { PERF_KIND_MMAP, parse_mmap },
	[PERF_RECORD_LOST_SAMPLES] = { PERF_KIND_LOST_SAMPLES, parse_lost_samples },
	[PERF_RECORD_KSYMBOL] = { PERF_KIND_CODE, parse_code },
	[PERF_RECORD_CGROUP] = { PERF_KIND_CGROUP, parse_cgroup },
};

static bool take_trailer(struct body *b, struct perf_record *r)
{
	struct trailer t;

	if (b->size < sizeof(t))
		return false;
	b->size -= sizeof(t);
	memcpy(&t, b->at + b->size, sizeof(t));
	r->time = t.time;
	r->tgid = t.pid;
	r->tid = t.tid;
	r->cpu = t.cpu;
	r->id = t.id;
	return true;
}

int perf_record_parse(const void *bytes, size_t size, struct perf_record *ret)
{
	struct perf_event_header header;
	struct perf_record r;
	struct body b;

	if (size < sizeof(header))
		return -EBADMSG;
	memcpy(&header, bytes, sizeof(header));
	if (header.size != size)
		return -EBADMSG;
	b = (struct body){ (const unsigned char *)bytes + sizeof(header), size - sizeof(header),
			   header.misc };
	if (header.type == PERF_RECORD_SAMPLE)
		return parse_sample(&b, ret);
	r = (struct perf_record){ .tgid = TID_GONE, .tid = TID_GONE };
	if (!take_trailer(&b, &r))
		return -EBADMSG;
	if (header.type < sizeof(types) / sizeof(types[0]) && types[header.type].parse) {
		r.kind = types[header.type].kind;
		if (!types[header.type].parse(&b, &r))
			return -EBADMSG;
	}
	*ret = r;
	return 0;
}

/* It is the last part of a sample. */
uint64_t perf_record_cgroup(const void *bytes, size_t size)
{
	uint64_t id;

	if (size < PERF_SAMPLE_BYTES + sizeof(id))
		return 0;
	memcpy(&id, (const unsigned char *)bytes + size - sizeof(id), sizeof(id));
	return id;
}

/* ---- the stack of a sample ---- */

_Static_assert(__builtin_popcountll(PERF_USER_REGS) == PERF_USER_REGS_NR, "number of registers");

/* Words yet to be parsed. All parts of a stack are whole words. */
struct remainder {
	const uint64_t *at;
	size_t nr;
};

static bool take_word(struct remainder *r, uint64_t *ret)
{
	if (!r->nr)
		return false;
	*ret = *r->at++;
	r->nr--;
	return true;
}

static const uint64_t *take_words(struct remainder *r, uint64_t nr)
{
	const uint64_t *at = r->at;

	if (nr > r->nr)
		return NULL;
	r->at += nr;
	r->nr -= nr;
	return at;
}

static bool take_addresses(struct remainder *r, struct perf_sample_stack *c)
{
	uint64_t nr;

	if (!take_word(r, &nr))
		return false;
	c->nr_addresses = nr;
	c->addresses = take_words(r, nr);
	return c->addresses;
}

static bool take_registers(struct remainder *r, struct perf_sample_stack *c)
{
	uint64_t abi;

	if (!take_word(r, &abi))
		return false;
	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return true;
	c->is_32bit = abi != PERF_SAMPLE_REGS_ABI_64;
	c->registers = take_words(r, PERF_USER_REGS_NR);
	return c->registers;
}

/*
 * The size asked for, that many bytes and, if it is not 0, the number of valid bytes. In a queue
 * the upper half of the first word is the number of bytes that follow [PC-90].
 */
static bool take_copy(struct remainder *r, struct perf_sample_stack *c)
{
	uint64_t asked, real, there;
	const uint64_t *at;

	if (!take_word(r, &asked))
		return false;
	there = asked >> 32;
	asked &= UINT32_MAX;
	if (!asked)
		return !there;
	if (!there)
		there = asked;
	at = take_words(r, there / sizeof(*at) + (there % sizeof(*at) != 0));
	if (!at || !take_word(r, &real) || real > asked || real > there)
		return false;
	c->copy = (const unsigned char *)at;
	c->copy_asked = (uint32_t)asked;
	c->copy_size = (uint32_t)real;
	return true;
}

/* Its size, then its bytes, in whole words. [PC-61] */
static const void *take_raw(struct remainder *r, uint32_t *ret_size)
{
	size_t bytes = r->nr * sizeof(*r->at);
	uint32_t size;

	if (!r->nr)
		return NULL;
	memcpy(&size, r->at, sizeof(size));
	if (size > bytes - sizeof(size))
		return NULL;
	*ret_size = size;
	return (const char *)take_words(r, (sizeof(size) + (size_t)size + 7) / 8) + sizeof(size);
}

const void *perf_record_raw(const void *bytes, size_t size, bool has_stack, size_t *ret_size)
{
	struct remainder r = { bytes, size / sizeof(uint64_t) };
	struct perf_sample_stack c;
	uint32_t raw_size;
	const void *raw;

	if (!take_words(&r, PERF_SAMPLE_BYTES / sizeof(*r.at)))
		return NULL;
	if (has_stack && !take_addresses(&r, &c))
		return NULL;
	raw = take_raw(&r, &raw_size);
	if (raw)
		*ret_size = raw_size;
	return raw;
}

int perf_sample_stack_parse(const void *bytes, size_t size, bool raw, bool copies,
			    struct perf_sample_stack *ret)
{
	struct remainder r = { bytes, size / sizeof(uint64_t) };
	struct perf_sample_stack c = { 0 };
	uint32_t raw_size;

	if (!take_addresses(&r, &c) || (raw && !take_raw(&r, &raw_size)))
		return -EBADMSG;
	if (copies && (!take_registers(&r, &c) || !take_copy(&r, &c)))
		return -EBADMSG;
	*ret = c;
	return 0;
}

int perf_sample_walked_parse(const void *bytes, size_t size, struct perf_sample_stack *ret)
{
	const size_t head = offsetof(struct bpf_stack, addresses);
	const struct bpf_stack *walked = bytes;

	if (size < head || walked->raw_size > size - sizeof(walked->raw_size) ||
	    (size - head) / sizeof(uint64_t) < (size_t)walked->nr_kernel + walked->nr_user)
		return -EBADMSG;
	*ret = (struct perf_sample_stack){ .walked = walked };
	return 0;
}

bool perf_record_unused(const void *bytes, size_t size, size_t *ret_at, size_t *ret_used,
			size_t *ret_resume)
{
	const unsigned char *record = bytes;
	struct perf_event_header header;
	struct perf_sample_stack s;
	size_t used, begin;

	memcpy(&header, record, sizeof(header));
	if (header.type != PERF_RECORD_SAMPLE || size < PERF_SAMPLE_BYTES ||
	    perf_sample_stack_parse(record + PERF_SAMPLE_BYTES, size - PERF_SAMPLE_BYTES, false,
				    true, &s) || !s.copy)
		return false;
	used = (s.copy_size + 7) & ~(size_t)7;
	if (!used)
		used = 8;
	if (used >= s.copy_asked)
		return false;
	begin = (size_t)(s.copy - record);
	*ret_at = begin - sizeof(uint64_t);
	*ret_used = used;
	*ret_resume = begin + ((s.copy_asked + 7) & ~(size_t)7);
	return true;
}
