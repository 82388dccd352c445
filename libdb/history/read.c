// SPDX-License-Identifier: GPL-2.0-or-later
/* read.c - the slices of a segment within a time */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libdb/history/block.h"
#include "libutil/count.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

/* What is collected of the slices that were asked for. */
struct collected {
	struct history_slice *slices;
	size_t nr, room;
	struct history_number *numbers;		/* of all slices, in their order */
	size_t nr_numbers, room_numbers;
	struct history_sums sums;
	uint64_t lost;
};

bool history_slice_is_within(int64_t begin_ns, int64_t end_ns, int64_t from_ns, int64_t to_ns)
{
	int64_t middle = begin_ns + (end_ns - begin_ns) / 2;

	return middle >= from_ns && middle < to_ns;
}

/* Names stay the reader's. */
static void collect(struct collected *c, const struct history_reader *r)
{
	const struct history_block *b = &r->block;

	xgrow(c->slices, c->nr, c->room);
	c->slices[c->nr++] = b->slice;
	for (size_t i = 0; i < b->slice.nr_numbers; i++) {
		xgrow(c->numbers, c->nr_numbers, c->room_numbers);
		c->numbers[c->nr_numbers++] = b->slice.numbers[i];
	}
	history_sums_add(&c->sums, r);
	count_add(&c->lost, b->lost);
}

/* The snapshot has the counts in their order, without those that are 0. */
static void make_places(const struct history_sums *sums, struct history_segment *ret)
{
	uint32_t next = 0;

	ret->places = xcalloc(sums->nr + 1, sizeof(*ret->places));
	ret->nr_places = sums->nr;
	for (size_t i = 0; i < sums->nr; i++)
		ret->places[i] = sums->samples[i] ? next++ : STACK_NONE;
}

/* @r's names and log go to @ret. */
static int take(struct history_reader *r, struct collected *c, struct history_segment *ret,
		struct op_error *e)
{
	struct history_segment s = { .cut = r->cut, .damaged = r->damaged, .lost = c->lost };
	struct history_number *numbers = c->numbers;
	int err = history_reader_set_counts(r, &c->sums, e);

	if (err)
		return err;
	err = stack_log_snapshot(&r->log, &s.stacks);
	if (err)
		return op_error_set(e, err, "cannot read '%s': out of memory", r->path);
	make_places(&c->sums, &s);
	for (size_t i = 0; i < c->nr; i++) {
		c->slices[i].numbers = numbers;
		numbers += c->slices[i].nr_numbers;
	}
	s.slices = c->slices;
	s.nr_slices = c->nr;
	s.numbers = c->numbers;
	s.names = r->names.names;
	s.nr_names = r->names.nr;
	c->slices = NULL;
	c->numbers = NULL;
	r->names = (struct history_names){ NULL, 0, 0 };
	*ret = s;
	return 0;
}

int history_segment_read(const char *path, int64_t from_ns, int64_t to_ns,
			 struct history_segment *ret, struct op_error *e)
{
	struct collected c = { .nr = 0 };
	struct history_reader r;
	int err = history_reader_open(&r, path, e), more = 0;

	while (!err && (more = history_reader_next(&r, e)) > 0)
		if (history_slice_is_within(r.block.slice.begin_ns, r.block.slice.end_ns, from_ns,
					    to_ns))
			collect(&c, &r);
	if (!err)
		err = more;
	if (!err)
		err = take(&r, &c, ret, e);
	history_reader_free(&r);
	free(c.slices);
	free(c.numbers);
	free(c.sums.samples);
	return err;
}

int history_segment_scan(const char *path, void (*slice)(void *context, int64_t begin_ns,
							 int64_t end_ns),
			 void *context, struct op_error *e)
{
	struct history_block_header h;
	struct history_reader r;
	int err = history_reader_open(&r, path, e);

	while (!err && r.length - r.at >= sizeof(h)) {
		err = file_read_at(r.fd, &h, sizeof(h), r.at);
		if (err)
			op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
		if (err || h.length > r.length - r.at - sizeof(h))
			break;
		if (h.begin_ns >= 0 && h.end_ns >= h.begin_ns)	/* else it is damaged */
			slice(context, h.begin_ns, h.end_ns);
		r.at += sizeof(h) + h.length;
	}
	history_reader_free(&r);
	return err;
}

void history_segment_free(struct history_segment *s)
{
	struct history_names names = { s->names, s->nr_names, s->nr_names };

	history_names_free(&names);
	stack_snapshot_free(&s->stacks);
	free(s->slices);
	free(s->places);
	free(s->numbers);
	*s = (struct history_segment){ .nr_slices = 0 };
}
