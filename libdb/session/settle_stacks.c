// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * settle_stacks.c - make the counts of stacks agree with the stack store
 *
 * The store is written all the time, too, and tells how its stacks ended, but not on which CPU
 * they were taken: of what it has more, each CPU gets a part as it has samples without a stack.
 */
#include <stdlib.h>
#include "libdb/session/settle.h"
#include "libdb/stack/store.h"
#include "libutil/file.h"

_Static_assert(COUNTS_STACK_ENDS == NR_STACK_ENDS, "the store and the counts tell apart the same");

/* A number of a CPU that may grow by as much as there is room for. */
typedef uint64_t room_fn(const struct cpu_counts *c);

static uint64_t stacks_of(const struct cpu_counts *c)
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
	return difference(c->recorded, stacks_of(c));
}

static uint64_t not_guessed(const struct cpu_counts *c)
{
	return difference(stacks_of(c), c->stacks_guessed);
}

static uint64_t not_lost(const struct cpu_counts *c)
{
	return difference(stacks_of(c), c->stacks_lost);
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

/* Have a field's sum be @wanted, if it is less, as far as there is room. Whether it changed. */
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
		uint64_t part = (unsigned __int128)n * weight / left;

		*field_of(&counts->cpu[i], offset) += part;
		n -= part;
		left -= weight;		/* the last CPU that has room gets the rest */
	}
	return changed;
}

static bool agree(struct session_counts *counts, const struct stack_totals *held)
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
		stacks += stacks_of(&counts->cpu[i]);
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
		changed = agree(counts, &held);
	}
	free(path);
	return changed;
}
