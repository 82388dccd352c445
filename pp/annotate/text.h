/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - fields and comments of annotated source and assembly
 *
 * Widths are part of the interface [AN-2]..[AN-5].
 */
#ifndef PP_ANNOTATE_TEXT_H
#define PP_ANNOTATE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "libutil/strbuf.h"
#include "pp/annotate/options.h"
#include "pp/annotate/samples.h"
#include "pp/select/collect.h"

/* Append the field before a line: counts and shares of all classes; @counts NULL: blanks. */
void annotate_field(struct strbuf *out, const struct annotation *a, const uint64_t *counts);

/* Append the same numbers without padding, for use within a comment. */
void annotate_counts(struct strbuf *out, const struct annotation *a, const uint64_t *counts);

/* Append " /" "* NAME total: COUNTS *" "/" for @nr symbols that begin at one place. */
void annotate_symbols(struct strbuf *out, const struct annotation *a, const size_t *symbols,
		      size_t nr);

/* Append @text without characters that a terminal would act on. */
void annotate_name(struct strbuf *out, const char *text);

/* Append the comment with the command line, its interpretation and the report's header. */
void annotate_header(struct strbuf *out, const struct annotate_options *options,
		     const struct collection *collection);

#endif
