// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpu_buffer.c - take a sample in the interrupt
 *
 * A sample may be taken in NMI, where nothing can be locked or waited for. So it goes into the
 * CPU's own ring as a bare address, with a note of the task it was taken in; what it means is
 * found out later, where sleeping is allowed (buffer_sync.c). For that the process must still be
 * known then: it is pinned here (pins.c).
 */
#include <linux/log2.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>
#include "buffer_sync.h"
#include "cpu_buffer.h"
#include "pins.h"
#include "stats.h"
#include "../oprofilefs/op_abi.h"

DEFINE_PER_CPU(struct op_cpu_buffer, op_cpu_buffers);

int op_cpu_buffers_alloc(unsigned long entries)
{
	unsigned int cpu;

	BUILD_BUG_ON(OP_CPU_BUFFER_SIZE_MIN < OP_RING_RECORD + OP_RING_DATA);
	entries = roundup_pow_of_two(entries);
	for_each_possible_cpu(cpu) {
		struct op_cpu_buffer *b = &per_cpu(op_cpu_buffers, cpu);
		struct op_entry *e = vzalloc_node(array_size(entries, sizeof(*e)),
						  cpu_to_node(cpu));

		if (!e) {
			op_cpu_buffers_free();
			return -ENOMEM;
		}
		memset(b, 0, sizeof(*b));
		op_ring_init(&b->ring, e, entries);
		op_irq_work_setup_hard(&b->pin_work, op_pin_work);
	}
	return 0;
}

void op_cpu_buffers_free(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct op_ring *r = &per_cpu(op_cpu_buffers, cpu).ring;

		vfree(r->entries);
		r->entries = NULL;
	}
}

/*
 * The running task's process, pinned or about to be; 0 if it has none, or it can't be pinned: then
 * a sample in user space is counted lost. @in_user: what the interrupt hit.
 */
static u64 pinned_mm(struct op_cpu_buffer *b, const struct op_owner *o, bool in_user)
{
	struct mm_struct *mm = current->mm;

	if (!mm || (current->flags & PF_KTHREAD))
		return 0;
	if (b->pinned_mm == mm && b->pinned_generation == o->generation)
		return (unsigned long)mm;
	if (!in_nmi())
		return op_pin_current(b, o->generation) ? (unsigned long)mm : 0;
	/*
	 * User code runs with interrupts on: the irq_work runs before this task's next
	 * instruction, so in this very process. Kernel code may be anywhere: not pinned, and
	 * the sample then names no application. Of user code that was sampled before the kernel
	 * was hit the next sample finds its process pinned, most likely; this one can't tell,
	 * and by the time it is looked at the number may be another process's.
	 */
	if (!o->user)
		return 0;
	irq_work_queue(&b->pin_work);
	return in_user ? (unsigned long)mm : 0;
}

/* @nr: 0 for a plain sample of counter @event; else @event is the code of its note. */
static __always_inline void take(struct pt_regs *regs, unsigned long pc, bool user,
				 unsigned int event, const u64 *data, unsigned int nr)
{
	struct op_cpu_buffer *b = this_cpu_ptr(&op_cpu_buffers);
	struct op_owner o;
	bool logged;

	if (!op_ring_enter(&b->ring)) {
		op_count_here(OP_STAT_NESTED, 1);
		return;
	}
	op_count_here(OP_STAT_RECEIVED, 1);
	o = (struct op_owner){
		.tid = current->pid, .tgid = current->tgid,
		.generation = READ_ONCE(op_generation), .user = user,
	};
	o.mm = pinned_mm(b, &o, user_mode(regs));
	if (pc == (unsigned long)OP_ESCAPE) {
		op_count_here(OP_STAT_INVALID_EIP, 1);
	} else {
		logged = nr ? op_ring_log_record(&b->ring, &o, pc, op_unmap_sequence(), event,
						 data, nr) :
			      op_ring_log(&b->ring, &o, pc, op_unmap_sequence(), event);
		if (!logged)
			op_count_here(OP_STAT_LOST_OVERFLOW, 1);
	}
	if (op_ring_used(&b->ring) > b->ring.mask / 2)
		op_sync_kick(OP_SYNC_NOW);
	op_ring_leave(&b->ring);
}

void op_sample(struct pt_regs *regs, unsigned int event)
{
	take(regs, instruction_pointer(regs), user_mode(regs), event, NULL, 0);
}

/*
 * The interrupt may have hit the kernel just after a user instruction that was sampled: whose it
 * was its address tells, which for the kernel is in the upper half.
 */
void op_sample_ibs(struct pt_regs *regs, unsigned long pc, unsigned int code, const u64 *data,
		   unsigned int nr)
{
	take(regs, pc, (long)pc >= 0, code, data, nr);
}
