/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calibrate - how many turns of spin.h this machine does in a millisecond
 *
 * The best of many short tries: on a busy host some of them are not disturbed.
 */
#include <stdio.h>
#include <time.h>
#include "tests/vm/workloads/spin.h"

#define TURNS 200000
#define TRIES 100

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

int main(void)
{
	double best = 1e9;

	for (int i = 0; i < TRIES; i++) {
		double start = now_ms(), took;

		spin(TURNS);
		took = now_ms() - start;
		if (took < best)
			best = took;
	}
	printf("%.0f\n", TURNS / best);
	return 0;
}
