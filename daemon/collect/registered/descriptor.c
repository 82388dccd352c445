// SPDX-License-Identifier: GPL-2.0-or-later
/* descriptor.c - a symbol table is read only if its names contain the one that is wanted */
#include "daemon/collect/registered/descriptor.h"

#include <elf.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libutil/clock.h"
#include "libutil/elf_symbols.h"
#include "libutil/opener/registered.h"
#include "libutil/sandbox/worker.h"

#define SECTIONS_MAX	65536
#define SEGMENTS_MAX	256

/* Bounds for the files of a call. */
#define CPU_SECONDS	5
#define SECONDS		10
#define MEMORY		(UINT64_C(1) << 30)

_Static_assert(DESCRIPTOR_FILES_MAX <= WORKER_FDS_MAX, "a task has all of them");

/* The offset of the file's byte at @vaddr, or 0. */
static uint64_t offset_of(const struct elf_file *f, uint64_t vaddr)
{
	struct elf_segment *s;
	uint64_t ret = 0;
	size_t nr;

	if (elf_file_segments(f, SEGMENTS_MAX, &s, &nr))
		return 0;
	for (size_t i = 0; i < nr && !ret; i++)
		if (s[i].type == PT_LOAD && vaddr - s[i].vaddr < s[i].size)
			ret = s[i].offset + (vaddr - s[i].vaddr);
	free(s);
	return ret < f->size ? ret : 0;
}

uint64_t descriptor_find(int fd)
{
	static const char *const name = REGISTERED_SYMBOL;
	struct elf_symbol symbol = { 0, 0 };
	struct elf_section *s;
	struct elf_file f;
	size_t nr;

	if (elf_file_open(fd, &f) || !f.is_64 || elf_file_sections(&f, SECTIONS_MAX, &s, &nr))
		return 0;
	for (size_t i = 0; i < nr && !symbol.value; i++)
		if (s[i].type == SHT_DYNSYM || s[i].type == SHT_SYMTAB)
			elf_symbols_find(&f, s, nr, &s[i], &name, 1, &symbol);
	free(s);
	return symbol.value ? offset_of(&f, symbol.value) : 0;
}

/* In that process. */
static void run(const struct worker_task *task, const int *fds, int out)
{
	uint64_t offsets[DESCRIPTOR_FILES_MAX] = { 0 };
	uint32_t nr;

	memcpy(&nr, task->argument, sizeof(nr));
	for (uint32_t i = 0; i < nr; i++)
		offsets[i] = descriptor_find(fds[i]);
	(void)!write(out, offsets, sizeof(offsets));
}

int descriptor_find_apart(const int *fds, size_t nr, uint64_t *ret_offsets)
{
	struct worker_task task = {
		.run = run,
		.sandbox = { .memory = MEMORY, .cpu_seconds = CPU_SECONDS, .seconds = SECONDS },
		.nice = 10,
	};
	uint64_t offsets[DESCRIPTOR_FILES_MAX];
	uint32_t number = (uint32_t)nr;
	struct pollfd p = { .events = POLLIN };
	int err = -ETIMEDOUT;

	memcpy(task.argument, &number, sizeof(number));
	p.fd = worker_run(&task, fds, nr);
	if (p.fd < 0)
		return p.fd;
	if (poll(&p, 1, (SECONDS + 1) * 1000) > 0)
		err = read(p.fd, offsets, sizeof(offsets)) == sizeof(offsets) ? 0 : -ECANCELED;
	close(p.fd);
	if (!err)
		memcpy(ret_offsets, offsets, nr * sizeof(*offsets));
	return err;
}
