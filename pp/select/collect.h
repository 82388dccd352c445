/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collect.h - the first stages of every report: which sample files, and in which columns
 *
 *	spec -> sessions -> file list -> arrangement
 */
#ifndef PP_SELECT_COLLECT_H
#define PP_SELECT_COLLECT_H

#include <stdbool.h>
#include "libutil/error.h"
#include "pp/select/arrange.h"
#include "pp/select/file_list.h"
#include "pp/select/find_image.h"
#include "pp/select/notices.h"
#include "pp/select/sessions.h"
#include "pp/select/spec.h"

struct collect_options {
	const char *session_dir;
	const struct profile_spec *spec;
	const struct merge *merge;
	const struct spec_list *image_path;	/* --image-path */
	const char *root;			/* --root, or NULL */
	bool exclude_dependent;
	bool separate_threads;			/* also of programs that sampled themselves */
	bool strict;				/* fail if columns differ in two ways */
	bool any_axes;				/* arrange.h */
	bool unscaled;				/* do not scale counts of events that took turns */
	bool want_arcs;				/* call-graph files too */
	bool files_only;			/* no arrangement is needed */
	bool print_files, print_classes;	/* --verbose=: on stderr */
};

struct collection {
	const char *root;			/* prefix of debug files, "" if none */
	struct session_list sessions;
	struct finder *finder;
	struct image_set images;
	struct file_list files;
	struct arrangement arrangement;		/* has files on success */
};

/*
 * -ENOENT: no session, no samples, or none that match; @e says which. Other -errno: a read error,
 * or columns that cannot be combined. *ret is the caller's to free, also on failure.
 */
int collect(const struct collect_options *options, struct collection *ret,
	    struct notices *notices, struct op_error *e);
void collection_free(struct collection *c);

#endif
