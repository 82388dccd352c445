/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runtime.h - interpreters whose functions are found in the sample: what to read
 *
 * A runtime is tables here, a header with its steps, and names.h: doc/howto-add-a-runtime.md.
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
	OP_RUNTIME_PYTHON_3_13,
	OP_RUNTIME_PHP_8_2,
	OP_RUNTIME_RUBY_3_1,
	OP_RUNTIMES
};
#define OP_RUNTIME_ROOM		8	/* a power of 2, not less than OP_RUNTIMES */

/* Each has a header with its steps, and sources of that name: doc/howto-add-a-runtime.md. */
enum op_runtime_kind {
	OP_RUNTIME_PYTHON,
	OP_RUNTIME_PHP,
	OP_RUNTIME_RUBY,
	OP_RUNTIME_KINDS
};

/* The names of their memory, and in reports. */
#define OP_RUNTIME_PYTHON_NAME	"python"
#define OP_RUNTIME_PHP_NAME	"php"
#define OP_RUNTIME_RUBY_NAME	"ruby"

/*
 * The addresses of frames: below OP_RUNTIME_END, the mark from OP_RUNTIME_MARK_SHIFT on, which has
 * another value if the memory of an object that was freed holds another one.
 */
#define OP_RUNTIME_MARK_SHIFT	48
#define OP_RUNTIME_END		(1ull << 63)
#define OP_RUNTIME_OBJECT(at)	((at) & ((1ull << OP_RUNTIME_MARK_SHIFT) - 1))
#define OP_RUNTIME_SIZE_MAX	(1u << 24)	/* bytes of a code object */

/* What was found in an image. Addresses count from where its file would begin as its code is
 * mapped. */
struct op_runtime {
	u32 number;		/* enum op_runtime_number */
	u32 loop_size;
	u64 loop;		/* the loop's function; 0: not needed */
	/* CPython: the key of the thread's state, as pthread_getspecific() takes it. PHP: the frame
	 * that runs. Ruby: the pointer to the ractor. */
	u64 state;
	u64 current_state;	/* the state of the thread that runs now; 0: not kept */
	u64 code_type;		/* the type of code objects; else 0 */
};

/* Offsets are in bytes. CPython: */
struct op_runtime_python {
	u32 version;		/* PY_VERSION_HEX >> 16 */
	/* in _PyRuntime */
	u16 key, current_state;	/* current_state 0: not kept */
	/* in a thread's state, and in the record of each call of the interpreter's loop (CFrame),
	 * which the state has; with @cframe 0 it has the frame that runs, @current */
	u16 thread, current, cframe, cframe_current, cframe_previous;
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

/* PHP: */
struct op_runtime_php {
	char version[4];
	u16 current;		/* in executor_globals */
	/* in a frame (zend_execute_data) */
	u16 function, info, previous;
	/* in a function: @line begins its first and last line, and is a mark, too */
	u16 name, scope, file, line;
	u16 class_name;		/* in a class */
	u16 instruction_line;	/* in an instruction (zend_op) */
	/* in a text */
	u16 length, text;
};
#define OP_PHP_USER_FUNCTION	2	/* types of functions */
#define OP_PHP_EVAL_CODE	4
#define OP_PHP_CALL_TOP		(1u << 17)	/* in info: the loop was entered with it */
#define OP_PHP_KIND_HYBRID	4	/* a loop with its frame in r14, the instruction in r15 */
#define OP_PHP_STRING		6	/* a text's type */

/* Ruby: */
struct op_runtime_ruby {
	char version[4];
	u16 context, frame;	/* the thread's in a ractor, and its frame in that */
	/* in a frame, which has @frame_size bytes and is followed by its caller */
	u16 iseq, environment, frame_size;
	u16 body;		/* in an iseq */
	/* in its body; size and code are marks, too */
	u16 size, code, path, label, line, lines, nr_lines, index;
	/* in objects: their length in the word of flags, if embedded, else in one of its own */
	u16 embedded, length, pointer;
};
#define OP_RUBY_FINISH		0x20	/* an environment's flag: the loop was entered with it */
#define OP_RUBY_STRING		5	/* types in an object's flags */
#define OP_RUBY_ARRAY		7

struct op_runtime_table {
	u8 kind;		/* enum op_runtime_kind */
	union {
		struct op_runtime_python python;
		struct op_runtime_php php;
		struct op_runtime_ruby ruby;
	};
};

/* By enum op_runtime_number. */
static const struct op_runtime_table op_runtime_tables[OP_RUNTIME_ROOM] OP_RUNTIME_CONSTANT = {
	[OP_RUNTIME_PYTHON_3_11] = { .kind = OP_RUNTIME_PYTHON, .python = {
		.version = 0x030b, .key = 596, .current_state = 576,
		.thread = 152, .cframe = 56, .cframe_current = 8, .cframe_previous = 16,
		.code = 32, .previous = 48, .position = 56, .marks = 64, .entry = 32, .owner = 40,
		.mark = 72, .file = 112, .name = 128, .lines = 136, .line = 72,
		.instructions = 184, .ascii = 48, .text = 72,
	} },
	[OP_RUNTIME_PYTHON_3_12] = { .kind = OP_RUNTIME_PYTHON, .python = {
		.version = 0x030c, .key = 1548,
		.thread = 136, .cframe = 56, .cframe_current = 0, .cframe_previous = 8,
		.code = 0, .previous = 8, .position = 56, .marks = 64,
		.entry = OP_RUNTIME_NO_ENTRY, .owner = 48,
		.mark = 68, .file = 112, .name = 128, .lines = 136, .line = 68,
		.instructions = 192, .ascii = 40, .text = 56,
	} },
	[OP_RUNTIME_PYTHON_3_13] = { .kind = OP_RUNTIME_PYTHON, .python = {
		.version = 0x030d, .key = 2164, .thread = 152, .current = 72,
		.code = 0, .previous = 8, .position = 56, .marks = 64,
		.entry = OP_RUNTIME_NO_ENTRY, .owner = 48,
		.mark = 68, .file = 112, .name = 128, .lines = 136, .line = 68,
		.instructions = 200, .ascii = 40, .text = 56,
	} },
	[OP_RUNTIME_PHP_8_2] = { .kind = OP_RUNTIME_PHP, .php = {
		.version = "8.2", .current = 488,
		.function = 24, .info = 40, .previous = 48,
		.name = 8, .scope = 16, .file = 152, .line = 160, .class_name = 8,
		.instruction_line = 24, .length = 16, .text = 24,
	} },
	[OP_RUNTIME_RUBY_3_1] = { .kind = OP_RUNTIME_RUBY, .ruby = {
		.version = "3.1", .context = 0x208, .frame = 16,
		.iseq = 16, .environment = 32, .frame_size = 64, .body = 16,
		.size = 4, .code = 8, .path = 64, .label = 80, .line = 88,
		.lines = 120, .nr_lines = 136, .index = 144,
		.embedded = 16, .length = 16, .pointer = 24,
	} },
};

/* The mark of a code object, in place: of its size and what is at @mark. */
static __always_inline u64 op_runtime_mark(u64 size, u64 at_mark)
{
	u64 mixed = (at_mark ^ size << 40) * 0x9e3779b97f4a7c15ull;

	return mixed >> (OP_RUNTIME_MARK_SHIFT + 1) << OP_RUNTIME_MARK_SHIFT;
}

#endif
