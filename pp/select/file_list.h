/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_list.h - the sample files that a specification selects
 */
#ifndef PP_SELECT_FILE_LIST_H
#define PP_SELECT_FILE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "libdb/session/name.h"
#include "pp/select/find_image.h"
#include "pp/select/images.h"
#include "pp/select/mappings.h"
#include "pp/select/notices.h"
#include "pp/select/sessions.h"
#include "pp/select/spec.h"
#include "pp/select/stack_arcs.h"

struct sample_file {
	char *path;
	struct sample_name name;
	const char *cgroup;		/* control group, owned by the session; or "" */
	struct report_image *app, *image;
	struct report_image *callee;		/* called image of a call-graph file, or NULL */
	const struct report_session *session;
	const struct stack_arc_file *derived;	/* its samples, if there is no such file [FL-7] */
};

/* The header of its file. Errors as of sample_header_read(). */
int sample_file_read_header(const struct sample_file *file, struct sample_header *ret,
			    struct op_error *e);

struct file_list {
	struct sample_file *files;	/* sorted by path within their session */
	size_t nr, room;
	struct sample_file *arcs;	/* call-graph files, the same way; if @want_arcs */
	size_t nr_arcs, arcs_room;
	struct stack_arcs *derived;	/* of sessions without call-graph files */
	size_t nr_derived, derived_room;
	struct anon_mappings mappings;	/* of all files, selected or not */
	bool want_arcs;			/* set by the caller before file_list_collect() */
};

/*
 * Walk the sessions. @ret is empty except for want_arcs. Files that are not sample files are
 * ignored, with one notice for each session; symbolic links are not followed.
 * -errno if a folder cannot be read; @e names it.
 */
int file_list_collect(const struct session_list *sessions, const struct profile_spec *spec,
		      struct finder *finder, struct image_set *images, struct file_list *ret,
		      struct notices *notices, struct op_error *e);
void file_list_free(struct file_list *list);
void file_list_print(const struct file_list *list, FILE *out);

/* What the sessions have, for messages: "events A, B; images X, Y, ..."; malloc'd. */
char *file_list_describe(const struct session_list *sessions, bool processes);

#endif
