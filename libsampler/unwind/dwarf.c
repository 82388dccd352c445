// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dwarf.c - find callers by call frame information, with libdwfl on the copied stack
 *
 * Each frame is checked before libdwfl continues from it: it stops at a frame in a module that was
 * not reported to it, and starts again there. [SM-45]
 */
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libsampler/copy/registers.h"
#include "libsampler/sampling.h"
#include "libsampler/unwind/made.h"
#include "libsampler/unwind/modules.h"
#include "libsampler/unwind/unwinders.h"

struct dwarf {
	struct reported_modules modules;
	Elf64_Ehdr header;		/* an ELF file with nothing but the architecture */
	Elf *architecture;
	pid_t pid;

	/* the current walk */
	struct sampler_registers *regs;
	const struct sampler_stack *stack;
	struct sampler_frames *frames;
	bool is_first;			/* the frame that libdwfl begins with */
	bool has_missed;		/* in this frame: memory outside of the copy was needed */
	enum sampler_unwound how;	/* the result if the walk stops at this frame */
};

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
	/* libdwfl treats the frame it begins with as interrupted */
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

/* Set *d->regs to those of this frame. */
static void take_registers(struct dwarf *d, Dwfl_Frame *frame, Dwarf_Addr pc)
{
	Dwarf_Word value;

	d->regs->known = 0;
	for (int i = 0; i < REGISTER_PC; i++)
		if (!dwfl_frame_reg(frame, i, &value))
			register_set(d->regs, i, value);
	register_set(d->regs, REGISTER_PC, pc);
}

/* Where the stack changes, as at a signal, sp may be anywhere. */
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

static bool can_continue_from(const struct dwarf *d, const struct sampler_frame *f)
{
	const struct reported_module *reported;

	if (!can_unwind(NULL, f))
		return false;
	reported = reported_find(&d->modules, module_of(f->module));
	return reported && reported->has_cfi;
}

/*
 * Whether a frame is a signal's is in the rules of its code, so its module must be reported before
 * libdwfl is asked.
 */
static bool read_pc(struct dwarf *d, Dwfl_Frame *frame, Dwarf_Addr *pc, bool *is_interrupted)
{
	const struct sampler_module *m;

	if (!dwfl_frame_pc(frame, pc, NULL))
		return false;
	m = module_at(*pc);
	if (m && m->is_native)
		reported_add(&d->modules, module_of(m));
	return dwfl_frame_pc(frame, pc, is_interrupted);
}

static int visit_frame(Dwfl_Frame *frame, void *context)
{
	struct dwarf *d = context;
	uintptr_t sp = d->regs->sp;
	size_t nr = d->frames->nr;
	bool is_interrupted;
	struct sampler_frame *f;
	Dwarf_Addr pc;

	/* to find out whether this is a signal frame, libdwfl may unwind the next one already */
	d->has_missed = false;
	if (d->is_first) {
		d->is_first = false;
		return DWARF_CB_OK;
	}
	d->how = SAMPLER_ABORTED;
	if (!read_pc(d, frame, &pc, &is_interrupted))
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
	return can_continue_from(d, f) ? DWARF_CB_OK : DWARF_CB_ABORT;
}

/* free() it. */
static Dwarf_Frame *rules_at(const struct reported_module *reported, Dwarf_Addr pc)
{
	Dwarf_Addr bias;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(reported->dwfl, &bias);
	Dwarf_Frame *frame;

	if (!cfi)
		cfi = dwfl_module_dwarf_cfi(reported->dwfl, &bias);
	return cfi && !dwarf_cfi_addrframe(cfi, pc - bias, &frame) ? frame : NULL;
}

/* Its rules mark it as the outermost frame. */
static bool has_no_caller(const struct reported_module *reported, Dwarf_Addr pc)
{
	Dwarf_Frame *frame = rules_at(reported, pc);
	Dwarf_Op room[3], *ops = NULL;
	size_t nr = 1;

	if (!frame || dwarf_frame_register(frame, REGISTER_RETURN, room, &ops, &nr))
		nr = 1;
	free(frame);
	return !nr && ops == room;
}

/* There is no call before @pc, so it was put on the stack as a return address. */
static bool is_beginning(const struct reported_module *reported, Dwarf_Addr pc)
{
	Dwarf_Frame *before = rules_at(reported, pc - 1), *at = rules_at(reported, pc);
	bool is_first = !before && at;

	free(before);
	free(at);
	return is_first;
}

/*
 * libdwfl has stopped; @err is 0 if it found no caller. But it is also 0 if something was missing
 * that it needed: a part of the stack, or registers if only a few were known. And libdwfl does not
 * recognize the outermost frame of a coroutine.
 */
static bool is_outermost(const struct dwarf *d, int err)
{
	const struct sampler_frame *last = &d->frames->frames[d->frames->nr - 1];
	const struct reported_module *reported;

	if (err > 0)
		return false;	/* visit_frame() stopped it */
	if (!err && !d->has_missed && register_is_known(d->regs, REGISTER_FP))
		return true;
	reported = reported_find(&d->modules, module_of(last->module));
	return has_no_caller(reported, d->regs->pc - !last->is_interrupted) ||
	       (!last->is_interrupted && is_beginning(reported, d->regs->pc));
}

static enum sampler_unwound unwind(void *context, void *state, struct sampler_registers *regs,
				   const struct sampler_stack *stack, struct sampler_frames *frames)
{
	struct dwarf *d = context;
	const struct module *last = module_of(frames->frames[frames->nr - 1].module);
	const struct reported_module *reported;
	int err;

	(void)state;
	reported_remove_gone(&d->modules);
	reported = reported_add(&d->modules, last);
	if (!reported || !reported->has_cfi)
		return SAMPLER_UNRECOGNIZED;
	d->regs = regs;
	d->stack = stack;
	d->frames = frames;
	d->is_first = true;
	d->how = SAMPLER_UNRECOGNIZED;
	err = dwfl_getthread_frames(d->modules.dwfl, d->pid, visit_frame, d);
	return is_outermost(d, err) ? SAMPLER_COMPLETED : d->how;
}

/* --- creating and freeing --- */

/*
 * One for all walkers, because the tables of a file take much memory. Only the sampling thread
 * walks, so the lock is only for the number of users; the last one frees it.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct dwarf *shared;
static unsigned int users;

static void free_one(struct dwarf *d)
{
	reported_free(&d->modules);
	if (d->architecture)
		elf_end(d->architecture);
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

/* After fork() the state is undefined: another process's thread was working on it. */
static void dwarf_free(void *context)
{
	struct dwarf *d = context;

	if (d->pid != getpid())
		return;
	pthread_mutex_lock(&lock);
	if (!--users) {
		made_code_forget();
		free_one(d);
		shared = NULL;
	}
	pthread_mutex_unlock(&lock);
}

/* The parent's is not touched any more, nor freed. */
static void after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	made_code_after_fork();
	shared = NULL;
	users = 0;
}

static int new_one(struct dwarf **ret)
{
	struct dwarf *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->pid = getpid();
	fill_header(&d->header);
	elf_version(EV_CURRENT);
	d->architecture = elf_memory((char *)&d->header, sizeof(d->header));
	if (!d->architecture || reported_init(&d->modules) ||
	    !dwfl_attach_state(d->modules.dwfl, d->architecture, d->pid, &thread_callbacks, d)) {
		free_one(d);
		return -ENOMEM;
	}
	*ret = d;
	return 0;
}

int unwind_dwarf_new(void **ret_context)
{
	static struct fork_hook hook = { .child = after_fork };
	int err = fork_watch(&hook);

	pthread_mutex_lock(&lock);
	if (!err && !shared)
		err = new_one(&shared);
	if (!err) {
		users++;
		*ret_context = shared;
	}
	pthread_mutex_unlock(&lock);
	return err;
}

const struct sampler_unwinder_ops unwind_dwarf = {
	.size = sizeof(unwind_dwarf),
	.can_unwind = can_unwind,
	.unwind = unwind,
	.free = dwarf_free,
};
