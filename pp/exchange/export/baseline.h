/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * baseline.h - what a session held at some moment, so that later the rest can be exported
 *
 * Sample files and stack stores only ever grow until somebody resets the session, and then they
 * are smaller: then what they hold is all new [EX-8].
 */
#ifndef PP_EXCHANGE_EXPORT_BASELINE_H
#define PP_EXCHANGE_EXPORT_BASELINE_H

#include "libdb/stack/store.h"
#include "pp/select/collect.h"
#include "pp/select/samples.h"

struct export_baseline;

struct export_baseline *export_baseline_take(const struct collection *c);
void export_baseline_free(struct export_baseline *b);	/* NULL is fine */

/* Take off @keys, all of the sample file @path, sorted, what they were then. */
void export_baseline_keys(const struct export_baseline *b, const char *path,
			  struct sample_key *keys, size_t nr);

/* How much of count @index of the store in @samples is new. */
uint64_t export_baseline_stack(const struct export_baseline *b, const char *samples,
			       const struct stack_snapshot *now, uint32_t index);

#endif
