// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call_tree.c - a program whose call stacks are known, for the tests of both collectors
 *
 *	call_tree MODE [NUMBER]
 *
 * Runs for ever in the innermost function of one of its trees, which stand in modes.h. It is
 * built several times: with and without frame pointers, static, static-pie.
 */
#include "tests/unit/daemon/collect/perf/call_trees/call_tree.h"

#include <alloca.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

volatile unsigned long rounds = 20000, sink;
static volatile int zero;

/* A part of main(). */
#define LOOP static inline __attribute__((always_inline))

KEPT void spin(void)
{
#ifdef FRAME_POINTERS	/* this one needs none, so it has to be made to */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
#endif
	for (unsigned long i = rounds; i; i--)
		__asm__ volatile("");
}

/* --- plain calls, with much to keep in registers and on the stack --- */

KEPT void plain_c(unsigned long a, unsigned long b)
{
	spin();
	sink += a ^ b;
}

NOINLINE unsigned long plain_b(unsigned long a, unsigned long b, unsigned long c)
{
	unsigned long x = a * b, y = b * c, z = a ^ c, v = x - y, w = sink;

	plain_c(x, y);
	return x + y * z + v - w + a + b * c;
}

NOINLINE unsigned long plain_a(unsigned long n)
{
	volatile unsigned long many[100];

	for (int i = 0; i < 100; i++)
		many[i] = n + (unsigned long)i;
	return plain_b(many[3], many[50], n) + many[99];
}

/* In the frame of its caller, which has @room. */
static inline __attribute__((always_inline)) void call_with(volatile char *room, size_t size)
{
	for (size_t i = 0; i < size; i += 1000)
		room[i] = 1;
	plain_c(sink, 1);
	sink += (unsigned long)room[0];
}

/* More than is copied of a stack to begin with, and all of it used: else there is no memory. */
NOINLINE void large(void)
{
	volatile char room[12000];

	call_with(room, sizeof(room));
}

LOOP void large_frames(void)
{
	for (;;)
		large();
}

/* More than can be copied. */
NOINLINE void huge(void)
{
	volatile char room[100000];

	call_with(room, sizeof(room));
}

LOOP void huge_frames(void)
{
	for (;;)
		huge();
}

LOOP void plain(void)
{
	for (;;)
		sink += plain_a(sink);
}

/* --- a stack whose size only the program knows --- */

NOINLINE void alloca_inner(size_t n)
{
	char *room = alloca(n);

	memset(room, 1, n);
	spin();
	sink += (unsigned long)room[n / 2];
}

NOINLINE void alloca_outer(size_t n)
{
	for (size_t i = 0; i < n % 7 + 1; i++) {
		volatile char *room = alloca(16 * i + 100);

		room[3] = 0;
		alloca_inner(n + i);
		sink += (unsigned long)room[3];
	}
}

LOOP void variable(void)
{
	for (size_t n = 100;; n = n % 900 + 101)
		alloca_outer(n);
}

/* --- recursion --- */

NOINLINE unsigned long recurse(unsigned long n);
static unsigned long (*volatile again)(unsigned long n) = recurse;	/* or it becomes a loop */

NOINLINE unsigned long recurse(unsigned long n)
{
	if (n)
		return again(n - 1) * 3 + n;
	for (int i = 0; i < 500; i++)
		spin();
	return sink;
}

/* So many calls of recurse(), or as many as were asked for. */
LOOP void recursion(unsigned long depth, const char *asked)
{
	if (asked)
		depth = strtoul(asked, NULL, 10);
	for (;;)
		sink += recurse(depth - 1);
}

/* --- a signal handler --- */

NOINLINE void on_signal(int number)
{
	(void)number;
	spin();
	AFTERWARDS;
}

NOINLINE void interrupted(void)
{
	raise(SIGUSR1);
	AFTERWARDS;
}

LOOP void signals(int flags)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
	static char room[65536];
	const stack_t own = {.ss_sp = room, .ss_size = sizeof(room)};

	sigaltstack(&own, NULL);

	sigaction(SIGUSR1, &action, NULL);
	for (;;)
		interrupted();
}

/* --- through a library and back --- */

NOINLINE int compare(const void *a, const void *b)
{
	spin();
	sink++;
	return *(const char *)a - *(const char *)b;
}

NOINLINE void sorts(void)
{
	char letters[] = "the quick brown fox";

	qsort(letters, sizeof(letters) - 1, 1, compare);
	AFTERWARDS;
}

LOOP void callback(void)
{
	for (;;)
		sorts();
}

/* --- tail calls: the caller's frame is gone --- */

NOINLINE void tail_last(void)
{
	spin();
	AFTERWARDS;
}

NOINLINE void tail_first(void)
{
	sink += 2;
	tail_last();
}

NOINLINE void tail_caller(void)
{
	tail_first();
	AFTERWARDS;
}

LOOP void tail(void)
{
	for (;;)
		tail_caller();
}

/* --- system calls: the sample is in the kernel --- */

NOINLINE void reads(int fd)
{
	static char room[1 << 18];

	if (read(fd, room, sizeof(room)) < 0)
		exit(1);
	AFTERWARDS;
}

LOOP void system_calls(void)
{
	int fd = open("/dev/zero", O_RDONLY);

	for (;;)
		reads(fd);
}

/* --- the vdso --- */

NOINLINE void asks_time(void)
{
	struct timespec t;

	for (int i = 0; i < 1000; i++)
		clock_gettime(CLOCK_MONOTONIC, &t);
	sink += (unsigned long)t.tv_nsec;
}

LOOP void vdso(void)
{
	for (;;)
		asks_time();
}

/* --- a thread --- */

NOINLINE void thread_inner(void)
{
	spin();
	AFTERWARDS;
}

NOINLINE void *thread_outer(void *argument)
{
	for (;;)
		thread_inner();
	return argument;
}

LOOP void threads(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, thread_outer, NULL))
		exit(1);
	pthread_join(thread, NULL);
}

/* --- the run-time's own unwinder, as exceptions use it --- */

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *context, void *nr)
{
	(void)context;
	++*(int *)nr;
	return _URC_NO_REASON;
}

NOINLINE void throws(void)
{
	int nr = 0;

	for (int i = 0; i < 100; i++)
		_Unwind_Backtrace(count_frame, &nr);
	sink += (unsigned long)nr;
}

LOOP void unwinder(void)
{
	for (;;)
		throws();
}

/* --- what is in other files --- */

LOOP void assembly(void (*what)(void))
{
	for (;;)
		calls_asm(what);
}

LOOP void forger(void)
{
	for (;;)
		forges();
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sink += (unsigned long)nice(19);	/* who looks on goes first */
	if (!strcmp(mode, "mapper"))
		start_mapper();
	if (!strcmp(mode, "plain") || !strcmp(mode, "mapper"))
		plain();
	else if (!strcmp(mode, "large"))
		large_frames();
	else if (!strcmp(mode, "huge"))
		huge_frames();
	else if (!strcmp(mode, "alloca"))
		variable();
	else if (!strcmp(mode, "recursion"))
		recursion(31, argv[2]);
	else if (!strcmp(mode, "deep"))
		recursion(601, argv[2]);
	else if (!strcmp(mode, "signal"))
		signals(0);
	else if (!strcmp(mode, "altsignal"))
		signals(SA_ONSTACK);
	else if (!strcmp(mode, "callback"))
		callback();
	else if (!strcmp(mode, "tail"))
		tail();
	else if (!strcmp(mode, "syscall"))
		system_calls();
	else if (!strcmp(mode, "vdso"))
		vdso();
	else if (!strcmp(mode, "thread"))
		threads();
	else if (!strcmp(mode, "unwinder"))
		unwinder();
	else if (!strcmp(mode, "asm"))
		assembly(told_asm);
	else if (!strcmp(mode, "untold-asm"))
		assembly(untold_asm);
	else if (!strcmp(mode, "forge"))
		forger();
	else if (!strcmp(mode, "storm"))
		storms(argc > 2 ? strtoul(argv[2], NULL, 10) : 0);
	else if (!strcmp(mode, "live"))
		lives();
	return 1 + zero;
}
