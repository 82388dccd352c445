// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * set_times.c - measure how long each set of counters counted (set_times.h)
 */
#include <linux/ktime.h>
#include "module/arch/x86/set_times.h"

void op_set_times_reset(struct op_set_times *t)
{
	memset(t, 0, sizeof(*t));
	seqcount_init(&t->seq);
}

void op_set_times_start(struct op_set_times *t, unsigned int set, u64 now)
{
	write_seqcount_begin(&t->seq);
	t->sampling = true;
	t->began = t->since = now;
	t->set = set;
	write_seqcount_end(&t->seq);
}

void op_set_times_stop(struct op_set_times *t, u64 now)
{
	write_seqcount_begin(&t->seq);
	t->sampling = false;
	t->enabled += now - t->began;
	t->ran[t->set] += now - t->since;
	write_seqcount_end(&t->seq);
}

void op_set_times_switch(struct op_set_times *t, unsigned int set, u64 halted, u64 now)
{
	write_seqcount_begin(&t->seq);
	t->ran[t->set] += halted - t->since;
	t->set = set;
	t->since = now;
	write_seqcount_end(&t->seq);
}

void op_set_times_add(const struct op_set_times *t, unsigned int set, u64 *enabled, u64 *running)
{
	u64 now, whole, ran;
	unsigned int seq;

	do {
		seq = read_seqcount_begin(&t->seq);
		now = ktime_get_ns();
		whole = t->enabled + (t->sampling ? now - t->began : 0);
		ran = t->ran[set] + (t->sampling && t->set == set ? now - t->since : 0);
	} while (read_seqcount_retry(&t->seq, seq));
	*enabled += whole;
	*running += ran;
}
