// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * models.c - choose the model that samples, once, at load
 *
 * Counters are better than time, and the CPU's own registers are better than perf's use of them. A
 * model requested by name stays chosen even if it cannot work: opening the buffer then fails and
 * "models" gives the reason, rather than silently profiling with another model.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include "module/cpu_buffer.h"
#include "module/op_model.h"
#include "oprofilefs/op_abi.h"

static char *model = "auto";
module_param(model, charp, 0444);
MODULE_PARM_DESC(model, "what samples: auto, or a name listed in the oprofilefs file models");

/* All models, best first. The last always works. */
static struct choice {
	const struct op_model *model;
	bool automatic;			/* candidate for "auto" */
	int err;			/* of the last probe or set-up */
	struct op_reason why;
} choices[] = {
#ifdef CONFIG_X86_64
	{ &op_model_intel, true },
	{ &op_model_amd, true },
	{ &op_model_ibs, false },
#endif
#ifdef CONFIG_PERF_EVENTS
	{ &op_model_perf, true },
#endif
#ifdef CONFIG_X86_64
	{ &op_model_nmi_ipi, false },
#endif
	{ &op_model_timer, true },
};
static struct choice *chosen;
static struct choice *active, *beside;	/* beside: NULL, or IBS in addition to counters */
static DEFINE_MUTEX(reasons);		/* guards err and why, which "models" reads */

struct op_counter op_counters[OP_MAX_VIRTUAL];
struct op_ibs_offer op_ibs_offer;
struct op_ibs_settings op_ibs_settings = {
	.fetch = { .max_count = OP_IBS_DEFAULT_COUNT, .rand_enable = 1 },
	.op = { .max_count = OP_IBS_DEFAULT_COUNT },
};
unsigned long op_time_slice = OP_TIME_SLICE_MS;

static struct choice *timer_choice(void)
{
	return &choices[ARRAY_SIZE(choices) - 1];
}

int op_refuse(struct op_reason *why, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vscnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	return err;
}

static int probe(struct choice *c)
{
	struct op_reason why = {};
	int err = c->model->probe ? c->model->probe(&why) : 0;

	mutex_lock(&reasons);
	c->err = err;
	c->why = why;
	mutex_unlock(&reasons);
	return err;
}

static struct choice *by_name(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(choices); i++)
		if (!strcmp(choices[i].model->name, name))
			return &choices[i];
	return NULL;
}

static struct choice *best(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(choices); i++)
		if (choices[i].automatic && !choices[i].err)
			return &choices[i];
	return timer_choice();
}

int op_models_init(void)
{
	int i;

	for (i = 0; i < OP_MAX_VIRTUAL; i++)
		op_counters[i] = (struct op_counter){ .kernel = 1, .user = 1 };
	for (i = 0; i < ARRAY_SIZE(choices); i++)
		probe(&choices[i]);
	chosen = strcmp(model, "auto") ? by_name(model) : best();
	if (!chosen) {
		pr_err("oprofile: invalid model=%s: expected auto", model);
		for (i = 0; i < ARRAY_SIZE(choices); i++)
			pr_cont(", %s", choices[i].model->name);
		pr_cont("\n");
		return -EINVAL;
	}
	if (chosen->err)
		pr_warn("oprofile: model=%s: %s\n", model, chosen->why.text);
	return 0;
}

const char *op_model_cpu_type(void)
{
	return chosen->model->cpu_type ? chosen->model->cpu_type() : "timer";
}

unsigned int op_model_nr_counters(void)
{
	return chosen->model->nr_counters ? chosen->model->nr_counters() : 0;
}

unsigned int op_model_nr_virtual(void)
{
	unsigned int nr = op_model_nr_counters();

	return nr ? OP_MAX_VIRTUAL / nr * nr : 0;
}

static bool has_enabled_counters(void)
{
	unsigned int i;

	for (i = 0; i < op_model_nr_virtual(); i++)
		if (READ_ONCE(op_counters[i].enabled))
			return true;
	return false;
}

static struct choice *used_choice(void)
{
	if (has_enabled_counters())
		return chosen;
	if (op_ibs_is_enabled())
		return by_name("ibs");
	return op_model_nr_virtual() ? timer_choice() : chosen;
}

const char *op_model_name(void)
{
	return used_choice()->model->name;
}

void op_models_print(char *buf, size_t size)
{
	size_t len = 0;
	int i;

	mutex_lock(&reasons);
	for (i = 0; i < ARRAY_SIZE(choices); i++) {
		const struct choice *c = &choices[i];
		const char *state = c == chosen ? "chosen" : "possible";

		if (c->err)
			len += scnprintf(buf + len, size - len, "%s: %s: %s\n", c->model->name,
					 c == chosen ? "chosen, impossible" : "impossible",
					 c->why.text);
		else
			len += scnprintf(buf + len, size - len, "%s: %s\n", c->model->name, state);
	}
	mutex_unlock(&reasons);
}

/* 0, or -errno and a reason in "models". */
static int set_up(struct choice *c)
{
	struct op_reason why = {};
	int err;

	err = c->err && c->err != -EDOM ? probe(c) : 0;
	if (err)
		return err;
	err = c->model->setup ? c->model->setup(&why) : 0;
	mutex_lock(&reasons);
	c->err = err;
	c->why = why;
	mutex_unlock(&reasons);
	return err;
}

static void shut_down(struct choice *c)
{
	if (c->model->shutdown)
		c->model->shutdown();
}

int op_model_setup(void)
{
	struct choice *c = used_choice(), *also = NULL;
	int err;

	if (op_ibs_is_enabled() && c != by_name("ibs"))
		also = by_name("ibs");
	err = set_up(c);
	if (!err && also) {
		err = set_up(also);
		if (err)
			shut_down(c);
	}
	if (err)
		return err == -EDOM || err == -ENOMEM ? err : -ENODEV;
	active = c;
	beside = also;
	return 0;
}

void op_model_shutdown(void)
{
	if (beside)
		shut_down(beside);
	shut_down(active);
}

static void watch(struct work_struct *work);
static DECLARE_DELAYED_WORK(watch_work, watch);

static void watch(struct work_struct *work)
{
	active->model->watch();
	schedule_delayed_work(&watch_work, HZ);
}

int op_model_start(void)
{
	int err = active->model->start();

	if (!err && beside) {
		err = beside->model->start();
		if (err)
			active->model->stop();
	}
	if (!err && active->model->watch)
		schedule_delayed_work(&watch_work, HZ);
	return err;
}

void op_model_stop(void)
{
	cancel_delayed_work_sync(&watch_work);
	WRITE_ONCE(op_disturbed, false);
	if (beside)
		beside->model->stop();
	active->model->stop();
}

void op_model_times(unsigned int n, u64 *ret_enabled, u64 *ret_running)
{
	*ret_enabled = *ret_running = 0;
	if (active && active->model->times)
		active->model->times(n, ret_enabled, ret_running);
}
