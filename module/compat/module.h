/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module.h - where a module's text lies: core_layout became mem[] after 6.1 */
#ifndef MODULE_COMPAT_MODULE_H
#define MODULE_COMPAT_MODULE_H

#include <linux/module.h>

static inline void op_module_text(const struct module *m, unsigned long *ret_start,
				  unsigned long *ret_size)
{
#ifdef HAVE_MODULE_MEM
	*ret_start = (unsigned long)m->mem[MOD_TEXT].base;
	*ret_size = m->mem[MOD_TEXT].size;
#else
	*ret_start = (unsigned long)m->core_layout.base;
	*ret_size = m->core_layout.text_size;
#endif
}

/* Its text for start-up, which is freed later: size 0. */
static inline void op_module_init_text(const struct module *m, unsigned long *ret_start,
				       unsigned long *ret_size)
{
#ifdef HAVE_MODULE_MEM
	*ret_start = (unsigned long)m->mem[MOD_INIT_TEXT].base;
	*ret_size = m->mem[MOD_INIT_TEXT].size;
#else
	*ret_start = (unsigned long)m->init_layout.base;
	*ret_size = m->init_layout.text_size;
#endif
}

#endif
