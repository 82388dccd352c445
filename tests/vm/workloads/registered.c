/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registered - works in x86-64 code that it made and registered by GDB's JIT interface
 *
 *	registered
 *
 * For ever: made_outer calls made_middle, and that made_inner, all without frame pointers.
 */
#include <stdbool.h>
#include <sys/mman.h>
#include "tests/registered_elf.h"

#define ROOM 65536

struct jit_descriptor __jit_debug_descriptor = { 1, 0, NULL, NULL };

int main(void)
{
	static struct made_function functions[MADE_FUNCTIONS];
	static struct jit_entry entry;
	unsigned char *code = mmap(NULL, ROOM, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct made_bytes image;
	void (*outer)(unsigned int);

	if (code == MAP_FAILED)
		return 1;
	made_functions(code, functions);
	image = made_elf(functions, MADE_FUNCTIONS, (uintptr_t)code, ROOM, MADE_DEBUG_FRAME);
	entry = (struct jit_entry){ .image = image.bytes, .size = image.size };
	__jit_debug_descriptor.first = __jit_debug_descriptor.relevant = &entry;
	code += functions[MADE_FUNCTIONS - 1].at;
	memcpy(&outer, &code, sizeof(outer));
	for (;;)
		outer(100000);
}
