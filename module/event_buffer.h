/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_buffer.h - the one buffer the daemon reads
 *
 * The sync writes words (words.h) under its mutex, and read() on the file "buffer" removes them,
 * without a lock between the two. The reader is woken when no more than the watershed is free,
 * and by a dump or stop. Rules: doc/event-buffer.md.
 */
#ifndef MODULE_EVENT_BUFFER_H
#define MODULE_EVENT_BUFFER_H

#include <linux/fs.h>
#include "module/words.h"

/*
 * 0, -ENOMEM, or -EINVAL: not 0 < @watershed < @size (words), or a sample with @depth callers would
 * never fit.								[task]
 */
int op_event_alloc(unsigned long size, unsigned long watershed, unsigned long depth);
void op_event_free(void);						/* [task] no reader left */

/* Repeat the whole context before the next sample. [EB-4]		[task] the sync */
void op_event_reset_context(void);

/* false: the buffer was full, the sample is lost.			[task] the sync */
bool op_event_sample(const struct op_context *c, u64 address, u32 event);

/* As op_event_sample(), with a record (op_words_ibs()).		[task] the sync */
bool op_event_ibs(const struct op_context *c, u64 address, u32 code, const u64 *data, u32 nr);

/*
 * A sample with its callers: begin, at most op_event_alloc()'s @depth callers, end. Without the end
 * nothing is written.							[task] the sync
 */
void op_event_stack_begin(const struct op_context *c, u64 address, u32 event);
void op_event_stack_begin_ibs(const struct op_context *c, u64 address, u32 code, const u64 *data,
			      u32 nr);
void op_event_stack_caller(const struct op_context *c, u64 address);
bool op_event_stack_end(u32 end);	/* false: as op_event_sample() */

/* A module was loaded or unloaded. [EB-8]			[task] sync mutex held */
void op_event_module(bool came, u64 start, u64 size, const char *name);

/* A module was loaded before set-up. [EB-8]			[atomic] sync mutex held */
void op_event_module_found(u64 start, u64 size, const char *name);

/* Code of @cookie needs a table. [EB-48] false: as op_event_sample().	[task] the sync */
bool op_event_want_table(op_word cookie);

/*
 * The last words that refer to @cookie are in the buffer. [EB-51] false: as op_event_sample().
 * *ret_at: the number of words ever written, this note included. The reader is done with it once
 * op_event_seen() has reached that.					[task] the sync
 */
bool op_event_cookie_end(op_word cookie, size_t *ret_at);
size_t op_event_seen(void);	/* words read before the last read began	[task] */

void op_event_wake_if_full(void);	/* wake the reader if the watershed is reached [task] */
void op_event_flush(void);		/* wake the reader in any case [task] */

ssize_t op_event_read(struct file *file, char __user *buf, size_t len);	/* [task] */
__poll_t op_event_poll(struct file *file, struct poll_table_struct *wait);	/* [task] */

#endif
