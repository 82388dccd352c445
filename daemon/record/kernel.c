// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel.c - kernel and module address ranges, and the snapshot of their symbols
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "daemon/record/kernel.h"
#include "daemon/record/kernel_snapshot.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

#define MODULES_FILE_MAX	(16 << 20)	/* bytes of /proc/modules */
#define MODULES_MAX		65536
#define CAPTURE_SHARE 20 /* one part in so many of the time is spent capturing */
#define CAPTURE_PAUSE_MIN	200		/* ms between two captures */
#define MADE_PAGES		1024		/* remembered; who comes to a place takes it */
#define PAGE_BITS		12
#define CAPTURE_RETRY		10000		/* ms after one that failed */

struct module {
	uint64_t start, size;
	struct image *image;
	bool live;			/* false: unloaded, as far as we know */
	bool seen;			/* in the reading of /proc/modules under way */
};

struct kernel {
	struct kernel_config config;
	struct images *images;
	struct image *image;		/* for addresses in no module; NULL: those are lost */

	struct module *modules;		/* by start */
	size_t nr_modules, room_modules;
	struct kernel_range *ranges;	/* the whole address space, by start, without gaps */
	size_t nr_ranges, room_ranges, last_hit;

	char *snapshot;			/* stats/kernel-symbols */
	uint64_t text_start, text_end;	/* as it says; both 0: not known */
	uint64_t made_pages[MADE_PAGES];	/* of text outside, that asked for a capture */
	bool capture_wanted, hidden;
	int64_t capture_at;		/* ms: not before this, unless it must be */
	int told_err;
};

static const char *modules_path(const struct kernel *k)
{
	return k->config.proc_modules ? k->config.proc_modules : "/proc/modules";
}

static const char *kallsyms_path(const struct kernel *k)
{
	return k->config.proc_kallsyms ? k->config.proc_kallsyms : "/proc/kallsyms";
}

/* Ranges */

static void add_range(struct kernel *k, uint64_t start, uint64_t last, uint64_t base,
		      struct image *image)
{
	xgrow(k->ranges, k->nr_ranges, k->room_ranges);
	k->ranges[k->nr_ranges++] = (struct kernel_range) { start, last, base, image };
}

/* A module reaches as far as it says, or to the next one: /proc/modules counts data too. */
static void build_ranges(struct kernel *k)
{
	uint64_t at = 0;
	bool full = false;		/* @at would be past the last address */

	k->nr_ranges = 0;
	k->last_hit = 0;
	for (size_t i = 0; i < k->nr_modules; i++) {
		const struct module *m = &k->modules[i];
		uint64_t last =
			m->size - 1 > UINT64_MAX - m->start ? UINT64_MAX : m->start + m->size - 1;

		if (i + 1 < k->nr_modules && last >= k->modules[i + 1].start)
			last = k->modules[i + 1].start - 1;
		if (m->start > at)
			add_range(k, at, m->start - 1, 0, k->image);
		add_range(k, m->start, last, m->start, m->image);
		at = last + 1;
		full = last == UINT64_MAX;
	}
	if (!full)
		add_range(k, at, UINT64_MAX, 0, k->image);
}

const struct kernel_range *kernel_find(struct kernel *k, uint64_t pc)
{
	const struct kernel_range *r = &k->ranges[k->last_hit];
	size_t low = 0, high = k->nr_ranges - 1;

	if (pc - r->start <= r->last - r->start)
		return r;
	while (low < high) {
		size_t middle = (low + high + 1) / 2;

		if (k->ranges[middle].start <= pc)
			low = middle;
		else
			high = middle - 1;
	}
	k->last_hit = low;
	return &k->ranges[low];
}

/* Modules */

static bool module_name_ok(const char *name)
{
	size_t i;

	for (i = 0; name[i]; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_-.", name[i]))
			return false;
	return i && name[0] != '.';
}

static void remove_module(struct kernel *k, size_t i)
{
	memmove(k->modules + i, k->modules + i + 1, (k->nr_modules - i - 1) * sizeof(*k->modules));
	k->nr_modules--;
}

/* What stood there before and is gone makes place; a live neighbour's start does not move. */
static void make_place(struct kernel *k, uint64_t start, uint64_t size)
{
	for (size_t i = k->nr_modules; i-- > 0; ) {
		const struct module *m = &k->modules[i];

		if (m->start == start || (!m->live && m->start - start < size))
			remove_module(k, i);
	}
}

static void add_module(struct kernel *k, uint64_t start, uint64_t size, struct image *image)
{
	size_t i;

	make_place(k, start, size);
	if (k->nr_modules == MODULES_MAX)
		return;
	xgrow(k->modules, k->nr_modules, k->room_modules);
	for (i = k->nr_modules; i > 0 && k->modules[i - 1].start > start; i--)
		k->modules[i] = k->modules[i - 1];
	k->modules[i] = (struct module){
		.start = start, .size = size, .image = image, .live = true, .seen = true};
	k->nr_modules++;
	log_about(LOG_MODULE, "module '%s' at %" PRIx64 ", %" PRIu64 " bytes", image->path, start,
		  size);
}

static void remember_module(struct kernel *k, uint64_t start, uint64_t size, const char *name)
{
	struct image *image;

	if (!start || !size || !module_name_ok(name))
		return;
	image = image_get(k->images, IMAGE_KERNEL, name, "");
	for (size_t i = 0; i < k->nr_modules; i++) {
		struct module *m = &k->modules[i];

		/* the note knows the text's size, /proc/modules that of everything: keep the
		 * smaller */
		if (m->start == start && m->image == image && m->live) {
			m->size = size < m->size ? size : m->size;
			m->seen = true;
			return;
		}
	}
	add_module(k, start, size, image);
	k->capture_wanted = true;
}

void kernel_module_range(struct kernel *k, bool loaded, uint64_t start, uint64_t size,
			 const char *name)
{
	if (k->config.mode == KERNEL_NO_VMLINUX)
		return;
	if (loaded) {
		remember_module(k, start, size, name);
		build_ranges(k);
		return;
	}
	for (size_t i = 0; i < k->nr_modules; i++)
		if (k->modules[i].start == start && !strcmp(k->modules[i].image->path, name))
			k->modules[i].live = false;
	log_about(LOG_MODULE, "module '%s' unloaded", name);
}

/* "name size refs users state 0xaddress"; the address is 0 to whom it is hidden from. */
static void read_module_line(struct kernel *k, char *line)
{
	char name[128];
	unsigned long long size, start;

	if (sscanf(line, "%127s %llu %*s %*s %*s %llx", name, &size, &start) == 3)
		remember_module(k, start, size, name);
}

static bool is_vmlinux(const struct kernel *k, const struct module *m)
{
	return k->config.mode == KERNEL_VMLINUX && m->image->kind == IMAGE_FILE;
}

void kernel_read_modules(struct kernel *k)
{
	char *text, *line, *rest;

	if (k->config.mode == KERNEL_NO_VMLINUX)
		return;
	if (file_read_all(modules_path(k), MODULES_FILE_MAX, &text, NULL))
		return;		/* a kernel without modules has no such file */
	for (size_t i = 0; i < k->nr_modules; i++)
		k->modules[i].seen = is_vmlinux(k, &k->modules[i]);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		read_module_line(k, line);
	for (size_t i = 0; i < k->nr_modules; i++)
		k->modules[i].live = k->modules[i].seen;
	free(text);
	build_ranges(k);
}

struct kernel *kernel_new(const struct kernel_config *config, struct images *images)
{
	struct kernel *k = xcalloc(1, sizeof(*k));
	struct stat st;

	k->config = *config;
	k->images = images;
	if (config->mode == KERNEL_VMLINUX) {
		struct image *vmlinux = image_get(images, IMAGE_FILE, config->vmlinux, "");

		if (!stat(config->vmlinux, &st))
			vmlinux->mtime = st.st_mtime;
		add_module(k, config->start, config->end - config->start, vmlinux);
	} else {
		k->image = image_get(images, IMAGE_KERNEL,
				     config->mode == KERNEL_SYMBOLS ? "kallsyms" : "no-vmlinux",
				     "");
	}
	build_ranges(k);
	kernel_read_modules(k);
	return k;
}

void kernel_free(struct kernel *k)
{
	if (!k)
		return;
	free(k->modules);
	free(k->ranges);
	free(k->snapshot);
	free(k);
}

/* Symbols */

static void read_text_range(struct kernel *k)
{
	FILE *f = fopen(k->snapshot, "re");

	k->text_start = k->text_end = 0;
	if (f && fscanf(f, "# kernel %" SCNx64 " %" SCNx64, &k->text_start, &k->text_end) != 2)
		k->text_start = k->text_end = 0;
	if (f)
		fclose(f);
}

void kernel_saw(struct kernel *k, uint64_t pc)
{
	uint64_t page = pc >> PAGE_BITS, *seen = &k->made_pages[page % MADE_PAGES];

	if ((pc >= k->text_start && pc < k->text_end) || !k->text_end || *seen == page)
		return;
	*seen = page;
	k->capture_wanted = true;
}

static void capture(struct kernel *k)
{
	struct op_error e = { "" };
	int64_t began = now_ms(), pause;
	int err = snapshot_update(kallsyms_path(k), modules_path(k), k->snapshot, &e);

	pause = (now_ms() - began) * CAPTURE_SHARE;
	k->capture_at = now_ms() + (pause > CAPTURE_PAUSE_MIN ? pause : CAPTURE_PAUSE_MIN);
	k->hidden = err == -EACCES;
	k->capture_wanted = err && !k->hidden;
	if (k->capture_wanted)		/* a full disk may have room again */
		k->capture_at = now_ms() + CAPTURE_RETRY;
	read_text_range(k);
	if (err && err != k->told_err)
		log_line("the kernel's symbols are not kept: %s",
			 e.text[0] ? e.text : strerror(-err));
	k->told_err = err;
}

bool kernel_fits_session(const struct kernel *k, const char *stats_dir)
{
	char *snapshot;
	bool fits;

	if (k->config.mode != KERNEL_SYMBOLS)
		return true;
	snapshot = path_join(stats_dir, "kernel-symbols");
	fits = !snapshot_is_of_another_boot(kallsyms_path(k), snapshot);
	free(snapshot);
	return fits;
}

static bool keeps_symbols(const struct kernel *k)
{
	return k->config.mode != KERNEL_NO_VMLINUX && k->snapshot;
}

void kernel_set_session(struct kernel *k, const char *stats_dir)
{
	free(k->snapshot);
	k->snapshot = path_join(stats_dir, "kernel-symbols");
	k->text_start = k->text_end = 0;
	memset(k->made_pages, 0, sizeof(k->made_pages));
	if (keeps_symbols(k))
		capture(k);
}

void kernel_capture_now(struct kernel *k)
{
	bool retry = k->told_err && !k->hidden;

	if (keeps_symbols(k) && k->capture_wanted && (!retry || now_ms() >= k->capture_at))
		capture(k);
}

void kernel_capture_due(struct kernel *k)
{
	if (k->capture_wanted && now_ms() >= k->capture_at)
		kernel_capture_now(k);
}

const char *kernel_symbols_word(const struct kernel *k)
{
	switch (k->config.mode) {
	case KERNEL_NO_VMLINUX:
		return "none";
	case KERNEL_VMLINUX:
		return "vmlinux";
	default:
		return k->hidden ? "hidden" : "kallsyms";
	}
}
