// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stack.c - copy a thread's stack, wherever it is and whatever the thread is doing
 *
 * A thread on its own stack copies it when a signal asks for it, and so it does on an alternate
 * signal stack, with what is below that. On another one (a coroutine's, or the stack of a thread
 * with unknown bounds) it may answer with its stack pointer only; the mapping is looked up outside
 * the handler, and the thread is asked again. [SM-32]
 */
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
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

/* [SM-33] */
bool copy_blocked(struct copy_target *t, struct stack_buffer *buffer, struct stack_copy *ret)
{
	struct copy_blocked where;
	struct copy_range range;
	bool is_cut;
	uintptr_t low;
	size_t used;
	ssize_t n = 0;

	memset(ret, 0, sizeof(*ret));
	ret->time_ns = copy_clock();
	if (!copy_read_blocked(t->thread.tid, &where) || !range_at(t, where.sp, &range))
		return false;
	used = copy_part(&range, where.sp, buffer->size, &low, &is_cut);
	if (used) {
		struct iovec to = { buffer->bytes + low % 16, used };
		struct iovec from = { (void *)low, used };

		n = syscall(SYS_process_vm_readv, getpid(), &to, 1ul, &from, 1ul, 0ul);
		if (n <= 0)
			return false;
	}
	if (!has_not_run(t->thread.tid, &where))
		return false;
	copy_registers_blocked(where.pc, where.sp, &ret->regs);
	ret->status = is_cut ? SAMPLER_BUFFER : SAMPLER_WHOLE;
	ret->stack = (struct sampler_stack){ .low = low, .high = low + n,
					     .copy = buffer->bytes + low % 16 };
	stack_buffer_used(buffer, n);
	return true;
}

/* --- with a signal --- */

static bool make_slot(struct copy_target *t)
{
	uintptr_t random = getauxval(AT_RANDOM);

	if (t->slot)
		return true;
	t->slot = copy_slot_new(t->thread.tid);
	t->slot_serial = t->slot ? t->slot->serial : 0;
	/* the main thread's stack need not be asked for: the kernel has put these bytes there */
	if (t->slot && t->thread.tid == getpid() && !t->thread.stack_high && random)
		find_other(t, random);
	return t->slot;
}

static void fill(struct copy_target *t, const struct copy_order *order)
{
	t->attempt = 1;
	t->buffer = order->buffer;
	t->slot->request = (struct copy_request){
		.own = own_range(t), .other = other_range(t),
		.to = order->buffer->bytes, .room = order->buffer->size,
		.hooks = order->hooks, .nr_hooks = order->nr_hooks,
	};
}

static enum sampler_status failure(int err)
{
	return err == -ESRCH ? SAMPLER_GONE : err == -EBUSY ? SAMPLER_BLOCKED : SAMPLER_FAILED;
}

static bool fail(enum sampler_status status, struct stack_copy *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->status = status;
	ret->time_ns = copy_clock();
	return true;
}

bool copy_ask(struct copy_target *t, const struct copy_order *order, struct stack_copy *ret)
{
	int err;

	if (!make_slot(t))
		return fail(SAMPLER_FAILED, ret);
	fill(t, order);
	err = copy_slot_ask(t->slot);
	return err && fail(failure(err), ret);
}

void copy_expect(struct copy_target *t, const struct copy_order *order, uint64_t cpu_due)
{
	fill(t, order);
	copy_slot_open(t->slot, cpu_due);
}

/* If the first signal is due already, it comes at once. */
int copy_start_timer(struct copy_target *t, const struct copy_order *order, uint64_t first_ns,
		     uint64_t interval_ns)
{
	int err;

	if (!make_slot(t))
		return -ENOMEM;
	copy_expect(t, order, first_ns);
	err = copy_slot_start_timer(t->slot, first_ns, interval_ns);
	if (err)
		copy_slot_withdraw(t->slot);
	return err;
}

static void take_answer(struct copy_target *t, struct stack_copy *ret)
{
	const struct copy_answer *a = &t->slot->answer;
	unsigned char *to = t->slot->request.to;

	memset(ret, 0, sizeof(*ret));
	ret->regs = a->regs;
	ret->time_ns = a->time_ns;
	ret->cpu_ns = a->cpu_ns;
	ret->still_ns = a->still_ns;
	ret->stack = (struct sampler_stack){
		.low = a->low, .high = a->high, .copy = to + a->low % 16,
		.outer_low = a->outer_low, .outer_high = a->outer_high,
		.outer_copy = to + copy_outer_offset(a),
	};
	ret->status = a->outcome == COPY_DONE || a->high > a->low
		    ? a->outcome == COPY_CUT ? SAMPLER_BUFFER : SAMPLER_WHOLE
		    : a->outcome == COPY_CUT ? SAMPLER_BUFFER : SAMPLER_FOREIGN_STACK;
	stack_buffer_used(t->buffer, copy_outer_offset(a) + (a->outer_high - a->outer_low));
}

/* On a stack that was not known: look it up, and ask again. */
static bool ask_again(struct copy_target *t)
{
	struct copy_slot *slot = t->slot;

	if (slot->answer.outcome != COPY_ELSEWHERE || slot->request.is_last)
		return false;
	find_other(t, slot->answer.unknown_sp);
	slot->request.other = other_range(t);
	slot->request.is_last = ++t->attempt == ATTEMPTS;
	return !copy_slot_ask(slot);
}

bool copy_take(struct copy_target *t, struct stack_copy *ret)
{
	if (!t->slot || !copy_slot_is_answered(t->slot))
		return false;
	t->thread_pointer = t->slot->answer.thread_pointer;
	if (ask_again(t))
		return false;
	take_answer(t, ret);
	/* answered once */
	atomic_store(&t->slot->word, 0);
	return true;
}

bool copy_withdraw(struct copy_target *t)
{
	return !t->slot || copy_slot_withdraw(t->slot);
}

enum copy_reach copy_reach(const struct copy_target *t)
{
	bool is_pending, is_blocked;

	if (!copy_signal_is_ours())
		return COPY_IS_BLOCKED;
	if (!copy_read_signal(t->thread.tid, copy_signal(), &is_pending, &is_blocked))
		return COPY_IS_GONE;
	/* in the handler all signals are blocked */
	if (!is_pending || atomic_load(&t->slot->is_served))
		return COPY_IS_OPEN;
	return is_blocked ? COPY_IS_BLOCKED : COPY_IS_PENDING;
}

/* After a fork the slot may be another target's. */
void copy_release(struct copy_target *t)
{
	if (t->slot && t->slot->serial == t->slot_serial)
		copy_slot_free(t->slot);
	t->slot = NULL;
}
