/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples.h - opannotate's data: samples by place, with their symbol and line
 *
 * A library's samples are added up over its applications, because the code is the same. Formatters
 * need nothing else. Rules: doc/annotate.md [AN-1]..[AN-12].
 */
#ifndef PP_ANNOTATE_SAMPLES_H
#define PP_ANNOTATE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "pp/annotate/files.h"
#include "pp/binary/line/binary.h"
#include "pp/report/populate.h"
#include "pp/select/find_image.h"
#include "pp/select/invert.h"
#include "pp/select/notices.h"

#define NO_FILE	SIZE_MAX

struct annotated_place {
	uint64_t vma;
	size_t file;		/* index into files, or NO_FILE */
	uint32_t line;		/* 0: only the file is known */
};

struct annotated_symbol {
	const struct report_image *image;
	char *name, *shown;	/* raw, and demangled if asked for; may be the same string */
	char *section;		/* that has its code, or NULL */
	uint64_t vma, size;	/* as linked */
	bool has_symbols;	/* false: stands for an image without symbols */
	bool is_outside;	/* stands for the code of a section outside of all symbols */
	struct annotated_place start;
	size_t first, nr;	/* its samples */
};

/* An image that has samples. */
struct annotated_image {
	const struct report_image *image;
	struct binary binary;	/* open if annotate_samples() had no @lines */
	char *path;		/* of its file, or NULL */
	char *no_lines;		/* the reason why its samples have no source lines, or NULL */
	size_t first, nr;	/* its symbols */
};

struct annotation {
	size_t nr_classes;
	struct annotated_symbol *symbols;	/* by image and place */
	size_t nr_symbols, symbols_room;
	uint64_t *symbol_counts;		/* nr_classes per symbol */
	size_t symbol_counts_room;
	struct annotated_place *samples;	/* by symbol, then by vma */
	size_t nr_samples, samples_room;
	uint64_t *sample_counts;		/* nr_classes per sample */
	size_t sample_counts_room;
	struct annotated_files files;
	uint64_t *totals;			/* 100 percent */
	struct annotated_image *images;		/* by name */
	size_t nr_images, images_room;
	size_t nr_with_lines;			/* images that have debug information */
	bool color;				/* for the formatters: color hot lines */
};

/*
 * Fill in *ret from all images of @inversion. @lines NULL: look up no source lines and keep the
 * binaries open. @notices names the files that could not be read.
 */
void annotate_samples(const struct inversion *inversion, size_t nr_classes,
		      const struct populate_options *options, const struct line_options *lines,
		      struct finder *finder, struct annotation *ret, struct notices *notices);
void annotated_symbol_free(struct annotated_symbol *symbol);
void annotation_free(struct annotation *a);
void annotation_print(const struct annotation *a, FILE *out);	/* --verbose=symbols */

static inline const uint64_t *annotated_symbol_counts(const struct annotation *a, size_t symbol)
{
	return a->symbol_counts + symbol * a->nr_classes;
}

static inline const uint64_t *annotated_sample_counts(const struct annotation *a, size_t sample)
{
	return a->sample_counts + sample * a->nr_classes;
}

#endif
