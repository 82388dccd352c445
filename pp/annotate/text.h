/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - the fields and comments that annotated source and assembly have in common
 *
 * Widths are interface [AN-2]..[AN-5].
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

/* The field in front of a line: counts and shares of all classes; @counts NULL: blanks. */
void annotate_field(struct strbuf *out, const struct annotation *a, const uint64_t *counts);

/* The same numbers without the field's layout, for use within a comment. */
void annotate_counts(struct strbuf *out, const struct annotation *a, const uint64_t *counts);

/* " /" "* NAME total: COUNTS *" "/" of @nr symbols that begin at one place: each, and their sum. */
void annotate_symbols(struct strbuf *out, const struct annotation *a, const size_t *symbols,
		      size_t nr);

/* Append @text without characters that a terminal would act on. */
void annotate_name(struct strbuf *out, const char *text);

/* The comment that says what this is: command line, what it means, the report's first lines. */
void annotate_header(struct strbuf *out, const struct annotate_options *options,
		     const struct collection *collection);

#endif
