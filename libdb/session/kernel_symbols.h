/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_symbols.h - the running kernel's symbols, kept in the session
 *
 * Reports then need no vmlinux and survive a reboot. A text file, stats/kernel-symbols:
 *
 *   # kernel START END
 *   ffffffff81000000 T _text
 *   ...
 *   # module NAME START SIZE
 *   1a0 t some_function              (offsets from START)
 *
 * Only text symbols. A BPF program has a part, as a module has. Other text outside of modules
 * (trampolines) is listed with the kernel, outside START..END. A module that was loaded twice has
 * two parts; the last one is valid. Addresses are lower-case hex. doc/session.md.
 */
#ifndef LIBDB_SESSION_KERNEL_SYMBOLS_H
#define LIBDB_SESSION_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "libutil/error.h"

#define KERNEL_MODULE_SIZE_MAX (UINT64_C(1) << 40)	/* bytes; more is an error */
#define KERNEL_BPF_SIZE_MAX 0x10000	/* bytes, assumed of a BPF program if its size is unknown */
#define KERNEL_BPF_NAME_MAX 64		/* with its NUL; the rest of a longer name is cut off */

struct kernel_symbol {
	uint64_t address;		/* in a module: offset from its start */
	const char *name;		/* in the snapshot's text */
	char type;			/* as kallsyms has it: T t W w */
};

struct kernel_part {
	const char *name;		/* "" for the kernel proper */
	uint64_t start, end;
	struct kernel_symbol *symbols;	/* sorted by address */
	size_t nr_symbols;
};

struct kernel_symbols {
	struct kernel_part *parts;	/* the kernel proper first, if known */
	size_t nr_parts;
	struct kernel_symbol *symbols;	/* of all parts */
	char *text;
};

/*
 * Read /proc/kallsyms and /proc/modules (tests pass other files) and make the text of a snapshot,
 * *ret_text, NUL terminated and freed by the caller. -EACCES: addresses are hidden (kptr_restrict).
 */
int kernel_symbols_capture(const char *kallsyms, const char *modules, char **ret_text,
			   size_t *ret_len, struct op_error *e);

/* Its two steps: @text, the NUL terminated contents of the file @name, is overwritten. */
int kernel_symbols_read_kallsyms(const char *kallsyms, char **ret, size_t *ret_len,
				 struct op_error *e);
int kernel_symbols_make(char *text, size_t len, const char *name, const char *modules,
			char **ret_text, size_t *ret_len, struct op_error *e);

int kernel_symbols_read(const char *snapshot, struct kernel_symbols *ret, struct op_error *e);
int kernel_symbols_parse(const char *text, size_t len, const char *name,
			 struct kernel_symbols *ret, struct op_error *e);
void kernel_symbols_free(struct kernel_symbols *s);
const struct kernel_part *kernel_symbols_part(const struct kernel_symbols *s, const char *name);

/*
 * How many bytes of @symbol, of @len bytes, are the image of a BPF program, "bpf_prog_TAG_NAME"; 0:
 * it is none. TAG is a hash of its instructions, so the name says which program it is, wherever it
 * lies.
 */
size_t kernel_bpf_name(const char *symbol, size_t len);

/*
 * Whether sample keys of kernel image @name are addresses, and its symbols in the kernel's part:
 * the kernel, and code that has no name, "[bpf]", "[ftrace]", "[NAME.init]". [SS-49]
 */
static inline bool kernel_image_is_absolute(const char *name)
{
	return name[0] == '[' || !strcmp(name, "kallsyms") || !strcmp(name, "no-vmlinux");
}

#endif
