// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unwind.c - what an unwind table costs to make and to keep, and a step by it
 *
 *	unwind [BINARY...]	(default: libc, and what large ones there are)
 *
 * Steps go over a copy of this program's own stack, compiled without frame pointers, as the perf
 * collector's do; libgcc's unwinder beside it takes the same stack where it is. libdw beside the
 * making: it is asked for each stretch of code of which it says the same.
 */
#include <dlfcn.h>
#include <elfutils/libdw.h>
#include <execinfo.h>
#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <unistd.h>
#include "tests/bench/figures.h"
#include "unwind/build.h"
#include "unwind/walk.h"

#define RUNS		5
#define LIMIT		(256 << 20)
#define FRAMES_MAX	200
#define STACK_MAX	65536

static double now_ns(void)
{
	return cpu_seconds() * 1e9;
}

/* --- making --- */

static struct op_unwind_table *make(const char *path, size_t *ret_len, struct unwind_counts *counts)
{
	struct op_unwind_table *table = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? -1 : unwind_build_fd(fd, LIMIT, &table, ret_len, counts);

	if (err) {
		fprintf(stderr, "unwind: %s: %s\n", path, unwind_refusal(err));
		exit(1);
	}
	close(fd);
	return table;
}

static double libdw_ns(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	double began = now_ns();
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Dwarf_CFI *cfi = dwarf_getcfi_elf(elf);
	size_t nr = 0;

	elf_getphdrnum(elf, &nr);
	for (size_t i = 0; cfi && i < nr; i++) {
		Dwarf_Addr at, begin, end;
		Dwarf_Frame *frame;
		GElf_Phdr p;

		if (!gelf_getphdr(elf, i, &p) || p.p_type != PT_LOAD || !(p.p_flags & PF_X))
			continue;
		for (at = p.p_vaddr; at < p.p_vaddr + p.p_filesz; at = end) {
			end = at + 16;		/* nothing there: functions are aligned */
			if (dwarf_cfi_addrframe(cfi, at, &frame))
				continue;
			dwarf_frame_info(frame, &begin, &end, NULL);
			free(frame);
		}
	}
	dwarf_cfi_end(cfi);
	elf_end(elf);
	close(fd);
	return now_ns() - began;
}

static void bench_make(const char *path)
{
	const char *base = strrchr(path, '/') + 1;
	int name = strcspn(base, ".-0123456789");
	double ours[RUNS], theirs[RUNS];
	struct unwind_counts counts;
	size_t len = 0;

	for (int i = 0; i < RUNS; i++) {
		double began = now_ns();

		free(make(path, &len, &counts));
		ours[i] = now_ns() - began;
		theirs[i] = libdw_ns(path);
	}
	printf("bench unwind_make_%.*s %.1f ms rival libdw %.1f\n", name, base,
	       median(ours, RUNS) / 1e6, median(theirs, RUNS) / 1e6);
	printf("bench unwind_size_%.*s %.0f KiB\n", name, base, len / 1024.0);
	printf("bench unwind_bytes_per_row_%.*s %.2f bytes\n", name, base,
	       (double)len / counts.rows);
	printf("bench unwind_bytes_per_code_byte_%.*s %.3f bytes\n", name, base,
	       (double)len / counts.bytes);
}

/* --- stepping --- */

static struct mapping {
	uint64_t start, end, offset;
	const struct op_unwind_table *table;
} mappings[64];
static int nr_mappings;

static uint64_t copy_at;		/* address of the stack that was copied */
static uint64_t copy_len;
static char copy[STACK_MAX];

static int add_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *path = info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe";
	struct op_unwind_table *table;
	size_t len;

	(void)size, (void)arg;
	if (access(path, R_OK))
		return 0;		/* the vdso */
	table = make(path, &len, NULL);
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && nr_mappings < 64)
			mappings[nr_mappings++] = (struct mapping){
				info->dlpi_addr + p->p_vaddr,
				info->dlpi_addr + p->p_vaddr + p->p_memsz, p->p_offset, table,
			};
	}
	return 0;
}

static bool read_copy(void *context, u64 address, u64 *ret)
{
	(void)context;
	if (address < copy_at || address - copy_at > copy_len - sizeof(*ret))
		return false;
	memcpy(ret, copy + (address - copy_at), sizeof(*ret));
	return true;
}

static int walk(const struct op_unwind_cursor *from, int depth)
{
	struct op_unwind_cursor c = *from;
	int nr = 0;

	while (nr < depth) {
		uint64_t place = op_unwind_place(&c);
		const struct mapping *m = mappings;

		while (m < mappings + nr_mappings && place - m->start >= m->end - m->start)
			m++;
		if (m == mappings + nr_mappings ||
		    op_unwind_next(m->table, place - m->start + m->offset, &c, read_copy, NULL) !=
		    OP_UNWIND_STEPPED)
			break;
		nr++;
	}
	return nr;
}

#ifdef __x86_64__
static struct op_unwind_cursor here(void)
{
	static const int order[OP_X86_REGISTERS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};
	struct op_unwind_cursor c = { .machine = OP_UNWIND_X86_64, .top = ~0ull };
	ucontext_t u;

	getcontext(&u);
	for (int i = 0; i < OP_X86_REGISTERS; i++)
		c.value[i] = u.uc_mcontext.gregs[order[i]];
	c.pc = u.uc_mcontext.gregs[REG_RIP];
	op_unwind_start(&c);
	copy_at = c.value[OP_X86_RSP];
	copy_len = (getauxval(AT_RANDOM) & ~7ull) - copy_at;	/* that lies above all frames */
	if (copy_len > sizeof(copy))
		copy_len = sizeof(copy);
	memcpy(copy, (void *)copy_at, copy_len);
	return c;
}
#endif

static void bench_steps(int depth)
{
#ifdef __x86_64__
	struct op_unwind_cursor c = here();
	double ours[RUNS], theirs[RUNS];
	void *stack[FRAMES_MAX];
	int rounds = 400000 / depth, nr = 0;

	for (int run = 0; run < RUNS; run++) {
		double began = now_ns();

		for (int i = 0; i < rounds; i++)
			nr = walk(&c, depth);
		ours[run] = (now_ns() - began) / rounds / depth;
		began = now_ns();
		for (int i = 0; i < rounds / 20; i++)
			backtrace(stack, depth);
		theirs[run] = (now_ns() - began) / (rounds / 20) / depth;
	}
	if (nr != depth) {
		fprintf(stderr, "unwind: %d of %d frames\n", nr, depth);
		exit(1);
	}
	printf("bench unwind_step_of_%d %.1f ns rival libgcc %.1f\n", depth, median(ours, RUNS),
	       median(theirs, RUNS));
#else
	(void)depth;
#endif
}

/* Deep enough for all, by functions of several shapes and by libc. */
static volatile int zero;

static int call_back(const void *a, const void *b);

static __attribute__((noinline)) int small(int depth)
{
	int numbers[2] = { 2, 1 };

	if (!depth) {
		bench_steps(8);
		bench_steps(32);
		bench_steps(128);
		return 0;
	}
	numbers[0] = numbers[1] = depth;
	qsort(numbers, 2, sizeof(*numbers), call_back);
	return numbers[zero];
}

static __attribute__((noinline)) int large(int depth, int a, int b, int c)
{
	volatile char room[300];

	room[depth] = 1;
	return small(depth - 1) + room[depth] + a * b + c;
}

static int call_back(const void *a, const void *b)
{
	int depth = *(const int *)a;

	return large(depth, depth + 1, depth * 2, depth * 3) * 0 + zero * *(const int *)b;
}

int main(int argc, char **argv)
{
	static const char *const large_ones[] = {
		"/usr/lib/*/libLLVM-*.so.1", "/usr/bin/node",
	};
	Dl_info libc;
	glob_t found;
	void *first[4];

	elf_version(EV_CURRENT);
	for (int i = 1; i < argc; i++)
		bench_make(argv[i]);
	if (argc > 1)
		return 0;
	if (dladdr((void *)qsort, &libc))
		bench_make(libc.dli_fname);
	for (size_t i = 0; i < sizeof(large_ones) / sizeof(*large_ones); i++) {
		if (!glob(large_ones[i], 0, NULL, &found))
			bench_make(found.gl_pathv[found.gl_pathc - 1]);
		globfree(&found);
	}
	dl_iterate_phdr(add_object, NULL);
	backtrace(first, 4);
	small(40);
	return 0;
}
