/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loader - run code of libraries that don't stay where they were
 *
 *	loader dlopen ROUNDS TURNS LIBRARY...	load, burn, unload, the next one
 *	loader fixed  ROUNDS TURNS LIBRARY...	map each over the last one at one address, MAP_FIXED
 *	loader unmap  ROUNDS TURNS LIBRARY...	the same with munmap between
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void burn_fn(uint64_t turns);

/* A library's code as it lies in its file. */
struct code {
	const char *path;
	off_t offset;		/* of the executable segment, page aligned */
	size_t size;
	size_t burn;		/* of burn() from @offset */
};

static void fail(const char *what)
{
	fprintf(stderr, "loader: %s: %s\n", what, dlerror());
	exit(1);
}

static burn_fn *load(const char *path, void **ret_handle)
{
	void *handle = dlopen(path, RTLD_NOW);
	burn_fn *burn = handle ? (burn_fn *)dlsym(handle, "burn") : NULL;

	if (!burn)
		fail(path);
	*ret_handle = handle;
	return burn;
}

static int find_segment(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct code *code = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		if (code->burn < start || code->burn >= start + p->p_memsz)
			continue;
		code->offset = p->p_offset & ~4095ul;
		code->size = p->p_filesz + (p->p_offset & 4095);
		code->burn = code->burn - start + (p->p_offset & 4095);
		return 1;
	}
	return 0;
}

static struct code find_code(const char *path)
{
	struct code code = { .path = path };
	void *handle;

	code.burn = (uintptr_t)load(path, &handle);
	if (!dl_iterate_phdr(find_segment, &code))
		fail(path);
	dlclose(handle);
	return code;
}

static void run_dlopen(int rounds, uint64_t turns, char **paths, int nr)
{
	for (int i = 0; i < rounds * nr; i++) {
		void *handle;

		load(paths[i % nr], &handle)(turns);
		dlclose(handle);
	}
}

static void run_mapped(int rounds, uint64_t turns, char **paths, int nr, bool unmap)
{
	struct code codes[64];
	char *place = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < nr; i++)
		codes[i] = find_code(paths[i]);
	for (int i = 0; i < rounds * nr; i++) {
		const struct code *c = &codes[i % nr];
		int fd = open(c->path, O_RDONLY | O_CLOEXEC);

		if (fd < 0 || mmap(place, c->size, PROT_READ | PROT_EXEC,
				   MAP_PRIVATE | MAP_FIXED, fd, c->offset) != place)
			fail(c->path);
		close(fd);
		((burn_fn *)(place + c->burn))(turns);
		if (unmap)
			munmap(place, c->size);
	}
}

int main(int argc, char **argv)
{
	if (argc < 5 || argc > 64) {
		fprintf(stderr, "usage: loader dlopen|fixed|unmap ROUNDS TURNS LIBRARY...\n");
		return 2;
	}
	if (!strcmp(argv[1], "dlopen"))
		run_dlopen(atoi(argv[2]), strtoull(argv[3], NULL, 0), argv + 4, argc - 4);
	else
		run_mapped(atoi(argv[2]), strtoull(argv[3], NULL, 0), argv + 4, argc - 4,
			   !strcmp(argv[1], "unmap"));
	return 0;
}
