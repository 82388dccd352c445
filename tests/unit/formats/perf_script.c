// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_script.c - read and write the output of perf script [PS-1..8] */
#include <errno.h>

#include "formats/all_formats.h"
#include "tests/unit/libdb/session/written_profile.h"

static struct profile *read_text(const char *text, const struct format_read_options *options,
				 struct op_error *e)
{
	struct profile *p = profile_new();
	int err = format_perf_script.read((const unsigned char *)text, strlen(text), options, p, e);

	if (!err)
		return p;
	CHECK(err == -EPROTO, "%d", err);
	profile_free(p);
	return NULL;
}

static const char two_events[] =
	"# a comment\n"
	"Web Content 12/13 [002] 52907.685566:   10101010 cpu-clock:ppp: \n"
	"\tffffffff813a2313 finish_task+0x93 ([kernel.kallsyms])\n"
	"\t            12d9 leaf (inlined)\n"
	"\t            12d9 by_value+0x9 (/tmp/a (b)/prog)\n"
	"\t            1400 [unknown] ([unknown])\n"
	"\n"
	"  prog 25488 52909.414783:   10101010 cpu-clock:ppp:      55f927d4738a f(int, char)+0x8a "
	"(/tmp/prog)\n"
	":-1 25488/-1 52909.5: 7 misses: \n"
	"\n";

TEST(samples_stacks_and_labels)
{
	struct format_read_options options = { 0 };
	struct op_error e = { "" };
	struct profile *p = read_text(two_events, &options, &e);
	const struct profile_place *place;
	uint32_t node;

	CHECK(p, "%s", e.text);
	if (!p)
		return;
	CHECK(p->nr_events == 2 && p->nr_samples == 3, "%u, %u", p->nr_events, p->nr_samples);
	CHECK(!strcmp(profile_text(p, p->events[0].name), "cpu-clock:ppp"), "%s",
	      profile_text(p, p->events[0].name));
	CHECK(p->events[0].period == 10101010 && p->events[1].period == 7, "periods");
	CHECK(profile_total(p, 0) == 2 && profile_total(p, 1) == 1, "totals");
	node = p->samples[0].node;
	place = &p->places[p->tree.nodes[node].key];
	CHECK(place->address == 0xffffffff813a2313, "address of the leaf");
	CHECK(p->images[place->image].kind == PROFILE_KERNEL, "in the kernel");
	place = &p->places[p->tree.nodes[p->tree.nodes[node].parent].key];
	CHECK(place->address == 0x12d9 && p->line_lists[place->lines].nr == 2,
	      "where it was interrupted: %lx", (long)place->address);
	CHECK(!strcmp(profile_text(p, p->images[place->image].path), "/tmp/a (b)/prog"), "%s",
	      profile_text(p, p->images[place->image].path));
	node = p->tree.nodes[p->samples[0].node].parent;
	place = &p->places[p->tree.nodes[p->tree.nodes[node].parent].key];
	CHECK(place->address == 0x13ff, "address of the call: %lx", (long)place->address);
	CHECK(p->label_sets[p->samples[0].labels].nr == 4, "pid, tid, cpu, comm");
	CHECK(p->samples[2].node == PROFILE_NONE, "no stack");
	CHECK(p->label_sets[p->samples[2].labels].nr == 2, "a thread that has ended: pid, comm");
	profile_free(p);
}

TEST(text_survives_reading_and_writing)
{
	struct format_read_options options = { 0 };
	struct op_error e = { "" };
	struct profile *p = read_text(two_events, &options, &e), *again;
	char *text = written_profile(&format_perf_script, p), *second;

	CHECK(strstr(text, "Web Content 12/13 [002] 0.000000000:   10101010 cpu-clock:ppp: \n"
		     "\tffffffff813a2313 finish_task ([kernel.kallsyms])\n"
		     "\t            12d9 leaf (inlined)\n"
		     "\t            12d9 by_value (/tmp/a (b)/prog)\n"), "%s", text);
	again = read_text(text, &options, &e);
	CHECK(again, "%s", e.text);
	second = again ? written_profile(&format_perf_script, again) : NULL;
	CHECK(second && !strcmp(text, second), "%s", second);
	free(text);
	free(second);
	profile_free(p);
	profile_free(again);
}

TEST(different_periods_make_amounts)
{
	struct format_read_options options = { 0 };
	struct op_error e = { "" };
	struct profile *p = read_text("a 1 1.5: 10 cycles: \n\na 1 1.6: 30 cycles: \n\n",
				      &options, &e);

	CHECK(p && !p->events[0].period && profile_total(p, 0) == 40, "%s", e.text);
	profile_free(p);
}

TEST(too_many_samples_are_one_record)
{
	struct profile *p = profile_new();
	struct profile_event event = { .name = profile_string(p, "cycles"), .period = 2 };
	char *text;

	profile_add_event(p, &event);
	*profile_add_sample(p, PROFILE_NONE, 0) = 2000000;
	text = written_profile(&format_perf_script, p);
	CHECK(!strcmp(text, "all 0 0.000000000:    4000000 cycles: \n\n"), "%s", text);
	free(text);
	profile_free(p);
}

TEST(cpu_time_is_cpu_clock)
{
	struct format_read_options options = { 0 };
	struct profile *p = profile_new(), *again;
	struct profile_event event = { profile_string(p, "cpu"), profile_string(p, "nanoseconds"),
				       500, 0 };
	struct op_error e = { "" };
	char *text;

	profile_add_event(p, &event);
	*profile_add_sample(p, PROFILE_NONE, 0) = 1;
	text = written_profile(&format_perf_script, p);
	again = read_text(text, &options, &e);
	CHECK(again && again->events[0].period == 500 &&
	      !strcmp(profile_text(again, again->events[0].unit), "nanoseconds"), "%s", text);
	free(text);
	profile_free(p);
	profile_free(again);
}

TEST(errors_have_a_line_number)
{
	static const char *const texts[] = {
		"a 1 1.5: 10 cycles: \n\tzz\n\nnonsense here\n", "x 1 1.5: 10 cycles: zz\n", "",
		"# only this\n", "a 1 1.5: 10 cycles:\n\n\001\n",
	};
	static const char *const places[] = { "line 4: ", "line 1: ", "no samples", "no samples",
					      "line 3: " };
	struct format_read_options options = { 0 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct op_error e = { "" };
		struct profile *p = read_text(texts[i], &options, &e);

		CHECK(!p && !strncmp(e.text, places[i], strlen(places[i])), "%zu: '%s'", i, e.text);
		profile_free(p);
	}
}

TEST(salvage_skips_malformed_lines)
{
	struct format_read_options options = { .salvage = true };
	struct op_error e = { "" };
	struct profile *p = read_text("a 1 1.5: 10 cycles: \n\nnonsense\na 1 1.6: 10 cycles: \n\n",
				      &options, &e);

	CHECK(p && profile_total(p, 0) == 2, "%s", e.text);
	profile_free(p);
}

TEST_MAIN()
