/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irq_work.h - work that runs in hard interrupt; with PREEMPT_RT other work runs in a thread */
#ifndef MODULE_COMPAT_IRQ_WORK_H
#define MODULE_COMPAT_IRQ_WORK_H

#include <linux/irq_work.h>

static inline void op_irq_work_setup_hard(struct irq_work *w, void (*fn)(struct irq_work *))
{
#ifdef IRQ_WORK_INIT_HARD
	*w = IRQ_WORK_INIT_HARD(fn);
#else
	init_irq_work(w, fn);
	atomic_or(IRQ_WORK_HARD_IRQ, &w->flags);
#endif
}

#endif
