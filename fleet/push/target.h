/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.h - what slices of the history are sent to, and what each kind of target implements
 *
 *	slice -> batch -> parts                  in a confined process of its own (maker.h)
 *	         parts -> target, one by one     in the process of the target (sender.h)
 *
 * A target has a process, so one that fails holds up no other. encode() runs in a child of it that
 * reads binaries and has no credentials; it must give the same parts for the same batch, because
 * after a failure it is called again and the parts that were sent are skipped.
 */
#ifndef FLEET_PUSH_TARGET_H
#define FLEET_PUSH_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "fleet/http.h"
#include "formats/profile/profile.h"
#include "libdb/history/segment.h"
#include "libutil/error.h"
#include "pp/select/collect.h"

#define PUSH_PART_MAX	((size_t)16 << 20)	/* bytes */

/* Labels by name, each once. Names are [a-zA-Z_][a-zA-Z0-9_]*, values valid UTF-8. */
struct push_label {
	char *name, *value;
};

struct push_labels {
	struct push_label *list;
	size_t nr, room;
};

/* One closed slice of the history. */
struct push_batch {
	const char *token;		/* the same for the same slice: [a-zA-Z0-9-]+ */
	const struct history_slice *slice;	/* its times; samples lost and gauges */
	const struct profile *profile;	/* all samples, with names; labels: pid, tid, comm, ... */
	const struct collection *collection;	/* where they are from: sessions, binaries */
	const struct push_labels *series;	/* sets of labels, of the host included */
	uint32_t nr_series;
	const uint32_t *series_of;	/* of each sample of the profile: an index of these */
};

/* What is sent at once. Each is sent before the next. */
struct push_part {
	char *name;			/* of a file; or what follows the URL: "?query=..." */
	unsigned char *bytes;
	size_t size;
	uint64_t samples;		/* in it, for the statistics */
	char *note;			/* for sent(), or NULL */
};

/* The caller's own, who frees it after put(). -EFBIG, -EPIPE: give up, and return it. */
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
	char text[256];			/* why, if not PUSH_SENT: one line, printable */
	uint64_t wire_bytes;		/* what was sent for it */
};

struct push_target {
	const struct push_kind *kind;
	char *name;			/* [a-z0-9-]+, once */
	char *place;			/* a URL, or a folder */
	void *memory;			/* of encode() alone: kind->memory bytes, 0 at the start */
	struct http *http;		/* of kinds with a URL; has the credentials */
};

struct push_kind {
	const char *name;		/* in "NAME:URL" */
	bool is_local;			/* the place is a folder, not a URL */
	const char *path;		/* what is put behind the URL if that has no path */
	const char *content_type;	/* of the parts */
	bool gzipped;			/* parts are gzip files */
	size_t memory;			/* of a target, for all processes that encode for it */

	/* Make the parts of @b. */
	int (*encode)(const struct push_target *t, const struct push_batch *b,
		      struct push_sink *sink, struct op_error *e);
	/* NULL: post it, and judge by the status, then by look(). */
	void (*send)(struct push_target *t, const struct push_part *part,
		     struct push_answer *ret);
	/* An answer with status 2xx may still say no; change *ret then. NULL: it never does. */
	void (*look)(const struct http_answer *a, struct push_answer *ret);
	/* The part was sent. NULL: nothing to remember. */
	void (*sent)(struct push_target *t, const struct push_part *part);
};

/* All kinds, by name; ends with NULL. */
extern const struct push_kind *const push_kinds[];

#endif
