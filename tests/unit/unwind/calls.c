// SPDX-License-Identifier: GPL-2.0-or-later
/* calls.c - see calls.h */
#ifdef __x86_64__
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unwind.h>
#include "tests/unit/unwind/calls.h"

#define CALL	__attribute__((noinline))

static volatile long sink;
static volatile int n = 12;

CALL static long leaf(long x)
{
	return x * 3 + sink;
}

CALL static long many_registers(long a, long b, long c, long d, long e, long f)
{
	long x = leaf(a), y = leaf(b), z = leaf(c), u = leaf(d), v = leaf(e), w = leaf(f);

	return leaf(x + y) * a + leaf(z + u) * b + leaf(v + w) * c + d + e + f;
}

CALL static long recursion(int depth)
{
	return depth ? recursion(depth - 1) + leaf(depth) : many_registers(1, 2, 3, 4, 5, 6);
}

CALL static long with_alloca(int size)
{
	char *p = alloca(size * 16);

	memset(p, size, size * 16);
	return recursion(3) + p[size];
}

CALL static long realigned(int size)
{
	long wide[16] __attribute__((aligned(64)));
	char *p = alloca(size);

	for (int i = 0; i < 16; i++)
		wide[i] = leaf(i);
	p[0] = 1;
	__asm__ volatile("" : : "r"(wide), "r"(p) : "memory");
	return wide[size & 15] + recursion(2) + p[0];
}

CALL static long tail_called(long x, long y)
{
	return many_registers(x, y, x, y, x, y) + 1;
}

CALL static long tail_caller(long x, long y)
{
	return x > y ? tail_called(x, y) : tail_called(y, x);
}

CALL static long large_frame(void)
{
	char buffer[300000];

	memset(buffer, 1, 10);
	__asm__ volatile("" : : "r"(buffer) : "memory");
	return leaf(buffer[n]) + recursion(1);
}

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return leaf(x) < leaf(y) ? -1 : leaf(x) > leaf(y);
}

CALL static void called_back(void)
{
	long numbers[20];

	for (int i = 0; i < 20; i++)
		numbers[i] = i * 7 % 20;
	qsort(numbers, 20, sizeof(*numbers), compare);
	sink += numbers[3];
}

static jmp_buf out;

CALL static __attribute__((noreturn)) void jump_out(int depth)
{
	if (!depth)
		longjmp(out, 1);
	jump_out(depth - 1);
}

CALL static void long_jump(void)
{
	if (!setjmp(out))
		jump_out(4);
	sink += recursion(1);
}

/* By hand: a frame with a moving CFA, and a return address in a register. */
long by_hand(long x, long (*callback)(long));
__asm__(".text\n\t.globl by_hand\n\t.type by_hand, @function\n"
	"by_hand:\n\t.cfi_startproc\n\t"
	"mov %rsp, %rax\n\t.cfi_def_cfa rax, 8\n\t"
	"push %rbx\n\t.cfi_offset rbx, -16\n\t"
	"push %r14\n\t.cfi_offset r14, -24\n\t"
	"mov %rax, %r14\n\t.cfi_def_cfa r14, 8\n\t"
	"sub $100, %rsp\n\tand $-64, %rsp\n\t"
	"mov %rdi, %rbx\n\t"
	"call *%rsi\n\t"
	"lea (%rax,%rbx), %rdx\n\t"
	"mov %r14, %rcx\n\t.cfi_def_cfa rcx, 8\n\t"
	"mov -16(%rcx), %r14\n\t.cfi_restore r14\n\t"
	"mov -8(%rcx), %rbx\n\t.cfi_restore rbx\n\t"
	"lea -8(%rcx), %rsp\n\t.cfi_def_cfa rsp, 16\n\t"
	"add $8, %rsp\n\t.cfi_def_cfa_offset 8\n\t"
	"mov %rdx, %rax\n\t"
	"pop %rdx\n\t.cfi_def_cfa_offset 0\n\t.cfi_register rip, rdx\n\t"
	"nop\n\t"
	"jmp *%rdx\n\t"
	".cfi_endproc\n\t.size by_hand, .-by_hand\n");

CALL static void assembly(void)
{
	sink += by_hand(3, leaf);
}

#define TRAP_FLAG(name, instruction)                                                           \
	__asm__(".text\n\t.globl " name "\n\t.type " name ", @function\n"                       \
		name ":\n\t.cfi_startproc\n\t"                                                 \
		"pushfq\n\t.cfi_adjust_cfa_offset 8\n\t"                                       \
		instruction ", (%rsp)\n\t"                                                     \
		"popfq\n\t.cfi_adjust_cfa_offset -8\n\t"                                       \
		"ret\n\t.cfi_endproc\n\t.size " name ", .-" name "\n")

TRAP_FLAG("step_on", "orl $0x100");
TRAP_FLAG("step_off", "andl $~0x100");

static void in_handler(int signal)
{
	(void)signal;
	step_on();
	sink += recursion(2);
	step_off();
}

static void handler_on(int flags)
{
	struct sigaction action = { .sa_handler = in_handler, .sa_flags = flags };

	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	sink += leaf(2);
}

CALL static void signal_handler(void)
{
	handler_on(0);
}

CALL static void signal_handler_on_its_own_stack(void)
{
	static char room[65536];
	stack_t before, own = { .ss_sp = room, .ss_size = sizeof(room) };

	sigaltstack(&own, &before);
	handler_on(SA_ONSTACK);
	sigaltstack(&before, NULL);
}

/* C++'s way to find a handler and to jump there. */
static _Unwind_Reason_Code stop(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
				struct _Unwind_Exception *e, struct _Unwind_Context *context,
				void *arg)
{
	(void)version, (void)actions, (void)class, (void)e, (void)context;
	if (--*(int *)arg == 0)
		longjmp(out, 1);
	return _URC_NO_REASON;
}

CALL static long thrown(int depth)
{
	static struct _Unwind_Exception exception;
	static int frames;

	if (depth)
		return thrown(depth - 1) + leaf(depth);
	frames = 4;
	return _Unwind_ForcedUnwind(&exception, stop, &frames);
}

CALL static void exception(void)
{
	if (!setjmp(out))
		sink += thrown(6);
	sink += recursion(1);
}

CALL static void library(void)
{
	char text[100];
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	snprintf(text, sizeof(text), "%ld %s %g", t.tv_sec, "text", 1.5 * n);
	sink += strlen(text) + strtol(text, NULL, 10);
	free(malloc(1000 + n));
}

static void run_recursion(void) { sink += recursion(n); }
static void run_alloca(void) { sink += with_alloca(n); }
static void run_realigned(void) { sink += realigned(n); }
static void run_tail_call(void) { sink += tail_caller(n, 3); }
static void run_large(void) { sink += large_frame(); }

const struct unwind_call unwind_calls[] = {
	{ "recursion", run_recursion }, { "alloca", run_alloca },
	{ "realigned stack", run_realigned }, { "tail call", run_tail_call },
	{ "large frame", run_large }, { "callback of libc", called_back },
	{ "longjmp", long_jump }, { "assembly", assembly }, { "signal handler", signal_handler },
	{ "signal handler on a stack of its own", signal_handler_on_its_own_stack },
	{ "exception", exception }, { "library functions", library }, { NULL, NULL },
};
#endif
