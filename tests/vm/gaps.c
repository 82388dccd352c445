/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gaps - how long a program that does nothing but read the clock is kept from it
 *
 *	gaps MILLISECONDS
 *
 * Prints the median and the number of the gaps, in ticks of the time stamp counter. Most of them
 * are what there is most of: one kind of interrupt, from the program's last instruction to its next.
 * Where the counter goes by instructions, these are the interrupt's, the kernel's way in and out of
 * it included.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAX	200000
#define SHORT	100		/* ticks: above any turn of the loop, below any interrupt */

static uint64_t gaps[MAX];

static inline uint64_t ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t t;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
	return t;
#else
#error "how does one read the clock here?"
#endif
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	uint64_t end, last, least = UINT64_MAX;
	size_t n = 0;

	if (argc != 2)
		return 2;
	end = now_ms() + strtoull(argv[1], NULL, 0);
	do {
		last = ticks();
		for (int i = 0; i < 100000 && n < MAX; i++) {
			uint64_t now = ticks(), gap = now - last;

			last = now;
			if (gap > SHORT)
				gaps[n++] = gap;
			else if (gap < least)
				least = gap;
		}
	} while (now_ms() < end && n < MAX);
	if (!n)
		return 1;
	qsort(gaps, n, sizeof(*gaps), compare);
	printf("%llu %zu\n", (unsigned long long)(gaps[n / 2] - least), n);
	return 0;
}
