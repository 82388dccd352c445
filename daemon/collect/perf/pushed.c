// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pushed.c - fill the arrays of the BPF program
 *
 * The program may run meanwhile. It looks its process up again after the walk, and does not use
 * what it found if that has changed; so what is freed may be written again at once.
 *
 * Mappings are a ring: the oldest processes make room. Tables are filled from the beginning on.
 */
#include "daemon/collect/perf/pushed.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"
#include "unwind/build.h"

void perf_pushed_init(struct perf_pushed *p, struct bpf_walker *walker,
		      struct perf_cookies *cookies)
{
	*p = (struct perf_pushed){ .walker = walker, .cookies = cookies, .epoch = 1,
				   .kept = 1, .known = 1, .next = 1 };
	if (walker)
		p->processes = xcalloc(PERF_PUSHED_MAX, sizeof(*p->processes));
}

static struct perf_pushed_process *process_of(const struct perf_pushed *p, uint64_t serial)
{
	return &p->processes[serial % PERF_PUSHED_MAX];
}

/* ---- the map of processes ---- */

static struct bpf_process *find_way(const struct perf_pushed *p, uint32_t tgid, uint64_t serial)
{
	struct bpf_process_set *set = &p->walker->sets[bpf_set_of(tgid)];

	for (size_t i = 0; i < BPF_WAYS; i++)
		if (set->way[i].serial == serial && set->way[i].tgid == tgid)
			return &set->way[i];
	return NULL;
}

/* Where @tgid is, or else an empty place, or else the oldest. */
static struct bpf_process *choose_way(const struct perf_pushed *p, uint32_t tgid)
{
	struct bpf_process_set *set = &p->walker->sets[bpf_set_of(tgid)];
	struct bpf_process *best = set->way;

	for (size_t i = 0; i < BPF_WAYS; i++) {
		struct bpf_process *way = &set->way[i];

		if (way->serial && way->tgid == tgid)
			return way;
		if (way->serial < best->serial)
			best = way;
	}
	return best;
}

static void set_serial(struct bpf_process *way, uint64_t serial)
{
	__atomic_store_n(&way->serial, serial, __ATOMIC_SEQ_CST);
}

static void write_process(const struct perf_pushed *p, const struct bpf_process *new)
{
	struct bpf_process *way = choose_way(p, new->tgid);

	set_serial(way, 0);
	way->tgid = new->tgid;
	way->first = new->first;
	way->nr = new->nr;
	set_serial(way, new->serial);
}

/* ---- forgetting ---- */

static void forget_oldest(struct perf_pushed *p)
{
	struct bpf_process *way = find_way(p, process_of(p, p->known)->tgid, p->known);

	if (way)
		set_serial(way, 0);
	p->known++;
}

static void drop_oldest(struct perf_pushed *p)
{
	struct perf_pushed_process *oldest = process_of(p, p->kept);

	if (p->kept == p->known)
		forget_oldest(p);
	p->nr_mappings -= oldest->maps->nr;
	perf_maps_put(p->cookies, oldest->maps);
	p->kept++;
}

/* All processes, too, because their mappings name places of images. */
static void forget_tables(struct perf_pushed *p)
{
	while (p->known < p->next)
		forget_oldest(p);
	p->nr_images = p->nr_rules = p->nr_words = 0;
	p->epoch++;
}

void perf_pushed_free(struct perf_pushed *p)
{
	while (p->kept < p->next)
		drop_oldest(p);
	free(p->processes);
	*p = (struct perf_pushed){ 0 };
}

/* ---- processes ---- */

static void push_image(struct perf_pushed *p, struct perf_image *image)
{
	struct perf_image_pushed *at = &image->pushed;

	if (at->epoch == p->epoch)
		return;
	*at = (struct perf_image_pushed){ .epoch = p->epoch, .place = p->nr_images++ };
	p->walker->images[at->place] = (struct bpf_image){ .state = BPF_IMAGE_PENDING };
}

/* Where @nr mappings have room, of which there are as many at all. */
static uint32_t place_mappings(struct perf_pushed *p, uint32_t nr)
{
	const uint32_t all = p->walker->nr_mappings;

	while (p->known < p->next) {
		uint32_t oldest = process_of(p, p->known)->first;

		if (oldest < p->next_mapping && all - p->next_mapping < nr)
			p->next_mapping = 0;
		if (oldest < p->next_mapping || (oldest > p->next_mapping &&
						 oldest - p->next_mapping >= nr))
			return p->next_mapping;
		forget_oldest(p);
	}
	return 0;
}

static struct perf_pushed_made *find_made(struct perf_pushed *p, uint32_t tgid, uint32_t window)
{
	for (size_t i = 0; i < PERF_PUSHED_MADE; i++)
		if (p->made[i].epoch == p->epoch && p->made[i].tgid == tgid &&
		    p->made[i].window == window)
			return &p->made[i];
	return NULL;
}

/* The table for code made in @m of @q, or NULL: stacks there are copied. */
static const struct perf_pushed_made *made_of(struct perf_pushed *p, const struct perf_process *q,
					      const struct perf_mapping *m)
{
	const struct perf_pushed_made *made = NULL;

	if (perf_image_is_made(m->image))
		made = find_made(p, q->tgid, unwind_window(m->start));
	return made && made->since == q->memory_since &&
	       unwind_window(m->end - 1) == made->window ? made : NULL;
}

static void write_mappings(struct perf_pushed *p, const struct perf_process *q, uint32_t first)
{
	const struct perf_maps *maps = q->maps;

	for (size_t i = 0; i < maps->nr; i++) {
		const struct perf_mapping *m = &maps->mappings[i];
		const struct perf_pushed_made *made = made_of(p, q, m);

		if (!made)
			push_image(p, m->image);
		p->walker->mappings[first + i] = (struct bpf_mapping){
			.start = m->start, .end = m->end,
			.offset = made ? (uint32_t)m->start : m->offset,
			.image = made ? made->place : m->image->pushed.place,
		};
	}
}

/* Make room for @maps among those that are kept. */
static void drop_some(struct perf_pushed *p, const struct perf_maps *maps)
{
	while (p->kept < p->next && (p->next - p->kept == PERF_PUSHED_MAX ||
				     p->nr_mappings + maps->nr > 2 * p->walker->nr_mappings))
		drop_oldest(p);
	while (p->next - p->known >= PERF_PUSHED_MAX / 2)
		forget_oldest(p);
}

void perf_pushed_process(struct perf_pushed *p, struct perf_process *q)
{
	const struct bpf_walker *w = p->walker;
	struct perf_maps *maps = q->maps;
	struct bpf_process process = { .tgid = q->tgid };

	if (!maps || !maps->nr || maps->nr > w->nr_mappings || maps->nr > w->nr_images)
		return;
	if (perf_pushed_maps(p, q->pushed, q->tgid) == maps && find_way(p, q->tgid, q->pushed))
		return;
	if (p->nr_images + maps->nr > w->nr_images)
		forget_tables(p);
	drop_some(p, maps);
	process.first = place_mappings(p, (uint32_t)maps->nr);
	process.nr = (uint32_t)maps->nr;
	process.serial = q->pushed = p->next++;
	write_mappings(p, q, process.first);
	p->next_mapping = process.first + process.nr;
	p->nr_mappings += maps->nr;
	*process_of(p, process.serial) = (struct perf_pushed_process){
		q->tgid, process.first, perf_maps_share(maps)
	};
	write_process(p, &process);
}

/* ---- tables ---- */

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
			forget_tables(p);
		return;			/* a stack there is copied */
	}
	if (table)
		write_table(p->walker, table, &new);
	if (table && image->unwind.table)
		new.runtime = image->unwind.table->runtime;
	at->is_done = true;
	at->has_table = table;
	to = &p->walker->images[at->place];
	__atomic_store_n(&to->state, BPF_IMAGE_PENDING, __ATOMIC_SEQ_CST);
	to->first_page = new.first_page;
	to->nr_pages = new.nr_pages;
	to->pages = new.pages;
	to->rows = new.rows;
	to->rules = new.rules;
	to->runtime = new.runtime;
	__atomic_store_n(&to->state, new.state, __ATOMIC_SEQ_CST);
}

void perf_pushed_made(struct perf_pushed *p, uint32_t tgid, uint64_t since, uint64_t pc,
		      const struct op_unwind_table *table)
{
	struct perf_pushed_made *made = find_made(p, tgid, unwind_window(pc));
	struct bpf_image image = { 0 };
	struct bpf_process *way;

	if (table->machine != OP_UNWIND_X86_64 ||
	    (made && made->since == since && made->table == table &&
	     made->nr_rows == table->nr_rows))
		return;
	if (p->nr_images == p->walker->nr_images || !place_table(p, table, &image)) {
		if (fits_alone(p, table))
			forget_tables(p);
		return;
	}
	write_table(p->walker, table, &image);
	image.state = BPF_IMAGE_MADE;
	if (!made)
		made = &p->made[p->next_made++ % PERF_PUSHED_MADE];
	*made = (struct perf_pushed_made){ p->epoch, tgid, unwind_window(pc), since, table,
					   table->nr_rows, p->nr_images++ };
	p->walker->images[made->place] = image;
	way = choose_way(p, tgid);
	if (way->tgid == tgid)
		set_serial(way, 0);
}

const struct perf_maps *perf_pushed_maps(const struct perf_pushed *p, uint64_t serial,
					 uint32_t tgid)
{
	const struct perf_pushed_process *q;

	if (serial < p->kept || serial >= p->next)
		return NULL;
	q = process_of(p, serial);
	return q->tgid == tgid ? q->maps : NULL;
}
