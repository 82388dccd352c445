/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module.h - the fields of a module that programs do not see, for unwinders */
#ifndef LIBSAMPLER_UNWIND_MODULE_H
#define LIBSAMPLER_UNWIND_MODULE_H

#include <stdatomic.h>
#include "libsampler/oprofsampler.h"
#include "libutil/build_id.h"

struct module {
	struct sampler_module public;	/* first */
	uint64_t serial;		/* unique in the process */
	uintptr_t load_start, load_limit; /* all its mappings, whole pages */
	uint64_t headers_hash;		/* of its program headers */
	char *name;			/* as the loader spells it */
	bool is_main, is_vdso;
	bool was_returned;		/* by module_at(): frames may still have it */
	atomic_bool is_unread;		/* its file has been replaced, so its rules are unknown */
	atomic_bool is_gone;		/* unloaded; its memory must not be used */
	struct module *next;		/* in the list of unloaded ones */
};

/* Of a native module only. */
static inline const struct module *module_of(const struct sampler_module *m)
{
	return (const struct module *)m;
}

/* The program's vdso in memory, as an ELF file. */
struct module_vdso {
	const void *image;
	size_t size;
};
bool module_vdso(const struct module *m, struct module_vdso *ret);

/* --- module_elf.c: the loader's objects --- */

/* An object of dl_iterate_phdr(), copied from the loader's memory. */
struct module_object {
	uintptr_t base;
	uintptr_t start, limit;		/* of code */
	uintptr_t load_start, load_limit;
	uint64_t headers_hash;
	struct build_id build_id;
	char *name;
	bool is_main;
};
struct module_objects {
	struct module_object *list;
	size_t nr, room;
	unsigned long long changes;	/* dlopen()s and dlclose()s so far */
};
unsigned long long module_changes(void);
/* All objects. -ENOMEM. */
int module_objects_read(struct module_objects *ret);
void module_objects_free(struct module_objects *objects);
/* Malloc'd. */
char *module_path(const struct module_object *object);

#endif
