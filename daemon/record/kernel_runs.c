// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_runs.c - gather the symbols of modules and of generated code into runs */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/record/kernel_runs.h"
#include "libdb/session/kernel_symbols.h"
#include "libutil/xalloc.h"

#define PAGE		4096
#define LONGEST		KERNEL_BPF_SIZE_MAX	/* bytes of a function: as reports assume */

struct symbol {
	uint64_t address;
	const char *owner;
	bool is_text, is_bpf;
};

struct symbols {
	struct symbol *all;
	size_t nr, room;
};

/* "address type name<tab>[owner]"; lines of the kernel proper have no owner. */
static void parse_line(struct symbols *s, char *line, char *end)
{
	char *owner, *rest, *name;
	uint64_t address;
	size_t n;
	bool is_bpf;

	if (end == line || end[-1] != ']')
		return;
	owner = memrchr(line, '[', end - line);
	address = strtoull(line, &rest, 16);
	if (!owner || !address || *rest != ' ' || owner <= rest + 4)
		return;
	end[-1] = '\0';
	is_bpf = !strcmp(owner + 1, "bpf");
	name = rest + 3;
	n = is_bpf ? kernel_bpf_name(name, (size_t)(owner - 1 - name)) : 0;
	if (n) {
		name[n] = '\0';
		owner = name - 1;
	}
	xgrow(s->all, s->nr, s->room);
	s->all[s->nr++] = (struct symbol){
		.address = address, .owner = owner + 1, .is_text = strchr("tTwW", rest[1]),
		.is_bpf = is_bpf,
	};
}

static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return y->is_text - x->is_text;
}

/*
 * The last address that belongs to @s. @next: the first symbol of any kind above it, or NULL. In
 * the midst of a module's text that is where the next function begins. Elsewhere the end is
 * unknown: a module's text is assumed to end on that page, because what follows could be anybody's,
 * and a BPF program to be no longer than LONGEST.
 */
static uint64_t last_address(const struct symbol *s, const struct symbol *next)
{
	uint64_t most = s->is_bpf ? s->address + LONGEST - 1 : s->address | (PAGE - 1);

	if (most < s->address)
		most = UINT64_MAX;
	if (!next)
		return most;
	if (!s->is_bpf && next->is_text && next->address - s->address <= LONGEST &&
	    !strcmp(next->owner, s->owner))
		return next->address - 1;
	return next->address - 1 < most ? next->address - 1 : most;
}

static void make_runs(const struct symbols *s, struct kernel_runs *text)
{
	struct kernel_run *run = NULL;
	size_t room = 0, next;

	for (size_t i = 0; i < s->nr; i = next) {
		const struct symbol *at = &s->all[i];

		for (next = i + 1; next < s->nr && s->all[next].address == at->address; next++)
			;
		if (!at->is_text)
			continue;
		if (!run || at->is_bpf || run->last + 1 != at->address ||
		    strcmp(run->owner, at->owner)) {
			xgrow(text->runs, text->nr_runs, room);
			run = &text->runs[text->nr_runs++];
			run->start = at->address;
			run->owner = at->owner;
		}
		run->last = last_address(at, next < s->nr ? &s->all[next] : NULL);
	}
}

void kernel_runs_make(const char *kallsyms, size_t len, struct kernel_runs *ret)
{
	struct kernel_runs text = { NULL, 0, xmalloc(len + 1) };
	struct symbols s = { NULL, 0, 0 };

	memcpy(text.storage, kallsyms, len);
	text.storage[len] = '\0';
	for (char *line = text.storage, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			break;
		parse_line(&s, line, end);
	}
	if (s.nr)
		qsort(s.all, s.nr, sizeof(*s.all), compare);
	make_runs(&s, &text);
	free(s.all);
	*ret = text;
}

void kernel_runs_free(struct kernel_runs *text)
{
	free(text->runs);
	free(text->storage);
	*text = (struct kernel_runs){ NULL, 0, NULL };
}
