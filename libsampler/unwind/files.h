/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files.h - the ELF files of modules, for libdwfl */
#ifndef LIBSAMPLER_UNWIND_FILES_H
#define LIBSAMPLER_UNWIND_FILES_H

#include <libelf.h>
#include "libsampler/unwind/module.h"

/*
 * The file that @m was loaded from, or NULL: unavailable, or another file has its name by now.
 * elf_end() it, then free *ret_bytes. The module's memory is not used.
 */
Elf *unwind_file_open(const struct module *m, void **ret_bytes);

#endif
