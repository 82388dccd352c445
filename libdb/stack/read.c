// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read.c - take a snapshot of a stack store
 *
 * The log is copied, not mapped (truncating a mapped file would kill the reader), in pieces that
 * double in size, each checked before the next is read: so the cost of a hostile file is in
 * proportion to its true size. Then positions become indices, in the copy itself: the index of a
 * record that others refer to replaces its second half.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libdb/stack/packed.h"
#include "libutil/file.h"

#define FIRST_PIECE	(UINT32_C(1) << 16)	/* records */

struct reader {
	const char *path;
	int fd;
	struct stack_log log;
	uint32_t pos;			/* records below this are checked */
	uint32_t nr[STACK_LABEL + 1];	/* of each kind */
	uint32_t nr_labels[STACK_LABELED_CONTEXT + 1];
	size_t label_bytes;
};

/* Read the log's records below @have. */
static int extend(struct reader *r, uint32_t have, struct op_error *e)
{
	void *records = realloc(r->log.records, have * sizeof(*r->log.records));
	void *marks = records ? realloc(r->log.marks, have * sizeof(*r->log.marks)) : NULL;
	size_t old = r->log.have;
	int err;

	if (records)
		r->log.records = records;
	if (marks)
		r->log.marks = marks;
	if (!records || !marks)
		return op_error_set(e, -ENOMEM, "cannot read '%s': no memory for %zu bytes",
				    r->path, have * sizeof(*r->log.records));
	memset(r->log.marks + old, 0, (have - old) * sizeof(*r->log.marks));
	err = file_read_at(r->fd, r->log.records + old, (have - old) * sizeof(*r->log.records),
			  old * sizeof(*r->log.records));
	if (err)
		return op_error_set(e, err, "cannot read '%s': %s", r->path,
				    err == -EPROTO ? "truncated" : strerror(-err));
	r->log.have = have;
	return 0;
}

static void count_record(struct reader *r, int length)
{
	const struct stack_record *record = &r->log.records[r->pos];

	r->nr[stack_kind(record)]++;
	if (stack_kind(record) == STACK_LABEL) {
		r->nr_labels[record->second]++;
		r->label_bytes += (size_t)length * sizeof(*record);
	}
}

/* Check the records read so far. Unless @is_last, the end of the piece may split a record. */
static int check_piece(struct reader *r, bool is_last, struct op_error *e)
{
	const char *why = "the last record is truncated";	/* [ST-5] */

	while (r->pos < r->log.have) {
		int n = stack_log_check(&r->log, r->pos, &why);

		if (!n && !is_last)
			return 0;
		if (n <= 0)
			return op_error_set(e, -EPROTO, "%s: offset %llu: %s", r->path,
					    (unsigned long long)r->pos * 8, why);
		count_record(r, n);
		r->pos += (uint32_t)n;
	}
	return 0;
}

static int read_log(struct reader *r, uint32_t used, struct op_error *e)
{
	uint32_t have = 0;
	int err = 0;

	r->pos = STACK_FIRST;
	while (have < used && !err) {
		have = have ? 2 * have : FIRST_PIECE;
		if (have > used)
			have = used;
		err = extend(r, have, e);
		if (!err)
			err = check_piece(r, have == used, e);
	}
	return err;
}

static int read_header(struct reader *r, struct stack_header *ret, struct op_error *e)
{
	struct stat st;
	ssize_t n;

	if (fstat(r->fd, &st))
		return op_error_set(e, -errno, "cannot stat '%s': %s", r->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return op_error_set(e, -EPROTO, "'%s': not a regular file", r->path);
	memset(ret, 0, sizeof(*ret));
	n = pread(r->fd, ret, sizeof(*ret), 0);
	/* again: by now the file has the length that the header needs */
	if (n < 0 || fstat(r->fd, &st))
		return op_error_set(e, -errno, "cannot read '%s': %s", r->path, strerror(errno));
	return stack_header_check(ret, (uint64_t)st.st_size, r->path, e);
}

static int read_packed(struct reader *r, const struct stack_header *h, struct op_error *e)
{
	int err = stack_read_packed(r->fd, r->path, h, &r->log.records, e);

	if (err)
		return err;
	r->log.have = h->used;
	r->pos = STACK_FIRST;
	r->log.marks = calloc(h->used, sizeof(*r->log.marks));
	if (!r->log.marks)
		return op_error_set(e, -ENOMEM, "cannot read '%s': out of memory", r->path);
	return check_piece(r, true, e);
}

/* Header and records of the file @path, checked. The caller frees r->log. */
static int read_records(struct reader *r, const char *path, struct stack_header *ret_header,
			struct op_error *e)
{
	int err;

	/* O_NONBLOCK: a FIFO in its place must not block a report */
	*r = (struct reader){ .path = path,
			      .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
	if (r->fd < 0) {
		err = -errno;
		return op_error_set(e, err, "cannot open '%s': %s", path, strerror(-err));
	}
	err = read_header(r, ret_header, e);
	if (!err && ret_header->version == STACK_VERSION_PACKED)
		err = read_packed(r, ret_header, e);
	else if (!err)
		err = read_log(r, ret_header->used, e);
	close(r->fd);
	return err;
}

void stack_log_free(struct stack_log *log)
{
	free(log->records);
	free(log->marks);
	*log = (struct stack_log){ .have = 0 };
}

int stack_log_read(const char *path, struct stack_header *ret_header, struct stack_log *ret_log,
		   struct op_error *e)
{
	struct reader r;
	int err = read_records(&r, path, ret_header, e);

	if (err)
		stack_log_free(&r.log);
	else
		*ret_log = r.log;
	return err;
}

/* The snapshot's arrays, exactly as long as needed, while they are filled in. */
struct arrays {
	struct stack_image *images;
	struct stack_event *events;
	struct stack_context *contexts;
	struct stack_frame *frames;
	struct stack_node *nodes;
	uint16_t *ends;
	struct stack_count *counts;
	char *text;
	size_t text_used;
};

static void *array(size_t nr, size_t size, bool *failed)
{
	void *p = calloc(nr ? nr : 1, size);

	*failed |= !p;
	return p;
}

static void free_arrays(struct arrays *a)
{
	free(a->images);
	free(a->events);
	free(a->contexts);
	free(a->frames);
	free(a->nodes);
	free(a->ends);
	free(a->counts);
	free(a->text);
}

static bool make_arrays(const struct reader *r, struct arrays *ret)
{
	bool failed = false;
	struct arrays a = {
		.images = array(r->nr_labels[STACK_IMAGE], sizeof(*a.images), &failed),
		.events = array(r->nr_labels[STACK_EVENT], sizeof(*a.events), &failed),
		.contexts = array((size_t)r->nr_labels[STACK_CONTEXT] +
				  r->nr_labels[STACK_LABELED_CONTEXT],
				  sizeof(*a.contexts), &failed),
		.frames = array((size_t)r->nr[STACK_FRAME] + r->nr[STACK_WIDE_FRAME],
				sizeof(*a.frames), &failed),
		.nodes = array(r->nr[STACK_NODE], sizeof(*a.nodes), &failed),
		.ends = array(r->nr[STACK_NODE], sizeof(*a.ends), &failed),
		.counts = array((size_t)r->nr[STACK_COUNT] + r->nr[STACK_WIDE_COUNT],
				sizeof(*a.counts), &failed),
		.text = array(r->label_bytes, 1, &failed),
	};

	if (failed) {
		free_arrays(&a);
		return false;
	}
	*ret = a;
	return true;
}

/* The index of a converted record, by its position. */
static uint32_t index_at(const struct reader *r, uint32_t pos)
{
	return r->log.records[pos].second;
}

/* Copy the label's bytes; returns its fields, and its strings in @strings. */
static const void *copy_label(struct arrays *a, const struct stack_record *label,
			      const char *strings[STACK_LABEL_STRINGS])
{
	size_t bytes = stack_argument(label) * sizeof(*label);
	char *copy = a->text + a->text_used;

	memcpy(copy, label, bytes);
	a->text_used += bytes;
	stack_label_strings((const struct stack_record *)(void *)copy, strings);
	return copy + sizeof(*label);
}

static uint32_t convert_label(const struct reader *r, const struct stack_record *label,
			      struct arrays *a, struct stack_snapshot *s)
{
	const char *strings[STACK_LABEL_STRINGS] = { NULL, NULL, NULL };
	const void *fields = copy_label(a, label, strings);

	if (label->second == STACK_IMAGE) {
		const struct stack_image_fields *f = fields;

		a->images[s->nr_images] = (struct stack_image){
			.name = { .kind = f->kind, .path = strings[0], .anon_tgid = f->tgid,
				  .anon_start = f->start, .anon_end = f->end },
			.build_id = strings[1],
		};
		return s->nr_images++;
	}
	if (label->second == STACK_EVENT) {
		const struct stack_event_fields *f = fields;

		a->events[s->nr_events] = (struct stack_event){ strings[0], f->count,
								f->unit_mask };
		return s->nr_events++;
	}
	const struct stack_context_fields *f = fields;

	a->contexts[s->nr_contexts] = (struct stack_context){
		.app = f->app ? index_at(r, f->app) : STACK_NONE,
		.tgid = f->tgid, .tid = f->tid, .cpu = f->cpu,
		.cgroup = strings[0], .comm = strings[1],
		.labels = strings[2] ? strings[2] : "",
	};
	return s->nr_contexts++;
}

static void convert_frame(const struct reader *r, uint32_t pos, struct arrays *a,
			  struct stack_snapshot *s)
{
	struct stack_record *record = &r->log.records[pos];

	a->frames[s->nr_frames] = (struct stack_frame){
		.image = index_at(r, stack_argument(record)),
		.offset = stack_kind(record) == STACK_WIDE_FRAME ?
			*stack_wide(record) : (uint64_t)(int64_t)(int32_t)record->second,
	};
	record->second = s->nr_frames++;
}

static void convert_node(const struct reader *r, uint32_t pos, struct arrays *a,
			 struct stack_snapshot *s)
{
	struct stack_record *record = &r->log.records[pos];
	uint32_t parent = stack_argument(record);

	if (parent) {
		parent = index_at(r, parent);
		a->nodes[s->nr_nodes] = (struct stack_node){ parent, index_at(r, record->second) };
		a->ends[s->nr_nodes] = a->ends[parent];
	} else {
		a->nodes[s->nr_nodes] = (struct stack_node){ STACK_NONE, record->second };
		a->ends[s->nr_nodes] = (uint16_t)record->second;
	}
	record->second = s->nr_nodes++;
}

static void convert_count(const struct reader *r, uint32_t node, uint32_t series, uint64_t count,
			  struct arrays *a, struct stack_snapshot *s)
{
	const struct stack_record *record = &r->log.records[series];

	if (!count)
		return;
	a->counts[s->nr_counts++] = (struct stack_count){
		.node = index_at(r, node),
		.context = index_at(r, stack_argument(record)),
		.event = index_at(r, record->second),
		.count = count,
	};
}

static void convert(const struct reader *r, struct arrays *a, struct stack_snapshot *s)
{
	uint32_t length;

	for (uint32_t pos = STACK_FIRST; pos < r->log.have; pos += length) {
		struct stack_record *record = &r->log.records[pos];

		length = 1;
		switch (stack_kind(record)) {
		case STACK_NODE:
			convert_node(r, pos, a, s);
			break;
		case STACK_WIDE_FRAME:
			length = 2;
			/* fall through */
		case STACK_FRAME:
			convert_frame(r, pos, a, s);
			break;
		case STACK_COUNT:
			convert_count(r, pos - 1, stack_argument(record), record->second, a, s);
			break;
		case STACK_WIDE_COUNT:
			length = 2;
			convert_count(r, record->second, stack_argument(record),
				      *stack_wide(record), a, s);
			break;
		case STACK_LABEL:
			length = stack_argument(record);
			record->second = convert_label(r, record, a, s);
			break;
		}
	}
}

int stack_store_read(const char *path, struct stack_snapshot *ret, struct op_error *e)
{
	struct stack_snapshot s = { .nr_images = 0 };
	struct stack_header header;
	struct reader r;
	struct arrays a;
	int err = read_records(&r, path, &header, e);

	free(r.log.marks);	/* of checking only */
	r.log.marks = NULL;
	if (!err && !make_arrays(&r, &a))
		err = op_error_set(e, -ENOMEM, "cannot read '%s': out of memory", path);
	if (!err) {
		convert(&r, &a, &s);
		s.images = a.images;
		s.events = a.events;
		s.contexts = a.contexts;
		s.frames = a.frames;
		s.nodes = a.nodes;
		s.ends = a.ends;
		s.counts = a.counts;
		s.text = a.text;
		s.lost = header.lost;
		*ret = s;
	}
	stack_log_free(&r.log);
	return err;
}

void stack_snapshot_free(struct stack_snapshot *s)
{
	struct arrays a = {
		(void *)s->images, (void *)s->events, (void *)s->contexts, (void *)s->frames,
		(void *)s->nodes, (void *)s->ends, (void *)s->counts, s->text, 0,
	};

	free_arrays(&a);
	*s = (struct stack_snapshot){ .nr_images = 0 };
}

/* --- how stacks ended [ST-12] --- */

static const struct {
	const char *name, *text;
} ends[NR_STACK_ENDS] = {
	[STACK_COMPLETE] = { "complete", "complete" },
	[STACK_TRUNCATED] = { "truncated", "cut at the depth asked for" },
	[STACK_NO_TABLE] = { "no_table", "ended in code without unwind table" },
	[STACK_BAD_FRAME] = { "bad_frame", "ended at an implausible frame" },
	[STACK_UNREADABLE] = { "unreadable", "ended in unreadable memory" },
	[STACK_SHORT_COPY] = { "short_copy", "ended at the end of the stack copy" },
	[STACK_NO_USER] = { "no_user", "kernel part only" },
	[STACK_UNKNOWN_END] = { "untold", "of unknown end" },
	[STACK_NO_MAPS] = { "no_maps", "ended in code mapped too recently" },
};

/* Texts of earlier versions, which are in profiles that these exported. */
static const struct {
	const char *text;
	unsigned int kind;
} former_ends[] = {
	{ "ended at a frame that cannot be", STACK_BAD_FRAME },
	{ "ended in memory that could not be read", STACK_UNREADABLE },
	{ "ended where the copy of the stack did", STACK_SHORT_COPY },
	{ "ended in code mapped too recently to be known", STACK_NO_MAPS },
};

const char *stack_end_name(unsigned int kind)
{
	return kind < NR_STACK_ENDS ? ends[kind].name : "unknown";
}

const char *stack_end_text(unsigned int kind)
{
	return kind < NR_STACK_ENDS ? ends[kind].text : "ended in an unknown way";
}

static bool is_text(const char *text, size_t n, const char *expected)
{
	return n == strlen(expected) && !memcmp(text, expected, n);
}

bool stack_end_parse(const char *text, size_t n, unsigned int *ret)
{
	for (unsigned int kind = 0; kind < NR_STACK_ENDS; kind++)
		if (is_text(text, n, ends[kind].text)) {
			*ret = kind;
			return true;
		}
	for (size_t i = 0; i < sizeof(former_ends) / sizeof(former_ends[0]); i++)
		if (is_text(text, n, former_ends[i].text)) {
			*ret = former_ends[i].kind;
			return true;
		}
	return false;
}

void stack_snapshot_outer(const struct stack_snapshot *s, uint8_t *ret)
{
	for (uint32_t i = 0; i < s->nr_nodes; i++) {
		uint32_t parent = s->nodes[i].parent;

		ret[i] = 0;
		if (parent == STACK_NONE)
			continue;
		if (s->nodes[parent].parent == STACK_NONE)
			ret[i] = (uint8_t)stack_end_nr_outer(s->ends[i]);
		else if (ret[parent])
			ret[i] = (uint8_t)(ret[parent] - 1);
	}
}

static void add(uint64_t *total, uint64_t count)
{
	if (__builtin_add_overflow(*total, count, total))
		*total = UINT64_MAX;
}

void stack_snapshot_totals(const struct stack_snapshot *s, struct stack_totals *ret)
{
	*ret = (struct stack_totals){ .samples = 0 };
	for (uint32_t i = 0; i < s->nr_counts; i++) {
		unsigned int end = s->ends[s->counts[i].node];

		add(&ret->samples, s->counts[i].count);
		if (end & STACK_END_GUESSED)
			add(&ret->guessed, s->counts[i].count);
		if (STACK_END_KIND(end) < NR_STACK_ENDS)
			add(&ret->ends[STACK_END_KIND(end)], s->counts[i].count);
	}
}
