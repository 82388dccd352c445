// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reference.c - compare unwind tables of real binaries with libdw at every address
 *
 * Our rule makes a step with made-up registers and memory, and libdw's answer for the same address
 * is evaluated with the same ones. Both must find the same caller.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <unistd.h>
#include "libutil/hash.h"
#include "tests/tap.h"
#include "unwind/build.h"
#include "unwind/walk.h"

#define LIMIT	(64 << 20)
#define X86_PC	16		/* as a register in expressions */
#define I386_PC	8

/* --- the made-up process --- */

/* The binary's machine: callee-saved registers, and the column of the return address. */
static u16 machine;
static uint32_t callee_saved;
static unsigned int nr_registers, ra_column;

static void set_machine(u16 which)
{
	machine = which;
	nr_registers = op_unwind_registers(which);
	switch (which) {
	case OP_UNWIND_ARM64:
		callee_saved = 0x3ff80000;
		ra_column = OP_ARM64_LR;
		break;
	case OP_UNWIND_I386:
		callee_saved = 1u << OP_I386_EBX | 1u << OP_I386_EBP | 1u << OP_I386_ESI |
			       1u << OP_I386_EDI;
		ra_column = I386_PC;
		break;
	default:
		callee_saved = 1u << OP_X86_RBX | 1u << OP_X86_RBP | 0xf000u;
		ra_column = X86_PC;
	}
}

static uint64_t register_value(unsigned int n)
{
	return 0x100000000ull * (n + 1);
}

static bool memory(void *context, u64 address, u64 *ret)
{
	(void)context;
	*ret = hash_u64(address) & ~0xfull;
	return true;
}

/* The compared parts of a step. */
struct answer {
	enum op_unwind_result result;
	uint64_t cfa, ra, saved[OP_UNWIND_REGISTERS];
	uint32_t lost;
};

static struct answer ours(const struct op_unwind_rule *rule, uint64_t pc)
{
	struct op_unwind_cursor c = { .pc = pc, .machine = machine, .top = ~0ull };
	struct answer a = { 0 };

	for (unsigned int i = 0; i < nr_registers; i++)
		c.value[i] = register_value(i);
	op_unwind_start(&c);
	c.floor = 0;
	a.result = op_unwind_apply(rule, &c, memory, NULL);
	a.cfa = c.floor;
	a.ra = c.pc;
	for (unsigned int i = 0; i < nr_registers; i++)
		if (op_unwind_register(&c, i, memory, NULL, &a.saved[i]) != OP_UNWIND_STEPPED)
			a.lost |= 1u << i;
	return a;
}

/* --- libdw's --- */

/* A DWARF expression; false: an unexpected operation. */
static bool evaluate(const Dwarf_Op *ops, size_t nr, uint64_t cfa, uint64_t pc, uint64_t *ret)
{
	uint64_t stack[16] = { 0 };
	unsigned int n = 0;

	for (size_t i = 0; i < nr; i++) {
		unsigned int op = ops[i].atom;

		if (n > 14)
			return false;
		if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
			stack[n] = machine != OP_UNWIND_ARM64 && op == DW_OP_breg0 + ra_column ?
				   pc : register_value(op - DW_OP_breg0);
			stack[n++] += ops[i].number;
		} else if (op == DW_OP_bregx) {
			stack[n++] = register_value(ops[i].number) + ops[i].number2;
		} else if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
			stack[n++] = op - DW_OP_lit0;
		} else if (op == DW_OP_call_frame_cfa) {
			stack[n++] = cfa;
		} else if (op == DW_OP_plus_uconst && n) {
			stack[n - 1] += ops[i].number;
		} else if (op == DW_OP_deref && n) {
			memory(NULL, stack[n - 1], &stack[n - 1]);
		} else if (n >= 2) {
			uint64_t b = stack[--n], *a = &stack[n - 1];

			switch (op) {
			case DW_OP_plus: *a += b; break;
			case DW_OP_mul: *a *= b; break;
			case DW_OP_and: *a &= b; break;
			case DW_OP_shl: *a <<= b; break;
			case DW_OP_ge: *a = (int64_t)*a >= (int64_t)b; break;
			default: return false;
			}
		} else {
			return false;
		}
	}
	*ret = stack[n ? n - 1 : 0];
	return n > 0;
}

/* Register @n of the caller; false: undefined. */
static bool libdw_register(Dwarf_Frame *frame, unsigned int n, uint64_t cfa, uint64_t pc,
			   uint64_t *ret)
{
	Dwarf_Op room[3], *ops;
	bool is_value;
	size_t nr;

	if (dwarf_frame_register(frame, n, room, &ops, &nr))
		return false;
	if (!nr) {
		*ret = register_value(n);
		return ops == NULL;	/* the same value, else undefined */
	}
	if (nr == 1 && ops[0].atom == DW_OP_regx) {
		*ret = register_value(ops[0].number);
		return true;
	}
	is_value = ops[nr - 1].atom == DW_OP_stack_value;
	if (!evaluate(ops, nr - is_value, cfa, pc, ret))
		return false;
	if (!is_value)
		memory(NULL, *ret, ret);
	return true;
}

static struct answer libdw(Dwarf_Frame *frame, uint64_t pc)
{
	struct answer a = { .result = OP_UNWIND_STEPPED };
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_frame_cfa(frame, &ops, &nr) || !evaluate(ops, nr, 0, pc, &a.cfa))
		a.result = OP_UNWIND_UNKNOWN;
	else if (!libdw_register(frame, ra_column, a.cfa, pc, &a.ra))
		a.result = OP_UNWIND_OUTERMOST;
	for (unsigned int i = 0; i < nr_registers; i++)
		if (!libdw_register(frame, i, a.cfa, pc, &a.saved[i]))
			a.lost |= 1u << i;
	return a;
}

/* --- comparing --- */

struct comparison {
	Dwarf_CFI *cfi;
	const struct op_unwind_table *table;
	int64_t bias;			/* vaddr - file offset of the current code */
	uint64_t same, differ, none, lost, extra, returns;	/* bytes of code */
};

static bool equal(const struct answer *a, const struct answer *b)
{
	if (a->result != b->result)
		return false;
	if (a->result != OP_UNWIND_STEPPED)
		return true;
	for (unsigned int i = 0; i < nr_registers; i++) {
		bool libdw_lost = b->lost >> i & 1;

		/* without information libdw treats rbx as changed by calls, and so on i386 all */
		if (((machine == OP_UNWIND_X86_64 && i == OP_X86_RBX) ||
		     machine == OP_UNWIND_I386) && libdw_lost && a->saved[i] == register_value(i))
			continue;
		if ((callee_saved & ~a->lost) >> i & 1 &&
		    (libdw_lost || a->saved[i] != b->saved[i]))
			return false;
	}
	return a->cfa == b->cfa && a->ra == b->ra;
}

/* One address; *ret_end is the end of libdw's row, up to @end. */
static void compare_at(struct comparison *c, uint64_t pc, uint64_t end, uint64_t *ret_end)
{
	const struct op_unwind_rule *rule = op_unwind_lookup(c->table, pc - c->bias);
	struct answer a = ours(rule, pc), b;
	Dwarf_Addr from, to = 0;
	Dwarf_Frame *frame;

	if (dwarf_cfi_addrframe(c->cfi, pc, &frame)) {
		/* a gap, or a linkage table, whose last row may extend into the next function */
		*ret_end = rule->cfa == OP_CFA_NONE ? end : pc + 1;
		c->extra += rule->cfa != OP_CFA_NONE && rule->cfa != OP_CFA_SIGNAL;
		c->returns += rule->cfa == OP_CFA_SIGNAL;	/* found by its code [UT-48] */
		return;
	}
	dwarf_frame_info(frame, &from, &to, NULL);
	*ret_end = to < end ? to : end;
	if (rule->cfa == OP_CFA_PLT)
		*ret_end = pc + 1;
	b = libdw(frame, pc);
	if (rule->cfa <= OP_CFA_UNKNOWN) {
		c->none += *ret_end - pc;
	} else if (equal(&a, &b)) {
		c->same += *ret_end - pc;
		c->lost += callee_saved & a.lost & ~b.lost ? *ret_end - pc : 0;
	} else {
		if (!c->differ)
			printf("# at %lx: %d cfa %lx ra %lx, libdw %d cfa %lx ra %lx\n", pc,
			       a.result, a.cfa, a.ra, b.result, b.cfa, b.ra);
		c->differ += *ret_end - pc;
	}
	free(frame);
}

/* All our rows in a segment, and within each row all of libdw's. */
static void compare_segment(struct comparison *c, const GElf_Phdr *p)
{
	const struct op_unwind_table *t = c->table;
	const u32 *page_row = op_unwind_page_rows(t);
	const u16 *start = op_unwind_row_starts(t);
	uint64_t pc = 0, next;

	c->bias = p->p_vaddr - p->p_offset;
	for (u32 row = 0, page = 0; row < t->nr_rows; row++) {
		while (page_row[page + 1] <= row)
			page++;
		next = ((uint64_t)(t->first_page + page) << OP_UNWIND_PAGE_SHIFT) + start[row];
		if (next < p->p_offset || next > p->p_offset + p->p_filesz)
			continue;
		next += c->bias;
		while (pc && pc < next)
			compare_at(c, pc, next, &pc);
		pc = next;
	}
}

static void compare_file(const char *path)
{
	struct comparison c = { 0 };
	struct unwind_counts counts;
	struct op_unwind_table *table;
	size_t len, nr = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	uint64_t all;
	Elf *elf;

	if (fd < 0)
		SKIP("not on this machine");
	err = unwind_build_fd(fd, LIMIT, &table, &len, &counts);
	CHECK(!err, "%s: %s", path, unwind_refusal(err));
	if (err)
		return;
	CHECK(op_unwind_check(table, len), "sound");
	set_machine(table->machine);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	c.cfi = dwarf_getcfi_elf(elf);
	c.table = table;
	CHECK(c.cfi != NULL, "libdw: %s", dwarf_errmsg(-1));
	elf_getphdrnum(elf, &nr);
	for (size_t i = 0; c.cfi && i < nr; i++) {
		GElf_Phdr p;

		if (gelf_getphdr(elf, i, &p) && p.p_type == PT_LOAD && p.p_flags & PF_X)
			compare_segment(&c, &p);
	}
	all = c.same + c.differ + c.none;
	CHECK(c.differ == 0, "%s: %lu of %lu bytes differ", path, c.differ, all);
	CHECK(c.extra <= counts.bytes_plt, "%s: %lu bytes of which libdw knows nothing", path,
	      c.extra);
	CHECK(c.same > 0 && c.none * 1000 < all, "%s: %lu of %lu bytes without a rule", path,
	      c.none, all);
	CHECK(c.lost * 1000 < all, "%s: %lu of %lu bytes where a register is lost", path, c.lost,
	      all);
	/* arm64's glibc has one with x15 as return address */
	CHECK(counts.skipped <= (machine == OP_UNWIND_ARM64) &&
	      counts.bytes == all + c.extra + c.returns,
	      "%s: %lu skipped, %lu bytes, libdw has %lu", path, counts.skipped, counts.bytes, all);
	printf("# %s: %lu bytes of code, %lu without a rule, %lu with a register lost; "
	       "%lu rows, %lu rules, %zu bytes\n", path, all, c.none, c.lost, counts.rows,
	       counts.rules, len);
	dwarf_cfi_end(c.cfi);
	elf_end(elf);
	close(fd);
	free(table);
}

/* A program that was built for tests, in tools/ beside the folder of this one. */
static void compare_built(const char *name)
{
	char path[PATH_MAX] = "", *folder;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 100);

	CHECK(n > 0, "where this program is");
	folder = strstr(path, "/tests/unwind_reference");
	if (folder)
		sprintf(folder, "/tools/%s", name);
	compare_file(path);
}

TEST(libc) { compare_file("/lib/x86_64-linux-gnu/libc.so.6"); }
TEST(dynamic_linker) { compare_file("/lib64/ld-linux-x86-64.so.2"); }
TEST(libgcc) { compare_file("/lib/x86_64-linux-gnu/libgcc_s.so.1"); }
TEST(libm) { compare_file("/lib/x86_64-linux-gnu/libm.so.6"); }
TEST(openssl) { compare_file("/lib/x86_64-linux-gnu/libcrypto.so.3"); }
TEST(cplusplus) { compare_file("/usr/lib/x86_64-linux-gnu/libstdc++.so.6"); }
TEST(bash) { compare_file("/bin/bash"); }
TEST(statically_linked) { compare_file("/bin/busybox"); }
TEST(arm64_libc) { compare_file("/usr/aarch64-linux-gnu/lib/libc.so.6"); }
TEST(arm64_cplusplus) { compare_file("/usr/aarch64-linux-gnu/lib/libstdc++.so.6"); }
TEST(i386) { compare_built("calltree32"); }
TEST(i386_with_frame_pointers) { compare_built("calltree32-fp"); }
TEST(i386_libc) { compare_file("/lib/i386-linux-gnu/libc.so.6"); }
TEST(this_program) { compare_file("/proc/self/exe"); }

int main(int argc, char **argv)
{
	if (argc == 2 && argv[1][0] == '/') {	/* any other binary */
		compare_file(argv[1]);
		return tap_failures != 0;
	}
	return tap_main(argc, argv);
}
