/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_profile.h - what is asked of every reader of profiles, whatever bytes it is given
 *
 * It keeps the promises of profile.h, and what our writer makes of it our reader takes. The first
 * byte of the input says how to read.
 */
#ifndef TESTS_FUZZ_FUZZ_PROFILE_H
#define TESTS_FUZZ_FUZZ_PROFILE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/all_formats.h"
#include "libutil/plain_text.h"

static inline void fuzz_must(bool kept)
{
	if (!kept)
		abort();
}

/* All indices are in range, and parents come before their children. */
static inline void fuzz_check_profile(const struct profile *p)
{
	size_t text = 0;

	for (uint32_t i = 0; i < p->nr_strings; i++)
		text += strlen(p->strings[i]);
	for (uint32_t i = 0; i < p->nr_images; i++)
		fuzz_must(p->images[i].path < p->nr_strings &&
			  p->images[i].build_id < p->nr_strings);
	for (uint32_t i = 0; i < p->nr_functions; i++)
		fuzz_must(p->functions[i].name < p->nr_strings &&
			  p->functions[i].system_name < p->nr_strings &&
			  p->functions[i].file < p->nr_strings);
	for (uint32_t i = 0; i < p->nr_lines; i++)
		fuzz_must(p->lines[i].function < p->nr_functions);
	for (uint32_t i = 0; i < p->nr_line_lists; i++)
		fuzz_must((uint64_t)p->line_lists[i].first + p->line_lists[i].nr <= p->nr_lines &&
			  !i == !p->line_lists[i].nr);
	for (uint32_t i = 0; i < p->nr_places; i++)
		fuzz_must((p->places[i].image < p->nr_images ||
			   p->places[i].image == PROFILE_NONE) &&
			  p->places[i].lines < p->nr_line_lists);
	for (uint32_t i = 0; i < p->tree.nr; i++)
		fuzz_must((p->tree.nodes[i].parent < i ||
			   p->tree.nodes[i].parent == PROFILE_NONE) &&
			  p->tree.nodes[i].key < p->nr_places);
	for (uint32_t i = 0; i < p->nr_events; i++)
		fuzz_must(p->events[i].name < p->nr_strings && p->events[i].unit < p->nr_strings);
	for (uint32_t i = 0; i < p->nr_labels; i++)
		fuzz_must(p->labels[i].key && p->labels[i].key < p->nr_strings &&
			  p->labels[i].text < p->nr_strings && p->labels[i].unit < p->nr_strings);
	for (uint32_t i = 0; i < p->nr_label_sets; i++)
		fuzz_must((uint64_t)p->label_sets[i].first + p->label_sets[i].nr <= p->nr_labels);
	for (uint32_t i = 0; i < p->nr_samples; i++)
		fuzz_must((p->samples[i].node < p->tree.nr ||
			   p->samples[i].node == PROFILE_NONE) &&
			  p->samples[i].labels < p->nr_label_sets);
	fuzz_must(p->main_image < p->nr_images || p->main_image == PROFILE_NONE);
	fuzz_must(p->maps_text < p->nr_strings && text < SIZE_MAX);
	fuzz_must(p->nr_events);
}

enum fuzz_write { FUZZ_READ_ONLY, FUZZ_READ_BACK, FUZZ_SAME_TOTALS };

/* What @format writes of @p, with every event, it can read, and then it is written the same. */
static inline void fuzz_read_back(const struct profile_format *format, const struct profile *p)
{
	struct format_read_options read_options = { 0 };
	struct format_write_options write_options = { .pid = "" };
	char *bytes[2] = { NULL, NULL };
	struct profile *again = profile_new();
	struct op_error e;
	size_t size[2];

	for (int i = 0; i < 2; i++) {
		FILE *f = open_memstream(&bytes[i], &size[i]);
		int err = format->write(i ? again : p, &write_options, f, &e);

		fclose(f);
		if (err)
			break;
		if (i)
			fuzz_must(size[0] == size[1] && !memcmp(bytes[0], bytes[1], size[0]));
		else
			fuzz_must(!format->read((unsigned char *)bytes[0], size[0], &read_options,
						again, &e));
	}
	profile_free(again);
	free(bytes[0]);
	free(bytes[1]);
}

static inline char *fuzz_written(const struct profile_format *format, const struct profile *p,
				 size_t *ret_size)
{
	struct format_write_options options = { .pid = "" };
	char *bytes = NULL;
	FILE *f = open_memstream(&bytes, ret_size);

	fuzz_must(!format->write(p, &options, f, NULL));
	fclose(f);
	return bytes;
}

static inline struct profile *fuzz_read_written(const struct profile_format *format,
						const char *bytes, size_t size)
{
	struct format_read_options options = { .strict = true };
	struct profile *p = profile_new();
	struct op_error e = { "" };

	fuzz_must(!format->read((const unsigned char *)bytes, size, &options, p, &e));
	fuzz_check_profile(p);
	return p;
}

static inline bool fuzz_is_plain(const char *text)
{
	for (size_t n = 1; *text && n; text += n)
		n = plain_length(text);
	return !*text;
}

/*
 * Nothing is negative, which not every format has room for; there is something of each event; and
 * writing names does not make two events one.
 */
static inline bool fuzz_has_totals(const struct profile *p)
{
	for (uint32_t k = 0; k < p->nr_events; k++) {
		if (!fuzz_is_plain(p->strings[p->events[k].name]) ||
		    !fuzz_is_plain(p->strings[p->events[k].unit]))
			return false;
		int64_t total = profile_total(p, k);

		if (total <= 0 || total == INT64_MAX)
			return false;
		for (uint32_t i = 0; i < p->nr_samples; i++)
			if (profile_values(p, i)[k] < 0)
				return false;
	}
	return true;
}

/* What @format writes of @p has its totals. The order may change once, with what is merged. */
static inline void fuzz_same_totals(const struct profile_format *format, const struct profile *p)
{
	char *bytes[3];
	size_t size[3];
	struct profile *second, *third;

	if (!fuzz_has_totals(p))
		return;
	bytes[0] = fuzz_written(format, p, &size[0]);
	second = fuzz_read_written(format, bytes[0], size[0]);
	bytes[1] = fuzz_written(format, second, &size[1]);
	third = fuzz_read_written(format, bytes[1], size[1]);
	bytes[2] = fuzz_written(format, third, &size[2]);
	fuzz_must(second->nr_events == p->nr_events && third->nr_events == p->nr_events);
	for (uint32_t i = 0; i < p->nr_events; i++)
		fuzz_must(profile_total(p, i) == profile_total(second, i));
	fuzz_must(size[1] == size[2] && !memcmp(bytes[1], bytes[2], size[1]));
	profile_free(second);
	profile_free(third);
	for (int i = 0; i < 3; i++)
		free(bytes[i]);
}

/* What @format reads, or NULL: it must say why. The first byte says how to read. */
static inline struct profile *fuzz_read(const struct profile_format *format, const uint8_t *data,
					size_t size)
{
	struct format_read_options options = { 0 };
	struct profile *p = profile_new();
	struct op_error e = { "" };
	int err;

	if (size) {
		options.strict = *data & 1;
		options.salvage = *data & 2;
		options.drop_handler_frames = *data & 4;
		data++;
		size--;
	}
	if (format->detect)
		format->detect(data, size);
	err = format->read(data, size, &options, p, &e);
	fuzz_must(!err || e.text[0]);
	if (!err) {
		fuzz_check_profile(p);
		return p;
	}
	profile_free(p);
	return NULL;
}

static inline void fuzz_profile(const struct profile_format *format, const uint8_t *data,
				size_t size, enum fuzz_write write)
{
	struct profile *p = fuzz_read(format, data, size);

	if (p && write == FUZZ_READ_BACK)
		fuzz_read_back(format, p);
	if (p && write == FUZZ_SAME_TOTALS)
		fuzz_same_totals(format, p);
	profile_free(p);
}

#endif
