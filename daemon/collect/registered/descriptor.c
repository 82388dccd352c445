// SPDX-License-Identifier: GPL-2.0-or-later
/* descriptor.c - a symbol table is read only if its names contain one that is wanted */
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
	const struct elf_segment *s;
	struct elf_segment *all;
	uint64_t ret;
	size_t nr;

	if (elf_file_segments(f, SEGMENTS_MAX, &all, &nr))
		return 0;
	s = elf_segment_of(all, nr, vaddr);
	ret = s ? s->offset + (vaddr - s->vaddr) : 0;
	free(all);
	return ret < f->size ? ret : 0;
}

struct registered_place descriptor_find(int fd)
{
	static const char *const names[] = { REGISTERED_SYMBOL };
	static const char *const hotspot[] = { REGISTERED_TYPES, REGISTERED_STRUCTS };
	struct elf_symbol own = { 0, 0 }, tables[2] = { { 0, 0 }, { 0, 0 } };
	struct registered_place ret = { 0 };
	struct elf_section *s;
	struct elf_file f;
	size_t nr;

	if (elf_file_open(fd, &f) || !f.is_64 || elf_file_sections(&f, SECTIONS_MAX, &s, &nr))
		return ret;
	for (size_t i = 0; i < nr && !own.value; i++)
		if (s[i].type == SHT_DYNSYM || s[i].type == SHT_SYMTAB) {
			elf_symbols_find(&f, s, nr, &s[i], names, 1, &own);
			if (!tables[0].value || !tables[1].value)
				elf_symbols_find(&f, s, nr, &s[i], hotspot, 2, tables);
		}
	free(s);
	if (own.value) {
		ret.symbol = offset_of(&f, own.value);
	} else if (tables[0].value && tables[1].value) {
		ret.types = offset_of(&f, tables[0].value);
		ret.symbol = offset_of(&f, tables[1].value);
	}
	return ret;
}

/* In that process. */
static void run(const struct worker_task *task, const int *fds, int out)
{
	struct registered_place offsets[DESCRIPTOR_FILES_MAX] = { 0 };
	uint32_t nr;

	memcpy(&nr, task->argument, sizeof(nr));
	for (uint32_t i = 0; i < nr; i++)
		offsets[i] = descriptor_find(fds[i]);
	(void)!write(out, offsets, sizeof(offsets));
}

int descriptor_find_apart(const int *fds, size_t nr, struct registered_place *ret_offsets)
{
	struct worker_task task = {
		.run = run,
		.sandbox = { .memory = MEMORY, .cpu_seconds = CPU_SECONDS, .seconds = SECONDS },
		.nice = 10,
	};
	struct registered_place offsets[DESCRIPTOR_FILES_MAX];
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
