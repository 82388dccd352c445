// SPDX-License-Identifier: GPL-2.0-or-later
/* folded.c - read and write folded stacks, and write the CSV table [FO-1..12] */
#include "formats/all_formats.h"
#include "libutil/strbuf.h"
#include "tests/unit/tmpdir.h"

static struct strbuf warned = STRBUF_INIT;

static void keep_warning(void *context, const char *text)
{
	(void)context;
	strbuf_addf(&warned, "%s\n", text);
}

static const struct format_warnings warnings = { keep_warning, NULL };

static int read_text(const char *text, const char *how, struct profile **ret, struct op_error *e)
{
	struct format_read_options options = {
		.warnings = &warnings, .strict = !strcmp(how, "strict"),
		.salvage = !strcmp(how, "salvage"),
	};
	int err;

	strbuf_reset(&warned);
	*ret = profile_new();
	err = format_folded.read((const unsigned char *)text, strlen(text), &options, *ret, e);
	if (err) {
		profile_free(*ret);
		*ret = NULL;
	}
	return err;
}

static char *write_text(const struct profile_format *format, const struct profile *p,
			const char *pid)
{
	struct format_write_options options = { .warnings = &warnings, .pid = pid };
	struct op_error e = { "" };
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);

	strbuf_reset(&warned);
	CHECK(!format->write(p, &options, f, &e), "%s", e.text);
	fclose(f);
	return text;
}

TEST(stacks_survive_reading_and_writing)
{
	static const char *const texts[] = {
		"",
		"main 1\n",
		"main;work 3\nmain;work;read 4\nmain 5\n",
		"sh;main;do_syscall_64_[k];vfs_read_[k] 17\nnode;Lrun_[j] 2\n",
		"main;outer;middle_[i];inner_[i] 6\nmain;outer;middle_[i] 1\n",
		"main;operator new(unsigned long);a b  c 9223372036854775807\n",
		"main;[libc.so.6];[unknown] 1\n",
		" #no comment;a 1\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct op_error e = { "" };
		struct profile *p;
		char *again;

		if (read_text(texts[i], "strict", &p, &e)) {
			CHECK(false, "%s: %s", texts[i], e.text);
			continue;
		}
		again = write_text(&format_folded, p, "");
		CHECK(!strcmp(again, texts[i]), "expected '%s', got '%s'", texts[i], again);
		free(again);
		profile_free(p);
	}
}

TEST(marks_show_the_kind_of_a_frame)
{
	struct profile *p;
	struct op_error e;
	const struct profile_place *place;

	CHECK(!read_text("main;outer;inner_[i];sys_[k] 2\n", "", &p, &e), "%s", e.text);
	CHECK(p->nr_places == 3, "%u", p->nr_places);
	place = &p->places[p->tree.nodes[p->samples[0].node].key];
	CHECK(p->images[place->image].kind == PROFILE_KERNEL, "kernel");
	place = &p->places[p->tree.nodes[p->tree.nodes[p->samples[0].node].parent].key];
	CHECK(p->line_lists[place->lines].nr == 2, "%u", p->line_lists[place->lines].nr);
	CHECK(!strcmp(profile_text(p, p->functions[p->lines[
		      p->line_lists[place->lines].first].function].name), "inner"),
	      "innermost first");
	profile_free(p);
}

TEST(errors_have_a_line_number)
{
	static const struct {
		const char *text, *why, *salvaged;
	} cases[] = {
		{ "a;b 1\na;b\n", "line 2: missing count", "a;b 1\n" },
		{ "# x\n\na;b x\n", "line 3: missing count", "" },
		{ "a 99999999999999999999\n", "line 1: invalid count '99999999999999999999'", "" },
		{ "a 1x\nb 2\n", "line 1: invalid count '1x'", "b 2\n" },
		{ "a\x1b[m 1\n", "line 1: invalid control character", "" },
		{ " 17\n", "line 1: missing count", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct op_error e = { "" };
		struct profile *p;
		char *text;

		CHECK(read_text(cases[i].text, "", &p, &e) == -EPROTO, "case %zu", i);
		CHECK(strstr(e.text, cases[i].why), "expected '%s', got '%s'", cases[i].why,
		      e.text);
		CHECK(!read_text(cases[i].text, "salvage", &p, &e), "%s", e.text);
		CHECK(strstr(warned.text, cases[i].why), "%s", warned.text);
		text = write_text(&format_folded, p, "");
		CHECK(!strcmp(text, cases[i].salvaged), "%s", text);
		free(text);
		profile_free(p);
	}
}

TEST(fractions_are_warned_of)
{
	struct profile *p;
	struct op_error e;

	CHECK(!read_text("a 3.00\nb 2.5\n", "", &p, &e), "%s", e.text);
	CHECK(profile_total(p, 0) == 5, "%lld", (long long)profile_total(p, 0));
	CHECK(!strcmp(warned.text, "line 2: ignored the fraction of the count\n"), "%s",
	      warned.text);
	profile_free(p);
	CHECK(read_text("b 2.5\n", "strict", &p, &e) == -EPROTO, "strict");
}

TEST(detection)
{
	static const struct {
		const char *text;
		bool folded;
	} cases[] = {
		{ "a;b 1\n", true }, { "# x\na;b 1\nc 2\n", true }, { "a 1\n", false },
		{ "a;b\n", false }, { "{\"a;b\": 1\n", false }, { "a;b 1\nc\n", false },
		{ "", false }, { "\x1f\x8b;b 1\n", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		CHECK((profile_format_detect((const unsigned char *)cases[i].text,
					     strlen(cases[i].text)) == &format_folded) ==
		      cases[i].folded, "case %zu", i);
}

/* Two processes in one function of a program, at two addresses, with two callers. */
static struct profile *make_profile(void)
{
	struct profile *p = profile_new();
	struct profile_image image = { .path = profile_string(p, "/bin/prog, \"the\"\n"),
				       .start = 0x1000, .limit = 0x9000, .offset = 0x500 };
	struct profile_function inner = { .name = profile_string(p, "inner"),
					  .file = profile_string(p, "a.c") };
	struct profile_function outer = { .name = profile_string(p, "out;er") };
	struct profile_line lines[] = { { profile_function(p, &inner), 7 },
					{ profile_function(p, &outer), 9 } };
	struct profile_event event = { .name = profile_string(p, "cpu"),
				       .unit = profile_string(p, "nanoseconds"), .period = 100 };
	uint32_t places[2], sets[2];

	profile_add_event(p, &event);
	event.name = profile_string(p, "misses");
	event.unit = profile_string(p, "count");
	profile_add_event(p, &event);
	profile_add_image(p, &image);
	for (int i = 0; i < 2; i++) {
		struct profile_label labels[] = {
			{ .key = profile_string(p, "pid"), .number = 10 + i },
			{ .key = profile_string(p, "comm"),
			  .text = profile_string(p, i ? "two;" : "one") },
		};

		sets[i] = profile_label_set(p, labels, 2);
		places[i] = profile_place(p, 0, 0x2000 + (uint64_t)i, lines, 2);
	}
	for (int i = 0; i < 8; i++) {
		uint32_t node = profile_node(p, PROFILE_NONE, places[i / 4]);

		node = profile_node(p, node, places[i / 2 % 2]);
		profile_add_sample(p, node, sets[i % 2])[i == 7] = 1;
	}
	profile_add_sample(p, PROFILE_NONE, 0)[0] = 1;
	return p;
}

TEST(stacks_that_differ_in_addresses_are_merged)
{
	struct profile *p = make_profile();
	char *text = write_text(&format_folded, p, "");

	CHECK(!strcmp(text, "one;out:er;inner_[i];out:er;inner_[i] 4\n"
		      "two:;out:er;inner_[i];out:er;inner_[i] 3\n[unknown] 1\n"), "%s", text);
	free(text);
	text = write_text(&format_folded, p, "11");
	CHECK(!strcmp(text, "two:;out:er;inner_[i];out:er;inner_[i] 3\n"), "%s", text);
	free(text);
	profile_free(p);
}

TEST(a_table_has_a_line_for_each_place_and_process)
{
	struct profile *p = make_profile();
	char *text = write_text(&format_csv, p, "");

	CHECK(!strcmp(text,
		      "event,unit,period,image,build_id,symbol,inlined,file,line,address,offset,"
		      "pid,tid,comm,cpu,cgroup,samples\n"
#define IMAGE ",\"/bin/prog, \"\"the\"\"?\",,out;er,inner,a.c,7,"
		      "cpu,nanoseconds,100" IMAGE "0x2000,0x1500,10,,one,,,2\n"
		      "cpu,nanoseconds,100" IMAGE "0x2000,0x1500,11,,two;,,,2\n"
		      "cpu,nanoseconds,100" IMAGE "0x2001,0x1501,10,,one,,,2\n"
		      "cpu,nanoseconds,100" IMAGE "0x2001,0x1501,11,,two;,,,1\n"
		      "cpu,nanoseconds,100,,,,,,,,,,,,,,1\n"
		      "misses,count,100" IMAGE "0x2001,0x1501,11,,two;,,,1\n"), "%s", text);
#undef IMAGE
	free(text);
	profile_free(p);
}

/* [FO-12] */
TEST(names_that_look_like_formulas_come_back)
{
	const struct format_read_options options = { .warnings = &warnings };
	const char *table = "symbol,samples\n'-[View draw],1\n''quoted,2\n";
	struct profile *p = profile_new();
	struct op_error e = { "" };
	char *text;

	CHECK(!format_csv.read((const unsigned char *)table, strlen(table), &options, p, &e),
	      "%s", e.text);
	CHECK(p->nr_functions == 2 && !strcmp(profile_text(p, p->functions[0].name), "-[View draw]")
	      && !strcmp(profile_text(p, p->functions[1].name), "'quoted"), "names");
	text = write_text(&format_csv, p, "");
	CHECK(strstr(text, ",'-[View draw],") && strstr(text, ",''quoted,"), "%s", text);
	free(text);
	profile_free(p);
}

TEST_MAIN()
