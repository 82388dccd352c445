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
 * read up to the first sample of the new generation. A sample whose process is exiting or holds its
 * mmap_lock is set aside for the next pass, with what it needs, so that no process delays those of
 * others; if it has waited for long, it is translated as far as possible.
 *
 * Lock order: state mutex (core.c) > sync mutex > mmap_lock > cookie mutex > image mutex
 * (unwind_tables.c) and pins' raw lock.
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
#define PATIENCE	(HZ / 4)	/* how long a sample is set aside */
#define NR_TIMES	64		/* generations whose end is known; older ones are overdue */
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
static unsigned long ended_at[NR_TIMES];	/* jiffies, by generation */

/* A pass over all rings. */
struct pass {
	u32 old;			/* the last generation that is read */
	u32 upto;			/* nothing needs what generations up to this one pinned */
	bool final;			/* set nothing aside */
	bool done;			/* nothing was */
	unsigned int sleeps_left;
};

/* When this returns, all samples taken under an older generation than the new one are in rings. */
static u32 new_generation(void)
{
	u32 old = op_generation;
	unsigned int cpu;

	ended_at[old % NR_TIMES] = jiffies;
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
	u32 i, end, code = op_record_code(e), nr = 0;
	u64 data[OP_RING_DATA];

	if (op_entry_is_record(e))
		for (nr = op_record_data(e), i = 0; i < nr; i++)
			data[i] = op_ring_peek(p->ring, 1 + i)->value;
	switch (e->kind) {
	case OP_ENTRY_RECORD:
		return op_event_ibs(&p->context, p->address, code, data, nr) ? 0 : -ENOSPC;
	case OP_ENTRY_SAMPLE:
		return op_event_sample(&p->context, p->address, e->event) ? 0 : -ENOSPC;
	case OP_ENTRY_RECORD_STACK:
		op_event_stack_begin_ibs(&p->context, p->address, code, data, nr);
		break;
	default:
		op_event_stack_begin(&p->context, p->address, e->event);
	}
	if (write_callers(p, e->small, &end))
		return -EAGAIN;
	return op_event_stack_end(end) ? 0 : -ENOSPC;
}

static enum op_stat loss_of(int err)
{
	switch (err) {
	case -ESRCH:
		return OP_STAT_LOST_NO_MM;
	case -ENODATA:
		return OP_STAT_LOST_NO_IMAGE;
	default:
		return OP_STAT_LOST_NO_MAPPING;
	}
}

/* Deliver or count the first sample of a CPU's ring. 0, or -EAGAIN: try again later. */
static int sync_sample(unsigned int cpu, const struct op_ring *r, struct op_walk *w,
		       const struct op_owner *o, bool final)
{
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
	if (err == -EAGAIN)
		return err;
	if (err) {
		fate = loss_of(err);
	} else {
		p.context.app = op_walk_app(w);
		p.context.cookie = place.cookie;
		p.context.anon = place.anon;
		p.address = place.address;
		err = deliver(&p);
		if (err == -EAGAIN)
			return err;
		if (err)
			fate = OP_STAT_LOST_EVENT_OVERFLOW;
	}
	op_count(cpu, fate);
	return 0;
}

static bool is_overdue(const struct pass *pass, const struct op_owner *o)
{
	return pass->final || pass->old - o->generation >= NR_TIMES ||
	       time_after(jiffies, ended_at[o->generation % NR_TIMES] + PATIENCE);
}

/* Keep the first sample of @r for the next pass. false: no room. */
static bool set_aside(struct pass *pass, struct op_cpu_buffer *b, const struct op_ring *r,
		      const struct op_owner *o)
{
	if (!op_ring_copy(&b->aside, r, o))
		return false;
	pass->done = false;
	if ((s32)(o->generation - 1 - pass->upto) < 0)
		pass->upto = o->generation - 1;
	return true;
}

/* Deliver, count or set aside the first sample of @r. */
static void move_sample(struct pass *pass, unsigned int cpu, const struct op_ring *r,
			struct op_walk *w, const struct op_owner *o)
{
	bool overdue = is_overdue(pass, o);

	if (sync_sample(cpu, r, w, o, overdue) &&
	    !set_aside(pass, &per_cpu(op_cpu_buffers, cpu), r, o))
		sync_sample(cpu, r, w, o, true);
}

/*
 * Read one ring, at most @left entries, up to the first sample newer than the pass's. @o: the owner
 * of its next samples.
 */
static void drain(struct pass *pass, unsigned int cpu, struct op_ring *r, struct op_owner *o,
		  u32 left)
{
	struct op_walk w = { .sleeps_left = &pass->sleeps_left };
	u32 used;

	op_event_reset_context();
	op_walk_begin(&w, o->mm);
	for (; left; left -= used) {
		const struct op_entry *e = op_ring_peek(r, 0);

		used = 1;
		if (e->kind == OP_ENTRY_TASK) {
			const struct op_entry *more = op_ring_peek(r, 1);

			if ((s32)((u32)more->value - pass->old) > 0)
				break;
			used = 2;
			o->mm = e->value;
			o->tid = e->small;
			o->generation = more->value;
			o->tgid = more->small;
			op_walk_begin(&w, o->mm);
		} else if (e->kind == OP_ENTRY_MODE) {
			o->user = e->value;
		} else {
			move_sample(pass, cpu, r, &w, o);
			used = op_ring_sample_entries(r);
		}
		op_ring_consume(r, used);
	}
	op_walk_end(&w);
}

/* Only after the first sample of @cookie is in the buffer does the reader know it. */
static bool want_table(op_word cookie)
{
	return (cookie == OP_COOKIE_VDSO || op_cookie_is_known(cookie)) &&
	       op_event_want_table(cookie);
}

/* What is set aside again is behind what there is now. */
static void drain_cpu(struct pass *pass, unsigned int cpu)
{
	struct op_cpu_buffer *b = &per_cpu(op_cpu_buffers, cpu);
	u32 nr = op_ring_filled(&b->aside);

	if (nr)
		drain(pass, cpu, &b->aside, &b->aside_reader, nr);
	drain(pass, cpu, &b->ring, &b->reader, op_ring_filled(&b->ring));
}

/* One pass over all rings. false: some samples remain for the next. */
static bool sync_pass(bool final)
{
	struct pass pass = { .final = final, .done = true, .sleeps_left = OP_WALK_SLEEPS };
	unsigned int cpu;
	bool is_urgent;

	mutex_lock(&sync_mutex);
	pass.upto = pass.old = new_generation();
	op_cookies_begin_pass();
	for_each_possible_cpu(cpu)
		drain_cpu(&pass, cpu);
	op_pins_drop(pass.upto);
	/* the reader should push tables soon, not when the buffer is full */
	is_urgent = op_images_report_missed(want_table);
	is_urgent |= op_cookies_end_pass(op_image_release);
	if (is_urgent)
		op_event_flush();
	else
		op_event_wake_if_full();
	mutex_unlock(&sync_mutex);
	return pass.done;
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

void op_sync_lock(void)
{
	mutex_lock(&sync_mutex);
}

void op_sync_unlock(void)
{
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
