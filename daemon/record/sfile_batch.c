// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sfile_batch.c - samples wait in their file's batch, and are recorded or lost together
 */
#include "daemon/record/sfile_private.h"
#include "libutil/xalloc.h"

#define BATCH_MIN	64		/* samples */
#define BATCH_MAX	2048
#define SKIPPED_MAX	16		/* keys given up in one flush before the file is */

/* The samples [from, to) of the batch were recorded or lost: tell their CPUs. */
static void account(struct sfile *sf, size_t from, size_t to, bool recorded)
{
	if (sf->derived) {
		sfile_lost(sf, recorded ? 0 : to - from);
		return;
	}
	for (size_t end; from < to; from = end) {
		struct cpu_counts *cpu = stats_cpu(sf->all->stats, sf->cpus[from]);

		for (end = from + 1; end < to && sf->cpus[end] == sf->cpus[from]; end++)
			;
		if (sf->key.is_arc)
			cpu->arcs_lost += recorded ? 0 : end - from;
		else if (recorded)
			cpu->recorded += end - from;
		else
			cpu->lost[LOST_SAMPLE_FILE] += end - from;
		if (!recorded)
			sfile_lost(sf, end - from);
	}
}

/* On a full disk keys that are in the file already are still counted; new ones are lost. */
static int add_batch(struct sfile *sf)
{
	size_t at = 0, done;
	int err = 0, first_err = 0;

	for (int skipped = 0; at < sf->nr_batch && skipped < SKIPPED_MAX; skipped++) {
		done = 0;
		err = odb_add_many(sf->odb, sf->batch + at, sf->nr_batch - at, &done);
		if (!err)
			done = sf->nr_batch - at;
		account(sf, at, at + done, true);
		at += done;
		if (!err)
			break;
		first_err = err;
		account(sf, at, at + 1, false);
		at++;
	}
	account(sf, at, sf->nr_batch, false);
	return first_err;
}

/* The same of a derived event. */
static int add_weights(struct sfile *sf)
{
	int first_err = 0;

	for (size_t at = 0; at < sf->nr_batch; at++) {
		int err = odb_add(sf->odb, sf->batch[at], sf->weights[at]);

		account(sf, at, at + 1, !err);
		if (err)
			first_err = err;
	}
	return first_err;
}

void sfile_write_batch(struct sfile *sf)
{
	struct op_error e = { "" };
	int err = 0;

	if (!sf->nr_batch)
		return;
	list_del(&sf->dirty);
	if (!sfile_may_try(sf)) {
		account(sf, 0, sf->nr_batch, false);
	} else {
		if (!sf->odb)
			err = sfile_open(sf, &e);
		if (err)
			account(sf, 0, sf->nr_batch, false);
		else
			err = sf->derived ? add_weights(sf) : add_batch(sf);
		if (err)
			sfile_failed(sf, err, &e);
		else
			sfile_works(sf);
	}
	sf->nr_batch = 0;
}

static void grow_batch(struct sfile *sf)
{
	if (sf->room == BATCH_MAX) {
		sfile_write_batch(sf);
		return;
	}
	sf->room = sf->room ? sf->room * 4 : BATCH_MIN;
	if (sf->room > BATCH_MAX)
		sf->room = BATCH_MAX;
	sf->batch = xrealloc_array(sf->batch, sf->room, sizeof(*sf->batch));
	sf->cpus = xrealloc_array(sf->cpus, sf->room, sizeof(*sf->cpus));
	if (sf->derived)
		sf->weights = xrealloc_array(sf->weights, sf->room, sizeof(*sf->weights));
}

void sfile_add(struct sfile *sf, uint32_t cpu, const uint64_t *addresses, size_t nr, uint64_t base)
{
	if (cpu >= COUNTS_MAX_CPUS)
		cpu = COUNTS_MAX_CPUS - 1;
	sf->referenced = true;
	while (nr) {
		size_t at, end;

		if (sf->nr_batch == sf->room)
			grow_batch(sf);
		at = sf->nr_batch;
		if (!at)
			list_add_tail(&sf->dirty, &sf->all->dirty);
		end = sf->room - at < nr ? sf->room : at + nr;
		sf->nr_batch = end;
		nr -= end - at;
		for (; at < end; at++) {
			sf->batch[at] = *addresses++ - base;
			sf->cpus[at] = cpu;
		}
	}
}

void sfile_add_weight(struct sfile *sf, uint32_t cpu, uint64_t key, uint32_t weight)
{
	sfile_add(sf, cpu, &key, 1, 0);
	sf->weights[sf->nr_batch - 1] = weight;
}

void sfiles_flush(struct sfiles *all)
{
	while (!list_empty(&all->dirty))
		sfile_write_batch(list_entry(all->dirty.next, struct sfile, dirty));
}
