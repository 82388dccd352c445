// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * optest - a kernel module whose profile is known: 70 and 30 % in two functions
 *
 *	echo "MILLISECONDS TURNS_PER_MS" > /sys/module/optest/parameters/burn
 *	echo "TIMES TURNS" > /sys/module/optest/parameters/burn_irqs_off
 *
 * Returns when the work is done: for burn in small irregular turns with interrupts on, for
 * burn_irqs_off so many times in one piece with interrupts off, where only an NMI sees it.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>

#ifdef OTHER
#define SEVENTY	optest_other_seventy
#define THIRTY	optest_other_thirty
#define IRQS_OFF optest_other_irqs_off
#else
#define SEVENTY	optest_seventy
#define THIRTY	optest_thirty
#define IRQS_OFF optest_irqs_off
#endif

static __always_inline void spin(unsigned long turns)
{
	unsigned long x = turns, i;

	for (i = 0; i < turns; i++) {
		x = x * 6364136223846793005UL + i;
		asm volatile("" : "+r" (x));
	}
}

static noinline void SEVENTY(unsigned long turns)
{
	spin(turns);
	asm volatile("# 70");
}

static noinline void THIRTY(unsigned long turns)
{
	spin(turns);
	asm volatile("# 30");
}

/* Every ten steps seven are of the one and three of the other, begun anywhere in that order. */
static int burn_set(const char *text, const struct kernel_param *param)
{
	static const bool thirty[10] = { 0, 1, 0, 0, 1, 0, 0, 0, 1, 0 };
	unsigned int ms, turns, start = 0, i, j;

	if (sscanf(text, "%u %u", &ms, &turns) != 2)
		return -EINVAL;
	for (i = 0; i < ms; i++) {
		start = start * 1664525 + 1013904223;
		for (j = 0; j < 10; j++) {
			if (thirty[((start >> 8) + j) % 10])
				THIRTY(turns / 10);
			else
				SEVENTY(turns / 10);
		}
		cond_resched();
	}
	return 0;
}

static const struct kernel_param_ops burn_ops = { .set = burn_set };
module_param_cb(burn, &burn_ops, NULL, 0200);
MODULE_PARM_DESC(burn, "milliseconds and turns per millisecond to burn");

static noinline void IRQS_OFF(unsigned long turns)
{
	spin(turns);
	asm volatile("# off");
}

static int burn_irqs_off_set(const char *text, const struct kernel_param *param)
{
	unsigned int times, turns, i;
	unsigned long flags;

	if (sscanf(text, "%u %u", &times, &turns) != 2)
		return -EINVAL;
	for (i = 0; i < times; i++) {
		local_irq_save(flags);
		IRQS_OFF(turns);
		local_irq_restore(flags);
		cond_resched();
	}
	return 0;
}

static const struct kernel_param_ops burn_irqs_off_ops = { .set = burn_irqs_off_set };
module_param_cb(burn_irqs_off, &burn_irqs_off_ops, NULL, 0200);
MODULE_PARM_DESC(burn_irqs_off, "how often to burn how many turns with interrupts off");

static int __init optest_init(void)
{
	return 0;
}

static void __exit optest_exit(void)
{
}

module_init(optest_init);
module_exit(optest_exit);
MODULE_DESCRIPTION("work of known shape for the profiler's tests");
MODULE_LICENSE("GPL");
