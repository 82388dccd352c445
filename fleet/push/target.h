/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.h - what slices of the history are sent to, and what each kind of target implements
 *
 *	slice -> batch -> parts			encode(), in a confined process without credentials
 *	parts -> the target, one by one		in the target's own process
 *
 * A target that fails holds up no other. After a failure the slice is encoded again, and the parts
 * that were sent are skipped; so encode() must give the same parts for the same batch.
 */
#ifndef FLEET_PUSH_TARGET_H
#define FLEET_PUSH_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "fleet/http.h"
#include "fleet/push/rules.h"
#include "formats/profile/profile.h"
#include "libdb/history/segment.h"
#include "libutil/error.h"
#include "pp/select/collect.h"

#define PUSH_PART_MAX	((size_t)16 << 20)	/* bytes; so a target's process stays small */
#define PUSH_NAME_MAX	((size_t)4096)

/* One closed slice of the history. Names and paths are as the rules for privacy leave them. */
struct push_batch {
	const char *token;		/* the same for the same slice: [a-zA-Z0-9-]+ */
	bool last_was_sent;		/* of the slice that was encoded before: all parts */
	const struct history_slice *slice;	/* its times; samples lost and gauges */
	const struct profile *profile;	/* values are samples, if the event has a period */
	const struct push_labels *series;	/* sets of labels, of the host included */
	uint32_t nr_series;
	const uint32_t *series_of;	/* of each sample of the profile: an index of these */
	const struct push_rules *rules;
	const struct collection *collection;	/* sessions and binaries, as they are: see rules */
};

/* What is sent at once. Each is sent before the next. */
struct push_part {
	char *name;			/* of a file; or what follows the URL: "?query=..." */
	unsigned char *bytes;
	size_t size;			/* at most PUSH_PART_MAX */
	uint64_t samples;		/* in it, for the statistics */
	char *ask;			/* NULL, or what to post to kind->ask_at: is it there? */
};

/* Where encode() puts parts, which it frees afterwards. Not 0: give up, and return that. */
struct push_sink {
	int (*put)(struct push_sink *sink, const struct push_part *part);
};

enum push_verdict {
	PUSH_SENT,
	PUSH_AGAIN,			/* try again after some time */
	PUSH_REFUSED,			/* never try again: it is counted, and the next one sent */
};

struct push_answer {
	enum push_verdict verdict;
	uint32_t after_s;		/* PUSH_AGAIN: the target asks for so much; 0: does not */
	bool may_be_part;		/* PUSH_AGAIN: it may be the part's fault */
	char text[300];			/* why, if not PUSH_SENT: one line, printable */
	uint64_t wire_bytes;		/* what was sent for it */
};

struct push_target {
	const struct push_kind *kind;
	char *name;			/* [a-z0-9_-]+, of each target another */
	char *place;			/* a URL, or a folder */
	void *memory;			/* of encode() alone: kind->memory bytes, 0 at the start */
};

struct push_kind {
	const char *name;		/* in "NAME:URL" */
	bool is_local;			/* the place is a folder, not a URL */
	const char *path;		/* put behind the URL if that has no path; or NULL */
	bool has_query;			/* so do names of parts, and the URL has none */
	const char *ask_at;		/* put behind the URL; an answer that begins with 1: yes */
	const char *content_type;	/* of the parts */
	bool gzipped;			/* the parts are gzip files: Content-Encoding */
	size_t memory;			/* of a target, for all processes that encode for it */

	/* Make the parts of @b. */
	int (*encode)(const struct push_target *t, const struct push_batch *b,
		      struct push_sink *sink, struct op_error *e);
	/* NULL: post it, and judge by the status, then by look(). */
	void (*send)(const struct push_target *t, const struct push_part *part,
		     struct push_answer *ret);
	/* An answer with status 2xx may say no; change *ret then. NULL: it never does. */
	void (*look)(const struct http_answer *a, struct push_answer *ret);
};

/* All kinds; ends with NULL. */
extern const struct push_kind *const push_kinds[];

#endif
