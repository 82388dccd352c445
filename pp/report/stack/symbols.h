/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols.h - which function a frame of a session's stack store is in */
#ifndef PP_REPORT_STACK_SYMBOLS_H
#define PP_REPORT_STACK_SYMBOLS_H

#include "pp/report/stack/report.h"

struct stack_symbols;

/* For stack_symbols_image() alone @options and @r may be NULL. */
struct stack_symbols *stack_symbols_new(struct collection *c, const struct stacks_options *options,
					struct stack_report *r, struct notices *notices);
void stack_symbols_free(struct stack_symbols *s);

/* What follows is about the images of @session's @snapshot, which both stay where they are. */
void stack_symbols_session(struct stack_symbols *s, const struct report_session *session,
			   const struct stack_snapshot *snapshot);

/* Image @index of the snapshot. */
struct report_image *stack_symbols_image(const struct stack_symbols *s, uint32_t index);

/* The index of @frame's function among the report's symbols. */
uint32_t stack_symbol_of(struct stack_symbols *s, const struct stack_frame *frame);

/* That of stacks that ended so; STACK_NONE for those that are whole. */
uint32_t stack_symbol_of_end(struct stack_symbols *s, unsigned int end);

#endif
