/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * missing.c - report samples without lines, images without debug information, changed sources
 *
 * Few binaries of a distribution have debug information: those with a share of the samples are
 * named, the others counted.
 */
#include "pp/annotate/missing.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "libutil/xalloc.h"

#define WORTH_A_LINE	1.0	/* percent of all samples of the report */

static uint64_t sum_of_classes(const struct annotation *a, const uint64_t *counts)
{
	uint64_t sum = 0;

	for (size_t c = 0; c < a->nr_classes; c++)
		sum += counts[c];
	return sum;
}

static uint64_t image_samples(const struct annotation *a, const struct annotated_image *image)
{
	uint64_t sum = 0;

	for (size_t i = image->first; i < image->first + image->nr; i++)
		sum += sum_of_classes(a, annotated_symbol_counts(a, i));
	return sum;
}

static void report_images(const struct annotation *a, uint64_t total, struct notices *notices)
{
	size_t nr_others = 0;

	for (size_t i = 0; i < a->nr_images; i++) {
		const struct annotated_image *image = &a->images[i];

		if (!image->no_lines)
			continue;
		if (100.0 * image_samples(a, image) >= WORTH_A_LINE * total)
			notice_add(notices, "%s", image->no_lines);
		else
			nr_others++;
	}
	if (nr_others)
		notice_add(notices, "%zu image%s with less than %g %% of the samples %s no source "
			   "lines", nr_others, nr_others == 1 ? "" : "s", WORTH_A_LINE,
			   nr_others == 1 ? "has" : "have");
}

void missing_lines_notices(const struct annotation *a, struct notices *notices)
{
	uint64_t total = sum_of_classes(a, a->totals), without = 0;

	for (size_t i = 0; i < a->nr_samples; i++)
		if (a->samples[i].file == NO_FILE)
			without += sum_of_classes(a, annotated_sample_counts(a, i));
	report_images(a, total, notices);
	if (without && a->nr_with_lines)
		notice_add(notices, "%.1f %% of the samples (%" PRIu64 " of %" PRIu64 ") have no "
			   "source line and are not shown", 100.0 * without / total, without,
			   total);
}

static int64_t time_of(const struct stat *st)
{
	return st->st_mtim.tv_sec;
}

int64_t file_time(const char *path)
{
	struct stat st;

	return path && !stat(path, &st) ? time_of(&st) : 0;
}

int64_t *source_binary_times(const struct annotation *a)
{
	int64_t *times = xcalloc(a->files.nr + 1, sizeof(*times));

	for (size_t i = 0; i < a->nr_images; i++) {
		const struct annotated_image *image = &a->images[i];
		int64_t built = file_time(image->image->found);

		for (size_t j = image->first; j < image->first + image->nr; j++) {
			const struct annotated_symbol *s = &a->symbols[j];

			for (size_t k = s->first; k < s->first + s->nr; k++) {
				size_t file = a->samples[k].file;

				if (file != NO_FILE && times[file] < built)
					times[file] = built;
			}
		}
	}
	return times;
}

bool source_is_newer(FILE *source, int64_t built)
{
	struct stat st;

	return built && !fstat(fileno(source), &st) && time_of(&st) > built;
}
