// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * throws.c - unwind with tables at every instruction of stacks/exceptions.cc
 *
 * In another process, stopped by ptrace() after each instruction, because libgcc's unwinder, with
 * which walk.c compares, cannot unwind itself while it moves frames. A complete stack must be one
 * of those listed here, as in tests/unit/daemon/collect/perf/call_trees/modes.h: functions of the
 * program by name, others as "?", equal neighbors as one.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include "tests/tap.h"
#include "tests/unit/daemon/collect/perf/call_trees/symbols.h"
#include "unwind/build.h"
#include "unwind/walk.h"

#if defined(__x86_64__) && defined(HAVE_CXX)

#define DEPTH		64
#define MAPPINGS	64
#define STACK_BYTES	32768
#define RED_ZONE	128
/*
 * Instructions for each landing pad at which libgcc has overwritten its saved registers [UT-17]:
 * those that do it, where no stack is complete, and those after, where stacks may lack callers.
 */
#define OVERWRITING	150
#define OVERWRITTEN	25		/* gcc 14's libgcc: 45 for two of them */

static const struct mode {
	const char *name, *loop;	/* one turn of it is checked, */
	unsigned int pads;		/* and has so many landing pads */
	const char *lines[8];		/* innermost first */
} modes[] = {
	{ "exception", "catches", 2, { "spin thrower passes catches main ?",
	  "? thrower passes catches main ?", "spin undo passes catches main ?",
	  "? passes catches main ?", "spin catches main ?", "? catches main ?" } },
	{ "rethrown", "catches_again", 4, { "spin thrower passes rethrows catches_again main ?",
	  "? thrower passes rethrows catches_again main ?",
	  "spin undo passes rethrows catches_again main ?",
	  "? passes rethrows catches_again main ?", "spin rethrows catches_again main ?",
	  "? rethrows catches_again main ?", "? catches_again main ?" } },
};

static struct mapping {
	uint64_t start, end, offset;
	bool program;
	struct op_unwind_table *table;
} mappings[MAPPINGS];
static int nr_mappings;

static struct symbols symbols;
static char path[PATH_MAX];
static pid_t pid;

static struct {
	unsigned long walks, whole, wrong;
	char wrong_line[200];
} seen;

/* ---- the process ---- */

static struct user_regs_struct registers;

/* Its stack above sp, and the red zone. */
static struct {
	uint64_t at;
	size_t size;
	char bytes[RED_ZONE + STACK_BYTES];
} stack;

static void read_process(void)
{
	struct iovec here = { stack.bytes, sizeof(stack.bytes) }, there;
	ssize_t n;

	CHECK(!ptrace(PTRACE_GETREGS, pid, NULL, &registers), "registers: %s", strerror(errno));
	stack.at = registers.rsp - RED_ZONE;
	there = (struct iovec){ (void *)stack.at, sizeof(stack.bytes) };
	n = process_vm_readv(pid, &here, 1, &there, 1, 0);
	stack.size = n > 0 ? (size_t)n : 0;
}

static bool read_memory(void *context, u64 address, u64 *ret)
{
	uint64_t at = address - stack.at;

	(void)context;
	if (at > stack.size || stack.size - at < sizeof(*ret))
		return false;
	memcpy(ret, stack.bytes + at, sizeof(*ret));
	return true;
}

static void forget_mappings(void)
{
	while (nr_mappings)
		free(mappings[--nr_mappings].table);
}

static void read_mappings(void)
{
	char name[64], line[PATH_MAX + 100], file[PATH_MAX], x;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	f = fopen(name, "re");
	forget_mappings();
	while (f && fgets(line, sizeof(line), f) && nr_mappings < MAPPINGS) {
		struct mapping *m = &mappings[nr_mappings];
		size_t len;
		int fd;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*c%*c%c%*c %" SCNx64 " %*s %*s %s",
			   &m->start, &m->end, &x, &m->offset, file) != 5 || x != 'x')
			continue;
		fd = open(file, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;	/* the vdso */
		CHECK(!unwind_build_fd(fd, 64 << 20, &m->table, &len, NULL), "%s", file);
		close(fd);
		m->program = !strcmp(file, path);
		nr_mappings++;
	}
	if (f)
		fclose(f);
}

/* The load address of a position-independent program. */
static uint64_t address_of(const char *name)
{
	uint64_t first = 0;

	for (int i = 0; i < nr_mappings; i++)
		if (mappings[i].program)
			first = mappings[i].start - mappings[i].offset;
	for (size_t i = 0; i < symbols.nr; i++)
		if (!strcmp(symbols.symbol[i].name, name))
			return first + symbols.symbol[i].address;
	CHECK(false, "no %s in %s", name, path);
	return 0;
}

static void resume(int request, const char *why)
{
	int status;

	CHECK(!ptrace(request, pid, NULL, NULL), "%s: %s", why, strerror(errno));
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
	    WSTOPSIG(status) != SIGTRAP) {
		CHECK(false, "%s: it does not stop as it should", why);
		exit(1);
	}
}

static void run_to(uint64_t address)
{
	long code = ptrace(PTRACE_PEEKTEXT, pid, address, NULL);

	CHECK(!ptrace(PTRACE_POKETEXT, pid, address, (code & ~0xffL) | 0xcc), "breakpoint");
	resume(PTRACE_CONT, "to a breakpoint");
	CHECK(!ptrace(PTRACE_POKETEXT, pid, address, code), "breakpoint");
	CHECK(!ptrace(PTRACE_GETREGS, pid, NULL, &registers), "registers");
	registers.rip = address;
	CHECK(!ptrace(PTRACE_SETREGS, pid, NULL, &registers), "registers");
}

static void start(const struct mode *m)
{
	pid = fork();
	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(TAP_SKIPPED);
		execl(path, path, m->name, (char *)NULL);
		_exit(127);
	}
	if (waitpid(pid, &(int){ 0 }, 0) == pid && ptrace(PTRACE_PEEKUSER, pid, 0, NULL) == -1 &&
	    errno)
		SKIP("nothing can be traced here");
}

/* ---- its stacks ---- */

static const struct mapping *mapping_of(uint64_t place)
{
	for (int i = 0; i < nr_mappings; i++)
		if (place >= mappings[i].start && place < mappings[i].end)
			return &mappings[i];
	return NULL;
}

static struct op_unwind_cursor cursor_of(const struct user_regs_struct *r)
{
	struct op_unwind_cursor c = {
		.machine = OP_UNWIND_X86_64, .top = ~0ull, .pc = r->rip,
		.value = { r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8,
			   r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15 },
	};

	op_unwind_start(&c);
	return c;
}

static void add_name(char *line, size_t room, uint64_t place, const struct mapping *m)
{
	const char *name = m && m->program ? symbol_at(&symbols, place - m->start + m->offset) :
			   NULL, *last = strrchr(line, ' ');
	int length = name && name[0] != '_' ? (int)strcspn(name, ".") : 1;

	name = name && name[0] != '_' ? name : "?";
	last = last ? last + 1 : line;
	if ((int)strlen(last) != length || strncmp(last, name, length))
		snprintf(line + strlen(line), room - strlen(line), "%s%.*s", line[0] ? " " : "",
			 length, name);
}

static enum op_unwind_result walk(char *line, size_t room)
{
	struct op_unwind_cursor c = cursor_of(&registers);
	enum op_unwind_result result;
	int nr = 0;

	line[0] = 0;
	do {
		uint64_t place = op_unwind_place(&c);
		const struct mapping *m = mapping_of(place);

		add_name(line, room, place, m);
		result = op_unwind_next(m ? m->table : NULL,
					m ? place - m->start + m->offset : 0, &c, read_memory,
					NULL);
	} while (result == OP_UNWIND_STEPPED && ++nr < DEPTH);
	return result;
}

static bool is_end_of(const char *line, const char *whole)
{
	size_t n = strlen(line), all = strlen(whole);

	return n <= all && !strcmp(whole + all - n, line) &&
	       (n == all || whole[all - n - 1] == ' ');
}

static void judge(const struct mode *m)
{
	enum op_unwind_result result;
	bool right = false;
	char line[1000];

	read_process();
	result = walk(line, sizeof(line));
	for (int i = 0; i < 8 && m->lines[i]; i++)
		right |= is_end_of(line, m->lines[i]);
	seen.walks++;
	seen.whole += result == OP_UNWIND_OUTERMOST && right;
	if (result == OP_UNWIND_OUTERMOST && !right) {
		seen.wrong++;
		snprintf(seen.wrong_line, sizeof(seen.wrong_line), "%#llx %s", registers.rip, line);
	}
}

static void find_program(void)
{
	char self[PATH_MAX / 2] = "", beside[PATH_MAX];

	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0, "its own name");
	snprintf(beside, sizeof(beside), "%.*s/../tools/exceptions",
		 (int)(strrchr(self, '/') - self), self);
	CHECK(realpath(beside, path), "%s is not there", beside);
	symbols_read(&symbols, path);
}

static void step_through(const struct mode *m)
{
	uint64_t loop;

	find_program();
	start(m);
	read_mappings();
	/* a longer loop would not test more */
	CHECK(!ptrace(PTRACE_POKEDATA, pid, address_of("_ZL6rounds"), 3), "rounds");
	loop = address_of(m->loop);
	run_to(loop);		/* after the first turn all is loaded and bound */
	resume(PTRACE_SINGLESTEP, "a step");
	run_to(loop);
	read_mappings();
	do {
		judge(m);
		resume(PTRACE_SINGLESTEP, "a step");
	} while (registers.rip != loop || seen.walks < 2);
	kill(pid, SIGKILL);
	forget_mappings();
	symbols_free(&symbols);
	printf("# %s: %lu walks, %lu whole, %lu wrong\n", m->name, seen.walks, seen.whole,
	       seen.wrong);
	CHECK(seen.walks > 1000, "%lu walks", seen.walks);
	CHECK(seen.wrong <= OVERWRITTEN * m->pads, "%lu wrong, such as at %s", seen.wrong,
	      seen.wrong_line);
	CHECK(seen.walks - seen.whole <= OVERWRITING * m->pads, "%lu of %lu whole", seen.whole,
	      seen.walks);
}

TEST(exception)
{
	step_through(&modes[0]);
}

TEST(rethrown)
{
	step_through(&modes[1]);
}

#else
TEST(throws)
{
	SKIP("needs x86, and a C++ compiler as it is built");
}
#endif

TEST_MAIN()
