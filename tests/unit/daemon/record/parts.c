// SPDX-License-Identifier: GPL-2.0-or-later
/* parts.c - builds of one path, and control groups, are separated */
#include "daemon/record/cgroups.h"
#include "libdb/session/parts.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "tests/unit/daemon/record/session.h"

/* Each cookie of the fake collector has a build ID: FIRST's is 0101..., LATER's 0202... */
static const char *const paths[] = { "/bin/app", "/bin/app", "/lib/x.so", "/bin/app" };
enum { FIRST = 1, LATER, LIBRARY, THIRD };

#define APP_FILE	"{root}/bin/app/{dep}/{root}/bin/app/TIMER.0.0.all.all.all"
#define LIB_FILE	"{root}/bin/app/{dep}/{root}/lib/x.so/TIMER.0.0.all.all.all"
#define ID(digits)	digits digits digits digits digits digits digits digits digits digits

static void prepare(void)
{
	test_prepare();
	fake.paths = paths;
	fake.nr_paths = ARRAY_SIZE(paths);
	fake_user(&fake);
}

static void put(op_word cookie, unsigned int nr)
{
	fake_cookie(&fake, cookie);
	while (nr--)
		fake_sample(&fake, 0x10, 0);
}

static void check_text(const char *file, const char *want)
{
	char path[5000], *text = NULL;

	snprintf(path, sizeof(path), "%s/samples/current/stats/%s", tmpdir, file);
	CHECK(!file_read_all(path, 1 << 20, &text, NULL) && !strcmp(text, want), "%s: '%s'", file,
	      text ? text : "missing");
	free(text);
}

TEST(builds)
{
	struct recorder *r;

	prepare();
	put(FIRST, 3);
	put(LATER, 5);
	put(FIRST, 1);
	r = test_open();
	test_drain(r);
	CHECK_FILE("current", APP_FILE, 0x10, 4, 4);
	CHECK_FILE("current", "stats/parts/0/" APP_FILE, 0x10, 5, 5);
	check_text("images", ID("0101") " /bin/app\n");
	check_text("parts/index", ID("0202") " -\n");
	CHECK(!*recorder_trouble(r), "%s", recorder_trouble(r));
	test_close(r);
}

TEST(the_next_daemon_goes_on)
{
	struct recorder *r;

	prepare();
	put(FIRST, 1);
	put(LATER, 1);
	r = test_open();
	test_drain(r);
	recorder_close(r);
	fake_user(&fake);
	put(THIRD, 4);
	put(LATER, 2);
	put(FIRST, 2);
	r = test_open();
	test_drain(r);
	CHECK_FILE("current", APP_FILE, 0x10, 3, 3);
	CHECK_FILE("current", "stats/parts/0/" APP_FILE, 0x10, 3, 3);
	CHECK_FILE("current", "stats/parts/1/" APP_FILE, 0x10, 4, 4);
	check_text("images", ID("0101") " /bin/app\n");
	test_close(r);
}

TEST(a_new_session_has_a_new_first)
{
	struct op_error e;
	struct recorder *r;

	prepare();
	put(FIRST, 1);
	put(LATER, 1);
	r = test_open();
	test_drain(r);
	CHECK(!recorder_save(r, "one", &e), "%s", e.text);
	put(LATER, 2);
	put(FIRST, 3);
	test_drain(r);
	CHECK_FILE("one", "stats/parts/0/" APP_FILE, 0x10, 1, 1);
	CHECK_FILE("current", APP_FILE, 0x10, 2, 2);
	CHECK_FILE("current", "stats/parts/0/" APP_FILE, 0x10, 3, 3);
	check_text("images", ID("0202") " /bin/app\n");
	test_close(r);
}

TEST(applications_are_one)
{
	struct recorder *r;

	prepare();
	test_config.separate.lib = true;
	fake_task(&fake, 1, FIRST, 1);
	put(FIRST, 1);
	put(LIBRARY, 2);
	fake_task(&fake, 2, LATER, 2);
	put(LIBRARY, 3);
	put(LATER, 4);
	r = test_open();
	test_drain(r);
	CHECK_FILE("current", LIB_FILE, 0x10, 5, 5);
	CHECK_FILE("current", "stats/parts/0/" APP_FILE, 0x10, 4, 4);
	test_close(r);
}

static void put_call(op_word caller, op_word callee)
{
	fake_cookie(&fake, callee);
	fake_stack(&fake);
	fake_sample(&fake, 0x10, 0);
	fake_cookie(&fake, caller);
	fake_caller(&fake, 0x200);
	fake_stack_end(&fake, 0);
}

#define CALLS(part, from, to)                                                                 \
	part "{root}" from "/{dep}/{root}" from "/{cg}/{root}" to "/TIMER.0.0.all.all.all"

TEST(calls_of_builds)
{
	const uint64_t key = UINT64_C(0x200) << 32 | 0x10;
	struct recorder *r;

	prepare();
	put_call(FIRST, FIRST);
	put_call(LATER, LATER);
	put_call(LATER, LATER);
	put_call(FIRST, LATER);		/* no arc file can name this callee */
	put_call(LATER, FIRST);
	put_call(LIBRARY, LATER);
	put_call(LATER, LIBRARY);
	r = test_open();
	test_drain(r);
	CHECK_FILE("current", CALLS("", "/bin/app", "/bin/app"), key, 1, 1);
	CHECK_FILE("current", CALLS("stats/parts/0/", "/bin/app", "/bin/app"), key, 2, 2);
	CHECK_FILE("current", CALLS("stats/parts/0/", "/bin/app", "/lib/x.so"), key, 1, 1);
	CHECK_FILE("current", CALLS("", "/lib/x.so", "/bin/app"), key, -1, 0);
	CHECK(test_totals(r).recorded == 7, "%" PRIu64, test_totals(r).recorded);
	test_close(r);
}

static void write_index(const char *text, unsigned int nr)
{
	char path[5000];
	FILE *f;

	snprintf(path, sizeof(path), "%s/samples/current/stats/parts/index", tmpdir);
	CHECK(!file_make_parent_dirs(path, 0755), "folder");
	f = fopen(path, "w");
	for (unsigned int i = 0; i < nr; i++)
		fprintf(f, text, i);
	fclose(f);
}

TEST(limit_of_parts)
{
	struct recorder *r;

	prepare();
	write_index("%08x -\n", SESSION_PARTS_MAX - 1);
	put(FIRST, 1);
	put(LATER, 2);
	put(THIRD, 4);
	r = test_open();
	test_drain(r);
	CHECK_FILE("current", "stats/parts/4095/" APP_FILE, 0x10, 2, 2);
	CHECK_FILE("current", APP_FILE, 0x10, 1, 1);
	CHECK(test_totals(r).lost[LOST_SAMPLE_FILE] == 4, "lost: %" PRIu64,
	      test_totals(r).lost[LOST_SAMPLE_FILE]);
	CHECK(strstr(recorder_trouble(r), "4096 parts"), "'%s'", recorder_trouble(r));
	test_close(r);
}

TEST(a_broken_index)
{
	struct recorder *r;

	prepare();
	write_index("no hex\n", 1);
	put(FIRST, 1);
	put(LATER, 2);
	r = test_open();
	test_drain(r);
	CHECK_FILE("current", "stats/parts/0/" APP_FILE, 0x10, 2, 2);
	check_text("parts.broken1/index", "no hex\n");
	check_text("parts/index", ID("0202") " -\n");
	test_close(r);
}

TEST(an_index_that_cannot_be_written)
{
	char path[5000];
	struct recorder *r;

	prepare();
	snprintf(path, sizeof(path), "%s/samples/current/stats/parts", tmpdir);
	CHECK(!file_make_parent_dirs(path, 0755), "folder");
	put_text(path, "a file is in the way\n");
	put(FIRST, 1);
	put(LATER, 2);
	r = test_open();
	test_drain(r);
	CHECK_FILE("current", APP_FILE, 0x10, 1, 1);
	CHECK(test_totals(r).lost[LOST_SAMPLE_FILE] == 2, "lost: %" PRIu64,
	      test_totals(r).lost[LOST_SAMPLE_FILE]);
	CHECK(strstr(recorder_trouble(r), "parts/index"), "'%s'", recorder_trouble(r));
	test_close(r);
}

/* Process @tgid is in the control group @path; "": it has ended. */
static void put_process(unsigned int tgid, const char *path)
{
	char name[5000], text[500];

	snprintf(name, sizeof(name), "%s/proc/%u/cgroup", tmpdir, tgid);
	CHECK(!file_make_parent_dirs(name, 0755), "folder");
	snprintf(text, sizeof(text), "3:cpu:/\n0::%s\n", path);
	if (*path)
		put_text(name, text);
	else
		unlink(name);
}

TEST(control_groups)
{
	struct recorder *r;

	prepare();
	test_config.separate.cgroup = true;
	put_process(1, "/shop/web 1");
	put_process(2, "/shop/db");
	fake_task(&fake, 1, FIRST, 1);
	put(FIRST, 3);
	put(LATER, 1);
	fake_task(&fake, 2, FIRST, 2);
	put(FIRST, 5);
	fake_anon(&fake, 0x7000, 0x9000, "[heap]");
	fake_sample(&fake, 0x7010, 0);
	fake_task(&fake, 3, FIRST, 3);		/* its group is not known */
	put(FIRST, 7);
	r = test_open();
	test_drain(r);
	check_text("parts/index", "- /shop/web\\0401\n" ID("0202") " /shop/web\\0401\n"
				  "- /shop/db\n");
	CHECK_FILE("current", "stats/parts/0/" APP_FILE, 0x10, 3, 3);
	CHECK_FILE("current", "stats/parts/1/" APP_FILE, 0x10, 1, 1);
	CHECK_FILE("current", "stats/parts/2/" APP_FILE, 0x10, 5, 5);
	CHECK_FILE("current", "stats/parts/2/{root}/bin/app/{dep}/{anon:[heap]}/2.0x7000.0x9000/"
		   "TIMER.0.0.all.all.all", 0x10, 1, 1);
	CHECK_FILE("current", APP_FILE, 0x10, 7, 7);
	CHECK(!strcmp(recorder_info(r)->separate, "cgroup"), "%s", recorder_info(r)->separate);
	test_close(r);
}

TEST(processes_that_move_and_end)
{
	struct cgroups *c;
	const char *a;

	tmpdir_make();
	put_process(1, "/a");
	c = cgroups_new(tmpdir_path("proc"), NULL);
	a = cgroups_of(c, 1, 10, 0);
	CHECK(a && !strcmp(a, "/a"), "%s", a);
	put_process(1, "/b");
	CHECK(cgroups_of(c, 1, 10, 0) == a, "read again at once");
	CHECK(!strcmp(cgroups_of(c, 1, 11, 0), "/b"), "after an exec");
	put_process(1, "");
	CHECK(!strcmp(cgroups_of(c, 1, 12, 0), "/b"), "after its end");
	put_process(2, "/a");
	CHECK(cgroups_of(c, 2, 10, 0) == a, "two pointers");
	CHECK(!cgroups_of(c, 3, 10, 0), "of an unknown process");
	cgroups_free(c);
}

static int path_by_id(struct collector *c, uint64_t id, char **ret_path)
{
	(void)c;
	if (id != 77 && id != 78)
		return -ENOENT;
	*ret_path = xstrdup(id == 77 ? "/by-id" : "/");
	return 0;
}

/* If the sample has the id of its group, it does not matter what the process did since. */
TEST(groups_by_id)
{
	struct collector collector = { .cgroup_path = path_by_id };
	struct cgroups *c;

	tmpdir_make();
	put_process(1, "/a");
	c = cgroups_new(tmpdir_path("proc"), &collector);
	CHECK(!strcmp(cgroups_of(c, 1, 10, 77), "/by-id"), "by id");
	CHECK(!strcmp(cgroups_of(c, 9, 10, 77), "/by-id"), "of a process that has ended");
	CHECK(!strcmp(cgroups_of(c, 1, 10, 78), "/a"), "the id of the root");
	CHECK(!strcmp(cgroups_of(c, 1, 10, UINT64_MAX - 1), "/a"), "an unknown id");
	CHECK(!cgroups_of(c, 0, 10, 77), "idle");
	cgroups_free(c);
}

TEST(proc_pid_cgroup)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "0::/\n", "/" },
		{ "0::/a/b\n", "/a/b" },
		{ "4:memory:/m\n1:name=systemd:/s\n0::/u\n", "/u" },
		{ "4:memory:/m\n1:name=systemd:/s\n0::/\n", "/s" },
		{ "4:cpu:/\n3:memory:/m\n1:name=systemd:/\n0::/\n", "/m" },
		{ "0::/a:b\n", "/a:b" },
		{ "0::/gone (deleted)\n", "/gone" },
		{ "0::/no newline", "/no newline" },
		{ "", NULL }, { "\n", NULL }, { "0", NULL }, { "0:", NULL }, { "0::", NULL },
		{ "0::relative\n", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[200], *path;

		snprintf(text, sizeof(text), "%s", cases[i].text);
		path = cgroup_path(text);
		CHECK(path ? cases[i].want && !strcmp(path, cases[i].want) : !cases[i].want,
		      "%s: %s", cases[i].text, path ? path : "none");
	}
}

TEST_MAIN()
