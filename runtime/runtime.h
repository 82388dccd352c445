/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runtime.h - interpreters whose functions are found in the sample: what to read
 *
 * A runtime is a table here, steps in walk.h and names in names.h: doc/howto-add-a-runtime.md.
 *
 * The record: an interpreted frame is an address like that of compiled code: its code object's
 * address plus the instruction's offset in it, with a mark of the object in the upper bits, in
 * memory named after the runtime. So stores, reports and exports need nothing new.
 */
#ifndef RUNTIME_RUNTIME_H
#define RUNTIME_RUNTIME_H

#include "oprofilefs/op_types.h"

/* libbpf finds constants in one section only. */
#ifdef __bpf__
#define OP_RUNTIME_CONSTANT	__attribute__((section(".rodata")))
#else
#define OP_RUNTIME_CONSTANT	__attribute__((unused))
#endif

enum op_runtime_number {
	OP_RUNTIME_NONE,
	OP_RUNTIME_PYTHON_3_11,
	OP_RUNTIME_PYTHON_3_12,
	OP_RUNTIMES
};
#define OP_RUNTIME_ROOM		4	/* a power of 2, not less than OP_RUNTIMES */

/*
 * The addresses of frames: below OP_RUNTIME_END, the mark from OP_RUNTIME_MARK_SHIFT on, which has
 * another value if the memory of an object that was freed holds another one.
 */
#define OP_RUNTIME_MARK_SHIFT	48
#define OP_RUNTIME_END		(1ull << 63)
#define OP_RUNTIME_OBJECT(at)	((at) & ((1ull << OP_RUNTIME_MARK_SHIFT) - 1))
#define OP_RUNTIME_PYTHON_NAME	"python"	/* of that memory */
#define OP_RUNTIME_SIZE_MAX	(1u << 24)	/* bytes of a code object */

/* What was found in an image. Addresses count from where its file would begin as its code is
 * mapped. */
struct op_runtime {
	u32 number;		/* enum op_runtime_number */
	u32 zero;
	u64 key;		/* of the thread's state, as pthread_getspecific() takes it */
	u64 current_state;	/* the state of the thread that runs now; 0: not kept */
	u64 code_type;		/* the type of code objects */
};

/* CPython: offsets in bytes. */
struct op_runtime_python {
	u32 version;		/* PY_VERSION_HEX >> 16 */
	/* in _PyRuntime */
	u16 key, current_state;	/* current_state 0: not kept */
	/* in a thread's state, and in the record of each call of the interpreter's loop (CFrame) */
	u16 thread, cframe, cframe_current, cframe_previous;
	/* in a frame; two bytes of the word @marks, by their bit */
	u16 code, previous, position, marks;
	u8 entry, owner;	/* entry OP_RUNTIME_NO_ENTRY: a frame owned by C is the last */
	/* in a code object; @mark begins 8 bytes that differ between objects */
	u16 mark, file, name, lines, line, instructions;
	/* in a str; text of ASCII and of other characters */
	u16 ascii, text;
};
#define OP_RUNTIME_NO_ENTRY	64
#define OP_RUNTIME_OWNED_BY_C	3

/* In each version. */
#define OP_PYTHON_TYPE		8	/* in an object */
#define OP_PYTHON_SIZE		16	/* in a code object: its instructions, of 2 bytes each */
#define OP_PYTHON_TYPE_NAME	24	/* in a type */
#define OP_PYTHON_TYPE_SIZE	32
#define OP_PYTHON_STR_STATE	32
#define OP_PYTHON_BYTES		32

static const struct op_runtime_python op_runtime_python[OP_RUNTIME_ROOM] OP_RUNTIME_CONSTANT = {
	[OP_RUNTIME_PYTHON_3_11] = {
		.version = 0x030b, .key = 596, .current_state = 576,
		.thread = 152, .cframe = 56, .cframe_current = 8, .cframe_previous = 16,
		.code = 32, .previous = 48, .position = 56, .marks = 64, .entry = 32, .owner = 40,
		.mark = 72, .file = 112, .name = 128, .lines = 136, .line = 72,
		.instructions = 184, .ascii = 48, .text = 72,
	},
	[OP_RUNTIME_PYTHON_3_12] = {
		.version = 0x030c, .key = 1548,
		.thread = 136, .cframe = 56, .cframe_current = 0, .cframe_previous = 8,
		.code = 0, .previous = 8, .position = 56, .marks = 64,
		.entry = OP_RUNTIME_NO_ENTRY, .owner = 48,
		.mark = 68, .file = 112, .name = 128, .lines = 136, .line = 68,
		.instructions = 192, .ascii = 40, .text = 56,
	},
};

/* The mark of a code object, in place: of its size and what is at @mark. */
static __always_inline u64 op_runtime_mark(u64 size, u64 at_mark)
{
	u64 mixed = (at_mark ^ size << 40) * 0x9e3779b97f4a7c15ull;

	return mixed >> (OP_RUNTIME_MARK_SHIFT + 1) << OP_RUNTIME_MARK_SHIFT;
}

#endif
