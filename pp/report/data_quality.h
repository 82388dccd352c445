/* SPDX-License-Identifier: GPL-2.0-or-later */
/* data_quality.h - notices about samples of a session that were lost or have no symbols */
#ifndef PP_REPORT_DATA_QUALITY_H
#define PP_REPORT_DATA_QUALITY_H

#include "pp/select/notices.h"
#include "pp/select/sessions.h"

/* For reports without a header: the events whose counts are scaled [ME-2]. */
void multiplexed_notices(const struct session_list *sessions, struct notices *notices);

/*
 * [CG-8] Of @ends, sample_counts.stacks, how many stacks are incomplete, of how many whose end is
 * known. True: so many that reports warn.
 */
bool many_stacks_incomplete(const uint64_t *ends, uint64_t *ret_incomplete, uint64_t *ret_all);

/* For reports of calls: how many stacks are incomplete, if they are many. */
void stack_notices(const struct session_list *sessions, struct notices *notices);

void data_quality_notices(const struct session_list *sessions, struct notices *notices);

#endif
