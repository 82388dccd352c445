/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.h - which kernel image an address in kernel mode lies in
 *
 * Modules come from /proc/modules and from OP_MODULE_RANGE notes. One that was unloaded keeps
 * its range until another takes its place, since its last samples may come after that news.
 */
#ifndef DAEMON_RECORD_KERNEL_H
#define DAEMON_RECORD_KERNEL_H

#include "daemon/record/image.h"

enum kernel_mode {
	KERNEL_SYMBOLS,		/* {kern}/kallsyms, absolute pc; symbols are kept with it */
	KERNEL_NO_VMLINUX,	/* all to {kern}/no-vmlinux, absolute pc */
	KERNEL_VMLINUX,		/* the image given, pc - start of its range */
};

struct kernel_config {
	enum kernel_mode mode;
	const char *vmlinux;		/* absolute path; KERNEL_VMLINUX only */
	uint64_t start, end;		/* its range */
	const char *proc_modules, *proc_kallsyms;	/* NULL: the real ones */
};

/* Addresses start to last inclusive belong to @image (NULL: to none), under the key pc - base. */
struct kernel_range {
	uint64_t start, last, base;
	struct image *image;
};

struct kernel;

/* Strings of @config must outlive it. */
struct kernel *kernel_new(const struct kernel_config *config, struct images *images);
void kernel_free(struct kernel *k);

/* Never NULL; valid until the next call of another function here. */
const struct kernel_range *kernel_find(struct kernel *k, uint64_t pc);

/* OP_MODULE_RANGE: text of module @name came or went. What can be no module's name is ignored. */
void kernel_module_range(struct kernel *k, bool loaded, uint64_t start, uint64_t size,
			 const char *name);
/* OP_MODULE_LOADED, and at the start: read /proc/modules again. */
void kernel_read_modules(struct kernel *k);

/*
 * Keep the symbols in stats/kernel-symbols below @stats_dir from now on; those of modules that
 * go stay there. A capture costs some 100 ms, so kernel_capture_due() makes one only when
 * modules or made text came since the last and that was a while ago; kernel_capture_now() whenever
 * they came.
 */
void kernel_set_session(struct kernel *k, const char *stats_dir);
void kernel_capture_due(struct kernel *k);
void kernel_capture_now(struct kernel *k);

/*
 * A sample lies at @pc, in no module. Text that was made after the last capture (BPF programs,
 * trampolines of tracing) is worth another: a page outside the kernel's own text asks for one,
 * once.
 */
void kernel_saw(struct kernel *k, uint64_t pc);

/*
 * May samples of now go into the session that has @stats_dir? Not if that is of another boot,
 * when the kernel lay elsewhere: its files hold absolute addresses.
 */
bool kernel_fits_session(const struct kernel *k, const char *stats_dir);

/* For session_info.kernel_symbols: "kallsyms", "hidden", "vmlinux", "none". */
const char *kernel_symbols_word(const struct kernel *k);

#endif
