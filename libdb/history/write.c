// SPDX-License-Identifier: GPL-2.0-or-later
/* write.c - add slices to a segment */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libdb/history/block.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"

struct history_writer {
	char *path;
	int fd;
	uint64_t length;
	struct stack_packer *packer;
	struct history_names names;
	uint32_t done;			/* positions of the store that are in the segment, */
	uint64_t hash;			/* these records, with counts of 0, */
	struct history_sums sums;	/* and the samples of their counts that are */
	struct stack_image *images;	/* of these records; their texts are ours */
	size_t nr_images, images_room;
	int64_t end_ns;			/* of the last slice */
	uint64_t cut;			/* bytes that were no whole slice when it was opened */
	bool is_spent;			/* a block was made that is not in the file */
};

/* Records below @used; counts are 0. */
static uint64_t hash_records(const struct stack_log *log, uint32_t used)
{
	return hash_bytes(log->records + STACK_FIRST,
			  (used - STACK_FIRST) * sizeof(*log->records));
}

/* Note the images that @log has from @from on. */
static void note_images(struct history_writer *w, const struct stack_log *log, uint32_t from)
{
	const char *strings[STACK_LABEL_STRINGS];
	struct stack_image_fields fields;

	for (uint32_t pos = from; pos < log->have;
	     pos += stack_record_length(&log->records[pos])) {
		const struct stack_record *record = &log->records[pos];

		if (stack_kind(record) != STACK_LABEL || record->second != STACK_IMAGE)
			continue;
		memcpy(&fields, record + 1, sizeof(fields));
		stack_label_strings(record, strings);
		xgrow(w->images, w->nr_images, w->images_room);
		w->images[w->nr_images++] = (struct stack_image){
			.name = { .kind = (enum image_kind)fields.kind, .path = xstrdup(strings[0]),
				  .anon_tgid = fields.tgid, .anon_start = fields.start,
				  .anon_end = fields.end },
			.build_id = xstrdup(strings[1]),
		};
	}
}

const struct stack_image *history_writer_images(const struct history_writer *w, size_t *ret_nr)
{
	*ret_nr = w->nr_images;
	return w->images;
}

static int failed_to(const char *what, const char *path, int err, struct op_error *e)
{
	return op_error_set(e, err, "cannot %s '%s': %s", what, path, strerror(-err));
}

/* --- opening --- */

static int create(const char *path, struct op_error *e)
{
	struct strbuf header = STRBUF_INIT;
	int err;

	history_put_header(&header);
	err = file_write_atomic(path, header.text, header.len, 0644);
	strbuf_free(&header);
	return err ? failed_to("create", path, err, e) : 0;
}

static int add_up(struct history_writer *w, struct history_reader *r, struct op_error *e)
{
	int more;

	while ((more = history_reader_next(r, e)) > 0) {
		history_sums_add(&w->sums, r);
		w->end_ns = r->block.slice.end_ns;
	}
	return more;
}

/* What the segment has, from it. */
static int load(struct history_writer *w, struct op_error *e)
{
	struct history_reader r;
	int err = history_reader_open(&r, w->path, e);

	if (!err)
		err = add_up(w, &r, e);
	if (!err && r.damaged)
		err = op_error_set(e, -EPROTO, "'%s' is damaged and cannot be continued", w->path);
	if (!err) {
		w->length = r.at;
		w->cut = r.cut;
		w->done = r.log.have;
		w->hash = hash_records(&r.log, r.log.have);
		note_images(w, &r.log, STACK_FIRST);
		w->packer = r.packer;
		w->names = r.names;
		r.packer = NULL;
		r.names = (struct history_names){ NULL, 0, 0 };
		w->fd = open(w->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
		if (w->fd < 0 || (r.cut && ftruncate(w->fd, (off_t)w->length)))
			err = failed_to("open", w->path, -errno, e);
	}
	history_reader_free(&r);
	return err;
}

int history_writer_open(const char *path, struct history_writer **ret, struct op_error *e)
{
	struct history_writer *w;
	int err = file_exists(path) ? 0 : create(path, e);

	if (err)
		return err;
	w = xcalloc(1, sizeof(*w));
	w->fd = -1;
	w->path = xstrdup(path);
	err = load(w, e);
	if (err)
		history_writer_close(w);
	else
		*ret = w;
	return err;
}

struct history_writer *history_writer_close(struct history_writer *w)
{
	if (!w)
		return NULL;
	if (w->fd >= 0)
		close(w->fd);
	stack_packer_free(w->packer);
	history_names_free(&w->names);
	for (size_t i = 0; i < w->nr_images; i++) {
		free((char *)w->images[i].name.path);
		free((char *)w->images[i].build_id);
	}
	free(w->images);
	free(w->sums.samples);
	free(w->path);
	free(w);
	return NULL;
}

int64_t history_writer_end_ns(const struct history_writer *w)
{
	return w->end_ns;
}

uint64_t history_writer_cut(const struct history_writer *w)
{
	return w->cut;
}

/* --- adding --- */

/* The samples that each count has, which becomes 0. Returns how many counts there are. */
static size_t take_counts(struct stack_log *log, uint64_t *ret)
{
	size_t nr = 0;

	for (uint32_t pos = STACK_FIRST; pos < log->have;
	     pos += stack_record_length(&log->records[pos])) {
		struct stack_record *record = &log->records[pos];

		if (stack_kind(record) == STACK_COUNT) {
			ret[nr++] = record->second;
			record->second = 0;
		} else if (stack_kind(record) == STACK_WIDE_COUNT) {
			ret[nr++] = *stack_wide(record);
			*stack_wide(record) = 0;
		}
	}
	return nr;
}

/* -ESTALE: a count is less than it was. */
static int find_deltas(const struct history_writer *w, const uint64_t *counts, size_t nr,
		       struct history_block *b)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t before = i < w->sums.nr ? w->sums.samples[i] : 0;

		if (counts[i] < before)
			return -ESTALE;
		if (counts[i] > before)
			b->deltas[b->nr_deltas++] = (struct history_delta){
				.count = (uint32_t)i, .samples = counts[i] - before,
			};
	}
	return 0;
}

static int append(struct history_writer *w, const struct strbuf *block)
{
	ssize_t n = pwrite(w->fd, block->text, block->len, (off_t)w->length);
	int err = n == (ssize_t)block->len ? 0 : n < 0 ? -errno : -ENOSPC;

	if (err)
		(void)!ftruncate(w->fd, (off_t)w->length);
	else
		w->length += block->len;
	return err;
}

static int add_log(struct history_writer *w, const struct history_slice *slice,
		   struct stack_log *log)
{
	struct history_block b = { .slice = *slice };
	struct strbuf block = STRBUF_INIT;
	uint64_t *counts = malloc(log->have * sizeof(*counts));
	size_t nr;
	int err;

	b.deltas = malloc(log->have * sizeof(*b.deltas));
	if (!counts || !b.deltas) {
		free(counts);
		free(b.deltas);
		return -ENOMEM;
	}
	nr = take_counts(log, counts);
	err = find_deltas(w, counts, nr, &b);
	if (!err && hash_records(log, w->done) != w->hash)
		err = -ESTALE;
	if (!err) {
		w->is_spent = true;
		err = history_encode(&b, w->packer, log, &w->names, &block);
	}
	if (!err)
		err = append(w, &block);
	if (!err) {
		free(w->sums.samples);
		w->sums = (struct history_sums){ counts, nr };
		note_images(w, log, w->done);
		w->done = log->have;
		w->end_ns = slice->end_ns;
		w->hash = hash_records(log, log->have);
		w->is_spent = false;
		counts = NULL;
	}
	strbuf_free(&block);
	free(counts);
	free(b.deltas);
	return err;
}

/* The file is created with the first sample. */
static int read_store(const char *store, struct stack_log *ret, struct op_error *e)
{
	struct stack_header h;

	if (file_exists(store))
		return stack_log_read(store, &h, ret, e);
	*ret = (struct stack_log){ .records = xcalloc(STACK_FIRST, sizeof(*ret->records)),
				   .have = STACK_FIRST };
	return 0;
}

int history_writer_add(struct history_writer *w, const struct history_slice *slice,
		       const char *store, struct op_error *e)
{
	struct stack_log log;
	int err = w->is_spent ? -ESTALE : read_store(store, &log, e);

	if (w->is_spent)
		return failed_to("continue", w->path, err, e);
	if (err)
		return err;
	if (log.have > HISTORY_POSITIONS_MAX)
		err = -EFBIG;
	else if (log.have < w->done)
		err = -ESTALE;
	else
		err = add_log(w, slice, &log);
	stack_log_free(&log);
	if (err == -ESTALE)
		return op_error_set(e, err, "'%s' does not continue what '%s' holds", store,
				    w->path);
	return err ? failed_to("write", w->path, err, e) : 0;
}
