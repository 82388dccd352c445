// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine_events.c - reduce the table of a CPU type to the events of a machine
 */
#include "events/cpu/machine_events.h"

#include <stdlib.h>
#include <string.h>

#include "events/cpu/kernel_events.h"
#include "events/data.h"
#include "events/table/build.h"

/* Types that stand for any CPU of an architecture. */
static bool is_architecture(const struct cpu_type *type)
{
	static const char *const names[] = { "i386/arch_perfmon", "x86-64/generic",
					     "arm/armv8-pmuv3" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(type->name, names[i]))
			return true;
	return false;
}

static void drop_missing(struct event_table *t, uint32_t missing)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->nr; i++)
		if (t->events[i].filter < 0 || !(missing >> t->events[i].filter & 1))
			t->events[kept++] = t->events[i];
	t->nr = kept;
}

int machine_events_load(const char *root, const struct cpu_kind *kind, struct event_table **ret,
			struct op_error *e)
{
	struct strbuf events = STRBUF_INIT, masks = STRBUF_INIT;
	struct event_table *t = NULL;
	struct arch_perfmon pmu = { 0 };
	char *dir = event_data_dir();
	int err;

	if (is_architecture(kind->type) && *kind->pmu)
		kernel_events_read(root, kind->pmu, &events, &masks);
	err = event_table_load_with(dir, kind->type, kind->nr_counters, events.text, masks.text, &t,
				    e);
	if (!err) {
		if (!*root)
			arch_perfmon_read(&pmu);
		if (pmu.version)
			drop_missing(t, pmu.missing);
		t->store->is_this_machine = !*root;
		*ret = t;
	}
	strbuf_free(&events);
	strbuf_free(&masks);
	free(dir);
	return err;
}
