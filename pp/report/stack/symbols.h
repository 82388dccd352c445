/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols.h - functions of the frames in a session's stack store */
#ifndef PP_REPORT_STACK_SYMBOLS_H
#define PP_REPORT_STACK_SYMBOLS_H

#include "pp/binary/line/binary.h"
#include "pp/report/stack/report.h"

struct stack_symbols;

/* @options and @r may be NULL if no symbols are looked up. */
struct stack_symbols *stack_symbols_new(struct collection *c, const struct stacks_options *options,
					struct stack_report *r, struct notices *notices);
void stack_symbols_free(struct stack_symbols *s);

/* The functions below then refer to @snapshot of @session; both must outlive these calls. */
void stack_symbols_session(struct stack_symbols *s, const struct report_session *session,
			   const struct stack_snapshot *snapshot);

/* Image number @index of the snapshot. */
struct report_image *stack_symbols_image(const struct stack_symbols *s, uint32_t index);

/* The application under which samples in image @index are filed, on behalf of @context. */
const struct image_name *stack_symbols_app(const struct stack_symbols *s, uint32_t context,
					   uint32_t index);

/* Before the first stack_symbols_find() of a snapshot: the @nr frames that will be looked up. */
void stack_symbols_prepare(struct stack_symbols *s, const uint32_t *frames, size_t nr);

/*
 * The indices of @frame's function and of those inlined into it, outermost first, among the
 * report's symbols. Returns how many: 1 to ROW_IDS_MAX.
 */
size_t stack_symbols_find(struct stack_symbols *s, const struct stack_frame *frame,
			  uint32_t ret[ROW_IDS_MAX]);

/* The place of @frame in its binary: pp/binary/binary.h. */
uint64_t stack_symbols_place(struct stack_symbols *s, const struct stack_frame *frame);

/* The lines of places in @frame's image; NULL: there are none. @cache_dir may be NULL. */
struct line_binary *stack_symbols_lines(struct stack_symbols *s, const struct stack_frame *frame,
					const char *cache_dir);

/* The program of a process, which stands above an incomplete stack [CT-6]. */
uint32_t stack_symbols_find_process(struct stack_symbols *s, uint32_t image);

/* The symbol for stacks with that end; STACK_NONE if they are complete. */
uint32_t stack_symbols_find_end(struct stack_symbols *s, unsigned int end);

#endif
