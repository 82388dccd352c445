/* SPDX-License-Identifier: GPL-2.0-or-later */
/* annotate.h - the source lines of a function, with the samples of each */
#ifndef LIVE_TOP_ANNOTATE_H
#define LIVE_TOP_ANNOTATE_H

#include "live/top/model.h"
#include "pp/report/stack/symbols.h"

struct top_annotation;

/* @cache_dir: of line tables, or NULL. It keeps those of the image it was used for last. */
struct top_annotation *top_annotation_new(struct stack_symbols *symbols, const char *cache_dir);
void top_annotation_free(struct top_annotation *a);	/* NULL is fine */

/* Add samples of a place in the function; all are in one image. */
void top_annotation_add(struct top_annotation *a, const struct stack_frame *frame, double now,
			uint64_t since, uint64_t before);

/* Make the model's rows of what was added: lines, or addresses if lines are unknown. */
void top_annotation_rows(struct top_annotation *a, struct top_model *m);

#endif
