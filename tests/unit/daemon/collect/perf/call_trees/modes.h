/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modes.h - every stack that can be seen of the programs in this folder, as a line
 *
 * Functions of the program by name, anything of a library as "?", the kernel's part left out,
 * neighbours that are alike as one; innermost first.
 */
#ifndef TESTS_UNIT_DAEMON_COLLECT_PERF_STACKS_MODES_H
#define TESTS_UNIT_DAEMON_COLLECT_PERF_STACKS_MODES_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "oprofilefs/op_abi.h"

#define DEPTH 100	/* of stacks, as they are asked for */

struct mode {
	const char *name;
	const char *lines[8];	  /* innermost first */
	unsigned int end;	  /* as stacks of it must end: op_stack_end and flags */
	const char *repeats;	  /* a function that calls itself, */
	unsigned int nr_repeats;  /* so often below the leaf @below */
	const char *below;
	const char *shallow;	  /* what stacks that are complete are, if it ends otherwise */
	bool in_kernel;		  /* most samples are in the kernel */
	bool needs_more;	  /* than a copy may have: begun again where a stack ends with it */
	bool has_no_way_out;	  /* at moments: it takes many samples to tell how often */
	bool moves_frames;	  /* then, as exceptions do, and one in thousands is wrong */
	bool has_no_table;	  /* and so is as good as frame pointers are */
	bool by_program;	  /* all processes of it count, not just the one that was started */
	bool forges;		  /* most of its frames are none: such stacks must not be whole */
};

static const struct mode modes[] = {
	{.name = "plain", .lines = {"spin plain_c plain_b plain_a main ?"}},
	{.name = "alloca",
	 .lines = {"spin alloca_inner alloca_outer main ?", "? alloca_inner alloca_outer main ?"}},
	{.name = "recursion",
	 .lines = {"spin recurse main ?"},
	 .repeats = "recurse",
	 .nr_repeats = 31,
	 .below = "spin"},
	{.name = "deep",
	 /* the last if the copy ends before the outermost frames */
	 .lines = {"spin recurse main ?", "spin recurse ?", "spin recurse"},
	 .end = OP_STACK_TRUNCATED,
	 .shallow = "recurse main ?",
	 .repeats = "recurse",
	 .nr_repeats = DEPTH,
	 .below = "spin"},
	{.name = "callback", .lines = {"spin compare ? sorts main ?"}},
	{.name = "tail",
	 .lines = {"spin tail_last tail_caller main ?", "tail_first tail_caller main ?"}},
	{.name = "syscall", .lines = {"? reads main ?"}, .in_kernel = true},
	{.name = "vdso", .lines = {"[vdso] ? asks_time main ?", "[vdso] asks_time main ?"}},
	{.name = "thread", .lines = {"spin thread_inner thread_outer ?"}},
	{.name = "unwinder", .lines = {"count_frame ? throws main ?"}},
	{.name = "asm", .lines = {"told_asm calls_asm main ?"}},
#ifdef __x86_64__ /* on arm64 sp is lost by such a step [UT-30] */
	{.name = "untold-asm",
	 .lines = {"untold_asm calls_asm main ?"},
	 .end = OP_STACK_COMPLETE | OP_STACK_FRAME_POINTERS,
	 .has_no_table = true},
#endif
};

#define NR_MODES (sizeof(modes) / sizeof(modes[0]))

/* While the kernel gives registers back there is no way out. [UT-27] */
static const struct mode signal_modes[] = {
	{.name = "signal",
	 .lines = {"spin on_signal ? interrupted main ?", "? interrupted main ?"},
	 .has_no_way_out = true},
};

/*
 * On a stack of the handler's own: that of the interrupted function is not in a copy, which samples
 * have that BPF cannot walk, such as those after a ring was full.
 */
static const struct mode altsignal_modes[] = {
	{.name = "altsignal",
	 .lines = {"spin on_signal ? interrupted main ?", "? interrupted main ?"},
	 .needs_more = true,
	 .has_no_way_out = true},
};

/* Of calltree32; what restores registers is its own. */
static const struct mode modes_32[] = {
	{.name = "plain", .lines = {"spin plain_c plain_b plain_a main ?"}},
	{.name = "alloca", .lines = {"spin alloca_inner alloca_outer main ?"}},
	{.name = "recursion",
	 .lines = {"spin recurse main ?"},
	 .repeats = "recurse",
	 .nr_repeats = 31,
	 .below = "spin"},
	{.name = "syscall", .lines = {"reads main ?"}, .in_kernel = true},
};

static const struct mode signal_modes_32[] = {
	{.name = "signal",
	 .lines = {"spin on_signal ? interrupted main ?", "? interrupted main ?"},
	 .has_no_way_out = true},
	{.name = "oldsignal",
	 .lines = {"spin on_signal ? interrupted main ?", "? interrupted main ?"},
	 .has_no_way_out = true},
};

/* Without call frame information. */
static const struct mode bare_modes[] = {
	{.name = "plain",
	 .lines = {"spin plain_c plain_b plain_a main ?"},
	 .end = OP_STACK_COMPLETE | OP_STACK_FRAME_POINTERS,
	 .has_no_table = true},
	{.name = "alloca",
	 .lines = {"spin alloca_inner alloca_outer main ?"},
	 .end = OP_STACK_COMPLETE | OP_STACK_FRAME_POINTERS,
	 .has_no_table = true},
};

/* Copies of the stack have to grow for it. */
static const struct mode large_modes[] = {
	{.name = "large", .lines = {"spin plain_c large main ?"}, .needs_more = true},
};

static const struct mode huge_modes[] = {
	{.name = "huge", .lines = {"spin plain_c huge main ?"}},
};

/* The programs that keep frame pointers in libraries too are few: what the kernel finds then. */
static const struct mode listed_modes[] = {
	{.name = "plain", .lines = {"spin plain_c plain_b plain_a main ?"}},
	{.name = "alloca", .lines = {"spin alloca_inner alloca_outer main ?"}},
	{.name = "recursion",
	 .lines = {"spin recurse main ?"},
	 .repeats = "recurse",
	 .nr_repeats = 31,
	 .below = "spin"},
	{.name = "tail",
	 .lines = {"spin tail_last tail_caller main ?", "tail_first tail_caller main ?"}},
};

/* Thrown, passing a frame that undoes something, and caught: the run-time's own frames are "?". */
#define PASSED(caller)                                                                             \
	"spin thrower passes " caller, "? thrower passes " caller, "spin undo passes " caller,     \
		"? passes " caller
static const struct mode exception_modes[] = {
	{.name = "exception",
	 .lines = {PASSED("catches main ?"), "spin catches main ?", "? catches main ?"},
	 .has_no_way_out = true,
	 .moves_frames = true},
	{.name = "rethrown",
	 .has_no_way_out = true,
	 .moves_frames = true,
	 .lines = {PASSED("rethrows catches_again main ?"), "spin rethrows catches_again main ?",
		   "? rethrows catches_again main ?", "? catches_again main ?"}},
};

/* Programs that make it hard. A stack of "forged" alone is one that ends at a 0 [UT-21]. */
static const struct mode hostile_modes[] = {
	{.name = "mapper",
	 .lines = {"spin plain_c plain_b plain_a main ?", "? maps_and_unmaps ?"}},
	{.name = "forge", .lines = {"forged forges main ?", "forged"}, .forges = true},
};

/* Processes that are gone again, and their beginnings: glibc 2.41 asks the vdso's getrandom(). */
static const struct mode storm_modes[] = {
	{.name = "storm",
	 .lines = {"spin lives forks storms main ?", "? forks storms main ?", "? storms main ?",
		   "spin lives main ?", "? main ?", "[vdso] ?"},
	 .by_program = true},
};

/* In a static program the libraries' functions are its own. "x.cold" is a part of x. */
static inline bool is_ours(const char *name)
{
	static const char ours[] =
		" main spin plain_a plain_b plain_c large huge alloca_inner alloca_outer recurse"
		" on_signal interrupted compare sorts tail_first tail_last tail_caller reads"
		" asks_time thread_inner thread_outer count_frame throws told_asm untold_asm"
		" calls_asm maps_and_unmaps forged forges "
		"lives forks storms undo thrower passes catches rethrows catches_again ";
	char word[100];

	snprintf(word, sizeof(word), " %.*s ", (int)strcspn(name, "."), name);
	return name[0] == '[' || strstr(ours, word);
}

#endif
