// SPDX-License-Identifier: GPL-2.0-or-later
/* tail.c - read a growing log in pieces, and its counts again */
#include "libdb/stack/tail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libutil/file.h"

#define PIECE	8192u		/* records read at a time: what fits into the CPU's cache */

int stack_tail_open(const char *path, struct stack_tail *ret, struct op_error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return op_error_set(e, -errno, "cannot open '%s': %s", path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return op_error_set(e, -EPROTO, "'%s': not a regular file", path);
	}
	*ret = (struct stack_tail){ .fd = fd, .checked = STACK_FIRST };
	return 0;
}

void stack_tail_close(struct stack_tail *t)
{
	if (t->fd >= 0)
		close(t->fd);
	stack_log_free(&t->log);
	free(t->counts);
	*t = (struct stack_tail){ .fd = -1 };
}

/* --- counts of records that are known --- */

/* @piece: the records from @first on, @nr of them and one more for the second half of wide ones. */
static size_t take_counts(struct stack_tail *t, size_t next, const struct stack_record *piece,
			  uint32_t first, uint32_t nr)
{
	for (; next < t->nr_counts && t->counts[next].pos < first + nr; next++) {
		struct stack_tail_count *c = &t->counts[next];
		const struct stack_record *now = &piece[c->pos - first];

		if (stack_kind(&t->log.records[c->pos]) == STACK_WIDE_COUNT)
			memcpy(&c->samples, now + 1, sizeof(c->samples));
		else
			c->samples = now->second;
	}
	return next;
}

static int read_counts(struct stack_tail *t)
{
	struct stack_record piece[PIECE + 1];
	size_t next = 0;

	while (next < t->nr_counts) {
		uint32_t first = t->counts[next].pos;
		uint32_t left = t->checked - first, nr = left < PIECE ? left : PIECE;
		uint32_t wanted = nr < left ? nr + 1 : nr;
		int err = file_read_at(t->fd, piece, wanted * sizeof(*piece),
				       (uint64_t)first * sizeof(*piece));

		if (err)
			return err;
		next = take_counts(t, next, piece, first, nr);
	}
	return 0;
}

/* --- new records --- */

static bool make_room(struct stack_tail *t, uint32_t used)
{
	uint32_t room = used > UINT32_MAX / 3 * 2 ? used : used + used / 2;
	void *records, *marks;

	if (used <= t->room)
		return true;
	records = realloc(t->log.records, (size_t)room * sizeof(*t->log.records));
	if (records)
		t->log.records = records;
	marks = realloc(t->log.marks, (size_t)room * sizeof(*t->log.marks));
	if (marks)
		t->log.marks = marks;
	if (!records || !marks)
		return false;
	t->room = room;
	return true;
}

static int add_count(struct stack_tail *t, uint32_t pos)
{
	struct stack_record *r = &t->log.records[pos];
	bool is_wide = stack_kind(r) == STACK_WIDE_COUNT;

	if (t->nr_counts == t->counts_room) {
		size_t room = t->counts_room + t->counts_room / 2 + 1024;
		void *counts = realloc(t->counts, room * sizeof(*t->counts));

		if (!counts)
			return -ENOMEM;
		t->counts = counts;
		t->counts_room = room;
	}
	t->counts[t->nr_counts++] = (struct stack_tail_count){
		.pos = pos, .node = is_wide ? r->second : pos - 1,
		.series = stack_argument(r), .samples = is_wide ? *stack_wide(r) : r->second,
	};
	return 0;
}

static int add_record(struct stack_tail *t, void (*label)(void *context, uint32_t pos),
		      void *context, struct op_error *e)
{
	const char *why = "the last record is truncated";
	int n = stack_log_check(&t->log, t->checked, &why), err = 0;
	unsigned int kind;

	if (n <= 0)
		return op_error_set(e, -EPROTO, "stack store: offset %llu: %s",
				    (unsigned long long)t->checked * 8, why);
	kind = stack_kind(&t->log.records[t->checked]);
	if (kind == STACK_COUNT || kind == STACK_WIDE_COUNT)
		err = add_count(t, t->checked);
	else if (kind == STACK_LABEL)
		label(context, t->checked);
	t->checked += (uint32_t)n;
	return err;
}

static int read_new(struct stack_tail *t, uint32_t used,
		    void (*label)(void *context, uint32_t pos), void *context, struct op_error *e)
{
	/* the header's place, to which position 0 refers, is of no record */
	const uint32_t old = t->log.have ? t->checked : 0;
	int err;

	if (!make_room(t, used))
		return op_error_set(e, -ENOMEM, "no memory for a stack store of %zu bytes",
				    (size_t)used * 8);
	memset(t->log.marks + old, 0, (used - old) * sizeof(*t->log.marks));
	err = file_read_at(t->fd, t->log.records + old, (size_t)(used - old) * 8,
			   (uint64_t)old * 8);
	if (err)
		return op_error_set(e, err, "cannot read the stack store: %s", strerror(-err));
	t->log.have = used;
	while (!err && t->checked < used)
		err = add_record(t, label, context, e);
	return err;
}

int stack_tail_read(struct stack_tail *t, void (*label)(void *context, uint32_t pos), void *context,
		    struct op_error *e)
{
	struct stack_header h = { .used = 0 };
	struct stat st;
	int err;

	/* the length after the header, which it then covers */
	if (pread(t->fd, &h, sizeof(h), 0) < 0 || fstat(t->fd, &st))
		return op_error_set(e, -errno, "cannot read the stack store: %s", strerror(errno));
	err = stack_header_check(&h, (uint64_t)st.st_size, "stack store", e);
	if (err)
		return err;
	if (h.version != STACK_VERSION || h.used < t->checked)
		return op_error_set(e, -ESTALE, "the stack store was replaced");
	err = read_counts(t);
	if (err)
		return op_error_set(e, -ESTALE, "the stack store is shorter than it was");
	t->lost = h.lost;
	return h.used > t->checked ? read_new(t, h.used, label, context, e) : 0;
}

struct stack_frame stack_tail_frame(const struct stack_tail *t, uint32_t node)
{
	struct stack_record *r = &t->log.records[t->log.records[node].second];

	return (struct stack_frame){
		.image = stack_argument(r),
		.offset = stack_frame_offset(r),
	};
}

uint32_t stack_tail_caller(const struct stack_tail *t, uint32_t node, unsigned int *ret_end)
{
	const struct stack_record *r = &t->log.records[node];

	if (!stack_argument(r))
		*ret_end = r->second;
	return stack_argument(r);
}
