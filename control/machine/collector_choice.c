// SPDX-License-Identifier: GPL-2.0-or-later
/* collector_choice.c - choose a collector and a model that work on this machine */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "control/machine/collector_choice.h"
#include "control/machine/module_state.h"
#include "control/opcontrol/watchdog.h"
#include "libutil/cpu_clock.h"

/* @err: returned by try_cycles() */
static const char *why_no_counters(int err)
{
	switch (err) {
	case 0:
		return "no event table for this CPU";
	case -EBUSY:
		return "another program uses the hardware counters";
	case -EACCES:
	case -EPERM:
		return "hardware counters are not permitted";
	default:
		return "no hardware counters";
	}
}

static bool is_timer(const struct cpu_kinds *kinds)
{
	return !kinds->kind[0].type->clock_event;
}

/* Models that sample by time, with either collector. */
static bool wants_time(const char *model)
{
	return !strcmp(model, "timer") || !strcmp(model, "nmi-ipi");
}

/* Models that only the module has. */
static bool needs_module(const char *model)
{
	return *model && strcmp(model, "auto") && strcmp(model, "perf") && strcmp(model, "timer");
}

/* Explain sampling by time: as @model requests it, or because of @err of try_cycles(). */
static void set_by_time(struct collector_choice *c, const char *model, int err)
{
	c->counts = false;
	if (wants_time(model))
		snprintf(c->by_time, sizeof(c->by_time), "requested by --model=%s", model);
	else
		snprintf(c->by_time, sizeof(c->by_time), "%s", why_no_counters(err));
}

static void begin(const struct host *h, struct collector_choice *c)
{
	*c = (struct collector_choice){ .root = h->root, .clock_khz = cpu_clock_khz() };
	cpu_detect(h->root, &c->kinds);
}

/* ---- perf_event_open(2) ---- */

static int choose_perf(const struct host *h, const struct setup *s, struct collector_choice *c,
		       struct op_error *e)
{
	int err = h->try_cycles();

	c->counts = !err && !is_timer(&c->kinds);
	if (!c->counts || wants_time(s->model))
		set_by_time(c, s->model, err);
	snprintf(c->model, sizeof(c->model), "%s", c->counts ? "perf" : "timer");
	if (!strcmp(s->model, "perf") && !c->counts)
		return op_error_set(e, -ENODEV, "cannot use --model=perf: %s; try --model=auto",
				    c->by_time);
	return 0;
}

/* ---- the module ---- */

/* Prefer the CPU's own event table, because the module knows only families. [CC-44] */
static int module_kind(const struct module_state *m, struct collector_choice *c,
		       struct op_error *e)
{
	struct cpu_kind *kind = &c->kinds.kind[0];
	const struct cpu_type *type = cpu_type_by_name(m->cpu_type);

	*kind->pmu = '\0';
	if (!is_timer(&c->kinds))
		return 0;
	if (!type || !type->clock_event)
		return op_error_set(e, -EPROTO, "the module reports an unknown CPU type '%s'",
				    m->cpu_type);
	kind->type = type;
	kind->nr_counters = m->nr_counters;
	return 0;
}

static int use_module(const struct host *h, const struct setup *s, const struct module_state *m,
		      struct collector_choice *c, struct op_error *e)
{
	uint64_t khz = driver_clock_khz(&h->driver);

	c->module = true;
	if (khz)
		c->clock_khz = khz;
	snprintf(c->model, sizeof(c->model), "%s", m->chosen);
	c->counts = m->nr_counters;
	c->nr_counters = m->nr_counters;
	c->numbers = m->numbers;
	c->all_alike = !module_owns_counters(m);
	if (c->counts)
		return module_kind(m, c, e);
	if (*s->model || module_chose(m)) {
		int err = h->try_cycles();

		set_by_time(c, s->model, err ? err : -ENODEV);
	} else {
		snprintf(c->by_time, sizeof(c->by_time), "the module was loaded with model=%s",
			 m->loaded);
	}
	return 0;
}

/* The module counts events of one kind of CPU; other kinds would report zeros. [CC-41] */
static int check_one_kind(const struct collector_choice *c, const struct setup *s,
			  struct op_error *e)
{
	if (c->kinds.nr < 2 || wants_time(s->model))
		return 0;
	return op_error_set(e, -EOPNOTSUPP, "the machine has %u kinds of CPU, and the module "
			    "counts events on one", c->kinds.nr);
}

/*
 * The module probes the machine when it is loaded. Counters that were in use then may be free now,
 * for example because the NMI watchdog is off, and a model may have been impossible only for the
 * events of an earlier session. A module that is in use is not reloaded. [CC-42]
 */
static int reload_if_useful(const struct host *h, struct module_state *m, struct op_error *e)
{
	bool only_time = !m->nr_counters && module_chose(m) && !h->try_cycles();
	int err;

	if (!m->perf_is_in_the_way && !only_time && m->possible)
		return 0;
	err = h->reload(&h->driver, NULL);
	if (err)
		err = h->load(&h->driver, MODEL_ANY, e);
	return err ? err : module_state_read(&h->driver, m, e);
}

static int read_module(const struct host *h, const struct setup *s, struct module_state *m,
		       struct collector_choice *c, struct op_error *e)
{
	bool done;
	int err = module_state_read(&h->driver, m, e);

	if (!err && (m->perf_is_in_the_way || module_owns_counters(m)))
		err = watchdog_off(h, s->session_dir, &c->watchdog_off, e);
	if (!err)
		err = reload_if_useful(h, m, e);
	if (!err && module_owns_counters(m) && m->possible)
		return 0;
	c->watchdog_off = false;	/* turning it off did not help */
	if (watchdog_restore(h, &done, err ? NULL : e) && !err)
		err = -EIO;
	return err;
}

static int choose_module(const struct host *h, const struct setup *s, struct collector_choice *c,
			 struct op_error *e)
{
	struct op_error why = { "" };
	struct module_state m;
	int err = check_one_kind(c, s, &why);

	if (!err)
		err = h->load(&h->driver, s->model, &why);
	if (err && needs_module(s->model))
		return op_error_set(e, err, "--model=%s needs the kernel module: %s", s->model,
				    why.text);
	if (err)
		return op_error_set(e, err, "%s", why.text);
	err = read_module(h, s, &m, c, e);
	if (!err && !m.possible)
		err = op_error_set(e, -ENODEV, "cannot use --model=%s: %s; try --model=auto",
				   m.chosen, m.why_not);
	return err ? err : use_module(h, s, &m, c, e);
}

/* ---- both ---- */

static int try_module(const struct host *h, const struct setup *s, struct collector_choice *c,
		      struct op_error *e)
{
	struct op_error why = { "" };
	int err = choose_module(h, s, c, &why);

	if (!err)
		return 0;
	if (needs_module(s->model))
		return op_error_set(e, err, "%s", why.text);
	if (s->collector == COLLECTOR_MODULE)
		return op_error_set(e, err, "%s; try --collector=perf", why.text);
	begin(h, c);
	c->no_module = why;
	return choose_perf(h, s, c, e);
}

static bool is_without_module(const struct setup *s)
{
	return s->collector == COLLECTOR_PERF || s->collector == COLLECTOR_BPF;
}

static int check_request(const struct setup *s, struct op_error *e)
{
	if (!is_without_module(s) || !needs_module(s->model))
		return 0;
	return op_error_set(e, -EINVAL, "--model=%s needs the kernel module; with --collector=%s "
			    "use perf or timer", s->model, collector_request_name(s->collector));
}

int collector_choose(const struct host *h, const struct setup *s, struct collector_choice *ret,
		     struct op_error *e)
{
	struct collector_choice c;
	int err = check_request(s, e);

	if (err)
		return err;
	begin(h, &c);
	if (is_without_module(s))
		err = choose_perf(h, s, &c, e);
	else
		err = try_module(h, s, &c, e);
	if (!err)
		*ret = c;
	return err;
}

/* Whether the module is loaded and mounted as a start would use it. */
static bool module_is_ready(const struct host *h, const struct setup *s)
{
	char loaded[32];

	driver_parameter(&h->driver, loaded, sizeof(loaded));
	return driver_mounted(&h->driver) && (!*s->model || !strcmp(s->model, loaded));
}

int collector_expect(const struct host *h, const struct setup *s, struct collector_choice *ret,
		     struct op_error *e)
{
	struct collector_choice c;
	struct module_state m;
	int err = check_request(s, e);

	if (err)
		return err;
	begin(h, &c);
	if (is_without_module(s)) {
		err = choose_perf(h, s, &c, e);
	} else if (module_is_ready(h, s) && !check_one_kind(&c, s, NULL)) {
		err = module_state_read(&h->driver, &m, e);
		if (!err)
			err = use_module(h, s, &m, &c, e);
	} else {
		c.counts = !is_timer(&c.kinds);
		if (!c.counts || wants_time(s->model))
			set_by_time(&c, s->model, -ENODEV);
	}
	if (!err)
		*ret = c;
	return err;
}
