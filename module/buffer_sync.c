// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * buffer_sync.c - move samples from the CPU rings to the event buffer
 *
 * An address means nothing once its process is gone, so each one is turned into (image, offset)
 * here, while the process still exists. That needs to sleep and taking a sample must not: hence the
 * rings in between.
 *
 * A pass begins a new generation and waits for interrupts that may have seen the old one. This
 * costs a full barrier per sample, but no RCU grace period ten times a second. Then each ring is
 * read up to the first sample of the new generation. At a process that is exiting, reading stops
 * for now and what its samples need is kept for the next pass.
 *
 * Lock order: state mutex (core.c) > sync mutex > mmap_lock > cookie mutex > pins' raw lock.
 * The worker never takes the state mutex, so that one may be held while waiting for the worker.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include "module/buffer_sync.h"
#include "module/cpu_buffer.h"
#include "module/dcookie.h"
#include "module/event_buffer.h"
#include "module/pins.h"
#include "module/stats.h"
#include "module/translate.h"
#include "module/unwind_tables.h"

#define SYNC_PERIOD	(HZ / 10)
#define SOON		DIV_ROUND_UP(HZ, 100)
#define PATIENCE	(HZ / 4)	/* how long one process may block a ring */
#define FLUSH_PASSES	100
#define FLUSH_PAUSE_MS	5

u32 op_generation = 1;

static void sync_worker(struct work_struct *work);
static void kick_worker(struct irq_work *work);

static struct workqueue_struct *queue;
static DECLARE_DELAYED_WORK(sync_work, sync_worker);
static struct irq_work kick_work;
static DEFINE_MUTEX(sync_mutex);
static bool running;
static int kicked;		/* urgency requested and not yet served */
static atomic_t nr_flushing = ATOMIC_INIT(0);

/* When this returns, all samples taken under an older generation than the new one are in rings. */
static u32 new_generation(void)
{
	u32 old = op_generation;
	unsigned int cpu;

	WRITE_ONCE(op_generation, old + 1 ?: 1);
	smp_mb();			/* B, pairs with A in op_ring_enter() */
	for_each_possible_cpu(cpu) {
		struct op_cpu_buffer *b = &per_cpu(op_cpu_buffers, cpu);
		u32 turn = op_ring_turn(&b->ring);

		while (!op_ring_quiet(&b->ring, turn))
			usleep_range(20, 50);
		irq_work_sync(&b->pin_work);
	}
	return old;
}

/* A sample on its way from its ring to the event buffer. */
struct transfer {
	unsigned int cpu;
	const struct op_ring *ring;		/* the sample is its first */
	struct op_walk *walk;
	bool final;				/* no retry: translate it now or lose it */
	struct op_context context;
	u64 address;
};

/* In code whose image was not known yet, a frame pointer may hold anything. [FS-62] */
static u32 end_before_no_code(u32 end)
{
	if ((end & OP_STACK_END_MASK) == OP_STACK_NO_MAPS)
		return end;
	return OP_STACK_BAD_FRAME | (end & OP_STACK_FRAME_POINTERS);
}

/* Write the callers of a sample whose stack was begun. 0, and how the stack ends; or -EAGAIN. */
static int write_callers(struct transfer *p, u32 sequence, u32 *ret_end)
{
	const struct op_stack stack = op_ring_stack(p->ring);
	struct op_context c = p->context;
	u32 i;

	*ret_end = stack.end;
	for (i = 0; i < stack.nr; i++) {
		u64 address = op_ring_caller(p->ring, i);
		struct op_place place = { .address = address };
		int err = 0;

		c.user = i >= stack.nr_kernel;
		if (c.user) {
			err = op_walk_caller(p->walk, address, sequence, p->final, &place);
			if (err == -EAGAIN)
				return err;
			c.cookie = place.cookie;
			c.anon = place.anon;
		}
		if (err == -ESRCH && i == stack.nr_kernel) {
			*ret_end = OP_STACK_NO_USER;
			return 0;
		}
		if (err) {
			op_count(p->cpu, OP_STAT_CALLER_NO_MAPPING);
			*ret_end = end_before_no_code(stack.end);
			return 0;
		}
		op_event_stack_caller(&c, place.address);
	}
	return 0;
}

/* Write the sample. 0; -ENOSPC: no room; -EAGAIN: try again later. */
static int deliver(struct transfer *p)
{
	const struct op_entry *e = op_ring_peek(p->ring, 0);
	u32 i, end, nr = op_record_data(e);
	u64 data[OP_RING_DATA];
	bool written;

	switch (e->kind) {
	case OP_ENTRY_RECORD:
		for (i = 0; i < nr; i++)
			data[i] = op_ring_peek(p->ring, 1 + i)->value;
		written = op_event_ibs(&p->context, p->address, op_record_code(e), data, nr);
		break;
	case OP_ENTRY_STACK:
		op_event_stack_begin(&p->context, p->address, e->event);
		if (write_callers(p, e->small, &end))
			return -EAGAIN;
		written = op_event_stack_end(end);
		break;
	default:
		written = op_event_sample(&p->context, p->address, e->event);
	}
	return written ? 0 : -ENOSPC;
}

/* Deliver or count the first sample of a CPU's ring. 0, or -EAGAIN: try again later. */
static int sync_sample(unsigned int cpu, struct op_walk *w, const struct op_owner *o, bool final)
{
	const struct op_ring *r = &per_cpu(op_cpu_buffers, cpu).ring;
	const struct op_entry *e = op_ring_peek(r, 0);
	struct op_place place = { .address = e->value };
	struct transfer p = {
		.cpu = cpu, .ring = r, .walk = w, .final = final,
		.context = { .cpu = cpu, .tid = o->tid, .tgid = o->tgid, .user = o->user },
	};
	enum op_stat fate = OP_STAT_DELIVERED;
	int err = 0;

	if (o->user)
		err = op_walk_user(w, e->value, e->small, final, &place);
	if (err) {
		fate = err == -ESRCH ? OP_STAT_LOST_NO_MM : OP_STAT_LOST_NO_MAPPING;
	} else {
		p.context.app = op_walk_app(w);
		p.context.cookie = place.cookie;
		p.context.anon = place.anon;
		p.address = place.address;
		err = deliver(&p);
		if (err)
			fate = OP_STAT_LOST_EVENT_OVERFLOW;
	}
	if (err == -EAGAIN)
		return err;
	op_count(cpu, fate);
	return 0;
}

/* Whether a blocked ring has waited long enough. */
static bool is_overdue(struct op_cpu_buffer *b)
{
	if (!b->stuck_since)
		b->stuck_since = jiffies | 1;
	return time_after(jiffies, b->stuck_since + PATIENCE);
}

/*
 * Read one ring up to the first sample newer than generation @old. false: samples up to @old
 * remain; the oldest is of generation b->reader.generation.
 */
static bool drain(unsigned int cpu, u32 old, bool final)
{
	struct op_cpu_buffer *b = &per_cpu(op_cpu_buffers, cpu);
	u32 left = op_ring_filled(&b->ring), used;
	struct op_owner *o = &b->reader;
	struct op_walk w = {};
	bool done = true;

	op_event_reset_context();
	op_walk_begin(&w, o->mm);
	for (; left; left -= used) {
		const struct op_entry *e = op_ring_peek(&b->ring, 0);

		used = 1;
		if (e->kind == OP_ENTRY_TASK) {
			const struct op_entry *more = op_ring_peek(&b->ring, 1);

			if ((s32)((u32)more->value - old) > 0)
				break;
			used = 2;
			o->mm = e->value;
			o->tid = e->small;
			o->generation = more->value;
			o->tgid = more->small;
			op_walk_begin(&w, o->mm);
		} else if (e->kind == OP_ENTRY_MODE) {
			o->user = e->value;
		} else if (sync_sample(cpu, &w, o, final) &&
			   (!is_overdue(b) || sync_sample(cpu, &w, o, true))) {
			done = false;
			break;
		} else {
			used = op_ring_sample_entries(&b->ring);
			b->stuck_since = 0;
		}
		op_ring_consume(&b->ring, used);
	}
	op_walk_end(&w);
	return done;
}

/* Only after the first sample of @cookie is in the buffer does the reader know it. */
static bool want_table(op_word cookie)
{
	return (cookie == OP_COOKIE_VDSO || op_cookie_is_known(cookie)) &&
	       op_event_want_table(cookie);
}

/* One pass over all rings. false: some samples remain for the next. */
static bool sync_pass(bool final)
{
	u32 old, upto;
	unsigned int cpu;
	bool done = true;

	mutex_lock(&sync_mutex);
	upto = old = new_generation();
	for_each_possible_cpu(cpu) {
		u32 oldest;

		if (drain(cpu, old, final))
			continue;
		done = false;
		oldest = per_cpu(op_cpu_buffers, cpu).reader.generation;
		if ((s32)(oldest - 1 - upto) < 0)
			upto = oldest - 1;
	}
	op_pins_drop(upto);
	/* the reader should push tables soon, not when the buffer is full */
	if (op_images_report_missed(want_table))
		op_event_flush();
	else
		op_event_wake_if_full();
	mutex_unlock(&sync_mutex);
	return done;
}

static void sync_worker(struct work_struct *work)
{
	int i;

	WRITE_ONCE(kicked, OP_SYNC_IDLE);
	if (!sync_pass(false) && atomic_read(&nr_flushing))
		for (i = 1; i <= FLUSH_PASSES && !sync_pass(i == FLUSH_PASSES); i++)
			msleep(FLUSH_PAUSE_MS);
	if (READ_ONCE(running))
		queue_delayed_work(queue, &sync_work, SYNC_PERIOD);
}

static void kick_worker(struct irq_work *work)
{
	if (READ_ONCE(running))
		mod_delayed_work(queue, &sync_work, READ_ONCE(kicked) == OP_SYNC_NOW ? 0 : SOON);
}

void op_sync_kick(enum op_sync_urgency urgency)
{
	if (READ_ONCE(kicked) >= urgency || !READ_ONCE(running))
		return;
	WRITE_ONCE(kicked, urgency);	/* if two race, the worker still runs */
	irq_work_queue(&kick_work);
}

void op_sync_flush(void)
{
	atomic_inc(&nr_flushing);
	mod_delayed_work(queue, &sync_work, 0);
	flush_delayed_work(&sync_work);
	atomic_dec(&nr_flushing);
}

void op_sync_module(bool came, u64 start, u64 size, const char *name)
{
	op_sync_flush();
	mutex_lock(&sync_mutex);
	op_event_module(came, start, size, name);
	mutex_unlock(&sync_mutex);
}

void op_sync_start(void)
{
	WRITE_ONCE(kicked, OP_SYNC_IDLE);
	WRITE_ONCE(running, true);
	queue_delayed_work(queue, &sync_work, SYNC_PERIOD);
}

void op_sync_stop(void)
{
	WRITE_ONCE(running, false);
	irq_work_sync(&kick_work);
	op_sync_flush();
	cancel_delayed_work_sync(&sync_work);
}

int op_sync_init(void)
{
	init_irq_work(&kick_work, kick_worker);
	queue = alloc_workqueue("oprofile", WQ_UNBOUND | WQ_HIGHPRI, 1);
	return queue ? 0 : -ENOMEM;
}

void op_sync_exit(void)
{
	irq_work_sync(&kick_work);	/* a hook may have kicked just as sampling stopped */
	destroy_workqueue(queue);
}
