// SPDX-License-Identifier: GPL-2.0-or-later
/* modules.c - compare /proc/modules with its last contents */
#include "daemon/collect/perf/modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/opener/ask.h"
#include "libutil/xalloc.h"

static int compare(const void *va, const void *vb)
{
	const struct perf_module *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* False: it cannot be read, so no change is known. */
static bool read_modules(const char *path, struct perf_module **ret, size_t *ret_nr)
{
	struct perf_module *modules = NULL;
	size_t nr = 0, room = 0, line_room = 0;
	FILE *f = opener_fopen(path);
	char *line = NULL;

	if (!f)
		return false;
	while (getline(&line, &line_room, f) > 0) {
		xgrow(modules, nr, room);
		if (perf_parse_module_line(line, &modules[nr]))
			nr++;
	}
	free(line);
	fclose(f);
	if (nr)
		qsort(modules, nr, sizeof(*modules), compare);
	*ret = modules;
	*ret_nr = nr;
	return true;
}

void perf_modules_init(struct perf_modules *m, const char *path)
{
	*m = (struct perf_modules){ .path = path };
	if (!read_modules(path, &m->loaded, &m->nr_loaded))
		m->path = NULL;
}

void perf_modules_free(struct perf_modules *m)
{
	free(m->loaded);
	free(m->gone);
	*m = (struct perf_modules){ 0 };
}

static void announce_gone(struct perf_modules *m, struct perf_emit *e)
{
	if (m->nr_gone && m->before_gone)
		m->before_gone(m->context);
	for (size_t i = 0; i < m->nr_gone; i++)
		perf_emit_module(e, false, m->gone[i].start, m->gone[i].size, m->gone[i].name);
	m->nr_gone = 0;
}

void perf_modules_announce(struct perf_modules *m, struct perf_emit *e)
{
	struct perf_module *now, *came;
	size_t nr_now, nr_came = 0, i = 0, j = 0;

	if (!m->path || !read_modules(m->path, &now, &nr_now))
		return;
	announce_gone(m, e);
	came = xcalloc(nr_now + 1, sizeof(*came));
	while (i < m->nr_loaded || j < nr_now) {
		int order = i == m->nr_loaded ? 1 :
			    j == nr_now	      ? -1 :
						compare(&m->loaded[i], &now[j]);

		if (order > 0) {
			came[nr_came++] = now[j++];
		} else if (order < 0) {
			xgrow(m->gone, m->nr_gone, m->room_gone);
			m->gone[m->nr_gone++] = m->loaded[i++];
		} else {
			i++;
			j++;
		}
	}
	/* a new module may lie where another was, whose end must be announced first */
	if (nr_came)
		announce_gone(m, e);
	for (i = 0; i < nr_came; i++)
		perf_emit_module(e, true, came[i].start, came[i].size, came[i].name);
	free(came);
	free(m->loaded);
	m->loaded = now;
	m->nr_loaded = nr_now;
}
