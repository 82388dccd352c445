// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gdb_jit.c - code that is registered with GDB's interface, as by LLVM
 *
 * The program changes the list meanwhile, so all is read through the kernel, which cannot fault,
 * and each step and size is bounded.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "libsampler/build/made.h"
#include "libsampler/build/names.h"
#include "libsampler/sampling.h"

#define ENTRIES_MAX	100000u
#define FILE_MAX	(16u << 20)	/* bytes of one */
#define FILES_MAX	(256u << 20)	/* of all */

struct descriptor {
	uint32_t version, action;
	uintptr_t relevant, first;
};

struct entry {
	uintptr_t next, previous, file;
	uint64_t size;
};

static bool read_own(uintptr_t from, void *to, size_t n)
{
	struct iovec local = { to, n }, remote = { (void *)from, n };

	return syscall(SYS_process_vm_readv, getpid(), &local, 1ul, &remote, 1ul, 0ul) == (long)n;
}

/* Symbols of a registered file. */
struct registered {
	struct jit_code *code;
	Elf *elf;
	uint64_t birth;
};

static void add_symbol(void *context, const GElf_Sym *sym, const char *name)
{
	const struct registered *r = context;
	struct jit_block b = { .start = sym->st_value, .size = sym->st_size, .birth = r->birth,
			       .death = JIT_FOREVER };
	GElf_Ehdr header;
	GElf_Shdr section;
	Elf_Scn *scn;

	if (GELF_ST_TYPE(sym->st_info) != STT_FUNC || !name || !gelf_getehdr(r->elf, &header))
		return;
	/* sections of an object that is not linked are where the compiler has put them */
	if (header.e_type == ET_REL) {
		scn = elf_getscn(r->elf, sym->st_shndx);
		if (!scn || !gelf_getshdr(scn, &section))
			return;
		b.start += section.sh_addr;
	}
	jit_code_add(r->code, &b, name, strlen(name));
}

static void read_file(struct jit_code *c, const struct entry *e, uint64_t birth)
{
	struct registered r = { .code = c, .birth = birth };
	char *bytes = malloc(e->size);

	if (bytes && read_own(e->file, bytes, e->size))
		r.elf = elf_memory(bytes, e->size);
	if (r.elf && elf_kind(r.elf) == ELF_K_ELF)
		build_symbols_visit(r.elf, SHT_SYMTAB, add_symbol, &r);
	elf_end(r.elf);
	free(bytes);
}

/* New ones are put at the front. */
void build_made_registered(struct jit_code *c)
{
	uintptr_t at = modules_symbol("__jit_debug_descriptor");
	struct descriptor d;
	struct entry e;
	uint64_t sum = 0;

	if (!at || !read_own(at, &d, sizeof(d)) || elf_version(EV_CURRENT) == EV_NONE)
		return;
	at = d.first;
	for (uint32_t i = 0; at && i < ENTRIES_MAX && read_own(at, &e, sizeof(e)); i++) {
		sum += e.size;
		if (e.size > FILE_MAX || sum > FILES_MAX)
			break;
		if (e.size)
			read_file(c, &e, UINT32_MAX - i);
		at = e.next;
	}
}
