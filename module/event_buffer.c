// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_buffer.c - pass words from the sync to the reader, and wake it (event_buffer.h)
 *
 * No wake-up is lost: words are published, or the flush flag set, before wake_up(), and the reader
 * checks both after it has queued itself.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include "module/event_buffer.h"

static struct op_words words;
static size_t seen;		/* tail when the last read began */
static struct op_emitted emitted;
static size_t wake_at;		/* unread words at which the reader is woken */
static bool loaded_note_due;	/* the reader has to read /proc/modules */
static struct op_words_stack stack;	/* of the current sample */

static DECLARE_WAIT_QUEUE_HEAD(readers);
static DEFINE_MUTEX(read_mutex);	/* between threads that share the one open file */
static bool flush;		/* return what there is, below the watershed too */

int op_event_alloc(unsigned long size, unsigned long watershed, unsigned long depth)
{
	unsigned long nr = roundup_pow_of_two(size);
	unsigned long record = depth ? OP_WORDS_STACK(depth) : OP_WORDS_RECORD;
	op_word *w;

	if (!watershed || watershed >= size || record + OP_WORDS_RESERVE >= size)
		return -EINVAL;
	w = kvcalloc(nr, sizeof(*w), GFP_KERNEL | __GFP_NOWARN);
	if (!w)
		return -ENOMEM;
	op_words_init(&words, w, nr, size);
	seen = 0;
	if (depth) {
		stack.words = kvcalloc(record, sizeof(*stack.words), GFP_KERNEL | __GFP_NOWARN);
		if (!stack.words) {
			op_event_free();
			return -ENOMEM;
		}
	}
	wake_at = size - watershed;
	/* samples never fill the room reserved for module notes */
	if (wake_at > size - OP_WORDS_RESERVE - record)
		wake_at = size - OP_WORDS_RESERVE - record;
	loaded_note_due = false;
	flush = false;
	op_event_reset_context();
	return 0;
}

void op_event_free(void)
{
	kvfree(stack.words);
	kvfree(words.words);
	stack.words = NULL;
	words.words = NULL;
}

void op_event_reset_context(void)
{
	memset(&emitted, 0, sizeof(emitted));
}

/* After notes of modules found at set-up, or one that was lost for lack of room. [EB-8] */
static void report_loaded(void)
{
	const op_word note[] = { OP_ESCAPE, OP_MODULE_LOADED };

	if (loaded_note_due && op_words_put(&words, note, ARRAY_SIZE(note), 0))
		loaded_note_due = false;
}

bool op_event_sample(const struct op_context *c, u64 address, u32 event)
{
	report_loaded();
	return op_words_sample(&words, &emitted, c, address, event);
}

bool op_event_ibs(const struct op_context *c, u64 address, u32 code, const u64 *data, u32 nr)
{
	report_loaded();
	return op_words_ibs(&words, &emitted, c, address, code, data, nr);
}

void op_event_stack_begin(const struct op_context *c, u64 address, u32 event)
{
	report_loaded();
	op_words_stack_begin(&stack, &emitted, c);
	op_words_stack_sample(&stack, address, event);
}

void op_event_stack_begin_ibs(const struct op_context *c, u64 address, u32 code, const u64 *data,
			      u32 nr)
{
	report_loaded();
	op_words_stack_begin(&stack, &emitted, c);
	op_words_stack_ibs(&stack, address, code, data, nr);
}

void op_event_stack_caller(const struct op_context *c, u64 address)
{
	op_words_stack_caller(&stack, c, address);
}

bool op_event_stack_end(u32 end)
{
	return op_words_stack_end(&words, &emitted, &stack, end);
}

void op_event_module(bool came, u64 start, u64 size, const char *name)
{
	if (!op_words_module(&words, came, start, size, name))
		loaded_note_due = true;
}

void op_event_module_found(u64 start, u64 size, const char *name)
{
	op_words_module_found(&words, start, size, name);
	loaded_note_due = true;
}

bool op_event_want_table(op_word cookie)
{
	const op_word note[] = { OP_ESCAPE, OP_WANT_TABLE, cookie };

	return op_words_put(&words, note, ARRAY_SIZE(note), OP_WORDS_RESERVE);
}

bool op_event_cookie_end(op_word cookie, size_t *ret_at)
{
	const op_word note[] = { OP_ESCAPE, OP_COOKIE_END, cookie };

	if (!op_words_put(&words, note, ARRAY_SIZE(note), OP_WORDS_RESERVE))
		return false;
	*ret_at = words.head;
	return true;
}

size_t op_event_seen(void)
{
	return READ_ONCE(seen);
}

void op_event_wake_if_full(void)
{
	if (op_words_used(&words) >= wake_at)
		wake_up_interruptible(&readers);
}

void op_event_flush(void)
{
	smp_store_release(&flush, true);	/* after the words */
	wake_up_interruptible(&readers);
}

static bool ready(void)
{
	return smp_load_acquire(&flush) || op_words_used(&words) >= wake_at;
}

/* Copy at most @len bytes of whole words, in up to two pieces because the buffer wraps. */
static ssize_t take(char __user *buf, size_t len)
{
	size_t done = 0, n;
	const op_word *from;

	while ((n = op_words_peek(&words, &from, (len - done) / sizeof(*from)))) {
		if (copy_to_user(buf + done, from, n * sizeof(*from)))
			return done ? done : -EFAULT;
		op_words_consume(&words, n);
		done += n * sizeof(*from);
	}
	return done;
}

/* [EB-11] to [EB-14] */
ssize_t op_event_read(struct file *file, char __user *buf, size_t len)
{
	ssize_t done;
	bool flushing;

	if (len < sizeof(op_word))
		return -EINVAL;
	WRITE_ONCE(seen, READ_ONCE(words.tail));
	if (!(file->f_flags & O_NONBLOCK) && wait_event_interruptible(readers, ready()))
		return -ERESTARTSYS;
	if (mutex_lock_interruptible(&read_mutex))
		return -ERESTARTSYS;
	flushing = xchg(&flush, false);		/* before head is read: a later flush persists */
	done = take(buf, len);
	if (flushing && (done < 0 || op_words_used(&words)))
		WRITE_ONCE(flush, true);	/* the next read returns the rest */
	mutex_unlock(&read_mutex);
	if (!done && (file->f_flags & O_NONBLOCK))
		return -EAGAIN;
	return done;
}

__poll_t op_event_poll(struct file *file, struct poll_table_struct *wait)
{
	poll_wait(file, &readers, wait);
	return ready() ? EPOLLIN | EPOLLRDNORM : 0;
}
