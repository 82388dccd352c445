// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pushed.c - fill the arrays of the BPF program, from their beginning on
 *
 * The program may run meanwhile. It looks its process up again after the walk, and does not use
 * what it found if that has changed; so what is freed may be written again at once.
 */
#include "daemon/collect/perf/pushed.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

void perf_pushed_init(struct perf_pushed *p, struct bpf_walker *walker,
		      struct perf_cookies *cookies)
{
	*p = (struct perf_pushed){ .walker = walker, .cookies = cookies, .first_serial = 1,
				   .epoch = 1 };
}

static void forget_all(struct perf_pushed *p)
{
	bpf_walker_clear_processes(p->walker);
	for (size_t i = 0; i < p->nr; i++)
		perf_maps_put(p->cookies, p->processes[i].maps);
	p->first_serial += (uint32_t)p->nr;
	p->nr = 0;
	p->nr_images = p->nr_mappings = p->nr_rules = p->nr_words = 0;
	p->epoch++;
}

void perf_pushed_free(struct perf_pushed *p)
{
	if (p->walker)
		forget_all(p);
	free(p->processes);
	*p = (struct perf_pushed){ 0 };
}

static void push_image(struct perf_pushed *p, struct perf_image *image)
{
	struct perf_image_pushed *at = &image->pushed;

	if (at->epoch == p->epoch)
		return;
	*at = (struct perf_image_pushed){ .epoch = p->epoch, .place = p->nr_images++ };
	p->walker->images[at->place] = (struct bpf_image){ .state = BPF_IMAGE_PENDING };
}

static bool has_room(const struct perf_pushed *p, const struct perf_maps *maps)
{
	const struct bpf_walker *w = p->walker;

	return p->nr < w->nr_processes && p->nr_mappings + maps->nr <= w->nr_mappings &&
	       p->nr_images + maps->nr <= w->nr_images;
}

void perf_pushed_process(struct perf_pushed *p, struct perf_process *q)
{
	struct bpf_process process = { .first = p->nr_mappings };
	struct perf_maps *maps = q->maps;

	if (!maps || perf_pushed_maps(p, q->pushed, q->tgid) == maps)
		return;
	if (!has_room(p, maps)) {
		forget_all(p);
		process.first = 0;
		if (!has_room(p, maps))
			return;
	}
	for (size_t i = 0; i < maps->nr; i++) {
		const struct perf_mapping *m = &maps->mappings[i];

		push_image(p, m->image);
		p->walker->mappings[p->nr_mappings++] = (struct bpf_mapping){
			.start = m->start, .end = m->end, .offset = m->offset,
			.image = m->image->pushed.place,
		};
	}
	process.nr = (uint32_t)maps->nr;
	process.serial = p->first_serial + (uint32_t)p->nr;
	xgrow(p->processes, p->nr, p->room);
	p->processes[p->nr++] = (struct perf_pushed_process){ q->tgid, perf_maps_share(maps) };
	q->pushed = process.serial;
	(void)bpf_walker_set_process(p->walker, q->tgid, &process);
}

/* Where the parts of @table, which is valid, begin in "rules" and "words". False: no room. */
static bool place_table(struct perf_pushed *p, const struct op_unwind_table *table,
			struct bpf_image *ret)
{
	const struct bpf_walker *w = p->walker;
	uint64_t words = (uint64_t)table->nr_pages + 1 + table->nr_rows;

	if (table->nr_rules > w->nr_rules - p->nr_rules || words > w->nr_words - p->nr_words)
		return false;
	*ret = (struct bpf_image){
		.state = BPF_IMAGE_TABLE,
		.first_page = table->first_page, .nr_pages = table->nr_pages,
		.pages = p->nr_words, .rows = p->nr_words + table->nr_pages + 1,
		.rules = p->nr_rules,
		.nr_rows = table->nr_rows, .nr_rules = table->nr_rules,
	};
	p->nr_rules += table->nr_rules;
	p->nr_words += (uint32_t)words;
	return true;
}

static void write_table(struct bpf_walker *w, const struct op_unwind_table *table,
			const struct bpf_image *to)
{
	const struct op_unwind_rule *rule = op_unwind_rules(table);
	const uint16_t *start = op_unwind_row_starts(table), *which = op_unwind_row_rules(table);

	for (uint32_t i = 0; i < table->nr_rules; i++)
		memcpy(w->rules + (to->rules + (size_t)i) * BPF_RULE_BYTES, rule + i,
		       sizeof(*rule));
	memcpy(w->words + to->pages, op_unwind_page_rows(table),
	       (table->nr_pages + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < table->nr_rows; i++)
		w->words[to->rows + i] = start[i] | (uint32_t)which[i] << 16;
}

static bool fits_alone(const struct perf_pushed *p, const struct op_unwind_table *table)
{
	const struct bpf_walker *w = p->walker;

	return table->nr_rules <= w->nr_rules &&
	       (uint64_t)table->nr_pages + 1 + table->nr_rows <= w->nr_words;
}

/* A table of other code than the program walks is none. */
void perf_pushed_table(struct perf_pushed *p, struct perf_image *image,
		       const struct op_unwind_table *table)
{
	struct perf_image_pushed *at = &image->pushed;
	struct bpf_image new = { .state = BPF_IMAGE_NO_TABLE };
	struct bpf_image *to;

	if (table && table->machine != OP_UNWIND_X86_64)
		table = NULL;
	/* a file may get one later, and nothing would show it if its stacks were not copied */
	if (!table && !image->anonymous)
		return;
	if (at->epoch != p->epoch || (at->is_done && at->has_table == !!table))
		return;
	if (table && !place_table(p, table, &new)) {
		if (fits_alone(p, table))
			forget_all(p);
		return;			/* a stack there is copied */
	}
	if (table)
		write_table(p->walker, table, &new);
	at->is_done = true;
	at->has_table = table;
	to = &p->walker->images[at->place];
	__atomic_store_n(&to->state, BPF_IMAGE_PENDING, __ATOMIC_SEQ_CST);
	to->first_page = new.first_page;
	to->nr_pages = new.nr_pages;
	to->pages = new.pages;
	to->rows = new.rows;
	to->rules = new.rules;
	__atomic_store_n(&to->state, new.state, __ATOMIC_SEQ_CST);
}

const struct perf_maps *perf_pushed_maps(const struct perf_pushed *p, uint32_t serial,
					 uint32_t tgid)
{
	uint32_t i = serial - p->first_serial;

	return i < p->nr && p->processes[i].tgid == tgid ? p->processes[i].maps : NULL;
}
