/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracepoint.h - the arguments of sched_process_exit */
#ifndef MODULE_COMPAT_TRACEPOINT_H
#define MODULE_COMPAT_TRACEPOINT_H

#include <linux/types.h>

struct task_struct;

#ifdef HAVE_EXIT_GROUP_DEAD
#define OP_EXIT_PROBE(name) name(void *data, struct task_struct *task, bool group_dead)
#else
#define OP_EXIT_PROBE(name) name(void *data, struct task_struct *task)
#endif

#endif
