/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shares - a program whose profile is known: 60, 30 and 10 % in three functions
 *
 *	shares MILLISECONDS TURNS_PER_MS [THREADS]
 *
 * The functions take turns in an irregular order, so that no sampling period can walk in step
 * with it; every 100 steps they have had exactly their shares.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/vm/workloads/spin.h"

#define STEPS 100
#define MAX_THREADS 16

static uint64_t step_turns, rounds;

static NOT_MERGED void sixty_percent(void)
{
	spin(step_turns);
	__asm__ volatile("# 60");
}

static NOT_MERGED void thirty_percent(void)
{
	spin(step_turns);
	__asm__ volatile("# 30");
}

static NOT_MERGED void ten_percent(void)
{
	spin(step_turns);
	__asm__ volatile("# 10");
}

static void shuffle(unsigned char *order, uint32_t *seed)
{
	for (int i = STEPS - 1; i > 0; i--) {
		int j;
		unsigned char t;

		*seed = *seed * 1664525 + 1013904223;
		j = (*seed >> 8) % (i + 1);
		t = order[i];
		order[i] = order[j];
		order[j] = t;
	}
}

static void *work(void *seed_of_thread)
{
	static void (*const functions[])(void) = { sixty_percent, thirty_percent, ten_percent };
	uint32_t seed = (uintptr_t)seed_of_thread;
	unsigned char order[STEPS];

	for (int i = 0; i < STEPS; i++)
		order[i] = i < 60 ? 0 : i < 90 ? 1 : 2;
	for (uint64_t r = 0; r < rounds; r++) {
		shuffle(order, &seed);
		for (int i = 0; i < STEPS; i++)
			functions[order[i]]();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int nr = argc > 3 ? atoi(argv[3]) : 1;
	pthread_t threads[MAX_THREADS];

	if (argc < 3 || nr < 1 || nr > MAX_THREADS) {
		fprintf(stderr, "usage: shares MILLISECONDS TURNS_PER_MS [THREADS]\n");
		return 2;
	}
	/* a step of an eighth of a millisecond: a round is 12.5 ms */
	step_turns = strtoull(argv[2], NULL, 0) / 8;
	rounds = strtoull(argv[1], NULL, 0) * 8 / STEPS;
	for (intptr_t i = 1; i < nr; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)(i * 7919)))
			return 1;
	work((void *)(intptr_t)17);
	for (int i = 1; i < nr; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
