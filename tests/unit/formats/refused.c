// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refused.c - each broken text or JSON gets one line: where, what, and the rule [PF-9]
 *
 * What is doubtful is read with a warning of the same words, and refused with --strict.
 */
#include <errno.h>
#include <stdlib.h>

#include "formats/all_formats.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"

static char warned[1000];

static void keep_warning(void *context, const char *text)
{
	(void)context;
	snprintf(warned + strlen(warned), sizeof(warned) - strlen(warned), "%s\n", text);
}

static const struct format_warnings warnings = { keep_warning, NULL };

struct broken {
	const char *text, *why;
	bool is_doubt;
};

static int read_text(const struct profile_format *format, const char *text, bool strict,
		     struct op_error *e)
{
	struct format_read_options options = { .warnings = &warnings, .strict = strict };
	struct profile *p = profile_new();
	size_t size = strlen(text);
	/* of its own, so that a checker sees what reaches past the end */
	unsigned char *bytes = xmalloc(size + 1);
	int err;

	memcpy(bytes, text, size);
	warned[0] = e->text[0] = '\0';
	err = format->read(bytes, size, &options, p, e);
	profile_free(p);
	free(bytes);
	return err;
}

static void check_all(const struct profile_format *format, const struct broken *cases, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct broken *c = &cases[i];
		struct op_error e;
		int err = read_text(format, c->text, true, &e);

		CHECK(err == -EPROTO && !strcmp(e.text, c->why), "%s: '%s' gives %d '%s', not '%s'",
		      format->name, c->text, err, e.text, c->why);
		CHECK(strchr(c->why, '[') && !strchr(e.text, '\n'), "%s: no rule", c->why);
		err = read_text(format, c->text, false, &e);
		CHECK(c->is_doubt ? !err && strstr(warned, c->why) : err == -EPROTO,
		      "%s: without --strict '%s' gives %d '%s' '%s'", format->name, c->text, err,
		      e.text, warned);
	}
}

#define CHECK_ALL(format, cases) check_all(&(format), cases, sizeof(cases) / sizeof((cases)[0]))

TEST(callgrind)
{
	static const struct broken cases[] = {
		{ "", "line 0: there is no line 'events:' [CK-9]", false },
		{ "version: 2\nevents: a\n", "line 1: its version is not 1 [CK-7]", false },
		{ "events: a\n\001\n", "line 2: a control character [CK-7]", false },
		{ "events: a\nwhat is this\n", "line 2: neither costs nor a name [CK-7]", false },
		{ "events: a\nxx=1\n", "line 2: 'xx=' is left out [CK-7]", true },
		{ "events: a\nfn=(3)\n", "line 2: a number that was not named before [CK-8]",
		  false },
		{ "events:\n", "line 1: no events [CK-9]", false },
		{ "1 2\n", "line 1: costs before there are events [CK-9]", false },
		{ "events: a b\nevents: a\n", "line 2: fewer events than in the first part [CK-9]",
		  false },
		{ "events: a\nevents: b\n",
		  "line 2: events other than those of the first part [CK-9]", false },
		{ "events: a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a "
		  "a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a\n",
		  "line 1: more than 64 events [CK-9]", false },
		{ "events: a\npositions: page\n",
		  "line 2: a position is neither instr nor line [CK-10]", false },
		{ "events: a\npositions: instr\n0x1g 1\n", "line 3: no address [CK-10]", false },
		{ "events: a\n-1 1\n", "line 2: no line number [CK-10]", false },
		{ "events: a\n4294967296 1\n", "line 2: no line number [CK-10]", false },
		{ "events: a\n1 2 3\n", "line 2: more costs than events [CK-11]", false },
		{ "events: a\n1 9223372036854775808\n",
		  "line 2: a cost is no number of 63 bits [CK-11]", false },
		{ "events: a\ncalls=1 2\nfn=x\n",
		  "line 3: after calls= and jump= has to stand a line of costs [CK-11]", false },
		{ "events: a\n1 2\ntotals: 3\n",
		  "line 3: the totals are not those of the lines before [CK-12]", true },
	};

	CHECK_ALL(format_callgrind, cases);
}

TEST(csv)
{
	static const struct broken cases[] = {
		{ "", "line 1: it is empty [FO-14]", false },
		{ "symbol,image\n", "line 1: there is no column 'samples' [FO-14]", false },
		{ "samples,samples\n", "line 1: a column is there twice [FO-14]", false },
		{ "samples,\"x\n", "line 1: these are no names of columns [FO-14]", false },
		{ "samples,what,is\n1,2,3\n",
		  "line 1: 2 columns have no name of ours, and are left out [FO-14]", true },
		{ "samples\n", "line 1: there are no rows [FO-15]", false },
		{ "samples\n\"1\n", "line 2: a quote that is not closed [FO-13]", false },
		{ "samples\n1,2\n", "line 2: more cells than there are columns [FO-13]", false },
		{ "samples,line\n1\n", "line 2: fewer cells than there are columns [FO-13]",
		  false },
		{ "samples\n1\n\0012\n", "line 3: a control character [FO-13]", false },
		{ "samples\n1.5\n", "line 2: '1.5' is no count [FO-15]", false },
		{ "samples,period\n1,x\n", "line 2: period is no number: 'x' [FO-15]", false },
		{ "samples,address\n1,0x1g\n", "line 2: address is no number: '0x1g' [FO-15]",
		  false },
		{ "samples,offset\n1,-1\n", "line 2: offset is no number: '-1' [FO-15]", false },
		{ "samples,line\n1,4294967296\n", "line 2: a line number beyond 32 bits [FO-15]",
		  false },
	};

	CHECK_ALL(format_csv, cases);
}

#define SPEEDSCOPE(profiles)                                                                   \
	"{\"shared\":{\"frames\":[{\"name\":\"f\"}]},\"profiles\":[" profiles "]}"
#define SAMPLED(unit, samples, weights)                                                        \
	SPEEDSCOPE("{\"type\":\"sampled\",\"unit\":\"" unit "\",\"samples\":" samples              \
		   ",\"weights\":" weights "}")
#define EVENTED(events)                                                                        \
	SPEEDSCOPE("{\"type\":\"evented\",\"unit\":\"none\",\"events\":" events "}")

TEST(speedscope)
{
	static const struct broken cases[] = {
		{ "{\"shared\"\n!", "line 2, offset 11: no JSON: ':' expected near '!' [SP-5]",
		  false },
		{ "[]", "line 1, offset 0: it is a list and no object [SP-5]", false },
		{ "{}", "shared.frames: no list [SP-6]", false },
		{ "{\"shared\":{\"frames\":[{}]}}", "shared.frames[0].name: no text [SP-6]",
		  false },
		{ SPEEDSCOPE(""), "profiles: there is none [SP-6]", false },
		{ SPEEDSCOPE("{\"unit\":\"none\"}"),
		  "profiles[0].type: neither sampled nor evented [SP-6]", false },
		{ SPEEDSCOPE("{}"), "profiles[0].unit: none of speedscope's [SP-7]", false },
		{ SAMPLED("none", "[[0]]", "[1.5]"), "profiles[0]: fractions are rounded [SP-7]",
		  true },
		{ SAMPLED("none", "[[0]]", "[]"), "profiles[0]: samples and weights have to be "
		  "lists of the same length [SP-8]", false },
		{ SAMPLED("none", "[0]", "[1]"), "profiles[0].samples[0]: no list of frames [SP-8]",
		  false },
		{ SAMPLED("none", "[[0],[1]]", "[1,1]"),
		  "profiles[0].samples[1]: such a frame is not there [SP-8]", false },
		{ SAMPLED("none", "[[0]]", "[null]"),
		  "profiles[0].weights[0]: no number of 63 bits [SP-8]", false },
		{ SAMPLED("seconds", "[[0]]", "[9223372036854775807]"),
		  "profiles[0].weights[0]: no number of 63 bits [SP-8]", false },
		{ EVENTED("0"), "profiles[0].events: no list [SP-9]", false },
		{ EVENTED("[{\"type\":\"X\",\"at\":1}]"),
		  "profiles[0].events[0]: its type is neither O nor C [SP-9]", false },
		{ EVENTED("[{\"type\":\"C\",\"at\":1,\"frame\":0}]"), "profiles[0].events[0]: it "
		  "closes a frame that is not the innermost one [SP-9]", false },
		{ EVENTED("[{\"type\":\"O\",\"at\":1,\"frame\":0},{\"type\":\"C\",\"at\":0}]"),
		  "profiles[0].events[1]: its time is none, or before the last one's [SP-9]",
		  false },
		{ EVENTED("[{\"type\":\"O\",\"at\":1,\"frame\":0}]"),
		  "profiles[0].events: 1 frames are never closed [SP-9]", true },
	};

	CHECK_ALL(format_speedscope, cases);
}

#define FIREFOX(meta, threads)                                                                 \
	"{\"meta\":{\"preprocessedProfileVersion\":48" meta "},\"threads\":[" threads "]}"
#define TABLES(stack, frame, func)                                                             \
	FIREFOX("", "{\"samples\":{\"stack\":[0]},\"stackTable\":" stack ",\"frameTable\":"        \
		frame ",\"funcTable\":" func ",\"resourceTable\":{\"name\":[7]},"                  \
		"\"stringArray\":[\"f\",5]}")

TEST(firefox)
{
	static const struct broken cases[] = {
		{ "{\"a\":1,\"a\":2}", "line 1, offset 10: no JSON: duplicate object key near "
		  "'\"a\"' [FF-8]", false },
		{ "{}", "meta.preprocessedProfileVersion: no number, so this is no processed "
		  "profile [FF-8]", false },
		{ FIREFOX("", ""), "threads: there is none [FF-8]", false },
		{ FIREFOX("", "{}"), "threads[0].stackTable.frame: no column [FF-8]", false },
		{ FIREFOX(",\"oprofileEvents\":[{}]", "{}"),
		  "meta.oprofileEvents[0]: no whole period and unitMask [FF-7]", false },
		{ FIREFOX(",\"oprofileEvents\":[{\"period\":1,\"unitMask\":\"0x0\"}]", "{}"),
		  "threads[0].oprofileEvent: such an event is not there [FF-7]", false },
		{ FIREFOX("", "{\"samples\":{},\"stackTable\":{\"frame\":[]}}"), "threads[0]."
		  "samples: stack and weight have to be columns of the same length [FF-8]", false },
		{ FIREFOX("", "{\"samples\":{\"stack\":[0]},\"stackTable\":{\"frame\":[]}}"),
		  "threads[0].samples.stack[0]: such a stack is not there [FF-8]", false },
		{ FIREFOX("", "{\"samples\":{\"stack\":[null],\"weight\":[\"\"]},\"stackTable\":"
			  "{\"frame\":[]}}"),
		  "threads[0].samples.weight[0]: no number of 63 bits [FF-8]", false },
		{ FIREFOX("", "{\"samples\":{\"stack\":[null],\"weight\":[0.3]},\"stackTable\":"
			  "{\"frame\":[]}}"),
		  "threads[0].samples.weight: fractions are rounded [FF-9]", true },
		{ TABLES("{\"frame\":[3]}", "{}", "{}"),
		  "threads[0].stackTable.frame[0]: such a frame is not there [FF-8]", false },
		{ TABLES("{\"frame\":[0],\"prefix\":[0]}", "{\"func\":[0]}", "{}"),
		  "threads[0].stackTable.prefix[0]: no stack before this one [FF-8]", false },
		{ TABLES("{\"frame\":[0]}", "{\"func\":[0]}", "{}"),
		  "threads[0].frameTable.func[0]: such a function is not there [FF-8]", false },
		{ TABLES("{\"frame\":[0]}", "{\"func\":[0]}", "{\"name\":[2]}"),
		  "threads[0].funcTable.name[0]: such a string is not there [FF-8]", false },
		{ TABLES("{\"frame\":[0]}", "{\"func\":[0]}", "{\"name\":[1]}"),
		  "threads[0].stringArray[1]: no text [FF-8]", false },
		{ TABLES("{\"frame\":[0]}", "{\"func\":[0]}", "{\"name\":[0],\"resource\":[1]}"),
		  "threads[0].funcTable.resource[0]: such a resource is not there [FF-8]", false },
		{ TABLES("{\"frame\":[0]}", "{\"func\":[0]}", "{\"name\":[0],\"resource\":[0]}"),
		  "threads[0].resourceTable.name[0]: such a string is not there [FF-8]", false },
	};

	CHECK_ALL(format_firefox, cases);
}

TEST(folded)
{
	static const struct broken cases[] = {
		{ "a;b 1\na\001 2\n", "line 2: a control character [FO-1]", false },
		{ "a;b\n", "line 1: no count at its end [FO-1]", false },
		{ "a;b 12x\n", "line 1: '12x' is no count [FO-1]", false },
		{ "a;b 9223372036854775808\n", "line 1: '9223372036854775808' is no count [FO-1]",
		  false },
		{ "a;b 1.5\n", "line 1: the count's fraction is cut off [FO-1]", true },
	};

	CHECK_ALL(format_folded, cases);
}

TEST(perf_script)
{
	static const struct broken cases[] = {
		{ "", "line 0: there are no samples in it [PS-2]", false },
		{ "a 1 2.0: e:\n\t1 \001\n", "line 2: a control character [PS-1]", false },
		{ "a 1 2.0: e: main\n", "line 1: after the event stands no address [PS-2]", false },
		{ "a 1 2.0: e:\n\t1 f (x)\n\nwhat is this\n", "line 4: neither a sample nor a "
		  "frame of one (print them with: perf script -F comm,pid,tid,time,period,event,ip,"
		  "sym,dso) [PS-2]", false },
	};

	CHECK_ALL(format_perf_script, cases);
}

static size_t repeat(char *to, const char *text, size_t nr)
{
	size_t len = strlen(text);

	for (size_t i = 0; i < nr; i++)
		memcpy(to + i * len, text, len);
	to[nr * len] = '\0';
	return nr * len;
}

/* One frame more than a stack may have. */
TEST(stacks_that_are_too_long)
{
	size_t nr = PROFILE_FRAMES_MAX + 1, len;
	char *text = xmalloc(40 * nr);
	struct op_error e;

	repeat(text, "a;", nr);
	strcat(text, " 1\n");
	CHECK(read_text(&format_folded, text, false, &e) == -EPROTO, "folded");
	CHECK(!strcmp(e.text, "line 1: more than 65536 frames [FO-2]"), "%s", e.text);
	len = (size_t)sprintf(text, "a 1 2.0: e:\n");
	repeat(text + len, "\t1 f (x)\n", nr);
	CHECK(read_text(&format_perf_script, text, false, &e) == -EPROTO, "perf script");
	CHECK(!strcmp(e.text, "line 65538: more than 65536 frames [PS-3]"), "%s", e.text);
	len = (size_t)sprintf(text, "{\"shared\":{\"frames\":[{\"name\":\"f\"}]},\"profiles\":["
			      "{\"type\":\"sampled\",\"unit\":\"none\",\"weights\":[1],"
			      "\"samples\":[[0");
	len += repeat(text + len, ",0", nr - 1);
	strcpy(text + len, "]]}]}");
	CHECK(read_text(&format_speedscope, text, false, &e) == -EPROTO, "speedscope");
	CHECK(!strcmp(e.text, "profiles[0].samples[0]: more than 65536 frames [SP-8]"), "%s",
	      e.text);
	free(text);
}

/* Lines that are wrong, or what follows in a list, are left out with a word. */
TEST(salvage)
{
	static const struct {
		const struct profile_format *format;
		const char *text, *why;
		int64_t total;
	} cases[] = {
		{ &format_callgrind, "events: a\n1 2\n2 x\n3 4\n",
		  "line 3: a cost is no number of 63 bits [CK-11]: left out", 6 },
		{ &format_csv, "samples\n1\nx\n2\n", "line 3: 'x' is no count [FO-15]: left out",
		  3 },
		{ &format_folded, "a;b 1\nx\na 2\n", "line 2: no count at its end [FO-1]: left out",
		  3 },
		{ &format_speedscope, SAMPLED("none", "[[0],[0],[5],[0]]", "[1,2,4,8]"),
		  "[SP-8]: what follows in this profile is left out", 3 },
		{ &format_firefox, FIREFOX("", "{\"samples\":{\"stack\":[null,7]},\"stackTable\":"
					   "{\"frame\":[]}}"),
		  "[FF-8]: what follows in this thread is left out", 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct format_read_options options = { .warnings = &warnings, .salvage = true };
		struct profile *p = profile_new();
		struct op_error e = { "" };

		warned[0] = '\0';
		CHECK(!cases[i].format->read((const unsigned char *)cases[i].text,
					     strlen(cases[i].text), &options, p, &e), "%s", e.text);
		CHECK(strstr(warned, cases[i].why), "'%s' is not '%s'", warned, cases[i].why);
		CHECK(profile_total(p, 0) == cases[i].total, "%s: %lld", cases[i].format->name,
		      (long long)profile_total(p, 0));
		profile_free(p);
	}
}

TEST_MAIN()
