/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fresh.h - an empty stack store, and what its file holds later */
#ifndef TESTS_UNIT_LIBDB_STACK_FRESH_H
#define TESTS_UNIT_LIBDB_STACK_FRESH_H

#include "tests/unit/libdb/stack/stack_test.h"

static char *path;

static inline struct stack_store *fresh(struct stack_ids *ids)
{
	struct stack_store *s;

	tmpdir_make();
	path = strdup(tmpdir_path("stacks"));
	s = open_stacks(path, 0);
	CHECK(!stack_labels(s, ids), "labels");
	return s;
}

static inline struct stack_snapshot snapshot(void)
{
	struct stack_snapshot s = { .nr_images = 0 };
	struct op_error e = { "" };
	int err = stack_store_read(path, &s, &e);

	CHECK(!err, "read: %d %s", err, e.text);
	if (err)
		exit(1);
	return s;
}

/* The number of samples, of all stacks. */
static inline uint64_t only_count(void)
{
	struct stack_snapshot r = snapshot();
	struct stack_totals t;

	stack_snapshot_totals(&r, &t);
	stack_snapshot_free(&r);
	return t.samples;
}

#endif
