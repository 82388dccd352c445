// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpu_buffer.c - take a sample in the interrupt
 *
 * A sample may be taken in an NMI, which can neither lock nor wait. So it goes into the CPU's own
 * ring as a bare address, after an entry for its task, and is translated later, where sleeping is
 * allowed (buffer_sync.c). For that the process is pinned here (pins.c).
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "module/buffer_sync.h"
#include "module/callers.h"
#include "module/cpu_buffer.h"
#include "module/pins.h"
#include "module/stats.h"
#include "oprofilefs/op_abi.h"

DEFINE_PER_CPU(struct op_cpu_buffer, op_cpu_buffers);

bool op_disturbed;

static unsigned long depth;		/* most callers of a sample */
static bool with_idle;			/* log samples of the idle task */

static int alloc_one(unsigned int cpu, unsigned long entries)
{
	struct op_cpu_buffer *b = &per_cpu(op_cpu_buffers, cpu);
	int node = cpu_to_node(cpu);
	const gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;
	struct op_entry *e = kvzalloc_node(array_size(entries, sizeof(*e)), gfp, node);
	struct op_entry *aside = kvzalloc_node(array_size(entries, sizeof(*e)), gfp, node);

	memset(b, 0, sizeof(*b));
	op_ring_init(&b->ring, e, entries);
	op_ring_init(&b->aside, aside, entries);
	op_irq_work_setup_hard(&b->pin_work, op_pin_work);
	if (depth)
		b->callers = kvzalloc_node(array_size(depth, sizeof(*b->callers)), gfp, node);
	return e && aside && (b->callers || !depth) ? 0 : -ENOMEM;
}

int op_cpu_buffers_alloc(unsigned long entries, unsigned long new_depth, bool idle)
{
	unsigned int cpu;
	int err;

	BUILD_BUG_ON(OP_CPU_BUFFER_SIZE_MIN < OP_RING_RECORD + OP_RING_DATA);
	depth = new_depth;
	with_idle = idle;
	entries = max(entries, 2 * (OP_RING_RECORD + OP_RING_DATA + OP_RING_CALLERS(depth)));
	entries = roundup_pow_of_two(entries);
	for_each_possible_cpu(cpu) {
		err = alloc_one(cpu, entries);
		if (err) {
			op_cpu_buffers_free();
			return err;
		}
	}
	return 0;
}

void op_cpu_buffers_free(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct op_cpu_buffer *b = &per_cpu(op_cpu_buffers, cpu);

		kvfree(b->ring.entries);
		kvfree(b->aside.entries);
		kvfree(b->callers);
		b->ring.entries = b->aside.entries = NULL;
		b->callers = NULL;
	}
}

/*
 * The running task's process, pinned or about to be. 0 if it has none or it cannot be pinned: then
 * a sample in user space is counted lost. @o: the sample's owner.
 */
static u64 pinned_mm(struct op_cpu_buffer *b, const struct op_owner *o, struct pt_regs *regs)
{
	struct mm_struct *mm = current->mm;

	if (!mm || (current->flags & PF_KTHREAD))
		return 0;
	if (b->pinned_mm == mm && b->pinned_generation == o->generation)
		return (unsigned long)mm;
	if (!in_nmi())
		return op_pin_current(b, o->generation) ? (unsigned long)mm : 0;
	/*
	 * If interrupts are on, the irq_work runs before this task's next instruction, that is in
	 * this process. If they are off, the CPU may run another task by then: the sample gets no
	 * application, and the next one most likely finds its process pinned. The same holds for
	 * an address in user code whose NMI hit the kernel.
	 */
	irq_work_queue(&b->pin_work);
	return op_interrupts_on(regs) ? (unsigned long)mm : 0;
}

/* A sample being written to the ring. */
struct sample {
	struct op_cpu_buffer *buffer;
	struct op_owner owner;
	unsigned long pc;
};

/* false: the sample is counted lost. Otherwise commit_sample() must follow. */
static __always_inline bool take_sample(struct sample *s, struct pt_regs *regs, unsigned long pc,
					bool user)
{
	struct op_cpu_buffer *b = this_cpu_ptr(&op_cpu_buffers);

	if (!op_ring_enter(&b->ring)) {
		op_count_here(OP_STAT_NESTED, 1);
		return false;
	}
	op_count_here(OP_STAT_RECEIVED, 1);
	if (READ_ONCE(op_disturbed))
		op_count_here(OP_STAT_DISTURBED, 1);
	if (!with_idle && is_idle_task(current)) {
		op_count_here(OP_STAT_IDLE, 1);
		op_ring_leave(&b->ring);
		return false;
	}
	if (pc == (unsigned long)OP_ESCAPE) {
		op_count_here(OP_STAT_INVALID_EIP, 1);
		op_ring_leave(&b->ring);
		return false;
	}
	s->buffer = b;
	s->pc = pc;
	s->owner = (struct op_owner){
		.tid = current->pid, .tgid = current->tgid,
		.generation = READ_ONCE(op_generation), .user = user,
	};
	s->owner.mm = pinned_mm(b, &s->owner, regs);
	return true;
}

/* @logged: it was written to the ring. */
static __always_inline void commit_sample(struct sample *s, bool logged)
{
	struct op_ring *r = &s->buffer->ring;

	if (!logged)
		op_count_here(OP_STAT_LOST_OVERFLOW, 1);
	if (op_ring_used(r) > r->mask / 2)
		op_sync_kick(OP_SYNC_NOW);
	op_ring_leave(r);
}

/*
 * The interrupt of instruction-based sampling comes some instructions after the sample. If the
 * kernel was entered in between, the place of its entry stands for the sample's; it may not have
 * been left.
 */
static void find_callers(const struct sample *s, struct pt_regs *regs, struct op_stack *stack)
{
	*stack = (struct op_stack){ .callers = s->buffer->callers };
	if (s->owner.user || !user_mode(regs))
		op_callers_find(stack, depth, regs, s->owner.mm);
	else
		stack->end = OP_STACK_BAD_FRAME;
	if (s->owner.user && !user_mode(regs)) {
		u32 nr = min(stack->nr, stack->nr_kernel + 1);

		stack->callers += nr;
		stack->nr -= nr;
		stack->nr_kernel = 0;
	}
	if (op_stack_is_broken(stack->end))
		op_count_here(OP_STAT_BACKTRACE_ABORTED, 1);
}

/* The unmap sequence is read first, because the callers' addresses are of that time. */
static noinline void sample_with_callers(struct sample *s, struct pt_regs *regs,
					 unsigned int event)
{
	u32 sequence = op_unmap_sequence();
	struct op_stack stack;

	find_callers(s, regs, &stack);
	commit_sample(s, op_ring_log_stack(&s->buffer->ring, &s->owner, s->pc, sequence, event,
					   &stack));
}

void op_sample(struct pt_regs *regs, unsigned int event)
{
	struct sample s;

	if (!take_sample(&s, regs, instruction_pointer(regs), user_mode(regs)))
		return;
	if (s.buffer->callers)
		sample_with_callers(&s, regs, event);
	else
		commit_sample(&s, op_ring_log(&s.buffer->ring, &s.owner, s.pc, op_unmap_sequence(),
					      event));
}

/*
 * The interrupt may hit the kernel just after a user instruction was sampled, so the address
 * decides the mode: the kernel's are in the upper half. The callers are those of the interrupt.
 */
void op_sample_ibs(struct pt_regs *regs, unsigned long pc, unsigned int code, const u64 *data,
		   unsigned int nr)
{
	u32 sequence = op_unmap_sequence();
	struct op_stack stack;
	struct sample s;
	bool has_stack;

	if (!take_sample(&s, regs, pc, (long)pc >= 0))
		return;
	has_stack = s.buffer->callers;
	if (has_stack)
		find_callers(&s, regs, &stack);
	commit_sample(&s, op_ring_log_record(&s.buffer->ring, &s.owner, pc, sequence, code, data,
					     nr, has_stack ? &stack : NULL));
}
