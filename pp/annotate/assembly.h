/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assembly.h - print instructions with their samples, with or without source lines */
#ifndef PP_ANNOTATE_ASSEMBLY_H
#define PP_ANNOTATE_ASSEMBLY_H

#include <stdbool.h>
#include <stdio.h>
#include "libutil/error.h"
#include "pp/annotate/options.h"
#include "pp/annotate/samples.h"
#include "pp/select/notices.h"

/*
 * Print @header and then, for each image, its symbols with samples, those with most samples first.
 * @first_class_only: the threshold applies to the first class only. -errno: it could not be
 * written; @notices names the images that could not be disassembled.
 */
int annotate_assembly(const struct annotation *a, const struct annotate_options *options,
		      const char *header, const char *cache_dir, bool first_class_only, FILE *out,
		      struct notices *notices, struct op_error *e);

#endif
