/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spec.h - profile specifications: the samples that a report is about
 *
 *	opreport session:monday image:/usr/bin/xz,/usr/bin/gzip event:CPU_CLK_UNHALTED
 *
 *	opreport -l { session:before } { session:after }
 *
 * An argument is TAG:LIST or the name of a binary. Rules: doc/pp-spec.md [PS-1]..[PS-12].
 */
#ifndef PP_SELECT_SPEC_H
#define PP_SELECT_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libdb/session/name.h"
#include "libdb/session/processes.h"
#include "libutil/error.h"
#include "pp/select/time_range.h"

enum spec_tag {
	SPEC_SESSION,
	SPEC_SESSION_EXCLUDE,
	SPEC_IMAGE,		/* the application */
	SPEC_IMAGE_EXCLUDE,
	SPEC_LIB_IMAGE,		/* the image that the samples are in */
	SPEC_LIB_IMAGE_EXCLUDE,
	SPEC_EVENT,
	SPEC_COUNT,
	SPEC_UNIT_MASK,
	SPEC_TGID,
	SPEC_TID,
	SPEC_CPU,
	SPEC_CGROUP,
	SPEC_COMM,		/* name of the task */
	SPEC_PROCESS,		/* what its process was started as, or its number */
	SPEC_NAME,		/* without a tag: either image */
	NR_SPEC_TAGS
};

struct spec_item {
	char *text;
	char *resolved;		/* of a path: absolute, without symbolic links; or NULL */
	uint64_t number;	/* of the number tags */
};

struct spec_list {
	struct spec_item *items;
	size_t nr, room;
	bool all;		/* it has "all": no restriction */
};

struct profile_spec {
	struct spec_list list[NR_SPEC_TAGS];
	char *archive;		/* folder, absolute; or NULL */
	bool has_time;		/* samples of this range of the history, not of a session */
	struct time_range time;
	const char *segment;	/* only of the history's segment in this folder; NULL: of all */
	bool compat;		/* set after parsing: match as the original does [PS-12] */
};

/*
 * Parse @nr arguments. -EINVAL or -ENOENT with @e set: *ret is untouched. Else *ret is the
 * caller's to free.
 */
int profile_spec_parse(const char *const *args, size_t nr, struct profile_spec *ret,
		       struct op_error *e);
void profile_spec_free(struct profile_spec *spec);

/*
 * The same for "{ A } { B }": *ret_nr is 2, and arguments outside the braces belong to both.
 * Without braces, or with one pair, it is 1 [PS-10].
 */
int profile_specs_parse(const char *const *args, size_t nr, struct profile_spec ret[2],
			size_t *ret_nr, struct op_error *e);

/* The names of an image in a specification; NULL: it has no such name. */
struct spec_image {
	const char *name;	/* "/usr/bin/xz", "/ext4", "[heap] (tgid:5 range:...)" */
	const char *short_name;	/* "xz", "ext4", "[heap]" */
	const char *found;	/* the file it was found in: "/lib/modules/.../ext4.ko" */
};

/*
 * Whether samples of @name, in @image on behalf of @app, are selected [PS-5]..[PS-8]. @cgroup is ""
 * if samples are not separated by control group; @processes are the session's, or NULL.
 */
bool profile_spec_matches(const struct profile_spec *spec, const struct sample_name *name,
			  const char *cgroup, const struct spec_image *app,
			  const struct spec_image *image,
			  const struct session_processes *processes);

/* Whether @item of the list of sessions names the session @name. */
bool profile_spec_is_session(const struct profile_spec *spec, const struct spec_item *item,
			     const char *name);

/* Whether @list has @name, a path, or the last part of it. */
bool profile_spec_has_name(const struct spec_list *list, const char *name);

/* Whether the session @name is selected; without session: that is "current" [PS-9]. */
bool profile_spec_wants_session(const struct profile_spec *spec, const char *name);

#endif
