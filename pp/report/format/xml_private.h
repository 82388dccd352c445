/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xml_private.h - what the writers of one document share */
#ifndef PP_REPORT_FORMAT_XML_PRIVATE_H
#define PP_REPORT_FORMAT_XML_PRIVATE_H

#include "pp/report/format/xml.h"
#include "pp/report/format/xml_text.h"

struct xml_symbol {
	const struct symbol_row *row;	/* the first of it */
	size_t nr_details;		/* told so far */
};

struct xml {
	const struct row_list *rows;
	const struct callgraph *graph;
	const struct arrangement *a;
	const struct xml_options *options;
	FILE *out;
	struct xml_symbol *symbols;	/* by id: one for each (image, name, address) */
	size_t nr_symbols, room;
	size_t *slots;			/* hash table of id + 1 */
	size_t nr_slots;
};

/* A symbol's id, a new one when it is met first. */
size_t xml_symbol_id(struct xml *x, const struct symbol_row *row);

/* <count> for each class with samples. */
void xml_counts(const struct xml *x, const uint64_t *counts);

/* How many detail elements a row has. */
size_t xml_detail_count(const struct xml *x, const struct symbol_row *row);

void xml_profile_start(const struct xml *x);	/* up to the classes */
void xml_symbol_table(struct xml *x);
void xml_detail_tables(struct xml *x);		/* addresses and bytes */

#endif
