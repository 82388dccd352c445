// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stats.c - read and reset the statistics (stats.h)
 */
#include <linux/cpumask.h>
#include "module/stats.h"

DEFINE_PER_CPU(struct op_stats, op_stats);

void op_stats_reset(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		memset(&per_cpu(op_stats, cpu), 0, sizeof(struct op_stats));
}

unsigned long op_stat_read(unsigned int cpu, unsigned int stat)
{
	const struct op_stats *s = &per_cpu(op_stats, cpu);
	unsigned long n = READ_ONCE(s->n[stat]);

	if (stat == OP_STAT_RECEIVED || stat == OP_STAT_LOST_OVERFLOW)
		n += READ_ONCE(s->n[OP_STAT_NESTED]);
	return n;
}

unsigned long op_stat_sum(unsigned int stat)
{
	unsigned long sum = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		sum += op_stat_read(cpu, stat);
	return sum;
}
