/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.h - which kernel image an address in kernel mode lies in
 *
 * Modules come from /proc/modules and from OP_MODULE_RANGE notes. An unloaded module keeps its
 * range until another is loaded there, because its last samples may come after the note. Where a
 * module's text ends is known from the note, or else guessed from kallsyms (kernel_runs.h), which
 * also shows the code that is generated. A BPF program is an image by its name, so that another at
 * the same address is another image. Trampolines are images of their own, "[bpf]", "[ftrace]",
 * "[kprobes]", and so is a module's text for start-up, "[NAME.init]"; their keys are addresses
 * [SS-49].
 */
#ifndef DAEMON_RECORD_KERNEL_H
#define DAEMON_RECORD_KERNEL_H

#include "daemon/record/image.h"

enum kernel_mode {
	KERNEL_SYMBOLS,		/* {kern}/kallsyms, absolute pc; symbols are saved */
	KERNEL_NO_VMLINUX,	/* everything in {kern}/no-vmlinux, absolute pc */
	KERNEL_VMLINUX,		/* the given image, pc - start of its range */
};

struct kernel_config {
	enum kernel_mode mode;
	const char *vmlinux;		/* absolute path; KERNEL_VMLINUX only */
	uint64_t start, end;		/* its range */
	const char *proc_modules, *proc_kallsyms;	/* paths; NULL: below /proc */
};

/* Addresses from start to last belong to @image (NULL: to none), under the key pc - base. */
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

void kernel_keep_images(const struct kernel *k);	/* image.h */

/* OP_MODULE_RANGE: the module or BPF program @name came or went. An invalid name is ignored. */
void kernel_module_range(struct kernel *k, bool loaded, uint64_t start, uint64_t size,
			 const char *name);
/* Read /proc/modules: at the start, and at OP_MODULE_LOADED. */
void kernel_read_modules(struct kernel *k);

/*
 * Save the kernel's symbols in stats/kernel-symbols below @stats_dir from now on; those of unloaded
 * modules stay there. A capture takes about 100 ms: kernel_capture_now() makes one if modules or
 * generated code were added since the last one, kernel_capture_due() if the last one also was a
 * while ago.
 */
void kernel_set_session(struct kernel *k, const char *stats_dir);
void kernel_capture_due(struct kernel *k);
void kernel_capture_now(struct kernel *k);

/*
 * A sample lies at @pc, in no module. A page outside the kernel's own text may be code that was
 * generated after the last capture (BPF programs, tracing trampolines): the first sample in it
 * requests another capture.
 */
void kernel_note_sample(struct kernel *k, uint64_t pc);

/*
 * Whether new samples can be added to the session of @stats_dir. They cannot if that is of another
 * boot, in which the kernel was at another address, because its files have absolute addresses.
 */
bool kernel_fits_session(const struct kernel *k, const char *stats_dir);

/* For session_info.kernel_symbols: "kallsyms", "hidden", "vmlinux", "none". */
const char *kernel_symbols_word(const struct kernel *k);

#endif
