/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_tree.h - what the files of call_tree, a program whose call stacks are known, have in common
 */
#ifndef TESTS_UNIT_DAEMON_COLLECT_PERF_STACKS_CALL_TREE_H
#define TESTS_UNIT_DAEMON_COLLECT_PERF_STACKS_CALL_TREE_H

/* A function as it is written, whatever its callers are like. */
#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif
#define NOINLINE static KEPT

/* Nothing may be a tail call, unless it says so: there is always something to do afterwards. */
#define AFTERWARDS sink++

extern volatile unsigned long rounds, sink;

void spin(void);	/* where almost all time goes: so many rounds */
void plain_c(unsigned long a, unsigned long b);

/* Assembly, with and without a word on how to unwind it, and who calls it. */
void told_asm(void);
void untold_asm(void);
void calls_asm(void (*what)(void));

/* Start @nr processes that live for moments, 0: for ever; and be one of those. */
void storms(unsigned long nr);
void lives(void);

/* Have another thread map and unmap all the time. */
void start_mapper(void);
/* Spin with stack and frame pointers that no code could have. */
void forges(void);

#endif
