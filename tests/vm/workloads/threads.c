/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads - four threads, each in a function of its own, with work of 1 : 2 : 3 : 4
 *
 *	threads TURNS
 *
 * They work in rounds that begin together, so that a slow moment of the host is everybody's, and
 * not one's share. The main thread ends at once: from then on the process has no leader, and its
 * memory map can only be had through the others.
 */
#include <pthread.h>
#include <stdlib.h>
#include "tests/vm/workloads/spin.h"

#define ROUNDS 30	/* long enough that how a round begins and ends is no matter */

static uint64_t turns;		/* of thread 1 in a round */
static pthread_barrier_t round_begins;

#define THREAD(n)                                                                              \
	static NOT_MERGED void *thread_##n(void *unused)                                       \
	{                                                                                      \
		(void)unused;                                                                  \
		for (int i = 0; i < ROUNDS; i++) {                                             \
			pthread_barrier_wait(&round_begins);                                   \
			spin(turns * n);                                                       \
		}                                                                              \
		__asm__ volatile("# thread " #n);                                              \
		return NULL;                                                                   \
	}

THREAD(1)
THREAD(2)
THREAD(3)
THREAD(4)

int main(int argc, char **argv)
{
	static void *(*const functions[])(void *) = { thread_1, thread_2, thread_3, thread_4 };
	pthread_t t;

	if (argc < 2)
		return 2;
	turns = strtoull(argv[1], NULL, 0) / ROUNDS;
	pthread_barrier_init(&round_begins, NULL, 4);
	for (int i = 0; i < 4; i++)
		if (pthread_create(&t, NULL, functions[i], NULL))
			return 1;
	pthread_exit(NULL);
}
