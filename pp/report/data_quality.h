/* SPDX-License-Identifier: GPL-2.0-or-later */
/* data_quality.h - what sessions say about samples that were lost or can have no names */
#ifndef PP_REPORT_DATA_QUALITY_H
#define PP_REPORT_DATA_QUALITY_H

#include "pp/select/notices.h"
#include "pp/select/sessions.h"

/* For reports without header lines: which events' counts are scaled [ME-2]. */
void multiplexed_notices(const struct session_list *sessions, struct notices *notices);

/* For reports of calls: how many stacks are not whole, if that is more than one in a hundred. */
void stack_notices(const struct session_list *sessions, struct notices *notices);

void data_quality_notices(const struct session_list *sessions, struct notices *notices);

#endif
