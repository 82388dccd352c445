// SPDX-License-Identifier: GPL-2.0-or-later
/* read_back.c - every format reads what it writes, with the same totals and stacks */
#include <stdlib.h>

#include "formats/all_formats.h"
#include "formats/file/gunzip.h"
#include "formats/profile/saturate.h"
#include "formats/profile/shown_frames.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"
#include "tests/profile_print.h"
#include "tests/tap.h"

struct bytes {
	unsigned char *bytes;
	size_t size;
};

static struct bytes written(const struct profile_format *format, const struct profile *p,
			    uint32_t event)
{
	struct format_write_options options = { .event = event };
	struct format_read_options read_options = { .strict = true };
	struct op_error e = { "" };
	struct bytes b = { NULL, 0 };
	char *text = NULL;
	FILE *out = open_memstream(&text, &b.size);

	CHECK(!format->write(p, &options, out, &e), "%s: %s", format->name, e.text);
	fclose(out);
	b.bytes = (unsigned char *)text;
	if (is_gzip(b.bytes, b.size)) {
		CHECK(!profile_gunzip((unsigned char *)text, b.size, &read_options, &b.bytes,
				      &b.size, &e), "%s", e.text);
		free(text);
	}
	return b;
}

static struct profile *read_back(const struct profile_format *format, struct bytes b)
{
	struct format_read_options options = { .strict = true };
	const struct profile_format *detected = profile_format_detect(b.bytes, b.size);
	struct profile *p = profile_new();
	struct op_error e = { "" };

	CHECK(detected == format, "%s is taken for %s", format->name,
	      detected ? detected->name : "nothing");
	CHECK(!format->read(b.bytes, b.size, &options, p, &e), "%s: %s", format->name, e.text);
	return p;
}

/* Comments and labels that most formats have no room for. */
static bool keeps_sample(const struct profile_format *format, const struct profile *p, uint32_t i)
{
	uint32_t node = p->samples[i].node;

	if (format != &format_cpuprofile)
		return true;
	return node != PROFILE_NONE && p->places[p->tree.nodes[node].key].address;
}

static int64_t total_of(const struct profile_format *format, const struct profile *p,
			uint32_t event)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++)
		if (keeps_sample(format, p, i))
			sum = add_saturated(sum, profile_values(p, i)[event]);
	return sum;
}

static const char *comm_of(const struct profile *p, uint32_t sample)
{
	const struct profile_labels *set = &p->label_sets[p->samples[sample].labels];

	for (uint32_t i = 0; i < set->nr; i++)
		if (!strcmp(profile_text(p, p->labels[set->first + i].key), "comm"))
			return profile_text(p, p->labels[set->first + i].text);
	return NULL;
}

/* The functions of a stack, innermost first; in folded stacks the command, too. */
static char *stack_text(const struct profile *p, const struct shown_frames *shown,
			uint32_t sample, bool with_comm, int64_t value)
{
	uint32_t node = p->samples[sample].node;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (node == PROFILE_NONE)
		fprintf(out, "%s ", shown->functions[shown->unknown].name);
	for (; node != PROFILE_NONE; node = p->tree.nodes[node].parent) {
		uint32_t place = p->tree.nodes[node].key;

		for (uint32_t i = shown->first[place]; i < shown->first[place + 1]; i++)
			fprintf(out, "%s ", shown->functions[shown->frames[i].function].name);
	}
	if (with_comm && comm_of(p, sample))
		fprintf(out, "%s ", comm_of(p, sample));
	fprintf(out, "%lld\n", (long long)value);
	fclose(out);
	return text;
}

/* All stacks of an event, sorted; each occurs once in the profile that was made. */
static char *stacks_text(const struct profile *p, uint32_t event, bool with_comm)
{
	char **lines = xcalloc(p->nr_samples + 1, sizeof(*lines)), *text = NULL;
	struct shown_frames shown;
	uint32_t nr = 0;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	shown_frames_make(p, &shown);
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		int64_t value = profile_values(p, i)[event];

		if (value)
			lines[nr++] = stack_text(p, &shown, i, with_comm, value);
	}
	qsort(lines, nr, sizeof(*lines), compare_texts);
	for (uint32_t i = 0; i < nr; i++) {
		fputs(lines[i], out);
		free(lines[i]);
	}
	fclose(out);
	free(lines);
	shown_frames_free(&shown);
	return text;
}

/* For formats with functions and whole stacks. */
static void check_stacks(const struct profile_format *format, const struct profile *p,
			 uint32_t event, const struct profile *again, uint32_t event_again)
{
	bool with_comm = format == &format_folded;
	char *was, *is;

	if (format == &format_callgrind || format == &format_csv || format == &format_cpuprofile)
		return;
	was = stacks_text(p, event, with_comm);
	is = stacks_text(again, event_again, false);
	CHECK(!strcmp(was, is), "%s: were\n%sand are\n%s", format->name, was, is);
	free(was);
	free(is);
}

static void check_events(const struct profile_format *format, const struct profile *p,
			 uint32_t first, uint32_t nr)
{
	struct bytes b = written(format, p, first);
	struct profile *again = read_back(format, b);

	profile_merge_samples(again);	/* some formats write each sample */
	CHECK(again->nr_events == nr, "%s: %u events", format->name, again->nr_events);
	for (uint32_t i = 0; i < nr && i < again->nr_events; i++) {
		int64_t was = total_of(format, p, first + i), is = profile_total(again, i);

		CHECK(was && was == is, "%s: event %u was %lld and is %lld", format->name, i,
		      (long long)was, (long long)is);
		check_stacks(format, p, first + i, again, i);
	}
	profile_free(again);
	free(b.bytes);
}

/* A format that is only read or only written cannot be compared. */
static bool check_format(const struct profile_format *format, const struct profile *p)
{
	CHECK(format->read || format->write, "%s is neither read nor written", format->name);
	if (!format->read || !format->write || !format->detect)
		return false;
	if (!format->one_event)
		check_events(format, p, 0, p->nr_events);
	else
		for (uint32_t event = 0; event < p->nr_events; event++)
			check_events(format, p, event, 1);
	return true;
}

TEST(every_format_reads_what_it_writes)
{
	struct profile *p = profile_made();
	unsigned int nr = 0;

	for (const struct profile_format *const *f = profile_formats; *f; f++)
		nr += check_format(*f, p);
	CHECK(nr >= 8, "%u formats are read and written", nr);
	profile_free(p);
}

TEST(a_format_may_be_written_only)
{
	struct profile *p = profile_made();
	struct profile_format only_written = format_csv;

	only_written.read = NULL;
	CHECK(!check_format(&only_written, p), "it was read");
	profile_free(p);
}

TEST_MAIN()
