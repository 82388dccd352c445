/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mm.h - what a process runs, and where its vdso is */
#ifndef MODULE_COMPAT_MM_H
#define MODULE_COMPAT_MM_H

#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/rcupdate.h>

/* get_mm_exe_file(), exported up to 5.10 only. NULL or a reference. Any context but NMI. */
static inline struct file *op_mm_exe_file(struct mm_struct *mm)
{
	struct file *f;

	rcu_read_lock();
#ifdef HAVE_GET_FILE_RCU_POINTER
	f = get_file_rcu(&mm->exe_file);
#else
	f = rcu_dereference(mm->exe_file);
	if (f && !get_file_rcu(f))
		f = NULL;
#endif
	rcu_read_unlock();
	return f;
}

/* Start of the vdso; 0: none or unknown. */
static inline unsigned long op_mm_vdso(const struct mm_struct *mm)
{
#if defined(CONFIG_X86) || defined(CONFIG_ARM64)
	return (unsigned long)mm->context.vdso;
#else
	return 0;
#endif
}

#endif
