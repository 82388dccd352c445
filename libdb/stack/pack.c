// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pack.c - the records of a stack store in fewer bytes, and back [ST-16]
 *
 * Records become numbers of few bits: a reference is the distance to a recent record of that kind,
 * a node's frame is mostly the one that its caller's function called last. Numbers of one meaning
 * lie together in a column, and zlib compresses the columns. Unpacking gives the very same records
 * at the same positions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "libdb/stack/packed.h"
#include "libutil/file.h"
#include "libutil/varint.h"

#define LEVEL	6

/* Of nodes: parents and frames; of frames: images and offsets; counts; series and labels. */
enum { KINDS, PARENTS, FRAMES, IMAGES, OFFSETS, COUNTS, OTHERS, NR_COLUMNS };

enum { CLASS_NODE, CLASS_FRAME, CLASS_SERIES, CLASS_LABEL, NR_CLASSES };

/* The frames that were called last from a frame, as positions. */
struct guess {
	uint32_t first, second;
};

/* What packing and unpacking know about the records so far. */
struct stack_packer {
	struct stack_record *records;
	uint32_t done, used;		/* packed or unpacked, and to be: positions below these */
	uint32_t *positions[NR_CLASSES], nr[NR_CLASSES];
	uint32_t *index;		/* of the record at a position, within its class */
	struct guess root_guess;	/* for callees of roots, */
	struct guess *guesses;		/* and of each frame, by index */
	uint64_t *offsets;		/* the last one in an image, by index of its label */
};

struct stack_packer *stack_packer_new(void)
{
	struct stack_packer *s = calloc(1, sizeof(*s));

	if (s)
		s->done = STACK_FIRST;
	return s;
}

struct stack_packer *stack_packer_free(struct stack_packer *s)
{
	if (!s)
		return NULL;
	for (int i = 0; i < NR_CLASSES; i++)
		free(s->positions[i]);
	free(s->index);
	free(s->guesses);
	free(s->offsets);
	free(s);
	return NULL;
}

/* @array with @nr elements. NULL: no memory, and *failed is set. */
static void *resized(void *array, size_t nr, size_t size, bool *failed)
{
	void *p = realloc(array, nr ? nr * size : 1);	/* 0 would free it */

	*failed |= !p;
	return p ? p : array;
}

/* Make room for the records up to @used. */
static int extend(struct stack_packer *s, struct stack_record *records, uint32_t used)
{
	size_t more = used - s->done, nr_frames = s->nr[CLASS_FRAME] + more;
	bool failed = false;

	for (int i = 0; i < NR_CLASSES; i++)
		s->positions[i] = resized(s->positions[i], s->nr[i] + more, sizeof(uint32_t),
					  &failed);
	s->index = resized(s->index, used, sizeof(*s->index), &failed);
	s->guesses = resized(s->guesses, nr_frames, sizeof(*s->guesses), &failed);
	s->offsets = resized(s->offsets, s->nr[CLASS_LABEL] + more, sizeof(*s->offsets), &failed);
	s->records = records;
	s->used = used;
	return failed ? -ENOMEM : 0;
}

static void note(struct stack_packer *s, int class, uint32_t pos)
{
	uint32_t i = s->nr[class]++;

	s->index[pos] = i;
	s->positions[class][i] = pos;
	if (class == CLASS_FRAME)
		s->guesses[i] = (struct guess){ 0, 0 };
	if (class == CLASS_LABEL)
		s->offsets[i] = 0;
}

/* The guesses for callees of the node at @parent. */
static struct guess *guess_of(struct stack_packer *s, uint32_t parent)
{
	const struct stack_record *r = &s->records[parent];

	return stack_argument(r) ? &s->guesses[s->index[r->second]] : &s->root_guess;
}

static void guess_update(struct guess *g, uint32_t frame)
{
	if (g->first != frame)
		*g = (struct guess){ frame, g->first };
}

static uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static uint64_t unzigzag(uint64_t n)
{
	return n >> 1 ^ (0 - (n & 1));
}

static uint64_t frame_offset(const struct stack_record *r)
{
	uint64_t wide;

	if (stack_kind(r) == STACK_FRAME)
		return (uint64_t)(int64_t)(int32_t)r->second;
	memcpy(&wide, r + 1, sizeof(wide));
	return wide;
}

/* --- packing --- */

/* The distance from the last record of the class; the reference is to one of them. */
static void put_reference(struct strbuf *column, const struct stack_packer *s, int class,
			  uint32_t pos)
{
	varint_put(column, s->nr[class] - 1 - s->index[pos]);
}

static void pack_node(struct stack_packer *s, uint32_t pos, struct strbuf *columns)
{
	const struct stack_record *r = &s->records[pos];
	uint32_t parent = stack_argument(r);
	struct guess *g;

	if (!parent) {
		varint_put(&columns[PARENTS], 0);
		varint_put(&columns[FRAMES], r->second);
	} else {
		g = guess_of(s, parent);
		varint_put(&columns[PARENTS], s->nr[CLASS_NODE] - s->index[parent]);
		if (r->second == g->first)
			varint_put(&columns[FRAMES], 0);
		else if (r->second == g->second)
			varint_put(&columns[FRAMES], 1);
		else
			varint_put(&columns[FRAMES],
			    s->nr[CLASS_FRAME] + 1 - s->index[r->second]);
		guess_update(g, r->second);
	}
	note(s, CLASS_NODE, pos);
}

static void pack_frame(struct stack_packer *s, uint32_t pos, struct strbuf *columns)
{
	const struct stack_record *r = &s->records[pos];
	uint32_t image = stack_argument(r);
	uint64_t offset = frame_offset(r);

	put_reference(&columns[IMAGES], s, CLASS_LABEL, image);
	varint_put(&columns[OFFSETS], zigzag(offset - s->offsets[s->index[image]]));
	s->offsets[s->index[image]] = offset;
	note(s, CLASS_FRAME, pos);
}

static void pack_wide_count(struct stack_packer *s, const struct stack_record *r,
			    struct strbuf *column)
{
	uint64_t count;

	memcpy(&count, r + 1, sizeof(count));
	put_reference(column, s, CLASS_SERIES, stack_argument(r));
	put_reference(column, s, CLASS_NODE, r->second);
	varint_put(column, count);
}

/* Returns the record's length. */
static uint32_t pack_record(struct stack_packer *s, uint32_t pos, struct strbuf *columns)
{
	const struct stack_record *r = &s->records[pos];
	unsigned int kind = stack_kind(r);
	uint32_t argument = stack_argument(r);

	varint_put(&columns[KINDS], kind);
	switch (kind) {
	case STACK_NODE:
		pack_node(s, pos, columns);
		return 1;
	case STACK_FRAME:
	case STACK_WIDE_FRAME:
		pack_frame(s, pos, columns);
		return kind == STACK_FRAME ? 1 : 2;
	case STACK_COUNT:
		put_reference(&columns[COUNTS], s, CLASS_SERIES, argument);
		varint_put(&columns[COUNTS], r->second);
		return 1;
	case STACK_WIDE_COUNT:
		pack_wide_count(s, r, &columns[COUNTS]);
		return 2;
	case STACK_SERIES:
		put_reference(&columns[OTHERS], s, CLASS_LABEL, argument);
		put_reference(&columns[OTHERS], s, CLASS_LABEL, r->second);
		note(s, CLASS_SERIES, pos);
		return 1;
	}
	varint_put(&columns[OTHERS], argument);
	varint_put(&columns[OTHERS], r->second);
	strbuf_add_bytes(&columns[OTHERS], (const char *)(r + 1), (argument - 1) * sizeof(*r));
	note(s, CLASS_LABEL, pos);
	return argument;
}

int stack_pack_piece(struct stack_packer *s, const struct stack_log *log, struct strbuf *out)
{
	struct strbuf columns[NR_COLUMNS];
	int err = extend(s, log->records, log->have);

	if (err)
		return err;
	for (int i = 0; i < NR_COLUMNS; i++)
		columns[i] = (struct strbuf)STRBUF_INIT;
	while (s->done < s->used)
		s->done += pack_record(s, s->done, columns);
	for (int i = 0; i < NR_COLUMNS; i++)
		varint_put(out, columns[i].len);
	for (int i = 0; i < NR_COLUMNS; i++) {
		strbuf_add_bytes(out, columns[i].text, columns[i].len);
		strbuf_free(&columns[i]);
	}
	return 0;
}

/* The length of the columns and their compressed form. */
static int compress_columns(const struct strbuf *columns, struct strbuf *out)
{
	uLongf size = compressBound(columns->len);
	Bytef *packed = malloc(size);
	uint64_t length = columns->len;
	int rc = Z_MEM_ERROR;

	if (packed)
		rc = compress2(packed, &size, (const Bytef *)columns->text, columns->len, LEVEL);
	if (rc == Z_OK) {
		strbuf_add_bytes(out, (const char *)&length, sizeof(length));
		strbuf_add_bytes(out, (const char *)packed, size);
	}
	free(packed);
	return rc == Z_OK ? 0 : -ENOMEM;
}

int stack_pack(const struct stack_log *log, struct strbuf *out)
{
	struct stack_packer *s = stack_packer_new();
	struct strbuf columns = STRBUF_INIT;
	int err = s ? stack_pack_piece(s, log, &columns) : -ENOMEM;

	if (!err)
		err = compress_columns(&columns, out);
	strbuf_free(&columns);
	stack_packer_free(s);
	return err;
}

/* --- unpacking: nothing is trusted --- */

struct column {
	const unsigned char *at, *end;
	bool *failed;
};

static uint64_t get(struct column *c)
{
	return varint_get(&c->at, c->end, c->failed);
}

/* The position of the record that is @distance behind the last one of its class. */
static uint32_t position_of(const struct stack_packer *s, int class, uint64_t distance,
			    bool *failed)
{
	if (distance < s->nr[class])
		return s->positions[class][s->nr[class] - 1 - distance];
	*failed = true;
	return 0;
}

static uint32_t get_reference(const struct stack_packer *s, int class, struct column *c)
{
	return position_of(s, class, get(c), c->failed);
}

static struct stack_record record_of(unsigned int kind, uint32_t argument, uint64_t second)
{
	return (struct stack_record){ STACK_HEAD(kind, argument), (uint32_t)second };
}

static void unpack_node(struct stack_packer *s, uint32_t pos, struct column *columns)
{
	uint64_t back = get(&columns[PARENTS]), code = get(&columns[FRAMES]);
	uint32_t parent, frame;
	struct guess *g;

	s->records[pos] = record_of(STACK_NODE, 0, code);
	if (back) {
		parent = position_of(s, CLASS_NODE, back - 1, columns->failed);
		if (*columns->failed)
			return;
		g = guess_of(s, parent);
		frame = code == 0 ? g->first : code == 1 ? g->second
			: position_of(s, CLASS_FRAME, code - 2, columns->failed);
		*columns->failed |= !frame;
		s->records[pos] = record_of(STACK_NODE, parent, frame);
		guess_update(g, frame);
	}
	note(s, CLASS_NODE, pos);
}

static void unpack_frame(struct stack_packer *s, uint32_t pos, unsigned int kind,
			 struct column *columns)
{
	uint32_t image = get_reference(s, CLASS_LABEL, &columns[IMAGES]);
	uint64_t offset = unzigzag(get(&columns[OFFSETS]));

	if (*columns->failed)
		return;
	offset += s->offsets[s->index[image]];
	s->offsets[s->index[image]] = offset;
	s->records[pos] = record_of(kind, image, kind == STACK_FRAME ? offset : 0);
	if (kind == STACK_WIDE_FRAME)
		memcpy(&s->records[pos + 1], &offset, sizeof(offset));
	note(s, CLASS_FRAME, pos);
}

static void unpack_count(struct stack_packer *s, uint32_t pos, unsigned int kind, struct column *c)
{
	uint32_t series = get_reference(s, CLASS_SERIES, c);
	uint32_t node = kind == STACK_COUNT ? 0 : get_reference(s, CLASS_NODE, c);
	uint64_t count = get(c);

	s->records[pos] = record_of(kind, series, kind == STACK_COUNT ? count : node);
	if (kind == STACK_WIDE_COUNT)
		memcpy(&s->records[pos + 1], &count, sizeof(count));
}

/* Returns the label's length. */
static uint32_t unpack_label(struct stack_packer *s, uint32_t pos, struct column *c)
{
	uint64_t length = get(c), which = get(c);
	size_t bytes = (length - 1) * sizeof(*s->records);

	if (!length || length > s->used - pos || bytes > (size_t)(c->end - c->at)) {
		*c->failed = true;
		return 1;
	}
	s->records[pos] = record_of(STACK_LABEL, (uint32_t)length, which);
	memcpy(&s->records[pos + 1], c->at, bytes);
	c->at += bytes;
	note(s, CLASS_LABEL, pos);
	return (uint32_t)length;
}

static uint32_t unpack_series(struct stack_packer *s, uint32_t pos, struct column *c)
{
	uint32_t context = get_reference(s, CLASS_LABEL, c);

	s->records[pos] = record_of(STACK_SERIES, context, get_reference(s, CLASS_LABEL, c));
	note(s, CLASS_SERIES, pos);
	return 1;
}

static uint32_t unpack_record(struct stack_packer *s, uint32_t pos, struct column *columns)
{
	uint64_t kind = get(&columns[KINDS]);
	bool is_wide = kind == STACK_WIDE_FRAME || kind == STACK_WIDE_COUNT;

	if (is_wide && s->used - pos < 2) {
		*columns->failed = true;
		return 1;
	}
	switch (kind) {
	case STACK_NODE:
		unpack_node(s, pos, columns);
		return 1;
	case STACK_FRAME:
	case STACK_WIDE_FRAME:
		unpack_frame(s, pos, (unsigned int)kind, columns);
		return 1 + is_wide;
	case STACK_COUNT:
	case STACK_WIDE_COUNT:
		unpack_count(s, pos, (unsigned int)kind, &columns[COUNTS]);
		return 1 + is_wide;
	case STACK_SERIES:
		return unpack_series(s, pos, &columns[OTHERS]);
	case STACK_LABEL:
		return unpack_label(s, pos, &columns[OTHERS]);
	}
	*columns->failed = true;
	return 1;
}

static bool find_columns(const unsigned char *bytes, size_t n, struct column *columns,
			 bool *failed)
{
	struct column all = { bytes, bytes + n, failed };
	uint64_t lengths[NR_COLUMNS];

	for (int i = 0; i < NR_COLUMNS; i++)
		lengths[i] = get(&all);
	for (int i = 0; i < NR_COLUMNS && !*failed; i++) {
		if (lengths[i] > (size_t)(all.end - all.at))
			return false;
		columns[i] = (struct column){ all.at, all.at + lengths[i], failed };
		all.at += lengths[i];
	}
	return !*failed && all.at == all.end;
}

int stack_unpack_piece(struct stack_packer *s, const void *bytes, size_t n,
		       struct stack_record *records, uint32_t used)
{
	struct column columns[NR_COLUMNS];
	bool failed = false;
	int err = extend(s, records, used);

	if (err)
		return err;
	if (!find_columns(bytes, n, columns, &failed))
		return -EPROTO;
	while (s->done < used && !failed)
		s->done += unpack_record(s, s->done, columns);
	for (int i = 0; i < NR_COLUMNS; i++)
		failed |= columns[i].at != columns[i].end;
	return failed ? -EPROTO : 0;
}

static int unpack_bytes(const unsigned char *bytes, size_t n, uint32_t used,
			struct stack_record **ret)
{
	struct stack_record *records = calloc(used, sizeof(*records));
	struct stack_packer *s = stack_packer_new();
	int err = records && s ? stack_unpack_piece(s, bytes, n, records, used) : -ENOMEM;

	stack_packer_free(s);
	if (err)
		free(records);
	else
		*ret = records;
	return err;
}

int stack_unpack(const char *packed, size_t n, uint32_t used, struct stack_record **ret)
{
	unsigned char *bytes;
	uint64_t length;
	uLongf size;
	int err = -EPROTO;

	if (n < sizeof(length))
		return -EPROTO;
	memcpy(&length, packed, sizeof(length));
	/* a record of 8 bytes takes up at most 22 in columns, hardly ever more than 8 */
	if (length > (uint64_t)used * 24 + 1024 || length > n * 3 * STACK_EXPANSION_MAX)
		return -EPROTO;
	bytes = malloc(length + 1);
	if (!bytes)
		return -ENOMEM;
	size = length;
	if (uncompress(bytes, &size, (const Bytef *)packed + sizeof(length),
		       n - sizeof(length)) == Z_OK && size == length)
		err = unpack_bytes(bytes, length, used, ret);
	free(bytes);
	return err;
}

int stack_read_packed(int fd, const char *path, const struct stack_header *h,
		      struct stack_record **ret, struct op_error *e)
{
	struct stat st;
	size_t n = 0;
	char *packed = NULL;
	int err = fstat(fd, &st) ? -errno : 0;

	if (!err && (uint64_t)st.st_size > sizeof(*h)) {
		n = (size_t)st.st_size - sizeof(*h);
		packed = malloc(n);
		err = packed ? file_read_at(fd, packed, n, sizeof(*h)) : -ENOMEM;
	}
	if (!err)
		err = stack_unpack(packed, n, h->used, ret);
	free(packed);
	return !err ? 0 : op_error_set(e, err, "cannot read '%s': %s", path, err == -EPROTO
				       ? "malformed packed stacks" : strerror(-err));
}
