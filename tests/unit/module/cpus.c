// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpus.c - every CPU is claimed, started, stopped and released once, in this order, across hotplug
 * and suspend
 */
#include "tests/unit/module/kernel/fake.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "module/arch/x86/cpus.c"
#pragma GCC diagnostic pop
#include "tests/tap.h"

static enum { GIVEN_BACK, TAKEN, STARTED } is[FAKE_CPUS];
static unsigned int wrong;

/* stop and release may also be called for a CPU that is not started or claimed */
static void on_take(void)
{
	wrong += is[fake_cpu] != GIVEN_BACK;
	is[fake_cpu] = TAKEN;
}

static void on_start(void)
{
	wrong += is[fake_cpu] != TAKEN;
	is[fake_cpu] = STARTED;
}

static void on_stop(void)
{
	if (is[fake_cpu] == STARTED)
		is[fake_cpu] = TAKEN;
}

static void on_give_back(void)
{
	wrong += is[fake_cpu] == STARTED;
	is[fake_cpu] = GIVEN_BACK;
}

static struct op_cpus all;
static unsigned int kicks;

void op_sync_kick(enum op_sync_urgency urgency)
{
	kicks += urgency == OP_SYNC_NOW;
}

static void followed(void)
{
	struct op_reason why;

	all = (struct op_cpus){
		.name = "test", .claim = on_take, .start = on_start, .stop = on_stop,
		.release = on_give_back,
	};
	wrong = kicks = 0;
	CHECK(!op_cpus_follow(&all, &why), "%s", why.text);
	CHECK(is[0] == TAKEN && is[1] == TAKEN, "%d %d", is[0], is[1]);
}

static void left(void)
{
	op_cpus_leave(&all);
	CHECK(is[0] == GIVEN_BACK && is[1] == GIVEN_BACK, "%d %d", is[0], is[1]);
	CHECK(!wrong && !fake_locked && !fake_sleeper, "%u out of order", wrong);
}

static void sleep_tells(unsigned long event)
{
	fake_sleeper->notifier_call(fake_sleeper, event, NULL);
}

TEST(hotplug_is_followed)
{
	followed();
	op_cpus_run(&all, true);
	CHECK(is[0] == STARTED && is[1] == STARTED, "%d %d", is[0], is[1]);
	fake_hotplug(1, false);
	CHECK(is[0] == STARTED && is[1] == GIVEN_BACK && kicks == 1, "%d %d", is[0], is[1]);
	fake_hotplug(1, true);
	CHECK(is[1] == STARTED, "starts when the others run: %d", is[1]);
	fake_hotplug(1, false);
	op_cpus_run(&all, false);
	fake_hotplug(1, true);
	CHECK(is[0] == TAKEN && is[1] == TAKEN, "and does not when they don't: %d", is[1]);
	left();
}

TEST(all_cpus_are_released_before_suspend)
{
	static const unsigned long sleeps[][2] = {
		{ PM_SUSPEND_PREPARE, PM_POST_SUSPEND },
		{ PM_HIBERNATION_PREPARE, PM_POST_HIBERNATION },
	};

	for (int i = 0; i < 2; i++) {
		followed();
		op_cpus_run(&all, true);
		sleep_tells(sleeps[i][0]);
		CHECK(is[0] == GIVEN_BACK && is[1] == GIVEN_BACK, "%d %d", is[0], is[1]);
		/* the others go offline, and come back before the machine is awake */
		fake_hotplug(1, false);
		fake_hotplug(1, true);
		CHECK(is[1] == GIVEN_BACK, "taken too early");
		sleep_tells(sleeps[i][1]);
		CHECK(is[0] == STARTED && is[1] == STARTED, "%d %d", is[0], is[1]);
		left();
	}
}

TEST(stopped_cpus_stay_stopped_after_suspend)
{
	followed();
	sleep_tells(PM_SUSPEND_PREPARE);
	sleep_tells(PM_POST_SUSPEND);
	CHECK(is[0] == TAKEN && is[1] == TAKEN, "%d %d", is[0], is[1]);
	op_cpus_run(&all, true);
	sleep_tells(PM_SUSPEND_PREPARE);
	op_cpus_run(&all, false);
	sleep_tells(PM_POST_SUSPEND);
	CHECK(is[0] == TAKEN && is[1] == TAKEN, "%d %d", is[0], is[1]);
	left();
}

TEST_MAIN()
