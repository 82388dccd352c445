// SPDX-License-Identifier: GPL-2.0-or-later
/* settle_stacks.c - after kill -9 the counts of stacks follow the store */
#include <inttypes.h>
#include <stdlib.h>
#include "libdb/session/session.h"
#include "libdb/session/settle.h"
#include "libdb/stack/store.h"
#include "libutil/file.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

static struct stack_store *store;
static uint32_t image, event, context;

static void begin_store(void)
{
	static const struct stack_image app = { { .kind = IMAGE_FILE, .path = "/bin/app" }, "" };
	static const struct stack_event timer = { "TIMER", 0, 0 };
	struct stack_context all = { .tgid = -1, .tid = -1, .cpu = -1, .cgroup = "", .comm = "" };
	struct op_error e = { "" };

	tmpdir_make();
	CHECK(!stack_store_open(tmpdir_path(STACK_STORE_FILE), 0, &store, &e), "%s", e.text);
	CHECK(!stack_store_image(store, &app, &image) &&
		      !stack_store_event(store, &timer, &event), "ids");
	all.app = image;
	CHECK(!stack_store_context(store, &all, &context), "context");
}

static void put_stacks(unsigned int end, uint64_t n)
{
	const struct stack_frame frame = { image, 0x100 };

	CHECK(!stack_store_add(store, context, event, &frame, 1, end, n), "add");
}

static bool settle(struct cpu_counts *cpu, unsigned int nr)
{
	struct session_counts counts = { nr, cpu };

	store = stack_store_close(store);
	return session_settle_stacks(tmpdir, &counts);
}

TEST(more_in_the_store)
{
	struct cpu_counts cpu[3] = {
		{ .recorded = 100, .stacks = { [STACK_COMPLETE] = 40 } },
		{ .recorded = 20 },
		{ .recorded = 40, .stacks = { [STACK_NO_TABLE] = 40 }, .stacks_lost = 1 },
	};

	begin_store();
	put_stacks(STACK_COMPLETE, 80);
	put_stacks(STACK_NO_TABLE | STACK_END_GUESSED, 59);
	CHECK(settle(cpu, 3), "changed");
	CHECK(cpu[0].stacks[STACK_COMPLETE] == 70 && cpu[1].stacks[STACK_COMPLETE] == 10,
	      "%" PRIu64 " %" PRIu64, cpu[0].stacks[STACK_COMPLETE], cpu[1].stacks[STACK_COMPLETE]);
	CHECK(cpu[0].stacks[STACK_NO_TABLE] + cpu[1].stacks[STACK_NO_TABLE] == 19 &&
		      cpu[2].stacks[STACK_NO_TABLE] == 40,
	      "%" PRIu64, cpu[0].stacks[STACK_NO_TABLE]);
	CHECK(cpu[0].stacks_guessed + cpu[1].stacks_guessed + cpu[2].stacks_guessed == 59,
	      "guessed");
	CHECK(cpu[0].stacks_lost + cpu[1].stacks_lost + cpu[2].stacks_lost == 1, "lost");
	CHECK(!settle(cpu, 3), "once is enough");
}

TEST(never_more_stacks_than_samples)
{
	struct cpu_counts cpu[2] = { { .recorded = 10 }, { .recorded = 5 } };

	begin_store();
	put_stacks(STACK_COMPLETE, 1000000);
	put_stacks(STACK_TRUNCATED | STACK_END_GUESSED, UINT32_MAX);
	CHECK(settle(cpu, 2), "changed");
	CHECK(cpu[0].stacks[STACK_COMPLETE] == 10 && cpu[1].stacks[STACK_COMPLETE] == 5 &&
		      !cpu[0].stacks[STACK_TRUNCATED], "stacks");
	CHECK(cpu[0].stacks_guessed == 10 && cpu[1].stacks_guessed == 5, "guessed");
}

TEST(missing_in_the_store)
{
	struct cpu_counts cpu = { .recorded = 10, .stacks = { [STACK_COMPLETE] = 8 },
				  .stacks_lost = 1 };

	begin_store();
	put_stacks(STACK_COMPLETE, 3);
	CHECK(settle(&cpu, 1), "changed");
	CHECK(cpu.stacks[STACK_COMPLETE] == 8 && cpu.stacks_lost == 5, "lost %" PRIu64,
	      cpu.stacks_lost);
}

TEST(no_store)
{
	struct cpu_counts cpu = { .recorded = 10, .stacks = { [STACK_COMPLETE] = 8 } };

	tmpdir_make();
	CHECK(!settle(&cpu, 1), "none");
	put_text(tmpdir_path(STACK_STORE_FILE), "no store at all");
	CHECK(!settle(&cpu, 1) && cpu.stacks_lost == 0, "broken");
}

TEST_MAIN()
