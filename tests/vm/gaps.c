/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gaps - how long a program that does nothing but read the clock is kept from it
 *
 *	gaps MILLISECONDS [CALLERS]
 *
 * The loop has so many callers, C's start-up included; unless told, as few as there can be.
 * Prints the median and the number of the gaps, in ticks of the time stamp counter. Most of them
 * are what there is most of: one kind of interrupt, from the program's last instruction to its
 * next. Where the counter goes by instructions, these are the interrupt's, the kernel's way in and
 * out of it included.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAX	200000
#define SHORT	100		/* ticks: above any turn of the loop, below any interrupt */

#define START_UP 4		/* main() and who calls it, in a static glibc */

static uint64_t gaps[MAX], least = UINT64_MAX;

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

/* The interrupts hit in here. */
static __attribute__((noinline)) size_t watch(uint64_t ms)
{
	uint64_t end = now_ms() + ms, last;
	size_t n = 0;

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
	return n;
}

static __attribute__((noinline)) size_t watch_from(int levels, uint64_t ms)
{
	size_t n = levels > 1 ? watch_from(levels - 1, ms) : watch(ms);

	__asm__ volatile("" ::: "memory");	/* else this is a jump */
	return n;
}

int main(int argc, char **argv)
{
	size_t n;

	if (argc < 2 || argc > 3)
		return 2;
	n = watch_from(argc > 2 ? atoi(argv[2]) - START_UP : 1, strtoull(argv[1], NULL, 0));
	if (!n)
		return 1;
	qsort(gaps, n, sizeof(*gaps), compare);
	printf("%llu %zu\n", (unsigned long long)(gaps[n / 2] - least), n);
	return 0;
}
