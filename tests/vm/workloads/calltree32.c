/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calltree32 - 32-bit x86 code whose callers are known: its time is spent at the end of one stack
 *
 *	calltree32 HOW [MS TURNS]
 *
 * HOW: plain      main -> plain_a -> plain_b -> plain_c, which spins
 *      alloca     main -> alloca_outer -> alloca_inner, which has a stack of variable size
 *      recursion  main -> recurse, 31 times deep
 *      signal     main -> interrupted -> (a signal with siginfo) on_signal
 *      oldsignal  the same with a handler of one argument
 *      syscall    main -> reads, which has the kernel clear memory
 *
 * With MS it ends after that time, of which TURNS make a millisecond. Needs no library, because
 * machines that build this rarely have one of 32 bits. The names are those of call_tree's modes.
 */
#ifdef __clang__
#define NOT_MERGED static __attribute__((noinline, used))
#else
#define NOT_MERGED static __attribute__((noipa, used))
#endif

/* What follows a call keeps it from being a jump. */
#define AFTER_CALL() __asm__ volatile("" ::: "memory")

enum { SYS_exit = 1, SYS_read = 3, SYS_open = 5, SYS_getpid = 20, SYS_kill = 37,
       SYS_prctl = 172, SYS_rt_sigaction = 174 };
enum { PR_SET_PDEATHSIG = 1, SIGKILL = 9, SIGUSR1 = 10 };
enum { SA_SIGINFO = 4, SA_RESTORER = 0x04000000, SA_NODEFER = 0x40000000 };

struct kernel_sigaction {
	void *handler;
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask[2];
};

static unsigned int turns;		/* of one round; all there are, or for ever */
static unsigned int endless;

void restore(void);
void restore_rt(void);

/* Without call frame information, as in musl; the last is not at a function's beginning. */
__asm__(".text\n\t.p2align 4, 0x90\n\tnop\n\t.globl restore, restore_rt\n"
	"restore:\n\tpop %eax\n\tmov $119, %eax\n\tint $0x80\n"
	"restore_rt:\n\tmov $173, %eax\n\tint $0x80\n"
	/* gives main() the address of argc, and is the outermost function */
	"\t.globl _start\n\t.type _start, @function\n"
	"_start:\n\t.cfi_startproc\n\t.cfi_undefined eip\n\t"
	"xor %ebp, %ebp\n\tmov %esp, %eax\n\tand $-16, %esp\n\tsub $16, %esp\n\t"
	"mov %eax, (%esp)\n\tcall main\n\thlt\n\t.cfi_endproc\n\t.size _start, . - _start\n");

static inline __attribute__((always_inline)) int
call_kernel(int number, long a, long b, long c, long d)
{
	__asm__ volatile("int $0x80" : "+a"(number) : "b"(a), "c"(b), "d"(c), "S"(d) : "memory");
	return number;
}

NOT_MERGED void spin(void)
{
	unsigned int x = turns;

#ifdef FRAME_POINTERS
	/* who calls nobody gets none otherwise */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
#endif
	for (unsigned int i = 0; i < turns; i++) {
		x = x * 1664525u + i;
		__asm__ volatile("" : "+r"(x));
	}
}

NOT_MERGED void plain_c(unsigned int a, unsigned int b)
{
	volatile unsigned int kept = a * b;

	spin();
	kept++;
}

NOT_MERGED void plain_b(unsigned int a)
{
	plain_c(a, a + 1);
	AFTER_CALL();
}

NOT_MERGED void plain_a(void)
{
	plain_b(turns);
	AFTER_CALL();
}

NOT_MERGED void alloca_inner(volatile char *room, unsigned int size)
{
	room[size - 1] = 1;
	spin();
	AFTER_CALL();
}

NOT_MERGED void alloca_outer(unsigned int size)
{
	volatile char *room = __builtin_alloca(size);

	alloca_inner(room, size);
	room[0]++;
}

NOT_MERGED void recurse(int left)
{
	if (left)
		recurse(left - 1);
	else
		spin();
	AFTER_CALL();
}

NOT_MERGED void on_signal(int number)
{
	(void)number;
	spin();
	AFTER_CALL();
}

NOT_MERGED void interrupted(void)
{
	call_kernel(SYS_kill, call_kernel(SYS_getpid, 0, 0, 0, 0), SIGUSR1, 0, 0);
}

NOT_MERGED void reads(void)
{
	static char room[1 << 20];
	static int fd;

	if (!fd)
		fd = call_kernel(SYS_open, (long)"/dev/zero", 0, 0, 0);
	call_kernel(SYS_read, fd, (long)room, sizeof(room), 0);
	AFTER_CALL();
}

static void handle(void *handler, unsigned long flags, void (*restorer)(void))
{
	struct kernel_sigaction action = { handler, flags | SA_RESTORER | SA_NODEFER, restorer,
					   { 0, 0 } };

	call_kernel(SYS_rt_sigaction, SIGUSR1, (long)&action, 0, 8);
}

static unsigned int number(const char *text)
{
	unsigned int n = 0;

	while (*text >= '0' && *text <= '9')
		n = 10 * n + (unsigned int)(*text++ - '0');
	return n;
}

static int is(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

int main(long *arguments);
int main(long *arguments)
{
	const char *how = arguments[0] > 1 ? (const char *)arguments[2] : "plain";
	unsigned int rounds = 1;

	endless = arguments[0] < 4;
	turns = 4000000;	/* much more than a signal takes */
	if (endless) {		/* but not longer than who started it */
		call_kernel(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
	} else {
		turns = number((const char *)arguments[4]);
		rounds = number((const char *)arguments[3]);
	}
	if (is(how, "signal"))
		handle((void *)on_signal, SA_SIGINFO, restore_rt);
	else if (is(how, "oldsignal"))
		handle((void *)on_signal, 0, restore);
	while (endless || rounds--) {
		if (is(how, "plain"))
			plain_a();
		else if (is(how, "alloca"))
			alloca_outer(turns % 1000 + 1);
		else if (is(how, "recursion"))
			recurse(30);
		else if (is(how, "syscall"))
			reads();
		else
			interrupted();
	}
	call_kernel(SYS_exit, 0, 0, 0, 0);
	return 0;
}
