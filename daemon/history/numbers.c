// SPDX-License-Identifier: GPL-2.0-or-later
/* numbers.c - see numbers.h */
#include "daemon/history/numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libutil/count.h"
#include "libutil/file.h"

#define PROC_BYTES	(1u << 20)	/* of a file of /proc */

static const char *const gauge_names[NR_GAUGES] = {
	[GAUGE_CPU_BUSY] = "cpu.busy_ms",
	[GAUGE_CPU_TOTAL] = "cpu.total_ms",
	[GAUGE_PSI_CPU] = "psi.cpu.some_us",
	[GAUGE_PSI_IO] = "psi.io.some_us",
	[GAUGE_PSI_IO_FULL] = "psi.io.full_us",
	[GAUGE_PSI_MEMORY] = "psi.memory.some_us",
	[GAUGE_PSI_MEMORY_FULL] = "psi.memory.full_us",
};

void numbers_add(struct numbers *n, const char *name, uint64_t value)
{
	size_t i = 0;

	if (!value)
		return;
	while (i < n->nr && strcmp(n->list[i].name, name))
		i++;
	if (i == NUMBERS_MAX)
		return;
	if (i == n->nr) {
		snprintf(n->list[i].name, sizeof(n->list[i].name), "%s", name);
		n->list[n->nr++].value = 0;
	}
	count_add(&n->list[i].value, value);
}

void numbers_add_all(struct numbers *to, const struct numbers *from)
{
	for (size_t i = 0; i < from->nr; i++)
		numbers_add(to, from->list[i].name, from->list[i].value);
}

static int compare_numbers(const void *a, const void *b)
{
	return strcmp(((const struct number *)a)->name, ((const struct number *)b)->name);
}

size_t numbers_list(struct numbers *n, struct history_number ret[NUMBERS_MAX])
{
	qsort(n->list, n->nr, sizeof(*n->list), compare_numbers);
	for (size_t i = 0; i < n->nr; i++)
		ret[i] = (struct history_number){ n->list[i].name, n->list[i].value };
	return n->nr;
}

void numbers_add_counts(struct numbers *n, const struct cpu_counts *c)
{
	for (int i = 0; i < NR_LOSS_REASONS; i++) {
		char name[sizeof(n->list->name)];

		snprintf(name, sizeof(name), HISTORY_LOST "%s", loss_name((enum loss_reason)i));
		numbers_add(n, name, c->lost[i]);
	}
	numbers_add(n, HISTORY_FILTERED, c->filtered);
	numbers_add(n, HISTORY_IDLE, c->idle);
	numbers_add(n, HISTORY_THROTTLED, c->throttled);
}

/* --- gauges --- */

/* "cpu  USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ..."; guests are in USER. */
static void read_cpu(const char *stat, struct gauges *g)
{
	uint64_t ms = 1000 / (uint64_t)sysconf(_SC_CLK_TCK), ticks[8] = { 0 };
	const char *running = strstr(stat, "\nprocs_running ");
	char *at = (char *)stat + strcspn(stat, " ");

	for (int i = 0; i < 8; i++)
		ticks[i] = strtoull(at, &at, 10);
	for (int i = 0; i < 8; i++) {
		g->totals[GAUGE_CPU_TOTAL] += ticks[i] * ms;
		if (i != 3 && i != 4)
			g->totals[GAUGE_CPU_BUSY] += ticks[i] * ms;
	}
	if (running)
		g->runnable = strtoull(running + strlen("\nprocs_running "), NULL, 10);
}

static uint64_t pressure(const char *text, const char *kind)
{
	const char *line = strstr(text, kind), *total = line ? strstr(line, "total=") : NULL;

	return total ? strtoull(total + strlen("total="), NULL, 10) : 0;
}

static void read_pressure(const char *proc, const char *of, uint64_t *ret_some, uint64_t *ret_full)
{
	char path[4096], *text;

	snprintf(path, sizeof(path), "%s/pressure/%s", proc, of);
	if (file_read_all(path, PROC_BYTES, &text, NULL))
		return;
	*ret_some = pressure(text, "some");
	if (ret_full)
		*ret_full = pressure(text, "full");
	free(text);
}

void gauges_read(const char *proc, struct gauges *ret)
{
	char *path = path_join(proc, "stat"), *text;

	*ret = (struct gauges){ .runnable = 0 };
	if (!file_read_all(path, PROC_BYTES, &text, NULL)) {
		read_cpu(text, ret);
		free(text);
	}
	free(path);
	read_pressure(proc, "cpu", &ret->totals[GAUGE_PSI_CPU], NULL);
	read_pressure(proc, "io", &ret->totals[GAUGE_PSI_IO], &ret->totals[GAUGE_PSI_IO_FULL]);
	read_pressure(proc, "memory", &ret->totals[GAUGE_PSI_MEMORY],
		      &ret->totals[GAUGE_PSI_MEMORY_FULL]);
}

void numbers_add_gauges(struct numbers *n, const struct gauges *before, const struct gauges *now)
{
	for (int i = 0; i < NR_GAUGES; i++)
		if (now->totals[i] > before->totals[i])
			numbers_add(n, gauge_names[i], now->totals[i] - before->totals[i]);
	numbers_add(n, "run_queue.sum", now->runnable);
	numbers_add(n, "run_queue.readings", now->totals[GAUGE_CPU_TOTAL] != 0);
}
