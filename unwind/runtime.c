// SPDX-License-Identifier: GPL-2.0-or-later
/* runtime.c - an interpreter's version, variables and loop, by its dynamic symbols */
#include "unwind/runtime.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/elf_symbols.h"

#define SECTIONS_MAX	65536
#define SEGMENTS_MAX	256
#define SYMBOLS		4
#define CONSTANTS_MAX	(16u << 20)	/* bytes that are searched for a version */
#define LOOP_MAX	(1u << 16)	/* bytes of Ruby's loop */

struct image {
	struct elf_file file;
	struct elf_segment *segments;
	size_t nr_segments;
	struct elf_symbol symbols[SYMBOLS];
};

/* False: not in the file. */
static bool read_at(const struct image *i, uint64_t vaddr, void *to, size_t n)
{
	const struct elf_segment *s = elf_segment_of(i->segments, i->nr_segments, vaddr);

	return s && n <= s->size - (vaddr - s->vaddr) &&
	       !elf_file_read(&i->file, s->offset + (vaddr - s->vaddr), to, n);
}

static const struct elf_segment *code_of(const struct image *i)
{
	for (size_t k = 0; k < i->nr_segments; k++)
		if (i->segments[k].type == PT_LOAD && i->segments[k].flags & PF_X)
			return &i->segments[k];
	return NULL;
}

/* ---- CPython ---- */

enum { PYTHON_RUNTIME, PYTHON_VERSION, PYTHON_CODE_TYPE, PYTHON_LOOP };

/* From 3.13 on _PyRuntime begins with offsets (_Py_DebugOffsets), which must be the table's. */
static bool describes_itself(const struct image *i, const struct op_runtime_python *t)
{
	const struct {
		unsigned int at;
		uint64_t value;
	} want[] = {
		{ 16, 0 /* not free-threaded */ }, { 184, t->current }, { 192, t->thread },
		{ 232, t->previous }, { 240, t->code }, { 248, t->position },
		{ 264, t->marks + t->owner / 8 }, { 280, t->file }, { 296, t->name },
		{ 304, t->lines }, { 312, t->line }, { 344, t->instructions }, { 560, t->ascii },
	};
	const uint64_t runtime = i->symbols[PYTHON_RUNTIME].value;
	char cookie[8];
	uint64_t has;

	if (!read_at(i, runtime, cookie, sizeof(cookie)) || memcmp(cookie, "xdebugpy", 8))
		return false;
	for (size_t k = 0; k < sizeof(want) / sizeof(want[0]); k++)
		if (!read_at(i, runtime + want[k].at, &has, sizeof(has)) || has != want[k].value)
			return false;
	return true;
}

/* The size of code objects without code must be what the version's table says. */
static bool is_python(const struct image *i, const struct op_runtime_python *t)
{
	uint64_t type_size;
	uint32_t version;

	return read_at(i, i->symbols[PYTHON_VERSION].value, &version, sizeof(version)) &&
	       read_at(i, i->symbols[PYTHON_CODE_TYPE].value + OP_PYTHON_TYPE_SIZE, &type_size,
		       sizeof(type_size)) &&
	       t->version == version >> 16 && t->instructions == type_size &&
	       t->key + sizeof(uint32_t) <= i->symbols[PYTHON_RUNTIME].size &&
	       (t->cframe || describes_itself(i, t));
}

static bool find_python(const struct image *i, const struct op_runtime_table *table,
			struct op_runtime *ret)
{
	const struct op_runtime_python *t = &table->python;
	uint64_t runtime = i->symbols[PYTHON_RUNTIME].value;

	if (!is_python(i, t))
		return false;
	ret->state = runtime + t->key;
	ret->current_state = t->current_state ? runtime + t->current_state : 0;
	ret->code_type = i->symbols[PYTHON_CODE_TYPE].value;
	if (!t->cframe) {
		ret->loop = i->symbols[PYTHON_LOOP].value;
		ret->loop_size = (uint32_t)i->symbols[PYTHON_LOOP].size;
	}
	return true;
}

/* ---- PHP ---- */

enum { PHP_GLOBALS, PHP_LOOP, PHP_VM_KIND };

/* Whether constants of the image contain @text. */
static bool has_constant(const struct image *i, const char *text)
{
	bool has = false;

	for (size_t k = 0; k < i->nr_segments && !has; k++) {
		const struct elf_segment *s = &i->segments[k];
		char *bytes;

		if (s->type != PT_LOAD || s->flags != PF_R || s->size > CONSTANTS_MAX)
			continue;
		if (!s->size || elf_file_alloc(&i->file, s->offset, s->size, &bytes))
			continue;
		has = memmem(bytes, s->size, text, strlen(text));
		free(bytes);
	}
	return has;
}

/* "mov $KIND,%eax; ret": of loops, only this one has its frame in a register. */
static bool is_hybrid(const struct image *i)
{
	static const unsigned char hybrid[] = { 0xb8, OP_PHP_KIND_HYBRID, 0, 0, 0, 0xc3 };
	unsigned char code[sizeof(hybrid)];

	return read_at(i, i->symbols[PHP_VM_KIND].value, code, sizeof(code)) &&
	       !memcmp(code, hybrid, sizeof(code));
}

static bool find_php(const struct image *i, const struct op_runtime_table *table,
		     struct op_runtime *ret)
{
	const struct op_runtime_php *t = &table->php;
	char text[32];

	snprintf(text, sizeof(text), "X-Powered-By: PHP/%s.", t->version);
	if (!i->symbols[PHP_LOOP].value ||
	    t->current + sizeof(uint64_t) > i->symbols[PHP_GLOBALS].size || !is_hybrid(i) ||
	    !has_constant(i, text))
		return false;
	ret->state = i->symbols[PHP_GLOBALS].value + t->current;
	ret->loop = i->symbols[PHP_LOOP].value;
	ret->loop_size = (uint32_t)i->symbols[PHP_LOOP].size;
	return true;
}

/* ---- Ruby ---- */

enum { RUBY_RACTOR, RUBY_CALLER, RUBY_VERSION };

/*
 * The loop is a local function that rb_vm_exec() calls, just before it in the file, and begins with
 * "mov 0x10(%rdi),%r15" and "mov (%r15),%r14" after the registers are saved; 0: none.
 */
static uint64_t find_ruby_loop(const struct image *i)
{
	static const unsigned char frame[] = { 0x4c, 0x8b, 0x7f, 0x10 },
				   position[] = { 0x4d, 0x8b, 0x37 };
	const struct elf_symbol *caller = &i->symbols[RUBY_CALLER];
	size_t size = caller->size < LOOP_MAX ? (size_t)caller->size : LOOP_MAX;
	unsigned char *code = malloc(size ? size : 1), begin[64];
	uint64_t ret = 0;

	if (!code || !read_at(i, caller->value, code, size))
		size = 0;
	for (size_t k = 0; k + 5 <= size && !ret; k++) {
		uint64_t at;
		int32_t distance;

		memcpy(&distance, code + k + 1, sizeof(distance));
		at = caller->value + k + 5 + (uint64_t)(int64_t)distance;
		if (code[k] == 0xe8 && at < caller->value && caller->value - at < LOOP_MAX &&
		    read_at(i, at, begin, sizeof(begin)) &&
		    memmem(begin, sizeof(begin), frame, sizeof(frame)) &&
		    memmem(begin, sizeof(begin), position, sizeof(position)))
			ret = at;
	}
	free(code);
	return ret;
}

static bool find_ruby(const struct image *i, const struct op_runtime_table *table,
		      struct op_runtime *ret)
{
	const struct op_runtime_ruby *t = &table->ruby;
	char version[sizeof(t->version)] = "";

	if (!read_at(i, i->symbols[RUBY_VERSION].value, version, strlen(t->version)) ||
	    strcmp(version, t->version))
		return false;
	ret->state = i->symbols[RUBY_RACTOR].value;
	ret->loop = find_ruby_loop(i);
	ret->loop_size = (uint32_t)(i->symbols[RUBY_CALLER].value - ret->loop);
	return ret->loop;
}

/* ---- all ---- */

static const struct {
	const char *symbols[SYMBOLS];	/* all are needed, except NULL */
	bool (*find)(const struct image *i, const struct op_runtime_table *table,
		     struct op_runtime *ret);
} kinds[OP_RUNTIME_KINDS] = {
	[OP_RUNTIME_PYTHON] = { { "_PyRuntime", "Py_Version", "PyCode_Type",
				   "_PyEval_EvalFrameDefault" }, find_python },
	[OP_RUNTIME_PHP] = { { "executor_globals", "execute_ex", "zend_vm_kind" }, find_php },
	[OP_RUNTIME_RUBY] = { { "ruby_single_main_ractor", "rb_vm_exec", "ruby_version" },
			      find_ruby },
};

static bool find_symbols(struct image *i, const struct elf_section *sections, size_t nr,
			 const char *const *names)
{
	size_t wanted = names[SYMBOLS - 1] ? SYMBOLS : SYMBOLS - 1, found = 0;

	for (size_t k = 0; k < nr; k++)
		if (sections[k].type == SHT_DYNSYM)
			elf_symbols_find(&i->file, sections, nr, &sections[k], names, wanted,
					 i->symbols);
	for (size_t k = 0; k < wanted; k++)
		found += i->symbols[k].value != 0;
	return found == wanted;
}

/* Count from where the file would begin. */
static void rebase(struct op_runtime *r, uint64_t base)
{
	r->state -= base;
	r->current_state -= r->current_state ? base : 0;
	r->code_type -= r->code_type ? base : 0;
	r->loop -= r->loop ? base : 0;
}

static void find(struct image *i, const struct elf_section *sections, size_t nr,
		 struct op_runtime *ret)
{
	const struct elf_segment *code = code_of(i);

	for (unsigned int kind = 0; code && kind < OP_RUNTIME_KINDS; kind++) {
		memset(i->symbols, 0, sizeof(i->symbols));
		if (!find_symbols(i, sections, nr, kinds[kind].symbols))
			continue;
		for (uint32_t n = OP_RUNTIME_NONE + 1; n < OP_RUNTIMES; n++) {
			struct op_runtime r = { .number = n };

			if (op_runtime_tables[n].kind != kind ||
			    !kinds[kind].find(i, &op_runtime_tables[n], &r))
				continue;
			rebase(&r, code->vaddr - code->offset);
			*ret = r;
			return;
		}
	}
}

void unwind_runtime_find(int fd, struct op_runtime *ret)
{
	struct image i = { .nr_segments = 0 };
	struct elf_section *sections;
	size_t nr;

	*ret = (struct op_runtime){ .number = OP_RUNTIME_NONE };
	if (elf_file_open(fd, &i.file) || i.file.is_swapped || i.file.machine != EM_X86_64 ||
	    elf_file_segments(&i.file, SEGMENTS_MAX, &i.segments, &i.nr_segments))
		return;
	if (!elf_file_sections(&i.file, SECTIONS_MAX, &sections, &nr)) {
		find(&i, sections, nr, ret);
		free(sections);
	}
	free(i.segments);
}
