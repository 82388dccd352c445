// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exceptions.cc - throws and catches for ever, for tests of call stacks
 *
 *	exceptions exception|rethrown
 *
 * Its stacks stand in modes.h. An exception passes a frame that has something to undo, so all
 * of the run-time's work is there: the search, the landing pad that goes on, and the one that ends it.
 */
#include <csignal>
#include <cstring>
#include <sys/prctl.h>
#include <unistd.h>

#define NOINLINE extern "C" __attribute__((noipa))

static volatile unsigned long rounds = 20000, sink;

NOINLINE void spin(void)
{
	for (unsigned long i = rounds; i; i--)
		__asm__ volatile("");
}

NOINLINE void undo(void)
{
	spin();
	sink = sink + 1;
}

struct guard {
	~guard() { undo(); }
};

NOINLINE void thrower(unsigned long n)
{
	spin();
	if (n < sink + 10)
		throw n;
	sink = sink + 1;
}

NOINLINE void passes(unsigned long n)
{
	guard g;

	thrower(n);
	sink = sink + 1;
}

NOINLINE void catches(unsigned long n)
{
	try {
		passes(n);
	} catch (unsigned long thrown) {
		spin();
		sink += thrown & 1;
	}
	sink = sink + 1;	/* or the end of the handler would be a tail call */
}

/* What is thrown again from the handler, across a function that knows nothing of exceptions. */
NOINLINE void rethrows(unsigned long n)
{
	try {
		passes(n);
	} catch (...) {
		spin();
		throw;
	}
}

NOINLINE void catches_again(unsigned long n)
{
	try {
		rethrows(n);
	} catch (unsigned long thrown) {
		sink += thrown & 1;
	}
	sink = sink + 1;
}

int main(int argc, char **argv)
{
	bool again = argc > 1 && !strcmp(argv[1], "rethrown");

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sink = sink + (unsigned long)nice(19);	/* who looks on goes first */
	for (;;)
		(again ? catches_again : catches)(sink);
}
