// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * answers.c - what the perf collector is asked: whose cookies are whose, what was counted
 */
#include <errno.h>
#include <string.h>

#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/image_fd.h"
#include "daemon/collect/perf/note.h"
#include "daemon/collect/perf/private.h"
#include "libutil/xalloc.h"

int perf_cookie_path(struct collector *c, op_word cookie, char **ret_path)
{
	const struct perf_image *image = perf_cookies_find(perf_collector_of(c)->cookies, cookie);

	if (!image)
		return -ENOENT;
	*ret_path = xstrdup(image->path);
	return 0;
}

int perf_cookie_fd(struct collector *c, op_word cookie)
{
	struct perf_collector *p = perf_collector_of(c);
	const struct perf_image *image = perf_cookies_find(p->cookies, cookie);

	return image ? perf_image_open(&p->processes, image) : -ENOENT;
}

int perf_cookie_build_id(struct collector *c, op_word cookie, unsigned char *id, size_t *len)
{
	const struct perf_image *image = perf_cookies_find(perf_collector_of(c)->cookies, cookie);

	if (!image)
		return -ENOENT;
	if (!image->build_id.len)
		return -ENODATA;
	memcpy(id, image->build_id.bytes, image->build_id.len);
	*len = image->build_id.len;
	return 0;
}

int perf_cgroup_path(struct collector *c, uint64_t id, char **ret_path)
{
	const struct perf_collector *p = perf_collector_of(c);
	const char *path = p->cgroups ? perf_cgroups_find(p->cgroups, id) : NULL;

	if (!path)
		return -ENOENT;
	*ret_path = xstrdup(path);
	return 0;
}

static void add_counts(const struct perf_collector *p, unsigned int cpu, struct cpu_counts *to)
{
	const struct cpu_counts *from = &p->states[cpu].counts;
	uint64_t lost = perf_rings_lost(&p->rings, cpu);

	to->received += from->received + lost;
	for (int reason = 0; reason < NR_LOSS_REASONS; reason++)
		to->lost[reason] += from->lost[reason];
	to->lost[LOST_RING] += lost;
	to->throttled += perf_rings_throttled(&p->rings, cpu, perf_now());
}

int perf_counts(struct collector *c, struct session_counts *counts)
{
	const struct perf_collector *p = perf_collector_of(c);
	unsigned int nr = p->rings.nr_cpus;

	if (counts->nr_cpus < nr) {
		counts->cpu = xrealloc_array(counts->cpu, nr, sizeof(*counts->cpu));
		memset(counts->cpu + counts->nr_cpus, 0,
		       (nr - counts->nr_cpus) * sizeof(*counts->cpu));
		counts->nr_cpus = nr;
	}
	for (unsigned int cpu = 0; cpu < nr; cpu++)
		add_counts(p, cpu, &counts->cpu[cpu]);
	return 0;
}

int perf_event_times(struct collector *c, unsigned int counter, uint64_t *ret_enabled_ns,
			    uint64_t *ret_running_ns)
{
	const struct perf_collector *p = perf_collector_of(c);
	struct perf_times times;

	if (p->by_time || !perf_rings_times(&p->rings, counter, &times))
		return -ENODATA;
	*ret_enabled_ns = times.enabled_ns;
	*ret_running_ns = times.running_ns;
	return 0;
}

uint64_t perf_throttled(struct collector *c, unsigned int counter)
{
	return perf_rings_throttled_of(&perf_collector_of(c)->rings, counter, perf_now());
}

void perf_status(struct collector *c, struct collector_status *ret)
{
	const struct perf_collector *p = perf_collector_of(c);

	memset(ret, 0, sizeof(*ret));
	strcpy(ret->model, p->by_time ? "timer" : "perf");
	strcpy(ret->cpu_type, p->cpu_type);
	if (p->by_time && p->counters)
		ret->period_ns = p->counters[0].period_ns;
	ret->copy_bytes = p->callers.copies ? p->callers.copy_size.bytes : 0;
	perf_note(&p->rings, &p->callers, ret->note, sizeof(ret->note));
}
