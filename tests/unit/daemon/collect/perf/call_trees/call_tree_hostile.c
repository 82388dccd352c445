// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call_tree_hostile.c - programs that make it hard to say who calls whom
 */
#include "tests/unit/daemon/collect/perf/call_trees/call_tree.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

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

void start_mapper(void)
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
 * No word of the made-up stack is 0, so that none of its stacks ends as if it were complete, but
 * for those in @empty: there 0 is the return address, as in a stack made by hand. [UT-21]
 */
KEPT void forges(void)
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
