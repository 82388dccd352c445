// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pack.c - the records of a stack store in fewer bytes, and back [ST-16]
 *
 * Records become numbers of few bits: a reference is the distance to a recent record of that kind,
 * a node's frame is mostly one that its caller's function called lately, a new one is near those.
 * Numbers of one meaning lie together in a column, longer ones in a column for each of their bytes,
 * because the compressor counts bytes. Unpacking gives the very same records at the same positions.
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

/* Numbers of some bytes: how many each has, the lowest, the next two, and those above. */
enum { LENGTHS, BYTES, NR_BYTES = 4, NR_NUMBER_COLUMNS = BYTES + NR_BYTES };

enum {
	KINDS, RANKS, ENDS, IMAGES, COUNTS, OTHERS,
	/* of nodes: to the parent, or to it from the last old one; both without LENGTHS; */
	DISTANCES,
	STEPS = DISTANCES + NR_NUMBER_COLUMNS,
	FRAMES = STEPS + NR_NUMBER_COLUMNS,	/* to the frame; */
	/* of new frames: differences to what was called from there, to the caller, in the image */
	BESIDE = FRAMES + NR_NUMBER_COLUMNS,
	CALLED = BESIDE + NR_NUMBER_COLUMNS,
	OFFSETS = CALLED + NR_NUMBER_COLUMNS,
	NR_COLUMNS = OFFSETS + NR_NUMBER_COLUMNS,
};

/* In KINDS, of a node: above what its frame is, the bytes of its distance, or step and this: */
#define DISTANCE_BYTES	3
#define CODE_BITS	5
#define CODE_RANK_MAX	15		/* 0 to here: a callee of its caller, by rank */
enum { CODE_KNOWN = CODE_RANK_MAX + 1, CODE_NEAR, CODE_NEAR_WIDE, CODE_FAR, CODE_FAR_WIDE };
#define CODE_OTHER	(7u << CODE_BITS)	/* other records, and roots: this + kind */
#define RANKS_MAX	64

enum { CLASS_NODE, CLASS_FRAME, CLASS_SERIES, CLASS_LABEL, NR_CLASSES };

/* A frame that was called from another. */
struct callee {
	uint32_t frame;			/* position */
	uint32_t next;			/* called before it; 0: none */
};

/* What packing and unpacking know about the records so far. */
struct stack_packer {
	struct stack_record *records;
	uint32_t done, used;		/* packed or unpacked, and to be: positions below these */
	size_t room;			/* of each of these arrays */
	uint32_t *positions[NR_CLASSES], nr[NR_CLASSES];
	uint32_t *index;		/* of the record at a position, within its class */
	struct callee *callees;		/* the first is unused */
	uint32_t nr_callees;
	uint32_t root_callee;		/* called last from a root, */
	uint32_t *last_callee;		/* and from each frame, by index */
	uint64_t *offsets;		/* the last one in an image, by index of its label */
	uint32_t nr_old;		/* nodes of earlier pieces, */
	uint32_t old_parent;		/* and which of them was a parent last */
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
	free(s->callees);
	free(s->last_callee);
	free(s->offsets);
	free(s);
	return NULL;
}

/* @array with @nr elements. NULL: no memory, and *failed is set. */
static void *resized(void *array, size_t nr, size_t size, bool *failed)
{
	void *p = realloc(array, nr * size);

	*failed |= !p;
	return p ? p : array;
}

/*
 * Make room for the records up to @used. Each array gets as many elements as there are positions:
 * more than it needs, but the kernel gives no memory for what is not used.
 */
static int extend(struct stack_packer *s, struct stack_record *records, uint32_t used)
{
	size_t room = used + used / 2;
	bool failed = false;

	s->records = records;
	s->used = used;
	s->nr_old = s->nr[CLASS_NODE];
	s->old_parent = 0;
	if (used <= s->room)
		return 0;
	for (int i = 0; i < NR_CLASSES; i++)
		s->positions[i] = resized(s->positions[i], room, sizeof(uint32_t), &failed);
	s->index = resized(s->index, room, sizeof(*s->index), &failed);
	s->callees = resized(s->callees, room, sizeof(*s->callees), &failed);
	s->last_callee = resized(s->last_callee, room, sizeof(*s->last_callee), &failed);
	s->offsets = resized(s->offsets, room, sizeof(*s->offsets), &failed);
	if (failed)
		return -ENOMEM;
	s->room = room;
	return 0;
}

static void note(struct stack_packer *s, int class, uint32_t pos)
{
	uint32_t i = s->nr[class]++;

	s->index[pos] = i;
	s->positions[class][i] = pos;
	if (class == CLASS_FRAME)
		s->last_callee[i] = 0;
	if (class == CLASS_LABEL)
		s->offsets[i] = 0;
}

/* What was called last from the frame of the node at @parent. */
static uint32_t *callees_of(struct stack_packer *s, uint32_t parent)
{
	const struct stack_record *r = &s->records[parent];

	return stack_argument(r) ? &s->last_callee[s->index[r->second]] : &s->root_callee;
}

static void add_callee(struct stack_packer *s, uint32_t *last, uint32_t frame)
{
	uint32_t i = ++s->nr_callees;

	s->callees[i] = (struct callee){ frame, *last };
	*last = i;
}

/* Make the callee at @link, of the list @last, the last one. */
static void move_to_front(struct stack_packer *s, uint32_t *last, uint32_t *link)
{
	uint32_t i = *link;

	*link = s->callees[i].next;
	s->callees[i].next = *last;
	*last = i;
}

/* The frame that a new one called from the node at @parent is likely near; 0: none. */
static uint32_t near_frame(struct stack_packer *s, uint32_t parent, int *ret_numbers)
{
	const struct stack_record *r = &s->records[parent];
	uint32_t last = *callees_of(s, parent);

	*ret_numbers = last ? BESIDE : CALLED;
	return last ? s->callees[last].frame : stack_argument(r) ? r->second : 0;
}

static uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static uint64_t unzigzag(uint64_t n)
{
	return n >> 1 ^ (0 - (n & 1));
}

static bool is_wide(unsigned int kind)
{
	return kind == STACK_WIDE_FRAME || kind == STACK_WIDE_COUNT;
}

/* --- packing --- */

/* The distance from the last record of the class; the reference is to one of them. */
static uint32_t distance_to(const struct stack_packer *s, int class, uint32_t pos)
{
	return s->nr[class] - 1 - s->index[pos];
}

static void put_reference(struct strbuf *column, const struct stack_packer *s, int class,
			  uint32_t pos)
{
	varint_put(column, distance_to(s, class, pos));
}

static unsigned int nr_bytes(uint64_t n)
{
	return n ? (unsigned int)(71 - __builtin_clzll(n)) / 8 : 0;
}

static void put_bytes(struct strbuf *columns, uint64_t n, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++, n >>= 8)
		strbuf_add_char(&columns[BYTES + (i < NR_BYTES ? i : NR_BYTES - 1)], (char)n);
}

static void put_number(struct strbuf *columns, uint64_t n)
{
	strbuf_add_char(&columns[LENGTHS], (char)nr_bytes(n));
	put_bytes(columns, n, nr_bytes(n));
}

static void put_code(struct strbuf *columns, unsigned int code)
{
	strbuf_add_char(&columns[KINDS], (char)code);
}

static void pack_root(struct stack_packer *s, uint32_t pos, struct strbuf *columns)
{
	put_code(columns, CODE_OTHER + STACK_NODE);
	varint_put(&columns[ENDS], s->records[pos].second);
	note(s, CLASS_NODE, pos);
}

/* Of a frame known: its rank among the callees of its caller, or where it is. */
static unsigned int pack_known(struct stack_packer *s, uint32_t *last, uint32_t frame,
			       struct strbuf *columns)
{
	uint32_t *link = last;
	unsigned int rank = 0;

	for (; *link && rank < RANKS_MAX; rank++) {
		if (s->callees[*link].frame == frame) {
			move_to_front(s, last, link);
			if (rank < CODE_RANK_MAX)
				return rank;
			strbuf_add_char(&columns[RANKS], (char)(rank - CODE_RANK_MAX));
			return CODE_RANK_MAX;
		}
		link = &s->callees[*link].next;
	}
	put_number(&columns[FRAMES], distance_to(s, CLASS_FRAME, frame));
	add_callee(s, last, frame);
	return CODE_KNOWN;
}

static void pack_far_frame(struct stack_packer *s, uint32_t pos, struct strbuf *columns)
{
	uint32_t image = stack_argument(&s->records[pos]);
	uint64_t offset = stack_frame_offset(&s->records[pos]);

	put_reference(&columns[IMAGES], s, CLASS_LABEL, image);
	put_number(&columns[OFFSETS], zigzag(offset - s->offsets[s->index[image]]));
	s->offsets[s->index[image]] = offset;
	note(s, CLASS_FRAME, pos);
}

/* Of a frame that is just before its first node. */
static unsigned int pack_new(struct stack_packer *s, uint32_t parent, uint32_t frame,
			     struct strbuf *columns)
{
	struct stack_record *r = &s->records[frame];
	bool wide = is_wide(stack_kind(r));
	uint32_t image = stack_argument(r), near;
	uint64_t offset = stack_frame_offset(r);
	int numbers;

	near = near_frame(s, parent, &numbers);
	if (!near || stack_argument(&s->records[near]) != image) {
		pack_far_frame(s, frame, columns);
		add_callee(s, callees_of(s, parent), frame);
		return wide ? CODE_FAR_WIDE : CODE_FAR;
	}
	put_number(&columns[numbers], zigzag(offset - stack_frame_offset(&s->records[near])));
	s->offsets[s->index[image]] = offset;
	note(s, CLASS_FRAME, frame);
	add_callee(s, callees_of(s, parent), frame);
	return wide ? CODE_NEAR_WIDE : CODE_NEAR;
}

static void note_parent(struct stack_packer *s, uint32_t parent)
{
	if (s->index[parent] < s->nr_old)
		s->old_parent = s->index[parent];
}

/* Returns the upper bits of the node's code. */
static unsigned int pack_parent(struct stack_packer *s, uint32_t parent, struct strbuf *columns)
{
	uint32_t distance = distance_to(s, CLASS_NODE, parent), i = s->index[parent], step;
	unsigned int bytes = nr_bytes(distance);

	step = i - s->old_parent;
	if (i >= s->old_parent && i < s->nr_old && bytes && nr_bytes(step) < bytes) {
		bytes = step ? nr_bytes(step) : 1;
		put_bytes(&columns[STEPS], step, bytes);
		bytes += DISTANCE_BYTES;
	} else {
		put_bytes(&columns[DISTANCES], distance, bytes);
	}
	note_parent(s, parent);
	return bytes << CODE_BITS;
}

static void pack_node(struct stack_packer *s, uint32_t pos, bool has_new_frame,
		      struct strbuf *columns)
{
	const struct stack_record *r = &s->records[pos];
	uint32_t parent = stack_argument(r);
	unsigned int code;

	if (!parent) {
		pack_root(s, pos, columns);
		return;
	}
	code = pack_parent(s, parent, columns);
	code |= has_new_frame ? pack_new(s, parent, r->second, columns)
			      : pack_known(s, callees_of(s, parent), r->second, columns);
	put_code(columns, code);
	note(s, CLASS_NODE, pos);
}

/* Whether the record at @pos, behind the frame at @frame, is a node of that frame. */
static bool is_its_node(const struct stack_packer *s, uint32_t pos, uint32_t frame)
{
	const struct stack_record *r = &s->records[pos];

	return pos < s->used && stack_kind(r) == STACK_NODE && stack_argument(r) &&
	       r->second == frame;
}

/* Returns the length of the frame's record, or with its first node's. */
static uint32_t pack_frame(struct stack_packer *s, uint32_t pos, struct strbuf *columns)
{
	unsigned int kind = stack_kind(&s->records[pos]);
	uint32_t length = 1 + is_wide(kind);

	if (is_its_node(s, pos + length, pos)) {
		pack_node(s, pos + length, true, columns);
		return length + 1;
	}
	put_code(columns, CODE_OTHER + kind);
	pack_far_frame(s, pos, columns);
	return length;
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
static uint32_t pack_other(struct stack_packer *s, uint32_t pos, struct strbuf *columns)
{
	const struct stack_record *r = &s->records[pos];
	uint32_t argument = stack_argument(r);

	put_code(columns, CODE_OTHER + stack_kind(r));
	switch (stack_kind(r)) {
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

/* Returns the length of what was packed. */
static uint32_t pack_record(struct stack_packer *s, uint32_t pos, struct strbuf *columns)
{
	switch (stack_kind(&s->records[pos])) {
	case STACK_NODE:
		pack_node(s, pos, false, columns);
		return 1;
	case STACK_FRAME:
	case STACK_WIDE_FRAME:
		return pack_frame(s, pos, columns);
	}
	return pack_other(s, pos, columns);
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

static unsigned int get_byte(struct column *c)
{
	if (c->at < c->end)
		return *c->at++;
	*c->failed = true;
	return 0;
}

static uint64_t get_number(struct column *columns, unsigned int bytes)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < bytes; i++)
		n |= (uint64_t)get_byte(&columns[BYTES + (i < NR_BYTES ? i : NR_BYTES - 1)])
			<< 8 * i;
	return n;
}

static uint64_t get_long_number(struct column *columns)
{
	unsigned int bytes = get_byte(&columns[LENGTHS]);

	if (bytes <= sizeof(uint64_t))
		return get_number(columns, bytes);
	*columns->failed = true;
	return 0;
}

static struct stack_record record_of(unsigned int kind, uint32_t argument, uint64_t second)
{
	return (struct stack_record){ STACK_HEAD(kind, argument), (uint32_t)second };
}

static void set_frame(struct stack_packer *s, uint32_t pos, unsigned int kind, uint32_t image,
		      uint64_t offset)
{
	s->offsets[s->index[image]] = offset;
	s->records[pos] = record_of(kind, image, kind == STACK_FRAME ? offset : 0);
	if (kind == STACK_WIDE_FRAME)
		*stack_wide(&s->records[pos]) = offset;
	note(s, CLASS_FRAME, pos);
}

static void unpack_far_frame(struct stack_packer *s, uint32_t pos, unsigned int kind,
			     struct column *columns)
{
	uint32_t image = get_reference(s, CLASS_LABEL, &columns[IMAGES]);
	uint64_t difference = unzigzag(get_long_number(&columns[OFFSETS]));

	if (!*columns->failed)
		set_frame(s, pos, kind, image, s->offsets[s->index[image]] + difference);
}

static void unpack_near_frame(struct stack_packer *s, uint32_t pos, unsigned int kind,
			      uint32_t parent, struct column *columns)
{
	int numbers;
	uint32_t near = near_frame(s, parent, &numbers);
	uint64_t difference = unzigzag(get_long_number(&columns[numbers]));

	*columns->failed |= !near;
	if (!*columns->failed)
		set_frame(s, pos, kind, stack_argument(&s->records[near]),
			  stack_frame_offset(&s->records[near]) + difference);
}

/* The frame of a node that has one of those known; 0: failed. */
static uint32_t unpack_known(struct stack_packer *s, unsigned int code, uint32_t *last,
			     struct column *columns)
{
	unsigned int rank = code;
	uint32_t *link = last, frame;

	if (code == CODE_KNOWN) {
		frame = position_of(s, CLASS_FRAME, get_long_number(&columns[FRAMES]),
				    columns->failed);
		if (frame)
			add_callee(s, last, frame);
		return frame;
	}
	if (code == CODE_RANK_MAX)
		rank += get_byte(&columns[RANKS]);
	*columns->failed |= rank >= RANKS_MAX;
	for (; *link && rank; rank--)
		link = &s->callees[*link].next;
	*columns->failed |= !*link;
	if (*columns->failed)
		return 0;
	move_to_front(s, last, link);
	return s->callees[*last].frame;
}

static uint32_t unpack_parent(struct stack_packer *s, unsigned int bytes, struct column *columns)
{
	uint32_t parent;
	uint64_t i;

	if (bytes <= DISTANCE_BYTES) {
		parent = position_of(s, CLASS_NODE, get_number(&columns[DISTANCES], bytes),
				     columns->failed);
	} else {
		i = s->old_parent + get_number(&columns[STEPS], bytes - DISTANCE_BYTES);
		*columns->failed |= i >= s->nr_old;
		parent = *columns->failed ? 0 : s->positions[CLASS_NODE][i];
	}
	if (!*columns->failed)
		note_parent(s, parent);
	return parent;
}

/* Returns the length of the node, or of a new frame and the node. */
static uint32_t unpack_node(struct stack_packer *s, uint32_t pos, unsigned int code,
			    struct column *columns)
{
	bool is_new = (code & ((1u << CODE_BITS) - 1)) > CODE_KNOWN;
	uint32_t parent = unpack_parent(s, code >> CODE_BITS, columns), frame = pos;

	code &= (1u << CODE_BITS) - 1;
	pos += !is_new ? 0 : code == CODE_NEAR_WIDE || code == CODE_FAR_WIDE ? 2 : 1;
	*columns->failed |= code > CODE_FAR_WIDE || pos >= s->used;
	if (*columns->failed)
		return 1;
	if (!is_new)
		frame = unpack_known(s, code, callees_of(s, parent), columns);
	else if (code == CODE_NEAR || code == CODE_NEAR_WIDE)
		unpack_near_frame(s, frame, code == CODE_NEAR ? STACK_FRAME : STACK_WIDE_FRAME,
				  parent, columns);
	else
		unpack_far_frame(s, frame, code == CODE_FAR ? STACK_FRAME : STACK_WIDE_FRAME,
				 columns);
	if (*columns->failed)
		return 1;
	if (is_new)
		add_callee(s, callees_of(s, parent), frame);
	s->records[pos] = record_of(STACK_NODE, parent, frame);
	note(s, CLASS_NODE, pos);
	return is_new ? pos - frame + 1 : 1;
}

static void unpack_root(struct stack_packer *s, uint32_t pos, struct column *columns)
{
	s->records[pos] = record_of(STACK_NODE, 0, get(&columns[ENDS]));
	note(s, CLASS_NODE, pos);
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
	unsigned int code = get_byte(&columns[KINDS]), kind = code - CODE_OTHER;

	if (code < CODE_OTHER)
		return unpack_node(s, pos, code, columns);
	if (is_wide(kind) && s->used - pos < 2) {
		*columns->failed = true;
		return 1;
	}
	switch (kind) {
	case STACK_NODE:
		unpack_root(s, pos, columns);
		return 1;
	case STACK_FRAME:
	case STACK_WIDE_FRAME:
		unpack_far_frame(s, pos, kind, columns);
		return 1 + is_wide(kind);
	case STACK_COUNT:
	case STACK_WIDE_COUNT:
		unpack_count(s, pos, kind, &columns[COUNTS]);
		return 1 + is_wide(kind);
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
