/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake.h - the parts of a kernel that op_model_perf.c, cpus.c, claim.c and models.c use, for tests
 * in user space: hotplug of two CPUs, suspend, perf's events, and work that is done later
 *
 * A test includes this and the module's file, and controls CPUs and events. Each header in
 * linux/ and asm/ includes this one.
 */
#ifndef TESTS_UNIT_MODULE_KERNEL_FAKE_H
#define TESTS_UNIT_MODULE_KERNEL_FAKE_H

#include <stdio.h>
#include <stdlib.h>
#include <linux/perf_event.h>
#include "module/portable.h"

#define CONFIG_X86			1
#define CONFIG_X86_64			1
#define IS_ENABLED(option)		option
#define S64_MAX				INT64_MAX
#define pr_warn(...)			printf("# " __VA_ARGS__)
#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define hlist_entry			container_of
#define div64_u64(a, b)			((a) / (b))
#define min(a, b)			((a) < (b) ? (a) : (b))

#define ERR_PTR(err)			((void *)(long)(err))
#define PTR_ERR(p)			((long)(p))
#define IS_ERR(p)			((unsigned long)(p) > -4096ul)

struct hlist_node {
	struct hlist_node *next;
};
struct irq_work {
	int unused;
};
struct pt_regs {
	bool user;
};
#define user_mode(regs)			((regs)->user)

/* ---- CPUs ---- */

#define FAKE_CPUS 2
static unsigned int fake_cpu;		/* the current one */
static bool fake_online[FAKE_CPUS] = { true, true };
static __attribute__((unused)) int fake_locked;	/* against hotplug */

#define DECLARE_PER_CPU(type, name)	extern type name[FAKE_CPUS]
#define DEFINE_PER_CPU(type, name)	type name[FAKE_CPUS]
#define this_cpu_ptr(p)			(&(*(p))[fake_cpu])
#define per_cpu(name, cpu)		((name)[cpu])
#define this_cpu_add(field, n)		((void)(n))
#define cpu_online_mask			fake_online
#define cpumask_first(mask)		((mask)[0] ? 0u : 1u)
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < FAKE_CPUS; (cpu)++)
#define for_each_online_cpu(cpu)	for_each_possible_cpu(cpu) if (fake_online[cpu])
#define cpus_read_lock()		((void)fake_locked++)
#define cpus_read_unlock()		((void)fake_locked--)
#define local_irq_save(flags)		((flags) = 0)
#define local_irq_restore(flags)	((void)(flags))

static inline void on_each_cpu(void (*what)(void *), void *data, int wait)
{
	unsigned int old = fake_cpu;

	(void)wait;
	for_each_online_cpu(fake_cpu)
		what(data);
	fake_cpu = old;
}

/* One hotplug state, with or without an instance; callbacks run on the CPU itself. */
#define CPUHP_AP_ONLINE_DYN 1
static int (*fake_comes)(unsigned int), (*fake_goes)(unsigned int);
static int (*fake_comes_to)(unsigned int, struct hlist_node *);
static int (*fake_goes_from)(unsigned int, struct hlist_node *);
static struct hlist_node *fake_instance;

static inline void fake_tell(unsigned int cpu, bool comes)
{
	unsigned int old = fake_cpu;

	fake_cpu = cpu;
	if (comes ? fake_comes : fake_goes)
		(comes ? fake_comes : fake_goes)(cpu);
	if (fake_instance)
		(comes ? fake_comes_to : fake_goes_from)(cpu, fake_instance);
	fake_cpu = old;
}

static inline void fake_tell_all(bool comes)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		fake_tell(cpu, comes);
}

static inline void fake_hotplug(unsigned int cpu, bool comes)
{
	if (comes)
		fake_online[cpu] = true;
	fake_tell(cpu, comes);
	fake_online[cpu] = comes;
}

static inline int cpuhp_setup_state(int state, const char *name, int (*comes)(unsigned int),
				    int (*goes)(unsigned int))
{
	(void)name;
	fake_comes = comes;
	fake_goes = goes;
	fake_tell_all(true);
	return state;
}

static inline void cpuhp_remove_state(int state)
{
	(void)state;
	fake_tell_all(false);
	fake_comes = fake_goes = NULL;
}

static inline int cpuhp_setup_state_multi(int state, const char *name,
					  int (*comes)(unsigned int, struct hlist_node *),
					  int (*goes)(unsigned int, struct hlist_node *))
{
	(void)name;
	fake_comes_to = comes;
	fake_goes_from = goes;
	return state;
}

static inline int cpuhp_state_add_instance(int state, struct hlist_node *node)
{
	(void)state;
	fake_instance = node;
	fake_tell_all(true);
	return 0;
}

static inline void cpuhp_state_remove_instance(int state, struct hlist_node *node)
{
	(void)state;
	(void)node;
	fake_tell_all(false);
	fake_instance = NULL;
}

#define cpuhp_remove_multi_state(state)	((void)(state))

/* ---- suspend ---- */

#define PM_HIBERNATION_PREPARE	1
#define PM_POST_HIBERNATION	2
#define PM_SUSPEND_PREPARE	3
#define PM_POST_SUSPEND		4
#define NOTIFY_DONE		0

struct notifier_block {
	int (*notifier_call)(struct notifier_block *, unsigned long, void *);
};
static struct notifier_block *fake_sleeper;

static inline int register_pm_notifier(struct notifier_block *nb)
{
	fake_sleeper = nb;
	return 0;
}

#define unregister_pm_notifier(nb)	((void)(nb), fake_sleeper = NULL)

/* ---- perf ---- */

struct perf_sample_data;
struct perf_event;
typedef void (*perf_overflow_handler_t)(struct perf_event *, struct perf_sample_data *,
					struct pt_regs *);

#define PERF_EVENT_STATE_ERROR		(-2)
#define PERF_EVENT_STATE_ACTIVE		1

struct perf_event {
	int state;
	void *overflow_handler_context;
	struct perf_event_attr attr;
	perf_overflow_handler_t handler;
	unsigned int cpu;
	bool on;
	u64 count, enabled, ran;
	struct perf_event *next;
};
static struct perf_event *fake_events;
static unsigned int fake_counters = 4;	/* of each CPU, for pinned events */
static unsigned int fake_missing[FAKE_CPUS];	/* of these, on that CPU */

static inline struct perf_event *perf_event_create_kernel_counter(struct perf_event_attr *attr,
								  int cpu, void *task,
								  perf_overflow_handler_t handler,
								  void *context)
{
	struct perf_event *e = calloc(1, sizeof(*e)), *other;
	unsigned int pinned = fake_missing[cpu];

	(void)task;
	for (other = fake_events; other; other = other->next)
		pinned += other->cpu == (unsigned int)cpu && other->attr.pinned;
	*e = (struct perf_event){
		.state = attr->pinned && pinned >= fake_counters ? PERF_EVENT_STATE_ERROR :
			 attr->disabled ? 0 : PERF_EVENT_STATE_ACTIVE,
		.overflow_handler_context = context, .attr = *attr, .handler = handler,
		.cpu = cpu, .on = !attr->disabled, .next = fake_events,
	};
	return fake_events = e;
}

static inline void perf_event_release_kernel(struct perf_event *e)
{
	struct perf_event **p = &fake_events;

	while (*p != e)
		p = &(*p)->next;
	*p = e->next;
	free(e);
}

static inline void perf_event_enable(struct perf_event *e)
{
	e->on = true;
	if (e->state == PERF_EVENT_STATE_ERROR)
		e->state = PERF_EVENT_STATE_ACTIVE;
}

static inline void perf_event_disable(struct perf_event *e)
{
	e->on = false;
}

static inline u64 perf_event_read_value(struct perf_event *e, u64 *enabled, u64 *ran)
{
	*enabled = e->enabled;
	*ran = e->ran;
	return e->count;
}

/* ---- work that is done later: a clock of ours ---- */

#define HZ	250

struct work_struct {
	int unused;
};
struct delayed_work {
	void (*work)(struct work_struct *);
	unsigned long due;
	bool pending;
};
static unsigned long fake_jiffies;

#define DECLARE_DELAYED_WORK(name, function)	struct delayed_work name = { .work = function }
#define schedule_delayed_work(w, delay)						\
	((w)->due = fake_jiffies + (delay), (w)->pending = true)
#define cancel_delayed_work_sync(w)		((w)->pending = false)

static inline void fake_pass(struct delayed_work *w, unsigned long jiffies)
{
	for (; jiffies; jiffies--) {
		fake_jiffies++;
		if (!w->pending || fake_jiffies != w->due)
			continue;
		w->pending = false;
		w->work(NULL);
	}
}

#endif
