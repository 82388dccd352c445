/* SPDX-License-Identifier: GPL-2.0-or-later */
/* modules.h - the modules that were reported to libdwfl */
#ifndef LIBSAMPLER_UNWIND_MODULES_H
#define LIBSAMPLER_UNWIND_MODULES_H

#include <elfutils/libdwfl.h>
#include "libsampler/unwind/module.h"

struct reported_module {
	const struct module *module;
	Dwfl_Module *dwfl;
	void *bytes;			/* of the vdso, which is never unloaded */
	bool has_cfi;
};

struct reported_modules {
	Dwfl *dwfl;
	struct reported_module *list;		/* by address of the module */
	size_t nr, room;
	unsigned long generation;
};

int reported_init(struct reported_modules *all);
void reported_free(struct reported_modules *all);

/* NULL: not reported. */
const struct reported_module *reported_find(const struct reported_modules *all,
					    const struct module *m);
/* Report @m unless it is already. NULL: out of memory. */
const struct reported_module *reported_add(struct reported_modules *all,
					   const struct module *m);
/* Once per walk: remove unloaded modules. */
void reported_remove_gone(struct reported_modules *all);

#endif
