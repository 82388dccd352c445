// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unwind_dwarf.c - callers by call frame information, through libdwfl on the copied stack
 *
 * libdwfl is told of a module when the first frame in it is found, and of nothing else: that what
 * is loaded and never sampled costs nothing. When modules are gone it is told of the rest again,
 * which it knows by name and place, so that their tables stay. Each frame is looked at before
 * libdwfl goes on from it: in a module that it does not know it stops, and begins anew there.
 * [SM-45]
 */
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "registers.h"
#include "unwinders.h"
#include "unwind_files.h"

struct told {
	const struct module *module;
	Dwfl_Module *dwfl;
	void *bytes;			/* of the vdso, which is never gone */
	bool has_cfi;
};

struct dwarf {
	Dwfl *dwfl;
	Elf64_Ehdr header;		/* says which architecture it is, that is all */
	Elf *architecture;
	pid_t pid;
	struct told *told;		/* by address of the module */
	size_t nr, room;
	unsigned long generation;

	/* of the walk that goes on */
	struct sampler_registers *regs;
	const struct sampler_stack *stack;
	struct sampler_frames *frames;
	bool is_first;			/* the frame that it begins with */
	bool has_missed;		/* in this frame: what is not in the copy was wanted */
	enum sampler_unwound how;	/* if a frame was looked at and it stopped there */
};

/* --- modules --- */

static int no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **ret_name)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)ret_name;
	return -1;
}

static int find_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
		    char **ret_name, Elf **ret_elf)
{
	struct told *told = *data;

	(void)module;
	(void)name;
	(void)base;
	(void)ret_name;
	*ret_elf = !told ? NULL : unwind_file_open(told->module, &told->bytes);
	return -1;	/* no file is open */
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = no_debug_file,
	.section_address = dwfl_offline_section_address,
};

static Dwfl_Module *report(struct dwarf *d, const struct module *m)
{
	char name[32];

	snprintf(name, sizeof(name), "%ju", (uintmax_t)m->serial);
	return dwfl_report_module(d->dwfl, name, m->load_start, m->load_limit);
}

static size_t find(const struct dwarf *d, const struct module *m)
{
	size_t low = 0, high = d->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (d->told[middle].module < m)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct told *insert(struct dwarf *d, size_t at)
{
	if (d->nr == d->room) {
		size_t room = d->room ? 2 * d->room : 16;
		struct told *told = realloc(d->told, room * sizeof(*told));

		if (!told)
			return NULL;
		d->told = told;
		d->room = room;
	}
	memmove(d->told + at + 1, d->told + at, (d->nr++ - at) * sizeof(*d->told));
	return &d->told[at];
}

/* Reads the file. Whatever is wrong with it, there is nothing to unwind by. */
static void look_for_cfi(struct told *told)
{
	GElf_Addr bias;
	Dwarf_Addr cfi_bias;
	void **data;

	if (!told->dwfl)
		return;
	dwfl_module_info(told->dwfl, &data, NULL, NULL, NULL, NULL, NULL, NULL);
	*data = told;
	told->has_cfi = dwfl_module_getelf(told->dwfl, &bias) &&
			bias == told->module->public.base &&
			(dwfl_module_eh_cfi(told->dwfl, &cfi_bias) ||
			 dwfl_module_dwarf_cfi(told->dwfl, &cfi_bias));
	*data = NULL;	/* the table moves */
}

static const struct told *known(const struct dwarf *d, const struct module *m)
{
	size_t at = find(d, m);

	return at < d->nr && d->told[at].module == m ? &d->told[at] : NULL;
}

/* What libdwfl knows of @m; NULL: no memory. */
static const struct told *tell(struct dwarf *d, const struct module *m)
{
	struct told told = { .module = m };
	size_t at = find(d, m);

	if (known(d, m) || !insert(d, at))
		return known(d, m);
	dwfl_report_begin_add(d->dwfl);
	told.dwfl = report(d, m);
	dwfl_report_end(d->dwfl, NULL, NULL);
	look_for_cfi(&told);
	d->told[at] = told;
	return &d->told[at];
}

static void forget_gone(struct dwarf *d)
{
	unsigned long generation = modules_generation();
	size_t nr = 0;

	if (generation == d->generation)
		return;
	d->generation = generation;
	for (size_t i = 0; i < d->nr && nr == i; i++)
		nr += !atomic_load(&d->told[i].module->is_gone);
	if (nr == d->nr)
		return;
	dwfl_report_begin(d->dwfl);
	for (size_t i = nr = 0; i < d->nr; i++) {
		if (atomic_load(&d->told[i].module->is_gone))
			continue;
		report(d, d->told[i].module);
		d->told[nr++] = d->told[i];
	}
	d->nr = nr;
	dwfl_report_end(d->dwfl, NULL, NULL);
}

/* --- the walk --- */

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
	bool is_next = *thread;

	*thread = context;
	return is_next ? 0 : dwfl_pid(dwfl);
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *context, void **thread)
{
	(void)dwfl;
	(void)tid;
	*thread = context;
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret, void *context)
{
	struct dwarf *d = context;
	uintptr_t word;

	(void)dwfl;
	if (!sampler_stack_word(d->stack, address, &word)) {
		d->has_missed = true;
		return false;
	}
	*ret = word;
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	const struct dwarf *d = context;
	const struct sampler_frame *last = &d->frames->frames[d->frames->nr - 1];
	/* libdwfl takes the frame it begins with for an interrupted one */
	Dwarf_Word pc = d->regs->pc - !last->is_interrupted;

	for (int i = 0; i < REGISTER_PC; i++) {
		Dwarf_Word value = d->regs->value[i];

		if (register_is_known(d->regs, i) &&
		    !dwfl_thread_state_registers(thread, i, 1, &value))
			return false;
	}
#ifdef __x86_64__
	if (!dwfl_thread_state_registers(thread, REGISTER_PC, 1, &pc))
		return false;
#endif
	dwfl_thread_state_register_pc(thread, pc);
	return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

/* *d->regs as they were in this frame. */
static void take_registers(struct dwarf *d, Dwfl_Frame *frame, Dwarf_Addr pc)
{
	Dwarf_Word value;

	d->regs->known = 0;
	for (int i = 0; i < REGISTER_PC; i++)
		if (!dwfl_frame_reg(frame, i, &value))
			register_set(d->regs, i, value);
	register_set(d->regs, REGISTER_PC, pc);
}

/* Where the stack changes, as to and from a signal's, sp may be anywhere. */
static bool is_above(const struct sampler_registers *regs, uintptr_t sp, size_t nr_before,
		     bool is_interrupted)
{
	return is_interrupted || regs->sp > sp || (regs->sp == sp && nr_before == 1);
}

static bool can_unwind(void *context, const struct sampler_frame *from)
{
	(void)context;
	return from->module && from->module->is_native;
}

static bool goes_on_from(const struct dwarf *d, const struct sampler_frame *f)
{
	const struct told *told = can_unwind(NULL, f) ? known(d, module_of(f->module)) : NULL;

	return told && told->has_cfi;
}

static int look_at_frame(Dwfl_Frame *frame, void *context)
{
	struct dwarf *d = context;
	uintptr_t sp = d->regs->sp;
	size_t nr = d->frames->nr;
	bool is_interrupted;
	struct sampler_frame *f;
	Dwarf_Addr pc;

	/* asked whether this frame is a signal's, libdwfl may look for the next one already */
	d->has_missed = false;
	if (d->is_first) {
		d->is_first = false;
		return DWARF_CB_OK;
	}
	d->how = SAMPLER_ABORTED;
	if (!dwfl_frame_pc(frame, &pc, &is_interrupted))
		return DWARF_CB_ABORT;
	take_registers(d, frame, pc);
	if (!is_above(d->regs, sp, nr, is_interrupted) || !sampler_add_frame(d->frames, pc))
		return DWARF_CB_ABORT;
	f = &d->frames->frames[nr];
	if (is_interrupted) {
		f->is_interrupted = true;
		f->module = module_at(pc);
	}
	d->how = SAMPLER_UNRECOGNIZED;
	return goes_on_from(d, f) ? DWARF_CB_OK : DWARF_CB_ABORT;
}

/* free() it. */
static Dwarf_Frame *rules_at(const struct told *told, Dwarf_Addr pc)
{
	Dwarf_Addr bias;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(told->dwfl, &bias);
	Dwarf_Frame *frame;

	if (!cfi)
		cfi = dwfl_module_dwarf_cfi(told->dwfl, &bias);
	return cfi && !dwarf_cfi_addrframe(cfi, pc - bias, &frame) ? frame : NULL;
}

/* Its rules say that there is none. */
static bool has_no_caller(const struct told *told, Dwarf_Addr pc)
{
	Dwarf_Frame *frame = rules_at(told, pc);
	Dwarf_Op room[3], *ops = NULL;
	size_t nr = 1;

	if (!frame || dwarf_frame_register(frame, REGISTER_RETURN, room, &ops, &nr))
		nr = 1;
	free(frame);
	return !nr && ops == room;
}

/* Nothing stands before it that could have called: it was put there to be returned to. */
static bool is_beginning(const struct told *told, Dwarf_Addr pc)
{
	Dwarf_Frame *before = rules_at(told, pc - 1), *at = rules_at(told, pc);
	bool is = !before && at;

	free(before);
	free(at);
	return is;
}

/*
 * libdwfl went no further: @err 0, if it knows of no caller. But it says the same when something
 * was missing that it would have needed: a part of the stack, or registers, if but a few were
 * known. And what a coroutine returns to at its end it does not know for an end.
 */
static bool is_outermost(const struct dwarf *d, int err)
{
	const struct sampler_frame *last = &d->frames->frames[d->frames->nr - 1];
	const struct told *told;

	if (err > 0)
		return false;	/* we stopped it */
	if (!err && !d->has_missed && register_is_known(d->regs, REGISTER_FP))
		return true;
	told = known(d, module_of(last->module));
	return has_no_caller(told, d->regs->pc - !last->is_interrupted) ||
	       (!last->is_interrupted && is_beginning(told, d->regs->pc));
}

static enum sampler_unwound unwind(void *context, void *state, struct sampler_registers *regs,
				   const struct sampler_stack *stack, struct sampler_frames *frames)
{
	struct dwarf *d = context;
	const struct told *told;
	int err;

	(void)state;
	forget_gone(d);
	told = tell(d, module_of(frames->frames[frames->nr - 1].module));
	if (!told || !told->has_cfi)
		return SAMPLER_UNRECOGNIZED;
	d->regs = regs;
	d->stack = stack;
	d->frames = frames;
	d->is_first = true;
	d->how = SAMPLER_UNRECOGNIZED;
	err = dwfl_getthread_frames(d->dwfl, d->pid, look_at_frame, d);
	return is_outermost(d, err) ? SAMPLER_COMPLETED : d->how;
}

/* --- from beginning to end --- */

/* After fork() it may be anything: it was another process's thread that worked on it. */
static void dwarf_free(void *context)
{
	struct dwarf *d = context;

	if (d->pid != getpid())
		return;
	if (d->dwfl)
		dwfl_end(d->dwfl);
	if (d->architecture)
		elf_end(d->architecture);
	for (size_t i = 0; i < d->nr; i++)
		free(d->told[i].bytes);
	free(d->told);
	free(d);
}

static void fill_header(Elf64_Ehdr *h)
{
	memcpy(h->e_ident, ELFMAG, SELFMAG);
	h->e_ident[EI_CLASS] = ELFCLASS64;
	h->e_ident[EI_DATA] = ELFDATA2LSB;
	h->e_ident[EI_VERSION] = EV_CURRENT;
	h->e_type = ET_EXEC;
	h->e_version = EV_CURRENT;
	h->e_ehsize = sizeof(*h);
#ifdef __x86_64__
	h->e_machine = EM_X86_64;
#else
	h->e_machine = EM_AARCH64;
#endif
}

int unwind_dwarf_new(void **ret_context)
{
	struct dwarf *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->pid = getpid();
	fill_header(&d->header);
	elf_version(EV_CURRENT);
	d->architecture = elf_memory((char *)&d->header, sizeof(d->header));
	d->dwfl = dwfl_begin(&callbacks);
	if (!d->architecture || !d->dwfl ||
	    !dwfl_attach_state(d->dwfl, d->architecture, d->pid, &thread_callbacks, d)) {
		dwarf_free(d);
		return -ENOMEM;
	}
	*ret_context = d;
	return 0;
}

const struct sampler_unwinder_ops unwind_dwarf = {
	.size = sizeof(unwind_dwarf),
	.can_unwind = can_unwind,
	.unwind = unwind,
	.free = dwarf_free,
};
