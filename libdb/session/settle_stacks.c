// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * settle_stacks.c - make the counts of stacks agree with the stack store
 *
 * The store is written all the time, too. It has how its stacks ended, but not the CPU they were
 * taken on: of its additional stacks, each CPU gets a share in proportion to its samples without a
 * stack.
 */
#include <stdlib.h>
#include "libdb/session/settle.h"
#include "libdb/stack/store.h"
#include "libutil/count.h"
#include "libutil/file.h"

_Static_assert(COUNTS_STACK_ENDS == NR_STACK_ENDS, "store and counts have the same kinds of ends");

/* By how much a number of a CPU may grow. */
typedef uint64_t room_fn(const struct cpu_counts *c);

static uint64_t nr_stacks(const struct cpu_counts *c)
{
	uint64_t sum = 0;

	for (int i = 0; i < COUNTS_STACK_ENDS; i++)
		sum += c->stacks[i];
	return sum;
}

static uint64_t difference(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0;
}

static uint64_t without_stack(const struct cpu_counts *c)
{
	return difference(c->recorded, nr_stacks(c));
}

static uint64_t not_guessed(const struct cpu_counts *c)
{
	return difference(nr_stacks(c), c->stacks_guessed);
}

static uint64_t not_lost(const struct cpu_counts *c)
{
	return difference(nr_stacks(c), c->stacks_lost);
}

static uint64_t *field_of(struct cpu_counts *c, size_t offset)
{
	return (uint64_t *)((char *)c + offset);
}

static uint64_t sum_of(const struct session_counts *counts, size_t offset)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < counts->nr_cpus; i++)
		sum += *field_of(&counts->cpu[i], offset);
	return sum;
}

/* Raise a field's sum to @wanted as far as there is room. Returns whether it changed. */
static bool raise_to(struct session_counts *counts, size_t offset, uint64_t wanted, room_fn *room)
{
	uint64_t n = difference(wanted, sum_of(counts, offset)), left = 0;
	bool changed;

	for (unsigned int i = 0; i < counts->nr_cpus; i++)
		left += room(&counts->cpu[i]);
	if (n > left)
		n = left;
	changed = n;
	for (unsigned int i = 0; i < counts->nr_cpus && n; i++) {
		uint64_t weight = room(&counts->cpu[i]);
		uint64_t part = count_scale(n, weight, 0, left);

		*field_of(&counts->cpu[i], offset) += part;
		n -= part;
		left -= weight;		/* the last CPU with room gets the rest */
	}
	return changed;
}

static bool adjust(struct session_counts *counts, const struct stack_totals *held)
{
	uint64_t stacks = 0, kept = 0;
	bool changed = false;

	for (int i = 0; i < COUNTS_STACK_ENDS; i++) {
		changed |= raise_to(counts, offsetof(struct cpu_counts, stacks[0]) +
				    i * sizeof(uint64_t), held->ends[i], without_stack);
		kept += held->ends[i];
	}
	changed |= raise_to(counts, offsetof(struct cpu_counts, stacks_guessed), held->guessed,
			    not_guessed);
	for (unsigned int i = 0; i < counts->nr_cpus; i++)
		stacks += nr_stacks(&counts->cpu[i]);
	return changed | raise_to(counts, offsetof(struct cpu_counts, stacks_lost),
				  difference(stacks, kept), not_lost);
}

bool session_settle_stacks(const char *stats_dir, struct session_counts *counts)
{
	char *path = path_join(stats_dir, STACK_STORE_FILE);
	struct stack_snapshot snapshot;
	struct stack_totals held;
	bool changed = false;

	if (!stack_store_read(path, &snapshot, NULL)) {
		stack_snapshot_totals(&snapshot, &held);
		stack_snapshot_free(&snapshot);
		changed = adjust(counts, &held);
	}
	free(path);
	return changed;
}
