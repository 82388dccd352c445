/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arrange.h - sort sample files into classes: the columns of a report
 *
 * A class has the files that differ only in the image. What its files have in common is its
 * template. If /bin/bash was profiled with two events, its two sample files have different
 * templates, so there are two classes, which differ along the axis "event".
 *
 * A report is a table, so its classes may differ along one axis only. Merging removes an axis:
 * the field is set to "all" in every template; of several axes the first stays.
 * Rules: doc/pp-spec.md [AR-1]..[AR-5].
 */
#ifndef PP_SELECT_ARRANGE_H
#define PP_SELECT_ARRANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "libdb/session/header.h"
#include "pp/select/file_list.h"

struct merge {			/* --merge= */
	bool cpu, tid, tgid, unit_mask, lib, cgroup;
};

enum axis {
	AXIS_NONE,		/* one class */
	AXIS_EVENT,		/* event, count or unit mask */
	AXIS_TGID,		/* and tid, when they are equal */
	AXIS_TID,
	AXIS_CPU,
	AXIS_CGROUP,
	NR_AXES
};

struct profile_template {
	const char *event;	/* owned by the file list */
	uint64_t count;
	int64_t unit_mask;	/* this and the next three: or SAMPLE_ALL */
	int64_t tgid, tid, cpu;
	const char *cgroup;	/* owned by the session; "": all */
};

struct profile_class {
	struct profile_template template;
	char *title;			/* "CPU_CLK_UNHALTED:100000", "tgid:12" */
	bool has_header;
	struct sample_header header;	/* of one of its files */
};

struct arranged_file {
	const struct sample_file *file;
	struct report_image *app, *image;	/* after merging */
	size_t class;
};

struct arrangement {
	enum axis axis;
	struct profile_class *classes;	/* sorted by template */
	size_t nr_classes;
	struct arranged_file *files;
	size_t nr_files;
	size_t nr_apps;			/* different applications */
	struct arranged_file *arcs;	/* call-graph files */
	size_t nr_arcs;
	struct merge merge;		/* as it was applied; with lib each image is its own app */
};

struct arrange_options {
	struct merge merge;
	bool exclude_dependent;
	bool strict;		/* a second axis is an error [AR-2] */
	bool compat;		/* order and axis as in the original */
	bool any_axes;		/* the original's XML, which has a place for each of them [XM-4] */
};

/*
 * Arrange @list. Classes that differ in more than one way are merged until they differ in one, with
 * a notice; if @options are strict, -EINVAL: @e says in which ways and what to choose.
 */
int arrange_files(const struct file_list *list, const struct arrange_options *options,
		  struct arrangement *ret, struct notices *notices, struct op_error *e);

/* The class of @file, or nr_classes if there is none. */
size_t arrangement_class(const struct arrangement *a, const struct sample_file *file);
void arrangement_free(struct arrangement *a);
void arrangement_print(const struct arrangement *a, FILE *out);

#endif
