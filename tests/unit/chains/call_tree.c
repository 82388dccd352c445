// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call_tree.c - a program whose call chains are known, for the tests of the perf collector
 *
 *	call_tree MODE
 *
 * Runs for ever in the innermost function of one of its trees, which stand in perf_chains.c. It is
 * built several times: with and without frame pointers, static, static-pie.
 */
#include <alloca.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

/* A function as it is written, whatever its callers are like. */
#ifdef __clang__
#define NOINLINE static __attribute__((noinline))
#else
#define NOINLINE static __attribute__((noipa))
#endif

static volatile unsigned long rounds = 20000, sink;
static volatile int zero;

/* Where almost all time goes. */
NOINLINE void spin(void)
{
#ifdef FRAME_POINTERS	/* this one needs none, so it has to be made to */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
#endif
	for (unsigned long i = rounds; i; i--)
		__asm__ volatile("");
}

/* Nothing may be a tail call, unless it says so: there is always something to do afterwards. */
#define AFTERWARDS sink++

/* --- plain calls, with much to keep in registers and on the stack --- */

NOINLINE void plain_c(unsigned long a, unsigned long b)
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

/* More than is copied of a stack to begin with, and all of it used: else there is no memory. */
NOINLINE void large(void)
{
	volatile char room[12000];

	for (size_t i = 0; i < sizeof(room); i += 1000)
		room[i] = 1;
	plain_c(sink, 1);
	sink += (unsigned long)room[0];
}

static void large_frames(void)
{
	for (;;)
		large();
}

static void plain(void)
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

static void variable(void)
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

static void recursion(unsigned long depth)
{
	for (;;)
		sink += recurse(depth);
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

static void signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

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

static void callback(void)
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

static void tail(void)
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

static void system_calls(void)
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

static void vdso(void)
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

static void threads(void)
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

static void unwinder(void)
{
	for (;;)
		throws();
}

/* --- assembly, with and without a word on how to unwind it --- */

void told_asm(void);
void untold_asm(void);

#if defined(__x86_64__)
__asm__(".text\n"
	".globl told_asm\n"
	".type told_asm, @function\n"
	"told_asm:\n"
	"	.cfi_startproc\n"
	"	pushq %rbx\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset rbx, -16\n"
	"	subq $80, %rsp\n"
	"	.cfi_adjust_cfa_offset 80\n"
	"	movl $1000000, %ebx\n"
	"1:	decl %ebx\n"
	"	jnz 1b\n"
	"	addq $80, %rsp\n"
	"	.cfi_adjust_cfa_offset -80\n"
	"	popq %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size told_asm, . - told_asm\n"
	".globl untold_asm\n"
	".type untold_asm, @function\n"
	"untold_asm:\n"
	"	pushq %rbp\n"
	"	movq %rsp, %rbp\n"
	"	subq $80, %rsp\n"
	"	movl $1000000, %eax\n"
	"1:	decl %eax\n"
	"	jnz 1b\n"
	"	leave\n"
	"	ret\n"
	".size untold_asm, . - untold_asm\n");
#else
__asm__(".text\n"
	".globl told_asm\n"
	".type told_asm, %function\n"
	"told_asm:\n"
	"	.cfi_startproc\n"
	"	stp x29, x30, [sp, #-96]!\n"
	"	.cfi_def_cfa_offset 96\n"
	"	.cfi_offset x29, -96\n"
	"	.cfi_offset x30, -88\n"
	"	movz x0, #16, lsl #16\n"
	"1:	subs x0, x0, #1\n"
	"	b.ne 1b\n"
	"	ldp x29, x30, [sp], #96\n"
	"	.cfi_def_cfa_offset 0\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size told_asm, . - told_asm\n"
	".globl untold_asm\n"
	".type untold_asm, %function\n"
	"untold_asm:\n"
	"	stp x29, x30, [sp, #-96]!\n"
	"	mov x29, sp\n"
	"	movz x0, #16, lsl #16\n"
	"1:	subs x0, x0, #1\n"
	"	b.ne 1b\n"
	"	ldp x29, x30, [sp], #96\n"
	"	ret\n"
	".size untold_asm, . - untold_asm\n");
#endif

NOINLINE void calls_asm(void (*what)(void))
{
	what();
	AFTERWARDS;
}

static void assembly(void (*what)(void))
{
	for (;;)
		calls_asm(what);
}

/* --- mappings that come and go, in another thread --- */

static void *maps_and_unmaps(void *unused)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)unused;
	for (;;) {
		void *at = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

		if (at != MAP_FAILED)
			munmap(at, page);
	}
	return NULL;
}

static void start_mapper(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, maps_and_unmaps, NULL);
}

/* --- stack and frame pointers that no code could have --- */

/* Spin with @fp for a frame pointer and, unless 0, @sp for a stack pointer. */
NOINLINE void forged(unsigned long fp, unsigned long sp)
{
	unsigned long left = rounds;

#if defined(__x86_64__)
	__asm__ volatile("movq %%rbp, %%r8\n\tmovq %%rsp, %%r9\n\tmovq %1, %%rbp\n\t"
			 "testq %2, %2\n\tcmovnzq %2, %%rsp\n"
			 "1:\tdecq %0\n\tjnz 1b\n\t"
			 "movq %%r8, %%rbp\n\tmovq %%r9, %%rsp"
			 : "+c"(left)
			 : "D"(fp), "S"(sp)
			 : "r8", "r9", "cc", "memory");
#else
	__asm__ volatile("mov x8, x29\n\tmov x9, sp\n\tmov x29, %1\n\tcbz %2, 1f\n\t"
			 "mov sp, %2\n1:\tsubs %0, %0, 1\n\tb.ne 1b\n\t"
			 "mov x29, x8\n\tmov sp, x9"
			 : "+r"(left)
			 : "r"(fp), "r"(sp)
			 : "x8", "x9", "cc", "memory");
#endif
	AFTERWARDS;
}

/*
 * No word of the made-up stack is 0, so that none of its chains ends as if it were complete, but
 * for those in @empty: there 0 is the return address, as in a stack made by hand. [UT-21]
 */
NOINLINE void forges(void)
{
	static unsigned long room[4096], empty[200];
	unsigned long at = (unsigned long)room, self = (unsigned long)&room[100];
	const unsigned long pointers[] = {
		8, self, self + 3, (unsigned long)&room[300], (unsigned long)&room[400],
		(unsigned long)&room[4095], (unsigned long)&at, 0xffff888000000000, ~0ul,
		0x7ffffffff000, 0x7fffffffffffffff, 0x8000000000000000,
	};

	for (size_t i = 0; i < 4096; i++)
		room[i] = at + 8 * i;		/* data for code, one above the other */
	room[100] = self;			/* its own caller */
	room[101] = (unsigned long)plain_c;
	room[300] = (unsigned long)&room[200];	/* downwards */
	room[301] = ~0ul;
	room[200] = 0xffff888000000000;
	for (size_t i = 0; i < sizeof(pointers) / sizeof(*pointers); i++) {
		forged(pointers[i], 0);
		forged(pointers[i], (unsigned long)&room[64]);
		forged(pointers[i], 0xffff888000000000);
		forged((unsigned long)&empty[80], (unsigned long)&empty[64]);
	}
	AFTERWARDS;
}

static void forger(void)
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
	else if (!strcmp(mode, "alloca"))
		variable();
	else if (!strcmp(mode, "recursion"))
		recursion(30);
	else if (!strcmp(mode, "deep"))
		recursion(600);
	else if (!strcmp(mode, "signal"))
		signals();
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
	return 1 + zero;
}
