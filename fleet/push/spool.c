// SPDX-License-Identifier: GPL-2.0-or-later
/* spool.c - look through the headers of the segments' blocks */
#include "fleet/push/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/history/folder.h"
#include "libdb/history/segment.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

struct search {
	int64_t after_ns;		/* slices of this segment that end later */
	int64_t begin_ns, end_ns;	/* of the first of them */
	uint64_t nr;
};

static void look_at_slice(void *context, int64_t begin_ns, int64_t end_ns)
{
	struct search *s = context;

	if (end_ns <= s->after_ns || begin_ns > end_ns)
		return;
	if (!s->nr++ || end_ns < s->end_ns) {
		s->begin_ns = begin_ns;
		s->end_ns = end_ns;
	}
}

static void look_at_folder(const struct history_folder *f, int64_t after_ns,
			   struct push_slice *ret, uint64_t *waiting)
{
	char *path = path_join(f->path, HISTORY_SEGMENT);
	struct search s = { .after_ns = after_ns };
	struct op_error ignored;

	/* the rest of one that cannot be read comes when it can, or is not there */
	(void)history_segment_scan(path, look_at_slice, &s, &ignored);
	free(path);
	if (s.nr && !*waiting)
		*ret = (struct push_slice){ f->number, (uint64_t)f->begin_ns, xstrdup(f->path),
					    s.begin_ns, s.end_ns };
	*waiting += s.nr;
}

/* Whether the history is the one that the cursor is in: it may be a new one in its place. */
static bool is_same_history(const struct history_folders *all, const struct push_cursor *c)
{
	const struct history_folder *last = &all->list[all->nr - 1];

	if (last->number < c->segment)
		return false;
	for (size_t i = 0; i < all->nr; i++)
		if (all->list[i].number == c->segment)
			return (uint64_t)all->list[i].begin_ns == c->segment_ns;
	return true;
}

int push_spool_next(const char *session_dir, const struct push_cursor *c, struct push_slice *ret,
		    uint64_t *ret_waiting, struct op_error *e)
{
	char *history = path_join(session_dir, HISTORY_DIR);
	struct history_folders all;
	bool is_known;
	int err = history_folders_read(history, &all);

	*ret_waiting = 0;
	if (err) {
		op_error_set(e, err, "cannot read '%s': %s", history, strerror(-err));
		free(history);
		return err;
	}
	free(history);
	is_known = all.nr && c->end_ns && is_same_history(&all, c);
	for (size_t i = 0; i < all.nr; i++) {
		const struct history_folder *f = &all.list[i];

		if (!is_known || f->number > c->segment)
			look_at_folder(f, 0, ret, ret_waiting);
		else if (f->number == c->segment)
			look_at_folder(f, (int64_t)c->end_ns, ret, ret_waiting);
	}
	history_folders_free(&all);
	return *ret_waiting > 0;
}
