// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stack.c - copy a thread's stack, wherever it is and whatever the thread is doing
 *
 * A thread on its own stack copies it when a signal asks for it. On another one (an alternate
 * signal stack, a coroutine's, or any stack of a thread with unknown bounds) it answers with its
 * stack pointer; the mapping is looked up outside the handler, and the thread is asked again.
 * [SM-32]
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "libsampler/copy/copy.h"

/* Bytes to copy of a stack with an unknown end: a mapping may hold many stacks. */
#define UNKNOWN_MOST	(64 << 10)
/* Requests to a thread that keeps changing stacks. */
#define ATTEMPTS	3

static bool is_in(uintptr_t low, uintptr_t high, uintptr_t address)
{
	return address >= low && address < high;
}

static struct copy_range own_range(const struct copy_target *t)
{
	return (struct copy_range){ t->thread.stack_low, t->thread.stack_high, 0 };
}

static struct copy_range other_range(const struct copy_target *t)
{
	return (struct copy_range){ t->other_low, t->other_high,
				    t->other_is_whole ? 0 : UNKNOWN_MOST };
}

/*
 * The C library keeps a thread's data at the end of the stack that it allocates. So the end is
 * known even if adjacent mappings look like one.
 */
static bool find_other(struct copy_target *t, uintptr_t sp)
{
	uintptr_t low, high;
	bool is_stack;

	t->other_low = t->other_high = 0;
	if (!copy_find_mapping(sp, &low, &high, &is_stack))
		return false;
	t->other_is_whole = is_stack;
	if (t->thread_pointer > sp && t->thread_pointer < high) {
		high = t->thread_pointer;
		t->other_is_whole = true;
	}
	t->other_low = low;
	t->other_high = high;
	return true;
}

/* --- without a signal --- */

static bool range_at(struct copy_target *t, uintptr_t sp, struct copy_range *ret)
{
	if (is_in(t->thread.stack_low, t->thread.stack_high, sp)) {
		*ret = own_range(t);
		return true;
	}
	if (!is_in(t->other_low, t->other_high, sp) && !find_other(t, sp))
		return false;
	*ret = other_range(t);
	return true;
}

static bool has_not_run(pid_t tid, const struct copy_blocked *before)
{
	struct copy_blocked after;

	return copy_read_blocked(tid, &after) && !strcmp(before->call, after.call) &&
	       !strcmp(before->runs, after.runs);
}

static void run_hooks(const struct copy_request *r)
{
	for (size_t i = 0; i < r->nr_hooks; i++)
		r->hooks[i].run(r->hooks[i].context);
}

/* False: it is not blocked, or not all the time; nothing is done. [SM-33] */
static bool copy_blocked(struct copy_target *t, const struct copy_request *r,
			 struct stack_copy *ret)
{
	struct copy_blocked where;
	struct copy_range range;
	uintptr_t low;
	size_t used;
	ssize_t n = 0;

	ret->time_ns = copy_clock();
	if (!copy_read_blocked(r->tid, &where) || !range_at(t, where.sp, &range))
		return false;
	used = copy_part(&range, where.sp, r->room, &low);
	if (used) {
		struct iovec to = { r->to + low % 16, used };
		struct iovec from = { (void *)low, used };

		n = syscall(SYS_process_vm_readv, getpid(), &to, 1ul, &from, 1ul, 0ul);
		if (n <= 0)
			return false;
	}
	if (!has_not_run(r->tid, &where))
		return false;
	run_hooks(r);
	copy_registers_blocked(where.pc, where.sp, &ret->regs);
	ret->status = used ? SAMPLER_WHOLE : SAMPLER_BUFFER;
	ret->stack = (struct sampler_stack){ low, low + n, r->to + low % 16 };
	return true;
}

/* --- with a signal --- */

static void take_answer(const struct copy_answer *a, const struct copy_request *r,
			struct stack_copy *ret)
{
	ret->regs = a->regs;
	ret->time_ns = a->time_ns;
	ret->stack = (struct sampler_stack){ a->low, a->high, r->to + a->low % 16 };
	ret->status = a->outcome == COPY_DONE	 ? SAMPLER_WHOLE :
		      a->outcome == COPY_TOO_BIG ? SAMPLER_BUFFER :
						   SAMPLER_FOREIGN_STACK;
}

static enum sampler_status failure(struct copy_target *t, int err)
{
	if (err == -ESRCH)
		return SAMPLER_GONE;
	if (err == -EBUSY)
		return SAMPLER_BLOCKED;
	if (err != -ETIMEDOUT)
		return SAMPLER_FAILED;
	t->was_late = true;
	return SAMPLER_BLOCKED;
}

static void copy_with_signal(struct copy_target *t, struct copy_request *r, struct stack_copy *ret)
{
	struct copy_answer a;

	for (int attempt = 1;; attempt++) {
		int err;

		r->own = own_range(t);
		r->other = other_range(t);
		r->is_last = attempt == ATTEMPTS;
		err = copy_ask(r, &a);
		if (err) {
			ret->status = failure(t, err);
			ret->time_ns = copy_clock();
			return;
		}
		t->was_late = false;
		t->thread_pointer = a.thread_pointer;
		if (a.outcome != COPY_ELSEWHERE || r->is_last)
			break;
		find_other(t, a.regs.sp);
	}
	take_answer(&a, r, ret);
}

void copy_stack(struct copy_target *target, struct stack_buffer *buffer, bool spare,
		const struct copy_hook *hooks, size_t nr_hooks, struct stack_copy *ret)
{
	struct copy_request r = { .tid = target->thread.tid, .to = buffer->bytes,
				  .room = buffer->size, .hooks = hooks, .nr_hooks = nr_hooks };

	memset(ret, 0, sizeof(*ret));
	stack_buffer_trim(buffer, buffer->used);
	buffer->used = 0;
	if (target->was_late && copy_is_pending(r.tid, copy_signal())) {
		/* it has not run since: do not wait for it again */
		ret->status = SAMPLER_BLOCKED;
		ret->time_ns = copy_clock();
	} else if (!spare || !copy_blocked(target, &r, ret)) {
		copy_with_signal(target, &r, ret);
	}
	buffer->used = ret->stack.high - ret->stack.low;
}
