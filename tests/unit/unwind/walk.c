// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * walk.c - unwind our own stack with tables at every instruction of calls.c, and compare the
 * callers with those of libgcc's unwinder
 *
 * The processor stops after each instruction (x86's trap flag): in prologues, epilogues, PLT
 * entries, the dynamic linker, libc's assembly, libgcc's unwinder itself.
 */
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include "tests/tap.h"
#include "tests/unit/unwind/calls.h"
#include "unwind/build.h"
#include "unwind/vdso.h"
#include "unwind/walk.h"

#ifdef __x86_64__

#define DEPTH		64
#define MAPPINGS	32
#define LONGJMP		12	/* instructions of glibc's that have no stack */

static struct mapping {
	uint64_t start, end, offset;
	const struct op_unwind_table *table;
} mappings[MAPPINGS];
static int nr_mappings;

static uint64_t stack_top, outermost;

/* The results of the walks. */
static struct {
	unsigned long walks, wrong, incomplete, longer, by_frame_pointer, frames;
} seen;

static int add_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct unwind_table vdso = { 0 };
	struct op_unwind_table *table = NULL;
	const char *path = info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len;

	(void)size, (void)arg;
	if (fd >= 0)
		CHECK(!unwind_build_fd(fd, 64 << 20, &table, &len, NULL), "%s", path);
	else if (!unwind_vdso_table(&vdso))
		table = (struct op_unwind_table *)vdso.blob;
	close(fd);
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && nr_mappings < MAPPINGS)
			mappings[nr_mappings++] = (struct mapping){
				info->dlpi_addr + p->p_vaddr,
				info->dlpi_addr + p->p_vaddr + p->p_memsz, p->p_offset, table,
			};
	}
	return 0;
}

static const struct op_unwind_table *table_of(uint64_t pc, uint64_t *ret_offset)
{
	for (int i = 0; i < nr_mappings; i++)
		if (pc >= mappings[i].start && pc < mappings[i].end) {
			*ret_offset = pc - mappings[i].start + mappings[i].offset;
			return mappings[i].table;
		}
	return NULL;
}

/* Readable from the innermost sp up: a handler's own stack is static, so below the main one. */
static bool read_memory(void *context, u64 address, u64 *ret)
{
	uint64_t sp = *(uint64_t *)context;

	if (address < sp - 128 || address > stack_top - 8)
		return false;
	memcpy(ret, (const void *)address, sizeof(*ret));
	return true;
}

static struct op_unwind_cursor cursor_of(const ucontext_t *u)
{
	static const int order[OP_X86_REGISTERS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};
	struct op_unwind_cursor c = { .machine = OP_UNWIND_X86_64, .top = ~0ull,
				      .pc = u->uc_mcontext.gregs[REG_RIP] };

	for (int i = 0; i < OP_X86_REGISTERS; i++)
		c.value[i] = u->uc_mcontext.gregs[order[i]];
	op_unwind_start(&c);
	return c;
}

/* The stack by backtrace(). */
static int walk(const ucontext_t *u, uint64_t *stack, enum op_unwind_result *ret_end, bool *ret_fp)
{
	struct op_unwind_cursor c = cursor_of(u);
	uint64_t offset, sp = c.floor;
	const struct op_unwind_table *table;
	int nr = 0;

	do {
		stack[nr++] = c.pc;
		table = table_of(op_unwind_place(&c), &offset);
		*ret_end = op_unwind_next(table, offset, &c, read_memory, &sp);
	} while (*ret_end == OP_UNWIND_STEPPED && nr < DEPTH);
	*ret_fp = c.by_frame_pointer;
	return nr;
}

static void tell_wrong(const uint64_t *ours, int nr, void **theirs, int nr_theirs)
{
	if (seen.wrong++)
		return;
	printf("# wrong at %#lx:\n", ours[0]);
	for (int i = 0; i < nr || i < nr_theirs; i++)
		printf("#   %#16lx %p\n", i < nr ? ours[i] : 0, i < nr_theirs ? theirs[i] : NULL);
}

/* @theirs begins with a few more frames; @first is the index of the first one that ours has. */
static void compare(const ucontext_t *u, void **theirs, int nr_theirs, int first)
{
	uint64_t ours[DEPTH];
	enum op_unwind_result end;
	bool by_frame_pointer, same;
	int nr;

	seen.walks++;
	nr = walk(u, ours, &end, &by_frame_pointer);
	while (nr_theirs && (uint64_t)theirs[0] != ours[first])
		theirs++, nr_theirs--;
	seen.frames += nr;
	if (end != OP_UNWIND_OUTERMOST) {
		if (!seen.incomplete++)
			printf("# result %d at %#lx after %d frames\n", end, ours[nr - 1], nr);
		return;
	}
	same = nr_theirs && nr >= nr_theirs + first && ours[nr - 1] == outermost;
	for (int i = 0; same && i < nr_theirs; i++)
		same = ours[first + i] == (uint64_t)theirs[i];
	seen.longer += same && nr > nr_theirs + first;
	if (!same)
		tell_wrong(ours, nr, theirs, nr_theirs);
	seen.by_frame_pointer += by_frame_pointer;
}

/* After each instruction, twice: from there, and from here through the signal frame. */
static void trapped(int signal, siginfo_t *info, void *context)
{
	void *theirs[DEPTH];
	ucontext_t here;
	int nr = backtrace(theirs, DEPTH);

	(void)signal, (void)info;
	compare(context, theirs, nr, 0);
	if (seen.walks % 16)
		return;
	getcontext(&here);	/* not backtrace()'s call: equal from the next frame on */
	compare(&here, theirs, nr, 1);
}

static const struct unwind_call *current;

static void step_through(void)
{
	struct sigaction action = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };
	void *first[DEPTH];

	/* load now what it needs */
	outermost = (uint64_t)first[backtrace(first, DEPTH) - 1];
	dl_iterate_phdr(add_object, NULL);
	stack_top = getauxval(AT_RANDOM) & ~7ull;	/* above all frames */
	sigaction(SIGTRAP, &action, NULL);
	step_on();
	current->run();
	step_off();
	printf("# %s: %lu walks of %.1f frames, %lu incomplete, %lu longer than libgcc's\n",
	       current->name, seen.walks, (double)seen.frames / (seen.walks ? seen.walks : 1),
	       seen.incomplete, seen.longer);
	CHECK(seen.walks > 20, "%lu walks", seen.walks);
	CHECK(!seen.wrong, "%lu of %lu are wrong", seen.wrong, seen.walks);
	CHECK(seen.incomplete <= LONGJMP + seen.walks / 1000, "%lu of %lu do not get to the end",
	      seen.incomplete, seen.walks);
	CHECK(!seen.by_frame_pointer, "%lu of %lu by frame pointers that are none",
	      seen.by_frame_pointer, seen.walks);
	CHECK(100 * seen.longer <= seen.walks, "libgcc knows %lu of %lu only in part", seen.longer,
	      seen.walks);
}

int main(void)
{
	int number = 0, failed = 0;

	(void)tap_last;
	for (current = unwind_calls; current->name; current++) {
		struct tap_test test = { current->name, step_through, NULL };

		failed += tap_run(&test, ++number);
	}
	printf("1..%d\n", number);
	return failed ? 1 : 0;
}
#else
TEST(walks)
{
	SKIP("there is no trap flag but on x86");
}

TEST_MAIN()
#endif
