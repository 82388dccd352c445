// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arcs.c - the same stream with {cg} files and without: reports are the same bytes
 *
 * Without them reports make the arcs from the stack store (pp/select/stack_arcs.c), as the daemon
 * does for {cg} files.
 */
#include <sys/resource.h>
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"
#include "tests/unit/daemon/record/stacks.h"

#define STREAM_CPUS 2
enum { SELF = RELATIVE + 1, OTHER_SELF };	/* two builds of one path */

static const char *const stream_paths[] = { "/bin/app", "/lib/x.so", "/bin/other", NULL,
					    "/lib/{dep}/x", "relative", "/bin/self",
					    "/bin/self" };

static void put_stack_of(const op_word *cookies, const op_word *addresses, size_t nr,
			 unsigned int end)
{
	fake_stack(&fake);
	for (size_t i = 0; i < nr; i++) {
		fake_cookie(&fake, cookies[i]);
		if (i)
			fake_caller(&fake, addresses[i]);
		else
			fake_sample(&fake, addresses[i], 0);
	}
	fake_stack_end(&fake, end);
}

/* As deep as stacks can be, and incomplete: below its program there is one frame more. */
static void put_deep_stack(void)
{
	fake_stack(&fake);
	fake_cookie(&fake, APP);
	fake_sample(&fake, 0x10, 0);
	for (unsigned int i = 0; i < OP_STACK_DEPTH_MAX; i++)
		fake_caller(&fake, 0x1000 + i % 1000);
	fake_stack_end(&fake, OP_STACK_TRUNCATED);
}

/* The kernel, a library, two mappings and a program in one stack. */
static void put_mixed_stack(op_word address)
{
	put_mixed_callers();
	fake_cookie(&fake, UNKNOWN);
	fake_caller(&fake, 0x77);
	fake_cookie(&fake, APP);
	fake_caller(&fake, address);
	fake_stack_end(&fake, OP_STACK_COMPLETE);
}

static void put_of_task(op_word tid, op_word app, op_word tgid)
{
	static const op_word builds[] = { SELF, OTHER_SELF, SELF, LIB, OTHER_SELF, OTHER_SELF };
	static const op_word at[] = { 0x10, 0x20, 0x30, 0x40, 0x50, 0x60 };
	static const op_word again[] = { APP, APP, APP, LIB, APP };
	static const op_word same[] = { 0x100, 0x108, 0x108, 0x108, 0x200 };

	fake_user(&fake);
	fake_task(&fake, tid, app, tgid);
	put_stack_of(again, same, 5, OP_STACK_COMPLETE);
	for (int i = 0; i < 3; i++)
		put_stack_of(again, same, 4, OP_STACK_NO_TABLE);
	put_stack_of(again, same, 5, OP_STACK_TRUNCATED | 2 << OP_STACK_OUTER_SHIFT);
	put_stack_of(builds, at, 6, OP_STACK_COMPLETE);
	put_stack_of(builds + 1, at, 5, OP_STACK_UNREADABLE);
	put_mixed_stack(0x51);
	put_mixed_stack(0x52);
	put_stack_of(builds, at, 1, OP_STACK_NO_USER);
	put_stack_of(builds, at, 1, OP_STACK_BAD_FRAME);
}

static void put_stream(void)
{
	for (unsigned int cpu = 0; cpu < STREAM_CPUS; cpu++) {
		fake_cpu(&fake, cpu);
		put_of_task(22, APP, 21);
		put_of_task(23, APP, 21);
		put_of_task(31, OTHER, 31);
		put_of_task(32, UNKNOWN, 32);
	}
	put_deep_stack();
}

/* Without the folder and the time. */
static void add_line(struct strbuf *out, const char *line)
{
	const char *at;

	for (; (at = strstr(line, tmpdir)); line = at + strlen(tmpdir)) {
		strbuf_add_bytes(out, line, (size_t)(at - line));
		strbuf_add(out, "DIR");
	}
	at = strstr(line, ", started 20");
	strbuf_add_bytes(out, line, at ? (size_t)(at - line) : strlen(line));
}

static void add_report(struct strbuf *out, const char *options)
{
	char *dir = path_program_dir(), line[9000];
	char *command = xasprintf("%s/../bin/%s 2>&1", dir, options);
	FILE *f = popen(command, "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strstr(line, "time"))	/* of start and end, in XML and JSON */
			add_line(out, line);
	if (f)
		pclose(f);
	free(command);
	free(dir);
}

static double children_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static char *reports(void)
{
	static const char *const options[] = {
		"--callgraph", "--callgraph --xml", "--callgraph --json",
		"--callgraph --merge=all --long-filenames --verbose=files",
		"--callgraph --merge=lib", "--callgraph --exclude-dependent",
		"--callgraph image:/lib/x.so", "--callgraph --compat", "--symbols --details",
	};
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		char *command = xasprintf("opreport --session-dir='%s' %s", tmpdir, options[i]);

		add_report(&out, command);
		free(command);
	}
	return strbuf_steal(&out);
}

static bool has_arc_files(void)
{
	char *files = session_files("current");
	bool yes = strstr(files, "/{cg}/");

	free(files);
	return yes;
}

/* The reports of a session of the stream. */
static char *record(struct separation separate, bool call_arcs, bool is_partial)
{
	struct recorder *r;
	char *text;

	test_prepare();
	fake.paths = stream_paths;
	fake.nr_paths = ARRAY_SIZE(stream_paths);
	test_config.separate = separate;
	test_config.call_arcs = call_arcs;
	if (is_partial) {	/* counts are scaled */
		fake.enabled_ns[0] = 1000000;
		fake.running_ns[0] = 300000;
	}
	put_stream();
	r = test_open();
	test_drain(r);
	CHECK(has_arc_files() == call_arcs, "{cg} files");
	test_close(r);
	text = reports();
	CHECK(strstr(text, "graph") && strstr(text, "[self]") && strstr(text, "x.so"), "%s", text);
	CHECK(!file_remove_tree(tmpdir_path("samples")), "remove");
	return text;
}

static void check_same(struct separation separate, bool is_partial)
{
	char *with = record(separate, true, is_partial);
	char *without = record(separate, false, is_partial);
	size_t i = 0, line = 0;

	while (with[i] && with[i] == without[i]) {
		i++;
		if (with[i - 1] == '\n')
			line = i;
	}
	CHECK(with[i] == without[i], "with {cg} files:\n%.600s\nwithout:\n%.600s", with + line,
	      without + line);
	free(with);
	free(without);
}

TEST(not_separated)
{
	check_same((struct separation){ .lib = false }, false);
}

TEST(by_library)
{
	check_same((struct separation){ .lib = true }, false);
}

TEST(by_kernel)
{
	check_same((struct separation){ .lib = true, .kernel = true }, false);
}

TEST(by_thread_and_cpu)
{
	check_same((struct separation){ .lib = true, .thread = true, .cpu = true }, false);
}

TEST(scaled)
{
	check_same((struct separation){ .lib = false }, true);
}

#define MANY_STACKS	7000
#define MANY_IMAGES	20

static const char *const *many_paths(void)
{
	static const char *paths[MANY_IMAGES];
	static char names[MANY_IMAGES][20];

	for (size_t i = 0; i < MANY_IMAGES; i++) {
		snprintf(names[i], sizeof(names[i]), "/lib/%zu.so", i);
		paths[i] = names[i];
	}
	return paths;
}

/*
 * The nodes and {cg} files of 20,000 samples of a mixed load: stacks that leave the one before at
 * any frame, all over some images.
 */
static void put_many_stacks(void)
{
	op_word cookies[20], addresses[20];

	fake_user(&fake);
	fake_task(&fake, 22, APP, 21);
	for (unsigned int i = 0; i < MANY_STACKS; i++) {
		for (size_t k = i ? test_random() % 20 : 20; k-- > 0;) {
			uint64_t h = hash_mix(k < 19 ? addresses[k + 1] : 0, test_random() % 3);

			cookies[k] = 1 + h / 500 % MANY_IMAGES;
			addresses[k] = 0x1000 + h % 500 * 16;
		}
		put_stack_of(cookies, addresses, 20, OP_STACK_COMPLETE);
	}
}

/* CPU time of a report, the least of five. */
static double report_seconds(void)
{
	char *command = xasprintf("opreport --session-dir='%s' --callgraph", tmpdir);
	double least = 1e9;

	for (int i = 0; i < 5; i++) {
		double before = children_seconds(), took;
		struct strbuf out = STRBUF_INIT;

		add_report(&out, command);
		took = children_seconds() - before;
		least = took < least ? took : least;
		strbuf_free(&out);
	}
	free(command);
	return least;
}

/* To make the arcs takes as long as to read the files: 16 ms each. Chance is less than a half. */
TEST(no_slower)
{
	double seconds[2];

	for (int call_arcs = 0; call_arcs < 2; call_arcs++) {
		struct recorder *r;

		test_prepare();
		test_config.call_arcs = call_arcs;
		test_random_state = 1;
		fake.paths = many_paths();
		fake.nr_paths = MANY_IMAGES;
		put_many_stacks();
		r = test_open();
		test_drain(r);
		CHECK(has_arc_files() == call_arcs, "{cg} files");
		test_close(r);
		seconds[call_arcs] = report_seconds();
		CHECK(!file_remove_tree(tmpdir_path("samples")), "remove");
	}
	CHECK(seconds[0] < 1.5 * seconds[1], "%.3f s, with {cg} files %.3f s", seconds[0],
	      seconds[1]);
}

TEST(the_other_way_is_another_session)
{
	struct recorder *r;
	char *files;

	test_prepare();
	put_calls(1);
	r = test_open();
	test_drain(r);
	CHECK(has_arc_files(), "{cg} files");
	recorder_close(r);
	test_config.call_arcs = false;
	put_calls(1);
	r = test_open();
	test_drain(r);
	CHECK(!has_arc_files(), "in one session with the others");
	files = recorder_take_note(r);
	CHECK(files && strstr(files, "with {cg} files were saved as session"), "%s",
	      files ? files : "no note");
	free(files);
	test_close(r);
}

TEST_MAIN()
