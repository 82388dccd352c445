/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module.h - what modules.c knows of a module beyond what programs see; for unwinders */
#ifndef LIBSAMPLER_UNWIND_MODULE_H
#define LIBSAMPLER_UNWIND_MODULE_H

#include <stdatomic.h>
#include "libsampler/sampler.h"
#include "libutil/build_id.h"

struct module {
	struct sampler_module public;	/* first */
	uint64_t serial;		/* no other module of the process ever has it */
	uintptr_t load_start, load_limit; /* all that is mapped of it, whole pages */
	uint64_t headers_hash;		/* of its program headers */
	char *name;			/* as the loader spells it */
	bool is_main, is_vdso;
	bool was_given;			/* by module_at(): somebody may still have it */
	atomic_bool is_unread;		/* its file was not what was loaded: it may have rules */
	atomic_bool is_gone;		/* unloaded; only what was learned of it is left */
	struct module *next;		/* among those that are gone */
};

/* Of a native module only. */
static inline const struct module *module_of(const struct sampler_module *m)
{
	return (const struct module *)m;
}

/* The whole of the program's vdso in memory, as an ELF file. */
struct module_vdso {
	const void *image;
	size_t size;
};
bool module_vdso(const struct module *m, struct module_vdso *ret);

/* --- module_elf.c: what the loader tells --- */

/* Of one object, as dl_iterate_phdr() sees it; the loader's memory is not needed afterwards. */
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
/* Every object there is. -ENOMEM. */
int module_objects_read(struct module_objects *ret);
void module_objects_free(struct module_objects *objects);
/* On the heap. */
char *module_path(const struct module_object *object);

#endif
