// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel_events.c - the events in sysfs as lines of a table
 */
#include "events/cpu/kernel_events.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/table/build.h"
#include "libutil/file.h"
#include "libutil/number.h"

#define EVENTS_MAX 1000 /* more than any kernel has; further ones are ignored */

struct kernel_event {
	uint64_t event, umask, cmask, inv, edge, any;
};

/* Parse "event=0xc5,umask=0x1,inv". False: a term that does not belong to an event select. */
static bool parse_terms(char *text, struct kernel_event *k)
{
	const struct {
		const char *name;
		uint64_t *value, max;
	} terms[] = { { "event", &k->event, UINT64_MAX },
		      { "config", &k->event, UINT64_MAX },
		      { "umask", &k->umask, 0xff },
		      { "cmask", &k->cmask, 0xff },
		      { "inv", &k->inv, 1 },
		      { "edge", &k->edge, 1 },
		      { "any", &k->any, 1 } };
	char *save = NULL;

	for (char *w = strtok_r(text, ",\n", &save); w; w = strtok_r(NULL, ",\n", &save)) {
		char *value = strchr(w, '=');
		size_t i = 0, nr = sizeof(terms) / sizeof(terms[0]);

		if (value)
			*value++ = '\0';
		while (i < nr && strcmp(w, terms[i].name))
			i++;
		if (i == nr ||
		    number_parse_range(value ? value : "1", 0, terms[i].max, terms[i].value))
			return false;
	}
	return true;
}

static void add_mask(const struct kernel_event *k, const char *name, size_t number,
		     struct strbuf *masks)
{
	strbuf_addf(masks, "name:kernel%zu type:mandatory default:0x%" PRIx64 "\n\t0x%" PRIx64,
		    number, k->umask, k->umask);
	if (k->cmask || k->inv || k->edge || k->any)
		strbuf_addf(masks, " extra:%s%s%scmask=%" PRIx64 " %s", k->edge ? "edge," : "",
			    k->inv ? "inv," : "", k->any ? "any," : "", k->cmask, name);
	strbuf_add(masks, " No unit mask\n");
}

/* Cycles and instructions are frequent; everything else is assumed to be rarer. */
static int min_count(const char *name)
{
	return strstr(name, "cycle") || strstr(name, "inst") ? 6000 : 500;
}

static void add_event(const char *folder, const char *name, size_t number, struct strbuf *events,
		      struct strbuf *masks)
{
	char *path = path_join(folder, name), line[200];
	struct kernel_event k = { 0 };

	if (table_name_ok(name) && !file_read_line(path, line, sizeof(line)) &&
	    parse_terms(line, &k) && (k.event || !k.umask)) { /* 0 with a mask: a fixed counter */
		strbuf_addf(events,
			    "event:0x%" PRIx64 " counters:cpuid um:kernel%zu minimum:%d name:%s : "
			    "Kernel event %s\n",
			    k.event, number, min_count(name), name, name);
		add_mask(&k, name, number, masks);
	}
	free(path);
}

void kernel_events_read(const char *root, const char *pmu, struct strbuf *events,
			struct strbuf *masks)
{
	struct strbuf folder = STRBUF_INIT;
	struct dirent **names = NULL;
	int nr;

	strbuf_addf(&folder, "%s/sys/bus/event_source/devices/%s/events", root, pmu);
	nr = scandir(folder.text, &names, NULL, alphasort);
	for (int i = 0; i < nr; i++) {
		if (i < EVENTS_MAX)
			add_event(folder.text, names[i]->d_name, (size_t)i, events, masks);
		free(names[i]);
	}
	free(names);
	strbuf_free(&folder);
}
