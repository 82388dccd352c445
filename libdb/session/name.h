/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * name.h - format and parse the path of a sample file
 *
 *   {root}/bin/bash/{dep}/{root}/lib/libc.so/CPU_CLK_UNHALTED.100000.0.all.all.all
 *   {kern}/ext4/{dep}/{kern}/ext4/...
 *   {root}/app/{dep}/{anon:[heap]}/1234.0x7f00.0x7f80/...
 *   .../{cg}/{root}/lib/libm.so/...                     (the callee's image)
 *
 * Rules: doc/sample-file.md [SF-20]..[SF-31]. sample_name_format() of what sample_name_parse()
 * returned gives the same path back.
 */
#ifndef LIBDB_SESSION_NAME_H
#define LIBDB_SESSION_NAME_H

#include <stdbool.h>
#include <stdint.h>
#include "libutil/error.h"
#include "libutil/strbuf.h"

enum image_kind {
	IMAGE_FILE,		/* {root}: @path is absolute */
	IMAGE_KERNEL,		/* {kern}: @path is a bare name: "ext4", "kallsyms", "no-vmlinux" */
	IMAGE_ANON,		/* {anon:NAME}: @path is NAME; then tgid, start, end */
	IMAGE_JIT,		/* {anon:NAME}/TGID.jo */
};

struct image_name {
	enum image_kind kind;
	const char *path;	/* the caller's, or in the storage of a parsed name */
	uint32_t anon_tgid;
	uint64_t anon_start, anon_end;	/* addresses */
};

#define SAMPLE_ALL (-1)		/* "all" in one of the last three fields */

struct sample_name {
	struct image_name app;		/* the application that was executed */
	struct image_name image;	/* the dependent image with the samples; may equal @app */
	bool has_callee;
	struct image_name callee;	/* {cg} only */
	const char *event;
	uint64_t count;
	uint64_t unit_mask;
	int64_t tgid, tid, cpu;		/* or SAMPLE_ALL */

	char *storage;			/* of a parsed name; sample_name_free() */
};

/*
 * Append the path relative to the session ("samples/current"). -EINVAL: a field that could not be
 * parsed again (an event with '.' or '/', a relative path, or one with a "/../" or "{" component).
 */
int sample_name_format(const struct sample_name *name, struct strbuf *out);

/* Parse a path relative to the session. -EINVAL with the reason in @e. */
int sample_name_parse(const char *path, struct sample_name *ret, struct op_error *e);
void sample_name_free(struct sample_name *name);

/*
 * Whether samples of @event are derived from others (IBS_FETCH_..., IBS_OP_...): one sample may
 * count for several such events, and more than once. [SS-23]
 */
bool sample_event_is_derived(const char *event);

#endif
