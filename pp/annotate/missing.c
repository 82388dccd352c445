/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing.c - report samples without lines, images without debug information, changed sources */
#include "pp/annotate/missing.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "libutil/xalloc.h"

static uint64_t sum_of_classes(const struct annotation *a, const uint64_t *counts)
{
	uint64_t sum = 0;

	for (size_t c = 0; c < a->nr_classes; c++)
		sum += counts[c];
	return sum;
}

void missing_lines_notices(const struct annotation *a, bool compat, struct notices *notices)
{
	uint64_t total = sum_of_classes(a, a->totals), without = 0;

	for (size_t i = 0; i < a->nr_samples; i++)
		if (a->samples[i].file == NO_FILE)
			without += sum_of_classes(a, annotated_sample_counts(a, i));
	for (size_t i = 0; i < a->nr_images; i++)
		if (a->images[i].no_lines)
			notice_add_kind(notices, NOTICE_NO_LINES, "%s", a->images[i].no_lines);
	if (without && a->nr_with_lines && !compat)
		notice_add(notices, "%.1f %% of the samples (%" PRIu64 " of %" PRIu64 ") have no "
			   "source line and are not shown", 100.0 * without / total, without,
			   total);
}

static int64_t time_of(const struct stat *st)
{
	return st->st_mtim.tv_sec;
}

struct source_binary source_binary_of(const char *path)
{
	struct stat st;

	if (!path || stat(path, &st))
		return (struct source_binary){ 0, 0 };
	return (struct source_binary){ time_of(&st), st.st_uid };
}

/* Several binaries: the newest, and no owner unless they have the same. */
static void add_binary(struct source_binary *b, const struct source_binary *other)
{
	if (!b->built)
		b->owner = other->owner;
	else if (b->owner != other->owner)
		b->owner = 0;
	if (b->built < other->built)
		b->built = other->built;
}

struct source_binary *source_binaries(const struct annotation *a)
{
	struct source_binary *binaries = xcalloc(a->files.nr + 1, sizeof(*binaries));

	for (size_t i = 0; i < a->nr_images; i++) {
		const struct annotated_image *image = &a->images[i];
		struct source_binary binary = source_binary_of(image->image->found);

		for (size_t j = image->first; j < image->first + image->nr; j++) {
			const struct annotated_symbol *s = &a->symbols[j];

			for (size_t k = s->first; k < s->first + s->nr; k++) {
				size_t file = a->samples[k].file;

				if (file != NO_FILE && binary.built)
					add_binary(&binaries[file], &binary);
			}
		}
	}
	return binaries;
}

bool source_is_newer(FILE *source, int64_t built)
{
	struct stat st;

	return built && !fstat(fileno(source), &st) && time_of(&st) > built;
}
