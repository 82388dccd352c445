// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shape.c - a program whose profile is known beforehand: 60, 30 and 10 %
 *
 *	shape [SECONDS]		(of CPU time; default 10)
 *
 * Three functions do the same work per turn of their loop, six, three and one times as many
 * turns. What a profiler says about them can be checked against that.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Nothing may inline, clone or fold them: the compiler must see them as strangers. */
#if defined(__GNUC__) && !defined(__clang__)
#define APART __attribute__((noipa))
#else
#define APART __attribute__((noinline))
#endif

#define TURNS 20000	/* about 30 us */

/* A stack of multiplications: each turn waits for the one before, so all cost the same. */
#define BURN(name, add)                                                                        \
	APART uint64_t name(uint64_t x, unsigned int turns);                                   \
	APART uint64_t name(uint64_t x, unsigned int turns)                                    \
	{                                                                                      \
		while (turns--)                                                                \
			x = x * 6364136223846793005u + (add);                                  \
		return x;                                                                      \
	}

BURN(sixty_percent, 1442695040888963407u)
BURN(thirty_percent, 1013904223u)
BURN(ten_percent, 12345u)

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 10;
	uint64_t x = 1;

	do {
		x = sixty_percent(x, 6 * TURNS);
		x = thirty_percent(x, 3 * TURNS);
		x = ten_percent(x, TURNS);
	} while ((double)clock() < seconds * CLOCKS_PER_SEC);
	return x == 42;		/* the work must have a result */
}
