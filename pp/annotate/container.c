/* SPDX-License-Identifier: GPL-2.0-or-later */
/* container.c - free and print an annotation */
#include "pp/annotate/samples.h"

#include <inttypes.h>
#include <stdlib.h>

#include "libutil/print_line.h"

void annotated_symbol_free(struct annotated_symbol *symbol)
{
	if (symbol->shown != symbol->name)
		free(symbol->shown);
	free(symbol->name);
	free(symbol->section);
}

void annotation_free(struct annotation *a)
{
	for (size_t i = 0; i < a->nr_symbols; i++)
		annotated_symbol_free(&a->symbols[i]);
	for (size_t i = 0; i < a->nr_images; i++) {
		binary_close(&a->images[i].binary);
		free(a->images[i].path);
		free(a->images[i].no_lines);
	}
	free(a->images);
	free(a->symbols);
	free(a->symbol_counts);
	free(a->samples);
	free(a->sample_counts);
	annotated_files_free(&a->files);
	free(a->totals);
	*a = (struct annotation){ 0 };
}

void annotation_print(const struct annotation *a, FILE *out)
{
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < a->nr_symbols; i++) {
		const struct annotated_symbol *s = &a->symbols[i];

		strbuf_addf(&line, "symbol %s in %s at 0x%" PRIx64 "-0x%" PRIx64 ", ", s->name,
			    s->image->name, s->vma, s->vma + s->size);
		strbuf_addf(&line, "%zu places, %s:%u:", s->nr,
			    s->start.file == NO_FILE ? "?" : a->files.paths[s->start.file],
			    s->start.line);
		for (size_t c = 0; c < a->nr_classes; c++)
			strbuf_addf(&line, " %" PRIu64, annotated_symbol_counts(a, i)[c]);
		print_line(&line, out);
	}
	strbuf_free(&line);
}
