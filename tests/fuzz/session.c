// SPDX-License-Identifier: GPL-2.0-or-later
/* session.c - fuzz the text files beside the samples; the first byte chooses which */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "libdb/session/event_times.h"
#include "libdb/session/image_ids.h"
#include "libdb/session/kernel_symbols.h"
#include "libdb/session/name.h"
#include "libdb/session/parts.h"
#include "libdb/session/processes.h"
#include "libdb/session/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_ids(char *text, size_t len)
{
	struct image_ids *ids;

	if (image_ids_parse(text, len, "f", &ids, NULL)) {
		free(text);
		return;
	}
	image_ids_find(ids, "/bin/sh");
	image_ids_free(ids);		/* and the text with it */
}

/* Symbols come sorted, modules' within their size. */
static void fuzz_symbols(const char *text, size_t len)
{
	struct kernel_symbols s;

	if (kernel_symbols_parse(text, len, "f", &s, NULL))
		return;
	for (size_t p = 0; p < s.nr_parts; p++) {
		const struct kernel_part *part = &s.parts[p];

		if (part->end < part->start)
			abort();
		for (size_t i = 0; i < part->nr_symbols; i++)
			if (!part->symbols[i].name[0] ||
			    (i && part->symbols[i].address < part->symbols[i - 1].address) ||
			    (part->name[0] && part->symbols[i].address >= part->end - part->start))
				abort();
	}
	kernel_symbols_free(&s);
}

/* Every event once, none counted for longer than it was to be. */
static void fuzz_times(char *text, size_t len)
{
	struct event_times times;

	if (event_times_parse(text, len, "f", &times, NULL))
		return;
	for (const struct event_time *t = times.event; t < times.event + times.nr; t++)
		if (event_times_find(&times, t->name, t->count, t->unit_mask) != t ||
		    t->running_ns > t->enabled_ns)
			abort();
	event_times_free(&times);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session_counts counts;
	struct session_parts parts;
	struct session_processes processes;
	struct session_info info;
	struct cpu_counts total;
	struct op_error e;
	char *text;
	size_t nr;

	if (!size)
		return 0;
	text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	switch (data[0]) {
	case 'i':
		session_info_parse(text, size - 1, "f", &info, &e);
		break;
	case 'c':
		if (!session_counts_parse(text, size - 1, "f", &counts, &e)) {
			session_counts_total(&counts, &total);
			free(counts.cpu);
		}
		break;
	case 't':
		fuzz_times(text, size - 1);
		break;
	case 'p':
		if (!session_parts_parse(text, size - 1, "f", &parts, &e))
			session_parts_free(&parts);
		break;
	case 'o':
		if (session_processes_parse(text, size - 1, "f", &processes, &e))
			break;
		(void)session_processes_find(&processes, SAMPLE_ALL, &nr);
		session_processes_free(&processes);	/* and the text with it */
		return 0;
	case 'm':
		fuzz_ids(text, size - 1);
		return 0;
	default:
		fuzz_symbols(text, size - 1);
	}
	free(text);
	return 0;
}
