// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader.c - the blocks of a segment, one after the other
 *
 * Nothing in the file is trusted: sizes are bounded before they are allocated, and each record of
 * the log is checked as one of a stack store.
 *
 * After a damaged block the log is not continued, because nobody knows what it had. Slices after it
 * are read as far as they refer to what was before it [HI-10].
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include "libdb/history/block.h"
#include "libutil/count.h"
#include "libutil/file.h"
#include "libutil/varint.h"
#include "libutil/xalloc.h"

#define TIME_MAX	(UINT64_C(1) << 62)	/* ns; in the year 2116 */

struct cursor {
	const unsigned char *at, *end;
	bool failed;
};

static uint64_t get(struct cursor *c)
{
	return varint_get(&c->at, c->end, &c->failed);
}

/* At most @max, or failed. */
static uint64_t get_up_to(struct cursor *c, uint64_t max)
{
	uint64_t n = get(c);

	if (n <= max)
		return n;
	c->failed = true;
	return 0;
}

/* A length and so many bytes. */
static const void *get_bytes(struct cursor *c, size_t *ret_n)
{
	const unsigned char *at;
	uint64_t n = get(c);

	at = c->at;
	if (n > (size_t)(c->end - at)) {
		c->failed = true;
		n = 0;
	}
	c->at += n;
	*ret_n = n;
	return at;
}

/* --- a block --- */

static bool is_name(const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_.", name[i]))
			return false;
	return n > 0;
}

static const char *get_name(struct history_reader *r, struct cursor *c)
{
	struct history_names *n = &r->names;
	uint64_t i = get_up_to(c, n->nr);
	const char *name;
	size_t length;

	if (c->failed || i < n->nr)
		return c->failed ? NULL : n->names[i];
	if (r->has_gap) {		/* new, or one of those that the damaged block had */
		c->failed = true;
		return NULL;
	}
	name = get_bytes(c, &length);
	if (n->nr == HISTORY_NUMBERS_MAX || length > NAME_MAX || !is_name(name, length)) {
		c->failed = true;
		return NULL;
	}
	xgrow(n->names, n->nr, n->room);
	n->names[n->nr] = xasprintf("%.*s", (int)length, name);
	return n->names[n->nr++];
}

static const char *get_slice(struct history_reader *r, struct cursor *c)
{
	struct history_slice *s = &r->block.slice;

	s->begin_ns = (int64_t)get_up_to(c, TIME_MAX);
	s->end_ns = s->begin_ns + (int64_t)get_up_to(c, TIME_MAX - 1);
	s->nr_numbers = get_up_to(c, HISTORY_NUMBERS_MAX);
	s->numbers = r->numbers;
	for (size_t i = 0; i < s->nr_numbers && !c->failed; i++) {
		r->numbers[i].name = get_name(r, c);
		r->numbers[i].value = get(c);
		if (i && !c->failed && strcmp(r->numbers[i - 1].name, r->numbers[i].name) >= 0)
			return "numbers out of order";
	}
	return c->failed ? "malformed slice" : NULL;
}

static int extend_log(struct stack_log *log, uint32_t used)
{
	void *records = realloc(log->records, used * sizeof(*log->records));
	void *marks;

	if (!records)
		return -ENOMEM;
	log->records = records;
	marks = realloc(log->marks, used * sizeof(*log->marks));
	if (!marks)
		return -ENOMEM;
	log->marks = marks;
	memset(log->records + log->have, 0, (used - log->have) * sizeof(*log->records));
	memset(log->marks + log->have, 0, (used - log->have) * sizeof(*log->marks));
	log->have = used;
	return 0;
}

/* Check the records from @pos on, and note where counts are. */
static const char *check_records(struct history_reader *r, uint32_t pos)
{
	const char *why = "the last record is truncated";

	while (pos < r->log.have) {
		const struct stack_record *record = &r->log.records[pos];
		int n = stack_log_check(&r->log, pos, &why);

		if (n <= 0)
			return why;
		if (stack_kind(record) == STACK_COUNT || stack_kind(record) == STACK_WIDE_COUNT) {
			xgrow(r->counts, r->nr_counts, r->room_counts);
			r->counts[r->nr_counts++] = pos;
		}
		pos += (uint32_t)n;
	}
	return NULL;
}

/* -ENOMEM; else 0, with *ret_why set if it is malformed. */
static int get_records(struct history_reader *r, struct cursor *c, const char **ret_why)
{
	uint32_t from = r->log.have, used = (uint32_t)get_up_to(c, HISTORY_POSITIONS_MAX);
	size_t n;
	const void *columns = get_bytes(c, &n);
	int err;

	if (r->has_gap && !c->failed)
		return 0;
	/* a record takes up at least a byte for each of its units */
	if (c->failed || used < from || used - from > n) {
		*ret_why = "malformed length of records";
		return 0;
	}
	err = extend_log(&r->log, used);
	if (!err)
		err = stack_unpack_piece(r->packer, columns, n, r->log.records, used);
	*ret_why = err == -EPROTO ? "malformed records" : err ? NULL : check_records(r, from);
	return err == -EPROTO ? 0 : err;
}

static const char *get_deltas(struct history_reader *r, struct cursor *c)
{
	uint64_t nr_counts = r->has_gap ? HISTORY_POSITIONS_MAX : r->nr_counts, next = 0;
	struct history_block *b = &r->block;
	uint64_t max = (uint64_t)(c->end - c->at) / 2;
	size_t nr = get_up_to(c, max < nr_counts ? max : nr_counts), nr_known = 0;

	if (nr > r->room_deltas) {
		r->room_deltas = nr;
		b->deltas = xrealloc_array(b->deltas, r->room_deltas, sizeof(*b->deltas));
	}
	for (size_t i = 0; i < nr && !c->failed; i++) {
		next += get_up_to(c, nr_counts);
		if (next >= nr_counts)
			return "samples of an unknown stack";
		b->deltas[i].count = (uint32_t)next++;
		nr_known += b->deltas[i].count < r->nr_counts;
	}
	b->lost = 0;
	for (size_t i = 0; i < nr && !c->failed; i++) {
		b->deltas[i].samples = get(c);
		c->failed |= !b->deltas[i].samples;
		if (i >= nr_known)
			count_add(&b->lost, b->deltas[i].samples);
	}
	b->nr_deltas = nr_known;
	return c->failed || c->at != c->end ? "malformed counts" : NULL;
}

static int decode(struct history_reader *r, const void *bytes, size_t n, const char **ret_why)
{
	struct cursor c = { bytes, (const unsigned char *)bytes + n, false };
	int err = 0;

	*ret_why = get_slice(r, &c);
	if (!*ret_why)
		err = get_records(r, &c, ret_why);
	if (!err && !*ret_why)
		*ret_why = get_deltas(r, &c);
	return err;
}

/* --- the file --- */

/* Whether a block can be so long: zstd never makes nothing of something. */
static bool is_plausible(const struct history_reader *r, const struct history_block_header *h)
{
	return h->length && h->length <= ZSTD_compressBound(HISTORY_BYTES_MAX) &&
	       h->length <= r->length - r->at - sizeof(*h);
}

/* The block at r->at, unpacked. 0 with *ret NULL: it is not whole, or not intact. */
static int read_block(struct history_reader *r, struct history_block_header *h, char **ret)
{
	char *packed, *bytes;
	int err = 0;

	*ret = NULL;
	if (r->length - r->at < sizeof(*h))
		return 0;
	err = file_read_at(r->fd, h, sizeof(*h), r->at);
	if (err || !is_plausible(r, h) || h->size > HISTORY_BYTES_MAX)
		return err;
	packed = malloc((size_t)h->length + 1);
	bytes = malloc((size_t)h->size + 1);
	err = !packed || !bytes ? -ENOMEM
		: file_read_at(r->fd, packed, h->length, r->at + sizeof(*h));
	if (!err && ZSTD_decompress(bytes, h->size, packed, h->length) == h->size) {
		*ret = bytes;
		bytes = NULL;
	}
	free(bytes);
	free(packed);
	return err;
}

/*
 * The next block that is intact; r->at is behind it. Blocks between, whose lengths are plausible,
 * are damaged; those at the end are cut. 0 with *ret NULL: there is none.
 */
static int find_block(struct history_reader *r, struct history_block_header *h, uint64_t *ret_at,
		      char **ret)
{
	uint64_t first = r->at, bad = 0;

	for (;;) {
		int err = read_block(r, h, ret);

		*ret_at = r->at;
		if (err || *ret)
			r->damaged += bad;
		if (*ret)
			r->at += sizeof(*h) + h->length;
		if (err || *ret)
			return err;
		if (r->length - r->at < sizeof(*h) || !is_plausible(r, h))
			break;
		r->at += sizeof(*h) + h->length;
		bad++;
	}
	r->at = first;
	r->cut = r->length - first;
	return 0;
}

/* Whether the times, which have no checksum there, are those of the slice. */
static bool has_right_times(const struct history_reader *r, const struct history_block_header *h)
{
	return r->block.slice.begin_ns == h->begin_ns && r->block.slice.end_ns == h->end_ns;
}

int history_reader_next(struct history_reader *r, struct op_error *e)
{
	struct history_block_header h;
	const char *why = NULL;
	uint64_t at = r->at;
	char *bytes;
	int err;

	for (;;) {
		uint64_t damaged = r->damaged;

		err = find_block(r, &h, &at, &bytes);
		if (!err && !bytes)
			return 0;
		r->has_gap |= r->damaged > damaged;
		if (!err)
			err = decode(r, bytes, h.size, &why);
		free(bytes);
		if (err || (why ? !r->has_gap : has_right_times(r, &h)))
			break;
		why = NULL;		/* if it is malformed, it needs what a damaged block had */
		r->damaged++;
	}
	if (why)
		return op_error_set(e, -EPROTO, "%s: offset %llu: %s", r->path,
				    (unsigned long long)at, why);
	if (err)
		return op_error_set(e, err, "cannot read '%s': %s", r->path, strerror(-err));
	return 1;
}

static int check_header(struct history_reader *r, struct op_error *e)
{
	struct history_header h;
	int err = r->length < sizeof(h) ? -EPROTO : file_read_at(r->fd, &h, sizeof(h), 0);

	if (err == -EPROTO || (!err && memcmp(h.magic, HISTORY_MAGIC, sizeof(h.magic))))
		return op_error_set(e, -EPROTO, "'%s': not a history segment", r->path);
	if (err)
		return op_error_set(e, err, "cannot read '%s': %s", r->path, strerror(-err));
	if (h.byte_order != HISTORY_BYTE_ORDER)
		return op_error_set(e, -EPROTO, "'%s': written by a machine of another byte order",
				    r->path);
	if (h.version != HISTORY_VERSION)
		return op_error_set(e, -EPROTO, "'%s': unsupported version %u, expected %u",
				    r->path, h.version, HISTORY_VERSION);
	r->at = sizeof(h);
	return 0;
}

int history_reader_open(struct history_reader *r, const char *path, struct op_error *e)
{
	struct stat st;
	int err;

	*r = (struct history_reader){ .path = path };
	r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (r->fd < 0 || fstat(r->fd, &st)) {
		err = -errno;
		return op_error_set(e, err, "cannot open '%s': %s", path, strerror(-err));
	}
	if (!S_ISREG(st.st_mode))
		return op_error_set(e, -EPROTO, "'%s': not a regular file", path);
	r->length = (uint64_t)st.st_size;
	err = check_header(r, e);
	if (err)
		return err;
	r->packer = stack_packer_new();
	r->numbers = malloc(HISTORY_NUMBERS_MAX * sizeof(*r->numbers));
	if (!r->packer || !r->numbers || extend_log(&r->log, STACK_FIRST))
		return op_error_set(e, -ENOMEM, "cannot read '%s': out of memory", path);
	return 0;
}

void history_reader_free(struct history_reader *r)
{
	if (r->fd >= 0)
		close(r->fd);
	stack_log_free(&r->log);
	stack_packer_free(r->packer);
	history_names_free(&r->names);
	free(r->counts);
	free(r->numbers);
	free(r->block.deltas);
	*r = (struct history_reader){ .fd = -1 };
}

void history_sums_add(struct history_sums *s, const struct history_reader *r)
{
	const struct history_block *b = &r->block;

	if (r->nr_counts > s->nr) {
		s->samples = xrealloc_array(s->samples, r->nr_counts, sizeof(*s->samples));
		memset(s->samples + s->nr, 0, (r->nr_counts - s->nr) * sizeof(*s->samples));
		s->nr = r->nr_counts;
	}
	for (size_t i = 0; i < b->nr_deltas; i++)
		count_add(&s->samples[b->deltas[i].count], b->deltas[i].samples);
}

int history_reader_set_counts(struct history_reader *r, const struct history_sums *sums,
			      struct op_error *e)
{
	for (size_t i = 0; i < r->nr_counts; i++) {
		struct stack_record *record = &r->log.records[r->counts[i]];
		uint64_t samples = i < sums->nr ? sums->samples[i] : 0;

		if (stack_kind(record) == STACK_WIDE_COUNT)
			*stack_wide(record) = samples;
		else if (samples <= UINT32_MAX)
			record->second = (uint32_t)samples;
		else
			return op_error_set(e, -EPROTO, "'%s': too many samples of one stack",
					    r->path);
	}
	return 0;
}
