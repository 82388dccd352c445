// SPDX-License-Identifier: GPL-2.0-or-later
/* runtime.c - an interpreter's version and variables, by its dynamic symbols */
#include "unwind/runtime.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/elf_symbols.h"

#define SECTIONS_MAX	65536
#define SEGMENTS_MAX	256

enum { RUNTIME, VERSION, CODE_TYPE, SYMBOLS };

static const char *const names[SYMBOLS] = {
	[RUNTIME] = "_PyRuntime", [VERSION] = "Py_Version", [CODE_TYPE] = "PyCode_Type",
};

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

/* The version's table, if the size of code objects without code is what it says. */
static uint32_t number_of(const struct image *i)
{
	uint64_t type_size;
	uint32_t version;

	if (!read_at(i, i->symbols[VERSION].value, &version, sizeof(version)) ||
	    !read_at(i, i->symbols[CODE_TYPE].value + OP_PYTHON_TYPE_SIZE, &type_size,
		     sizeof(type_size)))
		return OP_RUNTIME_NONE;
	for (uint32_t n = OP_RUNTIME_NONE + 1; n < OP_RUNTIMES; n++) {
		const struct op_runtime_python *t = &op_runtime_python[n];

		if (t->version == version >> 16 && t->instructions == type_size &&
		    t->key + sizeof(uint32_t) <= i->symbols[RUNTIME].size)
			return n;
	}
	return OP_RUNTIME_NONE;
}

static const struct elf_segment *code_of(const struct image *i)
{
	for (size_t k = 0; k < i->nr_segments; k++)
		if (i->segments[k].type == PT_LOAD && i->segments[k].flags & PF_X)
			return &i->segments[k];
	return NULL;
}

static void describe(const struct image *i, struct op_runtime *ret)
{
	const struct elf_segment *code = code_of(i);
	uint32_t number = i->symbols[RUNTIME].value ? number_of(i) : OP_RUNTIME_NONE;
	const struct op_runtime_python *t = &op_runtime_python[number];
	uint64_t base;

	if (!number || !code)
		return;
	base = code->vaddr - code->offset;
	ret->number = number;
	ret->key = i->symbols[RUNTIME].value + t->key - base;
	if (t->current_state)
		ret->current_state = i->symbols[RUNTIME].value + t->current_state - base;
	ret->code_type = i->symbols[CODE_TYPE].value - base;
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
		for (size_t k = 0; k < nr; k++)
			if (sections[k].type == SHT_DYNSYM)
				elf_symbols_find(&i.file, sections, nr, &sections[k], names,
						 SYMBOLS, i.symbols);
		free(sections);
		describe(&i, ret);
	}
	free(i.segments);
}
