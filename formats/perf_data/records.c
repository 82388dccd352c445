// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * records.c - find the records of perf.data, unpack compressed ones, sort them by time
 *
 * perf writes the ring of one CPU after the other, so records are in order only per CPU. The file
 * is in memory anyway, so all records that count are sorted at once, by 16 bytes each.
 * Rules: doc/perf-data.md [PD-5]..[PD-8].
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <zstd.h>

#include "formats/perf_data/perf_data.h"
#include "libutil/progress.h"
#include "libutil/xalloc.h"

#define RATIO		64		/* of unpacked to packed bytes, as of gzip [PF-7] */
#define ALWAYS_ALLOWED	(1u << 20)
#define WINDOW_LOG	25		/* 32 MiB; perf's highest levels may need more */
#define MISC_LOST_BY_BPF	(1 << 15)	/* of LOST_SAMPLES: a filter dropped them */

/* Where records are walked: the file, or what was unpacked from one place of it. */
struct walk {
	struct bytes b;
	size_t offset;			/* in the file, of the current record */
	bool is_unpacked;
	uint64_t now;			/* time of the record before */
};

static int read_all(struct perf_data *d, struct walk *w);

/* Harmless: what the record would have told is missing. */
static int skip_record(struct perf_data *d, const struct walk *w, const char *what)
{
	if (d->options->salvage)
		return format_warn_or_fail(d->options, d->e, "offset %zu: %s; record skipped",
					   w->offset, what);
	return op_error_set(d->e, -EPROTO, "offset %zu: %s", w->offset, what);
}

static void add_record(struct perf_data *d, const unsigned char *at, uint64_t time)
{
	xgrow(d->records.items, d->records.nr, d->records.room);
	d->records.items[d->records.nr++] = (struct radix_item){ time, (uintptr_t)at };
}

/* --- compressed records --- */

struct unpacker {
	ZSTD_DStream *stream;
	struct walk walk;		/* its bytes are the last chunk's */
};

void perf_unpacker_free(struct perf_data *d)
{
	if (d->unpacker)
		ZSTD_freeDStream(d->unpacker->stream);
	free(d->unpacker);
	for (size_t i = 0; i < d->nr_chunks; i++)
		free(d->chunks[i].bytes);
	free(d->chunks);
}

static struct unpacker *find_unpacker(struct perf_data *d)
{
	if (!d->unpacker) {
		d->unpacker = xcalloc(1, sizeof(*d->unpacker));
		d->unpacker->stream = ZSTD_createDStream();
		d->unpacker->walk.is_unpacked = true;
		if (d->unpacker->stream)
			ZSTD_DCtx_setParameter(d->unpacker->stream, ZSTD_d_windowLogMax,
					       WINDOW_LOG);
	}
	return d->unpacker;
}

/* A chunk that begins with the rest of the one before: records may lie across the border. */
static struct perf_chunk begin_chunk(const struct unpacker *u, size_t packed, size_t *ret_room)
{
	struct perf_chunk chunk = { .size = u->walk.b.at ? bytes_left(&u->walk.b) : 0 };

	*ret_room = chunk.size + 4 * packed + 256;
	chunk.bytes = xmalloc(*ret_room);
	if (chunk.size)
		memcpy(chunk.bytes, u->walk.b.at, chunk.size);
	return chunk;
}

/* Unpack @in to the end of @chunk; a message, or NULL. */
static const char *unpack(struct perf_data *d, struct unpacker *u, struct bytes in,
			  struct perf_chunk *chunk, size_t room)
{
	ZSTD_inBuffer from = { in.at, bytes_left(&in), 0 };
	size_t limit = d->size > SIZE_MAX / RATIO - ALWAYS_ALLOWED ? SIZE_MAX
		     : d->size * RATIO + ALWAYS_ALLOWED;

	for (;;) {
		ZSTD_outBuffer to = { chunk->bytes, room, chunk->size };
		size_t result = ZSTD_decompressStream(u->stream, &to, &from);

		chunk->size = to.pos;
		if (ZSTD_isError(result))
			return ZSTD_getErrorName(result);
		if (chunk->size > limit - d->unpacked)
			return "the records unpack to more than 64 times the file's size";
		if (from.pos == from.size && to.pos < room)
			return NULL;
		room += room / 2;
		chunk->bytes = xrealloc_array(chunk->bytes, room, 1);
	}
}

/* One stream runs through all compressed records. [PD-7] */
static int read_compressed(struct perf_data *d, struct walk *w, struct bytes in)
{
	struct unpacker *u = find_unpacker(d);
	struct perf_chunk chunk;
	const char *fault;
	size_t room;

	if (w->is_unpacked)
		return skip_record(d, w, "a compressed record within a compressed one");
	if (!u->stream)
		return op_error_set(d->e, -ENOMEM, "offset %zu: cannot unpack: out of memory",
				    w->offset);
	chunk = begin_chunk(u, bytes_left(&in), &room);
	fault = unpack(d, u, in, &chunk, room);
	if (fault) {
		free(chunk.bytes);
		return op_error_set(d->e, -EPROTO, "offset %zu: cannot unpack: %s", w->offset,
				    fault);
	}
	d->unpacked += chunk.size;
	chunk.offset = w->offset;
	xgrow(d->chunks, d->nr_chunks, d->room_chunks);
	d->chunks[d->nr_chunks++] = chunk;
	u->walk.b = (struct bytes){ chunk.bytes, chunk.bytes + chunk.size, d->swap };
	u->walk.offset = w->offset;
	u->walk.now = w->now;
	return read_all(d, &u->walk);
}

/* --- kinds of records --- */

static bool is_guest(uint16_t misc)
{
	uint16_t mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER;
}

/* Only the period and the time are needed now. [PD-6] */
static int read_sample(struct perf_data *d, struct walk *w, const unsigned char *at,
		       uint16_t misc, struct bytes b)
{
	struct perf_data_sample s;
	struct perf_attr *a;

	if (!d->nr_attrs)
		return skip_record(d, w, "a sample before its event");
	a = perf_attr_find(d, perf_sample_id(&d->attrs[0], b));
	if (!a) {
		d->nr_unknown_event++;
		return 0;
	}
	if (!perf_sample_parse(a, b, &s))
		return skip_record(d, w, "truncated sample");
	if (is_guest(misc)) {
		d->nr_guest++;
		return 0;
	}
	d->nr_stack_copies += !!(a->sample_type & PERF_SAMPLE_STACK_USER);
	if (s.period > INT64_MAX)
		s.period = INT64_MAX;
	if (!a->nr_samples++)
		a->same_period = (int64_t)s.period;
	else if (a->same_period != (int64_t)s.period)
		a->same_period = -1;
	w->now = a->sample_type & PERF_SAMPLE_TIME ? s.time : w->now;
	add_record(d, at, w->now);
	return 0;
}

static int read_change(struct perf_data *d, struct walk *w, const unsigned char *at,
		       struct bytes b)
{
	const struct perf_attr *a = d->nr_attrs ? &d->attrs[0] : NULL;
	uint64_t time;

	if (!perf_trailer_take(a, &b, &time))
		return skip_record(d, w, "truncated record");
	/* what perf found in /proc at the start has no time */
	add_record(d, at, a && a->sample_id_all && a->sample_type & PERF_SAMPLE_TIME &&
		   time != UINT64_MAX ? time : w->now);
	return 0;
}

static int read_lost(struct perf_data *d, struct walk *w, struct bytes b, uint64_t *sum)
{
	uint64_t nr;

	if (!take_u64(&b, &nr))
		return skip_record(d, w, "truncated record");
	if (__builtin_add_overflow(*sum, nr, sum))
		*sum = UINT64_MAX;
	return 0;
}

/* In files written to a pipe, events are records. */
static int read_attr(struct perf_data *d, struct walk *w, struct bytes b)
{
	struct bytes attr, size = b;
	uint32_t attr_size = 0;

	skip_bytes(&size, 4);
	take_u32(&size, &attr_size);
	if (!take_part(&b, attr_size, &attr))
		return skip_record(d, w, "truncated description of an event");
	return perf_attr_add(d, attr, b, w->offset);
}

/* The name of an event, in files written to a pipe. */
static void read_update(struct perf_data *d, struct bytes b)
{
	enum { UPDATE_NAME = 2 };
	struct perf_attr *a;
	const char *name;
	uint64_t kind, id;

	if (!take_u64(&b, &kind) || !take_u64(&b, &id) || kind != UPDATE_NAME)
		return;
	a = perf_attr_find(d, id);
	name = take_string(&b);
	if (a && name) {
		free(a->name);
		a->name = xstrdup(name);
	}
}

/* What follows a record and is not counted in its size. */
static int skip_data(struct perf_data *d, struct walk *w, uint32_t type, struct bytes b)
{
	uint32_t size32 = 0;
	uint64_t size = 0;

	if (type == PERF_DATA_AUXTRACE) {
		take_u64(&b, &size);
		d->nr_auxtrace++;
	} else {
		take_u32(&b, &size32);
		size = ((uint64_t)size32 + 7) & ~UINT64_C(7);
	}
	if (skip_bytes(&w->b, size))
		return 0;
	w->b.at = w->b.end;
	return format_warn_or_fail(d->options, d->e, "offset %zu: truncated: the data of the last "
				   "record is incomplete", w->offset);
}

static int read_feature(struct perf_data *d, struct bytes b)
{
	uint64_t feature;

	if (take_u64(&b, &feature))
		perf_feature_read(d, feature, b);
	return 0;
}

static int read_compressed2(struct perf_data *d, struct walk *w, struct bytes b)
{
	struct bytes data;
	uint64_t size;

	if (!take_u64(&b, &size) || !take_part(&b, size, &data))
		return skip_record(d, w, "truncated compressed record");
	return read_compressed(d, w, data);
}

/* All other kinds are skipped. [PD-5] */
static int read_record(struct perf_data *d, struct walk *w, const unsigned char *at,
		       const struct perf_event_header *h, struct bytes b)
{
	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		return read_sample(d, w, at, h->misc, b);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_KSYMBOL:
		return read_change(d, w, at, b);
	case PERF_RECORD_LOST:
		skip_bytes(&b, 8);
		return read_lost(d, w, b, &d->nr_lost);
	case PERF_RECORD_LOST_SAMPLES:
		return h->misc & MISC_LOST_BY_BPF ? 0 : read_lost(d, w, b, &d->nr_lost_samples);
	case PERF_DATA_ATTR:
		return read_attr(d, w, b);
	case PERF_DATA_EVENT_UPDATE:
		read_update(d, b);
		return 0;
	case PERF_DATA_FEATURE:
		return read_feature(d, b);
	case PERF_DATA_BUILD_ID:
		perf_build_add(d, b, h->misc);
		return 0;
	case PERF_DATA_COMPRESSED:
		return read_compressed(d, w, b);
	case PERF_DATA_COMPRESSED2:
		return read_compressed2(d, w, b);
	case PERF_DATA_AUXTRACE:
	case PERF_DATA_TRACING_DATA:
		return skip_data(d, w, h->type, b);
	}
	return 0;
}

/* Whether the next record is complete. If not, in a chunk the rest is in the next one. */
static bool has_record(const struct walk *w, const struct perf_event_header *h)
{
	return bytes_left(&w->b) >= sizeof(*h) && bytes_left(&w->b) >= h->size;
}

static int read_all(struct perf_data *d, struct walk *w)
{
	int err = 0;

	while (!err && bytes_left(&w->b) >= sizeof(struct perf_event_header)) {
		const unsigned char *at = w->b.at;
		struct perf_event_header h = perf_record_at(d, at, NULL);
		struct bytes b;

		if (!w->is_unpacked)
			w->offset = (size_t)(at - d->bytes);
		progress_tell(NULL, w->offset >> 10, d->size >> 10, "KiB");
		if (h.size < sizeof(h))
			return op_error_set(d->e, -EPROTO, "offset %zu: invalid size of a record: "
					    "%u", w->offset, h.size);
		if (!has_record(w, &h))
			break;
		take_part(&w->b, h.size, &b);
		b.at += sizeof(h);
		err = read_record(d, w, at, &h, b);
	}
	return err;
}

static int check_rest(struct perf_data *d, struct walk *w)
{
	struct walk *rest = w;

	if (d->unpacker && bytes_left(&d->unpacker->walk.b))
		rest = &d->unpacker->walk;
	if (!bytes_left(&rest->b))
		return 0;
	if (!rest->is_unpacked)
		rest->offset = (size_t)(rest->b.at - d->bytes);
	return format_warn_or_fail(d->options, d->e, "offset %zu: truncated: the last record is "
				   "incomplete", rest->offset);
}

/* With --salvage what precedes a fault is kept. [PD-8] */
int perf_records_read(struct perf_data *d, struct bytes b)
{
	struct walk w = { .b = b };
	int err = read_all(d, &w);

	if (err)
		err = format_skip(d->options, d->e, "rest of the file") ? 0 : err;
	else
		err = check_rest(d, &w);
	if (!err)
		d->records.items = radix_sorted(d->records.items, d->records.nr);
	return err;
}
