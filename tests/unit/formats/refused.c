// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refused.c - one message with the place for each kind of malformed text or JSON [PF-9]
 *
 * Harmless faults give a warning with the same text, and an error with --strict.
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

struct malformed {
	const char *text, *why;
	bool is_harmless;
};

static int read_text(const struct profile_format *format, const char *text, bool strict,
		     struct op_error *e)
{
	struct format_read_options options = { .warnings = &warnings, .strict = strict };
	struct profile *p = profile_new();
	size_t size = strlen(text);
	/* allocated, so that sanitizers see reads past the end */
	unsigned char *bytes = xmalloc(size + 1);
	int err;

	memcpy(bytes, text, size);
	warned[0] = e->text[0] = '\0';
	err = format->read(bytes, size, &options, p, e);
	profile_free(p);
	free(bytes);
	return err;
}

static void check_all(const struct profile_format *format, const struct malformed *cases, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct malformed *c = &cases[i];
		struct op_error e;
		int err = read_text(format, c->text, true, &e);

		CHECK(err == -EPROTO && !strcmp(e.text, c->why), "%s: '%s' gives %d '%s', not '%s'",
		      format->name, c->text, err, e.text, c->why);
		CHECK(!strchr(e.text, '\n'), "%s: more than one line", c->why);
		err = read_text(format, c->text, false, &e);
		CHECK(c->is_harmless ? !err && strstr(warned, c->why) : err == -EPROTO,
		      "%s: without --strict '%s' gives %d '%s' '%s'", format->name, c->text, err,
		      e.text, warned);
	}
}

#define CHECK_ALL(format, cases) check_all(&(format), cases, sizeof(cases) / sizeof((cases)[0]))

TEST(callgrind)
{
	static const struct malformed cases[] = {
		{ "", "missing 'events:' line", false },
		{ "version: 2\nevents: a\n", "line 1: unsupported version: expected 1", false },
		{ "events: a\n\001\n", "line 2: invalid control character", false },
		{ "events: a\nwhat is this\n", "line 2: expected costs or a name", false },
		{ "events: a\nxx=1\n", "line 2: ignored unknown key 'xx='", true },
		{ "events: a\nfn=(3)\n", "line 2: undefined number of a name",
		  false },
		{ "events:\n", "line 1: missing events", false },
		{ "1 2\n", "line 1: costs before the 'events:' line", false },
		{ "events: a b\nevents: a\n", "line 2: fewer events than in the first part",
		  false },
		{ "events: a\nevents: b\n",
		  "line 2: events differ from those of the first part", false },
		{ "events: a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a "
		  "a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a\n",
		  "line 1: more than 64 events", false },
		{ "events: a\npositions: page\n",
		  "line 2: unknown position: expected instr or line", false },
		{ "events: a\npositions: instr\n0x1g 1\n", "line 3: invalid address", false },
		{ "events: a\n-1 1\n", "line 2: invalid line number", false },
		{ "events: a\n4294967296 1\n", "line 2: invalid line number", false },
		{ "events: a\n1 2 3\n", "line 2: more costs than events", false },
		{ "events: a\n1 9223372036854775808\n",
		  "line 2: invalid cost: expected a number below 2^63", false },
		{ "events: a\ncalls=1 2\nfn=x\n",
		  "line 3: expected a line of costs after calls= or jump=", false },
		{ "events: a\n1 2\ntotals: 3\n",
		  "line 3: totals differ from the sums of the lines before", true },
	};

	CHECK_ALL(format_callgrind, cases);
}

TEST(csv)
{
	static const struct malformed cases[] = {
		{ "", "line 1: expected the names of columns", false },
		{ "symbol,image\n", "line 1: missing column 'samples'", false },
		{ "samples,samples\n", "line 1: duplicate column 'samples'", false },
		{ "samples,\"x\n", "line 1: invalid column names", false },
		{ "samples,what,is\n1,2,3\n",
		  "line 1: ignored 2 unknown columns", true },
		{ "samples\n", "line 1: no rows after the names of columns", false },
		{ "samples\n\"1\n", "line 2: unterminated quote", false },
		{ "samples\n1,2\n", "line 2: more cells than columns", false },
		{ "samples,line\n1\n", "line 2: fewer cells than columns",
		  false },
		{ "samples\n1\n\0012\n", "line 3: invalid control character", false },
		{ "samples\n1.5\n", "line 2: invalid count '1.5'", false },
		{ "samples,period\n1,x\n", "line 2: invalid period 'x'", false },
		{ "samples,address\n1,0x1g\n", "line 2: invalid address '0x1g'",
		  false },
		{ "samples,offset\n1,-1\n", "line 2: invalid offset '-1'", false },
		{ "samples,line\n1,4294967296\n", "line 2: line number out of range",
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
	static const struct malformed cases[] = {
		{ "{\"shared\"\n!", "line 2: invalid JSON at offset 11: ':' expected near '!'",
		  false },
		{ "[]", "line 1: expected an object, got a list", false },
		{ "{}", "shared.frames: expected a list", false },
		{ "{\"shared\":{\"frames\":[{}]}}", "shared.frames[0].name: expected a string",
		  false },
		{ SPEEDSCOPE(""), "profiles: expected at least one", false },
		{ SPEEDSCOPE("{\"unit\":\"none\"}"),
		  "profiles[0].type: unknown type: expected sampled or evented", false },
		{ SPEEDSCOPE("{}"), "profiles[0].unit: unknown unit", false },
		{ SAMPLED("none", "[[0]]", "[1.5]"), "profiles[0]: rounded fractions",
		  true },
		{ SAMPLED("none", "[[0]]", "[]"), "profiles[0]: expected samples and weights "
		  "to be lists of the same length", false },
		{ SAMPLED("none", "[0]", "[1]"),
		  "profiles[0].samples[0]: expected a list of frames", false },
		{ SAMPLED("none", "[[0],[1]]", "[1,1]"),
		  "profiles[0].samples[1]: unknown frame", false },
		{ SAMPLED("none", "[[0]]", "[null]"),
		  "profiles[0].weights[0]: expected a number below 2^63", false },
		{ SAMPLED("seconds", "[[0]]", "[9223372036854775807]"),
		  "profiles[0].weights[0]: expected a number below 2^63", false },
		{ EVENTED("0"), "profiles[0].events: expected a list", false },
		{ EVENTED("[{\"type\":\"X\",\"at\":1}]"),
		  "profiles[0].events[0]: unknown type: expected O or C", false },
		{ EVENTED("[{\"type\":\"C\",\"at\":1,\"frame\":0}]"), "profiles[0].events[0]: "
		  "closes a frame that is not the innermost one", false },
		{ EVENTED("[{\"type\":\"O\",\"at\":1,\"frame\":0},{\"type\":\"C\",\"at\":0}]"),
		  "profiles[0].events[1]: invalid time, or earlier than the event before",
		  false },
		{ EVENTED("[{\"type\":\"O\",\"at\":1,\"frame\":0}]"),
		  "profiles[0].events: 1 frames are never closed", true },
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
	static const struct malformed cases[] = {
		{ "{\"a\":1,\"a\":2}", "line 1: invalid JSON at offset 10: duplicate object "
		  "key near '\"a\"'", false },
		{ "{}", "meta.preprocessedProfileVersion: expected a number, as in a processed "
		  "profile", false },
		{ FIREFOX("", ""), "threads: expected at least one", false },
		{ FIREFOX("", "{}"), "threads[0].stackTable.frame: missing column", false },
		{ FIREFOX(",\"oprofileEvents\":[{}]", "{}"),
		  "meta.oprofileEvents[0]: invalid period or unitMask", false },
		{ FIREFOX(",\"oprofileEvents\":[{\"period\":1,\"unitMask\":\"0x0\"}]", "{}"),
		  "threads[0].oprofileEvent: unknown event", false },
		{ FIREFOX("", "{\"samples\":{},\"stackTable\":{\"frame\":[]}}"), "threads[0]."
		  "samples: expected stack and weight to be columns of the same length", false },
		{ FIREFOX("", "{\"samples\":{\"stack\":[0]},\"stackTable\":{\"frame\":[]}}"),
		  "threads[0].samples.stack[0]: unknown stack", false },
		{ FIREFOX("", "{\"samples\":{\"stack\":[null],\"weight\":[\"\"]},\"stackTable\":"
			  "{\"frame\":[]}}"),
		  "threads[0].samples.weight[0]: expected a number below 2^63", false },
		{ FIREFOX("", "{\"samples\":{\"stack\":[null],\"weight\":[0.3]},\"stackTable\":"
			  "{\"frame\":[]}}"),
		  "threads[0].samples.weight: rounded fractions", true },
		{ TABLES("{\"frame\":[3]}", "{}", "{}"),
		  "threads[0].stackTable.frame[0]: unknown frame", false },
		{ TABLES("{\"frame\":[0],\"prefix\":[0]}", "{\"func\":[0]}", "{}"),
		  "threads[0].stackTable.prefix[0]: expected a stack before this one", false },
		{ TABLES("{\"frame\":[0]}", "{\"func\":[0]}", "{}"),
		  "threads[0].frameTable.func[0]: unknown function", false },
		{ TABLES("{\"frame\":[0]}", "{\"func\":[0]}", "{\"name\":[2]}"),
		  "threads[0].funcTable.name[0]: unknown string", false },
		{ TABLES("{\"frame\":[0]}", "{\"func\":[0]}", "{\"name\":[1]}"),
		  "threads[0].stringArray[1]: expected a string", false },
		{ TABLES("{\"frame\":[0]}", "{\"func\":[0]}", "{\"name\":[0],\"resource\":[1]}"),
		  "threads[0].funcTable.resource[0]: unknown resource", false },
		{ TABLES("{\"frame\":[0]}", "{\"func\":[0]}", "{\"name\":[0],\"resource\":[0]}"),
		  "threads[0].resourceTable.name[0]: unknown string", false },
	};

	CHECK_ALL(format_firefox, cases);
}

#define V8(nodes, more) "{\"nodes\":[" nodes "],\"startTime\":1,\"endTime\":9" more "}"
#define V8_NODE(id, more) "{\"id\":" id ",\"callFrame\":{\"functionName\":\"f\"}" more "}"

TEST(v8cpuprofile)
{
	static const struct malformed cases[] = {
		{ "{}", "nodes: expected a list of nodes", false },
		{ V8("{}", ""), "nodes[0].id: expected a whole number", false },
		{ V8(V8_NODE("1", "") "," V8_NODE("1", ""), ""), "nodes[1].id: duplicate ID",
		  false },
		{ V8("{\"id\":1}", ""), "nodes[0].callFrame: expected an object", false },
		{ V8(V8_NODE("1", ",\"hitCount\":-1"), ""),
		  "nodes[0].hitCount: expected a whole number from 0", false },
		{ V8(V8_NODE("1", ",\"children\":[7]"), ""), "nodes[0].children: unknown node",
		  false },
		{ V8(V8_NODE("1", "") "," V8_NODE("2", ",\"parent\":7"), ""),
		  "nodes[1].parent: unknown node", false },
		{ V8(V8_NODE("1", ",\"children\":[3]") "," V8_NODE("2", ",\"children\":[3]") ","
		     V8_NODE("3", ""), ""),
		  "nodes[1].children: the node has two parents", false },
		{ V8(V8_NODE("1", ",\"hitCount\":1,\"children\":[1]"), ""),
		  "nodes[0]: more than 65536 callers", false },
		{ "{\"nodes\":[" V8_NODE("1", "") "]}",
		  "startTime and endTime: expected numbers", false },
		{ V8(V8_NODE("1", ""), ",\"samples\":[1],\"timeDeltas\":[]"),
		  "expected samples and timeDeltas to be lists of the same length", true },
		{ V8(V8_NODE("1", ""), ",\"samples\":[2],\"timeDeltas\":[1]"),
		  "samples[0]: unknown node", false },
		{ V8(V8_NODE("1", ""), ",\"samples\":[1,1],\"timeDeltas\":[1,\"\"]"),
		  "timeDeltas[1]: expected a number below 2^63", false },
		{ V8(V8_NODE("1", ""), ",\"oprofile\":{}"),
		  "oprofile: invalid period or unitMask", false },
	};

	CHECK_ALL(format_v8cpuprofile, cases);
}

TEST(folded)
{
	static const struct malformed cases[] = {
		{ "a;b 1\na\001 2\n", "line 2: invalid control character", false },
		{ "a;b\n", "line 1: missing count at the end", false },
		{ "a;b 12x\n", "line 1: invalid count '12x'", false },
		{ "a;b 9223372036854775808\n", "line 1: invalid count '9223372036854775808'",
		  false },
		{ "a;b 1.5\n", "line 1: ignored the fraction of the count", true },
	};

	CHECK_ALL(format_folded, cases);
}

TEST(perf_script)
{
	static const struct malformed cases[] = {
		{ "", "no samples found", false },
		{ "a 1 2.0: e:\n\t1 \001\n", "line 2: invalid control character", false },
		{ "a 1 2.0: e: main\n", "line 1: expected an address after the event name", false },
		{ "a 1 2.0: e:\n\t1 f (x)\n\nwhat is this\n", "line 4: expected a sample or a "
		  "frame; print them with perf script -F comm,pid,tid,time,period,event,ip,sym,dso",
		  false },
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

/* Stacks with one frame more than is allowed. */
TEST(stacks_that_are_too_deep)
{
	size_t nr = PROFILE_FRAMES_MAX + 1, len;
	char *text = xmalloc(40 * nr);
	struct op_error e;

	repeat(text, "a;", nr);
	strcat(text, " 1\n");
	CHECK(read_text(&format_folded, text, false, &e) == -EPROTO, "folded");
	CHECK(!strcmp(e.text, "line 1: more than 65536 frames"), "%s", e.text);
	len = (size_t)sprintf(text, "a 1 2.0: e:\n");
	repeat(text + len, "\t1 f (x)\n", nr);
	CHECK(read_text(&format_perf_script, text, false, &e) == -EPROTO, "perf script");
	CHECK(!strcmp(e.text, "line 65538: more than 65536 frames"), "%s", e.text);
	len = (size_t)sprintf(text, "{\"shared\":{\"frames\":[{\"name\":\"f\"}]},\"profiles\":["
			      "{\"type\":\"sampled\",\"unit\":\"none\",\"weights\":[1],"
			      "\"samples\":[[0");
	len += repeat(text + len, ",0", nr - 1);
	strcpy(text + len, "]]}]}");
	CHECK(read_text(&format_speedscope, text, false, &e) == -EPROTO, "speedscope");
	CHECK(!strcmp(e.text, "profiles[0].samples[0]: more than 65536 frames"), "%s",
	      e.text);
	free(text);
}

/* Malformed lines, or the rest of a list, are skipped with a warning. */
TEST(salvage)
{
	static const struct {
		const struct profile_format *format;
		const char *text, *why;
		int64_t total;
	} cases[] = {
		{ &format_callgrind, "events: a\n1 2\n2 x\n3 4\n",
		  "line 3: invalid cost: expected a number below 2^63; line skipped", 6 },
		{ &format_csv, "samples\n1\nx\n2\n", "line 3: invalid count 'x'; line skipped",
		  3 },
		{ &format_folded, "a;b 1\nx\na 2\n",
		  "line 2: missing count at the end; line skipped", 3 },
		{ &format_speedscope, SAMPLED("none", "[[0],[0],[5],[0]]", "[1,2,4,8]"),
		  "unknown frame; rest of this profile skipped", 3 },
		{ &format_firefox, FIREFOX("", "{\"samples\":{\"stack\":[null,7]},\"stackTable\":"
					   "{\"frame\":[]}}"),
		  "unknown stack; rest of this thread skipped", 1 },
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
