/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calltree - code whose callers are known: its time is spent at the end of one stack
 *
 *	calltree HOW MS TURNS
 *
 * HOW: tree     main -> first -> second -> third, which burns
 *      kernel   the same, but third has the kernel clear memory
 *      deep     main -> 1500 times deeper, which burns
 *      signal   main -> first -> second -> third -> (a signal) handler, on a stack of its own
 *      storm    tree, and then 60 children of 20 ms each, four at a time: every other one forks
 *               only, and burns as storm -> first -> ..., the others exec this program as "tree"
 *      mapper   tree, while another thread maps code and unmaps it without end
 *      forge    frame pointers and stack pointers that no code could have
 *
 * TURNS make a millisecond. Built with and without frame pointers.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/vm/workloads/spin.h"

static uint64_t turns;		/* to burn in all */
static void (*volatile work)(void);

/* What follows a call keeps it from being a jump. */
#define AFTER_CALL() __asm__ volatile("" ::: "memory")

static NOT_MERGED void burn(void)
{
#ifdef FRAME_POINTERS
	/* who calls nobody gets none otherwise */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
#endif
	spin(turns);
}

/* No function of the library's, which keeps no frame pointer, between here and the kernel. */
static inline __attribute__((always_inline)) void read_zeroes(int fd, void *room, size_t size)
{
#ifdef __x86_64__
	long result = SYS_read;

	__asm__ volatile("syscall" : "+a"(result) : "D"(fd), "S"(room), "d"(size)
			 : "rcx", "r11", "memory");
#else
	register long number __asm__("x8") = SYS_read, first __asm__("x0") = fd;
	register void *second __asm__("x1") = room;
	register size_t third __asm__("x2") = size;

	__asm__ volatile("svc 0" : "+r"(first) : "r"(number), "r"(second), "r"(third) : "memory");
#endif
}

static NOT_MERGED void clear(void)
{
	static char room[1 << 20];
	int fd = open("/dev/zero", O_RDONLY);

	for (uint64_t i = 0; i < turns / 100000; i++)
		read_zeroes(fd, room, sizeof(room));
}

static void handler(int number)
{
	(void)number;
	burn();
	_exit(0);
}

static NOT_MERGED void raise_signal(void)
{
	static char room[65536];
	const stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	const struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGILL, &action, NULL);
	sigaction(SIGTRAP, &action, NULL);
	__builtin_trap();
}

static NOT_MERGED void third(void) { work(); AFTER_CALL(); }
static NOT_MERGED void second(void) { third(); AFTER_CALL(); }
static NOT_MERGED void first(void) { second(); AFTER_CALL(); }

static NOT_MERGED void deeper(int left)
{
	if (left)
		deeper(left - 1);
	else
		burn();
	AFTER_CALL();
}

static void *map_and_unmap(void *path)
{
	int fd = open(path, O_RDONLY);
	char *at = mmap(NULL, 64 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (;;) {
		for (int i = 0; i < 64; i += 2)
			mmap(at + i * 4096, 4096, PROT_READ | PROT_EXEC,
			     MAP_PRIVATE | MAP_FIXED, fd, 0);
		for (int i = 0; i < 64; i += 2)
			munmap(at + i * 4096, 4096);
	}
	return NULL;
}

/* Burn with @fp for a frame pointer and, unless 0, @sp for a stack pointer; nobody is called so. */
static NOT_MERGED void burn_with(uint64_t fp, uint64_t sp)
{
	uint64_t left = turns / 20;

#ifdef __x86_64__
	__asm__ volatile("mov %%rbp, %%r8\n\tmov %%rsp, %%r9\n\tmov %1, %%rbp\n\t"
			 "test %2, %2\n\tcmovnz %2, %%rsp\n"
			 "1:\timul %%rax, %%rax\n\tdec %0\n\tjnz 1b\n\t"
			 "mov %%r8, %%rbp\n\tmov %%r9, %%rsp"
			 : "+r"(left) : "r"(fp), "r"(sp) : "rax", "r8", "r9", "cc", "memory");
#else
	__asm__ volatile("mov x8, x29\n\tmov x9, sp\n\tmov x29, %1\n\tcbz %2, 1f\n\tmov sp, %2\n"
			 "1:\tmul x10, x10, x10\n\tsubs %0, %0, 1\n\tb.ne 1b\n\t"
			 "mov x29, x8\n\tmov sp, x9"
			 : "+r"(left) : "r"(fp), "r"(sp) : "x8", "x9", "x10", "cc", "memory");
#endif
}

static void forge(void)
{
	static uint64_t room[4096];
	uint64_t self = (uintptr_t)&room[100], other = (uintptr_t)&room[200];
	const uint64_t pointers[] = {
		8, self, self + 3, (uintptr_t)&room[300], 0xffff888000000000, 0xffffffff81000000,
		~0ull, 0x7fffffffffff, 0x7ffffffff000, 0x7fffffffffffffff, 0x8000000000000000,
		0x0000800000000000, (uintptr_t)&room[4095], (uintptr_t)&self,
		(uintptr_t)&room[400],
	};

	room[100] = self;		/* its own caller */
	room[101] = (uintptr_t)burn;
	room[300] = other;		/* downwards */
	room[301] = ~0ull;
	room[400] = (uintptr_t)&room[500];
	room[401] = (uintptr_t)room;	/* is not code */
	room[200] = 0xffff888000000000;
	room[201] = 0x7fffffffffff;
	for (unsigned int i = 0; i < sizeof(pointers) / sizeof(*pointers); i++) {
		burn_with(pointers[i], 0);
		burn_with(pointers[i], (uintptr_t)&room[64]);
		burn_with(pointers[i], 0xffff888000000000);
	}
}

/*
 * Where CPUs leave it to the kernel to mark pages as used, as on arm64, what a child has of its
 * parent's stack cannot be read without a fault before the child itself has touched it.
 */
static void touch_stack(char **argv)
{
	volatile char *at = __builtin_frame_address(0), *end = (char *)argv;
	char sum = 0;

	for (; at < end; at += 1024)
		sum += *at;
	sum += *end;	/* a page may begin behind the last step */
	(void)sum;
}

static NOT_MERGED void storm(char **argv)
{
	uint64_t turns_of_child = 20 * strtoull(argv[3], NULL, 0);
	int running = 0;

	first();
	for (int i = 0; i < 60 || running; i++) {
		if (i >= 60 || running == 4) {
			wait(NULL);
			running--;
		}
		if (i >= 60)
			continue;
		running++;
		if (fork())
			continue;
		if (i % 2) {
			execl(argv[0], argv[0], "tree", "20", argv[3], (char *)NULL);
			_exit(127);
		}
		touch_stack(argv);
		turns = turns_of_child;
		first();
		_exit(0);
	}
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 4)
		return 2;
	turns = strtoull(argv[2], NULL, 0) * strtoull(argv[3], NULL, 0);
	work = burn;
	if (!strcmp(argv[1], "kernel"))
		work = clear;
	else if (!strcmp(argv[1], "signal"))
		work = raise_signal;
	else if (!strcmp(argv[1], "mapper"))
		pthread_create(&thread, NULL, map_and_unmap, argv[0]);

	if (!strcmp(argv[1], "deep"))
		deeper(1500);
	else if (!strcmp(argv[1], "forge"))
		forge();
	else if (!strcmp(argv[1], "storm"))
		storm(argv);
	else
		first();
	return 0;
}
