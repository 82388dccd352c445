/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_file.h - make a perf.data in memory, in either byte order */
#ifndef TESTS_UNIT_FORMATS_PERF_FILE_H
#define TESTS_UNIT_FORMATS_PERF_FILE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "libutil/xalloc.h"

#define PERF_FILE_ROOM		(1 << 20)
#define PERF_FILE_TYPE		(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |   \
				 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |     \
				 PERF_SAMPLE_CALLCHAIN)

struct perf_file {
	unsigned char *bytes;
	size_t size, record;		/* where the current record begins */
	bool swap;
};

static inline void put_bytes(struct perf_file *f, const void *bytes, size_t n)
{
	memcpy(f->bytes + f->size, bytes, n);
	f->size += n;
}

static inline void put16(struct perf_file *f, uint16_t n)
{
	n = f->swap ? __builtin_bswap16(n) : n;
	put_bytes(f, &n, sizeof(n));
}

static inline void put32(struct perf_file *f, uint32_t n)
{
	n = f->swap ? __builtin_bswap32(n) : n;
	put_bytes(f, &n, sizeof(n));
}

static inline void put64(struct perf_file *f, uint64_t n)
{
	n = f->swap ? __builtin_bswap64(n) : n;
	put_bytes(f, &n, sizeof(n));
}

static inline void set64(struct perf_file *f, size_t at, uint64_t n)
{
	size_t size = f->size;

	f->size = at;
	put64(f, n);
	f->size = size;
}

/* With NUL, and as many more as make a multiple of 8. */
static inline void put_text(struct perf_file *f, const char *text)
{
	put_bytes(f, text, strlen(text) + 1);
	while (f->size % 8)
		f->bytes[f->size++] = 0;
}

/* A string with its length before it, as in features. */
static inline void put_counted(struct perf_file *f, const char *text)
{
	put32(f, 64);
	memset(f->bytes + f->size, 0, 64);
	strcpy((char *)f->bytes + f->size, text);
	f->size += 64;
}

static inline uint64_t attr_bit(const struct perf_file *f, unsigned int bit)
{
	bool big = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != f->swap;

	return UINT64_C(1) << (big ? 63 - bit : bit);
}

/* 64 bytes: version 0 of struct perf_event_attr. */
static inline void put_attr(struct perf_file *f, uint32_t type, uint64_t config, uint64_t period,
			    uint64_t sample_type)
{
	put32(f, type);
	put32(f, 64);
	put64(f, config);
	put64(f, period);
	put64(f, sample_type);
	put64(f, 0);
	/* sample_id_all, build_id */
	put64(f, attr_bit(f, 18) | (sample_type & PERF_SAMPLE_IP ? attr_bit(f, 34) : 0));
	put64(f, 0);
	put64(f, 0);
}

static inline void begin_record(struct perf_file *f, uint32_t type, uint16_t misc)
{
	f->record = f->size;
	put32(f, type);
	put16(f, misc);
	put16(f, 0);
}

static inline void end_record(struct perf_file *f)
{
	size_t size = f->size;

	f->size = f->record + 6;
	put16(f, (uint16_t)(size - f->record));
	f->size = size;
}

/* What sample_id_all appends, for PERF_FILE_TYPE. */
static inline void end_change(struct perf_file *f, uint32_t pid, uint64_t time, uint64_t id)
{
	put32(f, pid);
	put32(f, pid);
	put64(f, time);
	put64(f, 0);
	put64(f, id);
	end_record(f);
}

static inline void put_sample(struct perf_file *f, uint16_t misc, uint64_t id, uint32_t pid,
			      uint64_t time, uint64_t period, const uint64_t *stack, size_t nr)
{
	begin_record(f, PERF_RECORD_SAMPLE, misc);
	put64(f, id);
	put64(f, nr ? stack[nr > 1] : 0x1234);
	put32(f, pid);
	put32(f, pid + 1);
	put64(f, time);
	put32(f, 3);
	put32(f, 0);
	put64(f, period);
	put64(f, nr);
	for (size_t i = 0; i < nr; i++)
		put64(f, stack[i]);
	end_record(f);
}

static inline void put_comm(struct perf_file *f, uint32_t pid, uint64_t time, const char *name)
{
	begin_record(f, PERF_RECORD_COMM, 0);
	put32(f, pid);
	put32(f, pid + 1);
	put_text(f, name);
	end_change(f, pid, time, 1);
}

static inline void put_fork(struct perf_file *f, uint32_t pid, uint32_t parent, uint64_t time)
{
	begin_record(f, PERF_RECORD_FORK, 0);
	put32(f, pid);
	put32(f, parent);
	put32(f, pid + 1);
	put32(f, parent + 1);
	put64(f, time);
	end_change(f, pid, time, 1);
}

static inline void put_mmap2(struct perf_file *f, uint16_t misc, uint32_t pid, uint64_t time,
			     uint64_t start, uint64_t len, uint64_t offset, const char *path)
{
	static const unsigned char build_id[24] = { 4, 0, 0, 0, 0xab, 0xcd, 0xef, 0x01 };

	begin_record(f, PERF_RECORD_MMAP2, misc);
	put32(f, pid);
	put32(f, pid);
	put64(f, start);
	put64(f, len);
	put64(f, offset);
	put_bytes(f, build_id, sizeof(build_id));
	put32(f, 5);			/* read, execute */
	put32(f, 2);
	put_text(f, path);
	end_change(f, pid, time, 1);
}

/* The header, and two events: "cpu-clock" with ID 1, cycles with ID 2. */
static inline void begin_file(struct perf_file *f)
{
	*f = (struct perf_file){ .bytes = xcalloc(1, PERF_FILE_ROOM), .swap = f->swap };
	put64(f, UINT64_C(0x32454c4946524550));
	put64(f, 104);
	put64(f, 64 + 16);
	put64(f, 120);			/* attrs */
	put64(f, 160);
	put64(f, 280);			/* data */
	put64(f, 0);
	for (int i = 0; i < 6; i++)
		put64(f, 0);
	put64(f, 1);			/* at 104: the IDs */
	put64(f, 2);
	for (uint64_t i = 0; i < 2; i++) {
		put_attr(f, i ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE, 0, 250000,
			 PERF_FILE_TYPE);
		put64(f, 104 + 8 * i);
		put64(f, 8);
	}
}

/* Records end here. */
static inline void end_records(struct perf_file *f)
{
	set64(f, 48, f->size - 280);
}

#endif
