/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assembly.h - instructions with their samples in front, alone or between source lines */
#ifndef PP_ANNOTATE_ASSEMBLY_H
#define PP_ANNOTATE_ASSEMBLY_H

#include <stdbool.h>
#include <stdio.h>
#include "libutil/error.h"
#include "pp/annotate/options.h"
#include "pp/annotate/samples.h"
#include "pp/select/notices.h"

/*
 * Print @header and then, for each image, its symbols with samples, those with most of them first.
 * @first_class_only: what the threshold looks at. -errno: it could not be written; what could not
 * be disassembled is told in @notices.
 */
int annotate_assembly(const struct annotation *a, const struct annotate_options *options,
		      const char *header, const char *cache_dir, bool first_class_only, FILE *out,
		      struct notices *notices, struct op_error *e);

#endif
