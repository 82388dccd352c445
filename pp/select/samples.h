/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples.h - the samples of an image on behalf of one application, sorted by offset
 *
 * The keys of any number of sample files (classes, threads, CPUs) become one list, so that
 * one pass over it beside the sorted symbols gives every symbol's counts.
 */
#ifndef PP_SELECT_SAMPLES_H
#define PP_SELECT_SAMPLES_H

#include <stddef.h>
#include <stdint.h>
#include "libdb/session/header.h"
#include "pp/select/arrange.h"
#include "pp/select/notices.h"

struct sample {
	uint64_t offset;	/* key in the sample file; of JIT code the address */
	uint64_t count : 40;	/* scaled if its event was multiplexed; saturated */
	uint64_t class : 24;
};

#define SAMPLE_COUNT_MAX ((UINT64_C(1) << 40) - 1)

struct sample_list {
	struct sample *samples;
	size_t nr, room;
};

/*
 * What to add to the keys of a mapping of @image at @anon_start (from the sample file's header):
 * symbols of code made at run time have addresses, its keys are offsets in the mapping [FL-5].
 */
uint64_t samples_anon_base(const struct report_image *image, uint64_t anon_start);

/*
 * Append the samples of @file to @list; keys of call-graph files stay as they are. *ret_header is
 * its header. -errno, and a notice, if the file cannot be read.
 */
int samples_add_file(struct sample_list *list, const struct arranged_file *file,
		     struct sample_header *ret_header, struct notices *notices);

/* A key of one sample file; the same key may occur more than once. */
struct sample_key {
	uint64_t key;
	uint64_t count;		/* scaled if its event was multiplexed */
	uint32_t raw;		/* as in the file */
};

/* All keys of @file, sorted; *ret is the caller's to free(). Errors as samples_add_file(). */
int samples_read_keys(const struct sample_file *file, struct sample_header *ret_header,
		      struct sample_key **ret, size_t *ret_nr, struct notices *notices);

/* Sum of a file's counts: all that the image summary needs. Errors as above. */
int samples_count_file(const struct arranged_file *file, struct sample_header *ret_header,
		       uint64_t *ret, struct notices *notices);

void samples_sort(struct sample_list *list);
void samples_free(struct sample_list *list);

#endif
