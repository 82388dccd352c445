/* SPDX-License-Identifier: GPL-2.0-or-later */
/* modules.h - the modules that libdwfl was told of */
#ifndef LIBSAMPLER_UNWIND_MODULES_H
#define LIBSAMPLER_UNWIND_MODULES_H

#include <elfutils/libdwfl.h>
#include "libsampler/unwind/module.h"

struct told {
	const struct module *module;
	Dwfl_Module *dwfl;
	void *bytes;			/* of the vdso, which is never gone */
	bool has_cfi;
};

struct told_modules {
	Dwfl *dwfl;
	struct told *told;		/* by address of the module */
	size_t nr, room;
	unsigned long generation;
};

int told_init(struct told_modules *all);
void told_free(struct told_modules *all);

/* What libdwfl knows of @m, if it does. */
const struct told *told_known(const struct told_modules *all, const struct module *m);
/* The same, and if it does not it is told. NULL: no memory. */
const struct told *told_tell(struct told_modules *all, const struct module *m);
/* Once per walk: modules that are not there any more. */
void told_forget_gone(struct told_modules *all);

#endif
