// SPDX-License-Identifier: GPL-2.0-or-later
/* stacks_session.c - the stack store of sessions, and its failures */
#include "tests/unit/daemon/record/stacks.h"

#define STORE "samples/current/stats/stacks"

static bool log_has(const char *what)
{
	char *text;
	bool has;

	if (file_read_all(tmpdir_path("log"), 100000, &text, NULL))
		return false;
	has = strstr(text, what);
	free(text);
	return has;
}

TEST(saved_and_discarded)
{
	struct op_error e = { "" };
	struct recorder *r;

	test_prepare();
	put_calls(2);
	r = test_open();
	test_drain(r);
	CHECK(!recorder_save(r, "one", &e), "%s", e.text);
	CHECK_STACKS("one", "2 TIMER x.so+100 app+1f app+2f complete\n");
	CHECK_STACKS("current", "none");
	CHECK(!test_totals(r).stacks[OP_STACK_COMPLETE], "counted in the new session");
	put_calls(1);
	test_drain(r);
	CHECK_STACKS("current", "1 TIMER x.so+100 app+1f app+2f complete\n");
	CHECK_FILE("current", CG(APP_AT, APP_AT, LIB_AT), ARC(0x20, 0x100), 1, 1);
	CHECK(!recorder_reset(r, &e), "%s", e.text);
	CHECK_STACKS("current", "none");
	put_calls(4);
	test_drain(r);
	CHECK_STACKS("current", "4 TIMER x.so+100 app+1f app+2f complete\n");
	CHECK_STACKS("one", "2 TIMER x.so+100 app+1f app+2f complete\n");
	test_close(r);
}

TEST(the_next_daemon_continues)
{
	struct recorder *r;
	struct cpu_counts c;

	test_prepare();
	put_calls(2);
	r = test_open();
	test_drain(r);
	recorder_close_files(r);
	put_calls(1);
	CHECK(!recorder_stop(r, NULL), "stop");
	recorder_close(r);
	fake.counts.cpu[1].received = 0;
	put_calls(5);
	r = test_open();
	test_drain(r);
	CHECK_STACKS("current", "8 TIMER x.so+100 app+1f app+2f complete\n");
	CHECK(recorder_stacks_memory(r) >= 1024 * 4, "%" PRIu64, recorder_stacks_memory(r));
	c = test_totals(r);
	CHECK(c.stacks[OP_STACK_COMPLETE] == 8, "%" PRIu64, c.stacks[OP_STACK_COMPLETE]);
	test_close(r);
}

TEST(sessions_without_stacks_have_no_store)
{
	struct recorder *r;

	test_prepare();
	put_task();
	fake_cookie(&fake, APP);
	fake_sample(&fake, 0x10, 0);
	r = test_open();
	test_drain(r);
	CHECK_STACKS("current", "none");
	CHECK(!recorder_stacks_memory(r), "nor an index");
	test_close(r);
}

TEST(a_broken_store_is_set_aside)
{
	struct recorder *r;
	char *text;

	test_prepare();
	file_make_dirs(tmpdir_path("samples/current/stats"), 0755);
	put_text(tmpdir_path(STORE), "this is not a stack store, and too short for one");
	put_calls(1);
	r = test_open();
	test_drain(r);
	CHECK_STACKS("current", "1 TIMER x.so+100 app+1f app+2f complete\n");
	CHECK(!file_read_all(tmpdir_path(STORE ".broken1"), 1000, &text, NULL) &&
	      !strncmp(text, "this", 4), "not set aside");
	free(text);
	CHECK(log_has("; renamed it to 'stacks.broken1' and started a new stack store"),
	      "not logged");
	CHECK(!*recorder_trouble(r), "%s", recorder_trouble(r));
	test_close(r);
}

TEST(samples_without_a_store)
{
	struct recorder *r;
	struct cpu_counts c;

	test_prepare();
	file_make_dirs(tmpdir_path(STORE "/folder"), 0755);
	put_calls(3);
	r = test_open();
	test_drain(r);
	c = test_totals(r);
	CHECK(c.recorded == 3 && c.stacks[0] == 3 && c.stacks_lost == 3, "%" PRIu64 " lost",
	      c.stacks_lost);
	CHECK_FILE("current", CG(APP_AT, APP_AT, LIB_AT), ARC(0x20, 0x100), 3, 3);
	CHECK(log_has("call stacks are being lost: "), "not logged");
	CHECK(strstr(recorder_trouble(r), STORE), "%s", recorder_trouble(r));
	recorder_close_files(r);	/* as after SIGHUP */
	file_remove_tree(tmpdir_path(STORE));
	put_calls(1);
	test_drain(r);
	CHECK_STACKS("current", "1 TIMER x.so+100 app+1f app+2f complete\n");
	test_close(r);
}

TEST(samples_without_arcs)
{
	struct op_error e = { "" };
	struct recorder *r;
	struct cpu_counts c;

	test_prepare();
	file_make_dirs(tmpdir_path("samples/current/" APP_AT "/{dep}/" APP_AT), 0755);
	put_text(tmpdir_path("samples/current/" APP_AT "/{dep}/" APP_AT "/{cg}"), "in the way");
	put_calls(3);
	r = test_open();
	CHECK(recorder_dump(r, &e) == -EIO && strstr(e.text, "lost 6 call graph arcs"), "%s",
	      e.text);
	c = test_totals(r);
	CHECK(c.recorded == 3 && c.arcs_lost == 6 && !c.lost[LOST_SAMPLE_FILE] && !c.stacks_lost,
	      "%" PRIu64 " arcs lost", c.arcs_lost);
	CHECK_STACKS("current", "3 TIMER x.so+100 app+1f app+2f complete\n");
	CHECK(log_has("call graph arcs are being lost: "), "not logged");
	CHECK(!recorder_dump(r, &e), "reported twice");
	test_close(r);
}

TEST(statistics)
{
	struct recorder *r;
	uint64_t aborted;

	test_prepare();
	put_calls(2);
	fake_stack(&fake);
	fake_sample(&fake, 0x10, 0);
	fake_stack_end(&fake, OP_STACK_BAD_FRAME | OP_STACK_FRAME_POINTERS);
	r = test_open();
	test_drain(r);
	recorder_write_counts(r);
	recorder_log_statistics(r);
	CHECK(log_has("Nr. backtraces: 3\nNr. backtraces, complete: 2\n"
		      "Nr. backtraces, bad_frame: 1\n"
		      "Nr. backtraces with frames by frame pointer: 1\n"), "ends");
	CHECK(log_has("Nr. backtrace aborted: 1\n"), "aborted");
	CHECK(!file_read_u64(tmpdir_path("samples/current/stats/cpu1/backtrace_aborted"),
			     &aborted) && aborted == 1, "the copy for the original's opreport");
	test_close(r);
}

TEST_MAIN()
