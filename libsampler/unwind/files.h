/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files.h - the ELF files that modules are made of, for libdwfl */
#ifndef LIBSAMPLER_UNWIND_FILES_H
#define LIBSAMPLER_UNWIND_FILES_H

#include <libelf.h>
#include "libsampler/unwind/module.h"

/*
 * The file that @m was loaded from, or NULL: it is not to be had, or another one has its name by
 * now. elf_end() it; *ret_bytes is to be freed afterwards. Memory of the module is not used.
 */
Elf *unwind_file_open(const struct module *m, void **ret_bytes);

#endif
