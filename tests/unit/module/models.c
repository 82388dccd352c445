// SPDX-License-Identifier: GPL-2.0-or-later
/* models.c - a model that others can disturb is asked each second while it samples */
#include <stdarg.h>
#include "tests/unit/module/kernel/fake.h"

#define ARRAY_SIZE(array)		((int)(sizeof(array) / sizeof(*(array))))
#define module_param(name, type, mode)	struct fake_unused
#define MODULE_PARM_DESC(name, text)	struct fake_unused
#define DEFINE_MUTEX(name)		int name
#define mutex_lock(m)			((void)++*(m))
#define mutex_unlock(m)			((void)--*(m))
#define pr_err				pr_warn
#define pr_cont				pr_warn
#define scnprintf			snprintf
#define vscnprintf			vsnprintf

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wwrite-strings"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wincompatible-pointer-types-discards-qualifiers"
#else
#pragma GCC diagnostic ignored "-Wdiscarded-qualifiers"
#endif
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include "module/models.c"
#pragma GCC diagnostic pop
#include "tests/tap.h"

bool op_disturbed;
static unsigned int looks;
static int start_err;

static int impossible(struct op_reason *why)
{
	return op_refuse(why, -ENODEV, "not here");
}

static unsigned int one_counter(void)
{
	return 1;
}

static int start(void)
{
	return start_err;
}

static void stop(void)
{
}

static void look(void)
{
	looks++;
	op_disturbed = true;
}

const struct op_model op_model_intel = { .name = "intel", .nr_counters = one_counter,
					 .start = start, .stop = stop, .watch = look };
const struct op_model op_model_amd = { .name = "amd", .probe = impossible };
const struct op_model op_model_nmi_ipi = { .name = "nmi-ipi", .probe = impossible };
const struct op_model op_model_ibs = { .name = "ibs", .probe = impossible };
const struct op_model op_model_timer = { .name = "timer", .start = start, .stop = stop };

static void set_up_with(bool counter)
{
	CHECK(!op_models_init(), "init");
	op_counters[0].enabled = counter;
	CHECK(!op_model_setup() && !strcmp(op_model_name(), counter ? "intel" : "timer"), "%s",
	      op_model_name());
}

TEST(each_second_while_sampling)
{
	set_up_with(true);
	fake_pass(&watch_work, 10 * HZ);
	CHECK(!looks, "not started");
	CHECK(!op_model_start(), "start");
	fake_pass(&watch_work, HZ - 1);
	CHECK(!looks, "too early");
	fake_pass(&watch_work, 1);
	CHECK(looks == 1 && op_disturbed, "%u in the first second", looks);
	fake_pass(&watch_work, 9 * HZ);
	CHECK(looks == 10, "%u in ten seconds", looks);
	op_model_stop();
	CHECK(!op_disturbed, "of what samples next nothing is known");
	fake_pass(&watch_work, 10 * HZ);
	CHECK(looks == 10, "stopped");
}

TEST(not_without_need)
{
	start_err = -EBUSY;
	set_up_with(true);
	CHECK(op_model_start() == -EBUSY, "start");
	fake_pass(&watch_work, 10 * HZ);
	start_err = 0;
	set_up_with(false);
	CHECK(!op_model_start(), "start");
	fake_pass(&watch_work, 10 * HZ);
	CHECK(!looks, "the timer's samples cannot be disturbed");
	op_model_stop();
}

TEST_MAIN()
