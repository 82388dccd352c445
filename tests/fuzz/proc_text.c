// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proc_text.c - any text taken for /proc/PID/maps and for /proc/modules by the module's side
 *
 * The perf collector has parsers of its own: perf_proc.c.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/record/anon.h"
#include "daemon/record/kernel.h"
#include "libutil/file.h"
#include "libutil/log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TGID 7

static char proc[] = "/tmp/fuzz-proc-XXXXXX";
static char maps[60], modules[60];

static void remove_proc(void)
{
	file_remove_tree(proc);
}

static void prepare(void)
{
	char process[40];

	if (maps[0])
		return;
	if (!mkdtemp(proc))
		abort();
	atexit(remove_proc);
	snprintf(process, sizeof(process), "%s/%d", proc, TGID);
	snprintf(maps, sizeof(maps), "%s/maps", process);
	snprintf(modules, sizeof(modules), "%s/modules", proc);
	if (mkdir(process, 0700))
		abort();
}

static void put(const char *path, const uint8_t *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd))
		abort();
}

/* A mapping that is found holds the address, and is no file's. */
static void look_for_mapping(struct anons *a, uint64_t pc)
{
	const struct anon_map *m = anon_find(a, TGID, pc);

	if (m && (pc < m->start || pc >= m->end || !m->name[0] || m->name[0] == '/' ||
		  strnlen(m->name, sizeof(m->name)) == sizeof(m->name)))
		abort();
}

/* Ranges cover all addresses, one after the other; only outside modules is there no image. */
static void check_ranges(struct kernel *k, bool all_have_image)
{
	uint64_t at = 0;

	do {
		const struct kernel_range *r = kernel_find(k, at);

		if (r->start != at || r->last < r->start || (all_have_image && !r->image))
			abort();
		at = r->last + 1;
	} while (at);
}

static void read_as_modules(const struct kernel_config *config)
{
	struct images *images = images_new(NULL);
	struct kernel *k = kernel_new(config, images);

	check_ranges(k, config->mode != KERNEL_VMLINUX);
	kernel_module_range(k, true, UINT64_MAX - 10, 100, "at_the_end");
	kernel_module_range(k, true, 0x400000, 0x100000, "m");
	check_ranges(k, config->mode != KERNEL_VMLINUX);
	kernel_module_range(k, false, 0x400000, 0x100000, "m");
	kernel_read_modules(k);
	check_ranges(k, config->mode != KERNEL_VMLINUX);
	kernel_free(k);
	images_free(images);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kernel_config config = {.mode = KERNEL_SYMBOLS,
				       .vmlinux = "/boot/vmlinux",
				       .start = 0xffffffff81000000,
				       .end = 0xffffffff82000000,
				       .proc_modules = modules,
				       .proc_kallsyms = "/dev/null"};
	struct anons *a = anons_new(proc);

	prepare();
	put(maps, data, size);
	for (unsigned int bit = 0; bit < 64; bit += 3)
		look_for_mapping(a, (uint64_t)1 << bit);
	look_for_mapping(a, UINT64_MAX);
	anons_free(a);

	put(modules, data, size);
	read_as_modules(&config);
	config.mode = KERNEL_VMLINUX;
	read_as_modules(&config);
	return 0;
}
