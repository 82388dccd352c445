/* SPDX-License-Identifier: GPL-2.0-or-later */
/* build.h - make records as the kernel would write them, for the tests of the perf collector
 */
#ifndef TESTS_UNIT_DAEMON_COLLECT_PERF_BUILD_H
#define TESTS_UNIT_DAEMON_COLLECT_PERF_BUILD_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	_Alignas(8) unsigned char at[8192];
	size_t size;
};

static inline void add(struct bytes *b, const void *from, size_t n)
{
	memcpy(b->at + b->size, from, n);
	b->size += n;
}

static inline void add32(struct bytes *b, uint32_t v)
{
	add(b, &v, sizeof(v));
}

static inline void add64(struct bytes *b, uint64_t v)
{
	add(b, &v, sizeof(v));
}

static inline void begin(struct bytes *b, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = {.type = type, .misc = misc};

	b->size = 0;
	add(b, &h, sizeof(h));
}

static inline void end(struct bytes *b)
{
	((struct perf_event_header *)b->at)->size = (uint16_t)b->size;
}

/* sample_id_all's trailer, which ends the record. */
static inline void end_with_id(struct bytes *b, uint32_t pid, uint32_t tid, uint64_t time,
			       uint32_t cpu)
{
	add32(b, pid);
	add32(b, tid);
	add64(b, time);
	add32(b, cpu);
	add32(b, 0);
	add64(b, 77);
	end(b);
}

static inline void make_sample(struct bytes *b, uint16_t misc, uint64_t ip, uint32_t pid,
			       uint32_t tid, uint64_t time, uint32_t cpu)
{
	begin(b, PERF_RECORD_SAMPLE, misc);
	add64(b, 77);
	add64(b, ip);
	add32(b, pid);
	add32(b, tid);
	add64(b, time);
	add32(b, cpu);
	add32(b, 0);
	end(b);
}

/* FORK or EXIT. */
static inline void make_task(struct bytes *b, uint32_t type, uint32_t pid, uint32_t ppid,
			     uint32_t tid, uint64_t time)
{
	begin(b, type, 0);
	add32(b, pid);
	add32(b, ppid);
	add32(b, tid);
	add32(b, ppid);
	add64(b, time);
	end_with_id(b, pid, tid, time, 0);
}

static inline void make_comm(struct bytes *b, uint16_t misc, uint32_t pid, const char *name,
			     uint64_t time)
{
	char padded[16] = "";

	begin(b, PERF_RECORD_COMM, misc);
	add32(b, pid);
	add32(b, pid);
	memcpy(padded, name, strnlen(name, 15));
	add(b, padded, 16);
	end_with_id(b, pid, pid, time, 0);
}

static inline void make_mmap2(struct bytes *b, uint32_t pid, uint64_t start, uint64_t len,
			      uint64_t offset, uint64_t inode, const char *path, uint64_t time)
{
	size_t n = (strlen(path) + 8) & ~7u;
	char padded[4200] = "";

	begin(b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	add32(b, pid);
	add32(b, pid);
	add64(b, start);
	add64(b, len);
	add64(b, offset);
	add32(b, 8); /* device */
	add32(b, 1);
	add64(b, inode);
	add64(b, 3); /* generation */
	add32(b, 5); /* PROT_READ | PROT_EXEC */
	add32(b, 2);
	memcpy(padded, path, strlen(path));
	add(b, padded, n);
	end_with_id(b, pid, pid, time, 0);
}

#endif
