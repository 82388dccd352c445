/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * baseline.h - the counts of a session at some time, to export only later samples
 *
 * Counts of sample files and stack stores only grow until the session is reset. A smaller count
 * means a reset: all of it is new [EX-8].
 */
#ifndef PP_EXCHANGE_EXPORT_BASELINE_H
#define PP_EXCHANGE_EXPORT_BASELINE_H

#include "libdb/stack/store.h"
#include "pp/select/collect.h"
#include "pp/select/samples.h"

struct export_baseline;

struct export_baseline *export_baseline_take(const struct collection *c);
void export_baseline_free(struct export_baseline *b);	/* NULL is fine */

/* Subtract the earlier counts from @keys: all keys of the sample file @path, sorted. */
void export_baseline_keys(const struct export_baseline *b, const char *path,
			  struct sample_key *keys, size_t nr);

/* The new part of count @index of the store in @samples. */
uint64_t export_baseline_stack(const struct export_baseline *b, const char *samples,
			       const struct stack_snapshot *now, uint32_t index);

#endif
