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
#include "daemon/record/kernel_runs.h"
#include "libdb/session/kernel_symbols.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define MODULES_FILE_MAX	(16 << 20)	/* bytes of /proc/modules */
#define MODULES_MAX		65536
#define CAPTURE_SHARE		20		/* at most 1/20 of the time is spent capturing */
#define CAPTURE_PAUSE_MIN	200		/* ms between two captures */
#define PROGRAMS_MAX		4096		/* BPF programs whose loading was noted */
#define NR_PAGES		1024		/* remembered; a new one replaces the old one */
#define PAGE_BITS		12
#define CAPTURE_RETRY		10000		/* ms after one that failed */

/*
 * Its text is @size bytes or, if that is all we know, the part of @listed that has its symbols.
 * Samples in it have keys pc - @base.
 */
struct module {
	uint64_t start, size, base;
	uint64_t listed;		/* bytes of all its memory, by /proc/modules; 0: unknown */
	uint64_t text;			/* bytes up to its last function, by kallsyms; 0: unknown */
	struct image *image;
	bool is_loaded;			/* false: unloaded, as far as we know */
	bool is_listed;			/* in /proc/modules, which is being read */
};

/* A BPF program, by its note. */
struct program {
	uint64_t start, size;
	struct image *image;
	bool is_loaded;
	bool is_saved;			/* its symbol is in the session */
};

struct kernel {
	struct kernel_config config;
	struct images *images;
	struct image *image;		/* for addresses in no module; NULL: these are lost */

	struct module *modules;		/* by start */
	size_t nr_modules, room_modules;
	struct program *programs;
	size_t nr_programs, room_programs;
	struct kernel_range *made;	/* code in no module, by start; it may lie inside of one */
	size_t nr_made, room_made, made_at;
	struct kernel_range *ranges;	/* the whole address space, by start, without gaps */
	size_t nr_ranges, room_ranges, last_hit;

	char *snapshot;			/* stats/kernel-symbols */
	uint64_t text_start, text_end;	/* from the snapshot; both 0: not known */
	uint64_t pages[NR_PAGES];	/* outside that text, with samples */
	bool capture_wanted, hidden;
	int64_t capture_at;		/* ms: kernel_capture_due() waits until then */
	int logged_err;
};

static const char *modules_path(const struct kernel *k)
{
	return k->config.proc_modules ? k->config.proc_modules : "/proc/modules";
}

/*
 * In a service that cannot change the kernel's settings the file is covered by an empty one; what
 * may trace processes, as the opener, finds it where process 1 has it. [CC-83]
 */
static const char *kallsyms_path(const struct kernel *k)
{
	static const char own[] = "/proc/kallsyms", first[] = "/proc/1/root/proc/kallsyms";
	char line[2] = "";

	if (k->config.proc_kallsyms)
		return k->config.proc_kallsyms;
	if (!file_read_line(own, line, sizeof(line)) && *line)
		return own;
	return !file_read_line(first, line, sizeof(line)) && *line ? first : own;
}

/* Ranges */

static void add_range(struct kernel *k, uint64_t start, uint64_t last, uint64_t base,
		      struct image *image)
{
	xgrow(k->ranges, k->nr_ranges, k->room_ranges);
	k->ranges[k->nr_ranges++] = (struct kernel_range) { start, last, base, image };
}

/* The same, except where other code is known to lie. Called by start, from made_at = 0. */
static void add_stretch(struct kernel *k, uint64_t start, uint64_t last, uint64_t base,
			struct image *image)
{
	while (k->made_at < k->nr_made && k->made[k->made_at].last < start)
		k->made_at++;
	for (; k->made_at < k->nr_made && k->made[k->made_at].start <= last; k->made_at++) {
		const struct kernel_range *made = &k->made[k->made_at];

		if (made->start > start) {
			add_range(k, start, made->start - 1, base, image);
			start = made->start;
		}
		if (made->last >= last) {
			add_range(k, start, last, made->base, made->image);
			return;
		}
		add_range(k, start, made->last, made->base, made->image);
		start = made->last + 1;
	}
	add_range(k, start, last, base, image);
}

/* Bytes of text: /proc/modules includes the data, and what lies between text and data. */
static uint64_t text_size(const struct module *m)
{
	return m->text && m->size == m->listed && m->text < m->size ? m->text : m->size;
}

/* A module ends where its text does or where the next one begins. */
static void build_ranges(struct kernel *k)
{
	uint64_t at = 0;
	bool full = false;		/* @at would be past the last address */

	k->nr_ranges = 0;
	k->last_hit = k->made_at = 0;
	for (size_t i = 0; i < k->nr_modules; i++) {
		const struct module *m = &k->modules[i];
		uint64_t size = text_size(m);
		uint64_t last = size - 1 > UINT64_MAX - m->start ? UINT64_MAX : m->start + size - 1;

		if (i + 1 < k->nr_modules && last >= k->modules[i + 1].start)
			last = k->modules[i + 1].start - 1;
		if (m->start > at)
			add_stretch(k, at, m->start - 1, 0, k->image);
		add_stretch(k, m->start, last, m->base, m->image);
		at = last + 1;
		full = last == UINT64_MAX;
	}
	if (!full)
		add_stretch(k, at, UINT64_MAX, 0, k->image);
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

/* Code in no module */

static void clear_made(struct kernel *k, uint64_t start, uint64_t last)
{
	for (size_t i = k->nr_made; i-- > 0; ) {
		struct kernel_range *r = &k->made[i], rest = *r;

		if (r->last < start || r->start > last)
			continue;
		if (r->start >= start && r->last <= last) {
			memmove(r, r + 1, (--k->nr_made - i) * sizeof(*r));
			continue;
		}
		if (r->start >= start) {
			r->start = last + 1;
			continue;
		}
		r->last = start - 1;
		if (rest.last <= last)
			continue;
		rest.start = last + 1;
		xgrow(k->made, k->nr_made, k->room_made);
		memmove(&k->made[i + 2], &k->made[i + 1], (k->nr_made++ - i - 1) * sizeof(rest));
		k->made[i + 1] = rest;
	}
}

/* In the place of what is known to lie there. */
static void add_made(struct kernel *k, uint64_t start, uint64_t last, uint64_t base,
		     struct image *image)
{
	size_t i;

	clear_made(k, start, last);
	xgrow(k->made, k->nr_made, k->room_made);
	for (i = k->nr_made++; i > 0 && k->made[i - 1].start > start; i--)
		k->made[i] = k->made[i - 1];
	k->made[i] = (struct kernel_range){ start, last, base, image };
}

static void add_program(struct kernel *k, const struct program *p)
{
	add_made(k, p->start, p->start + p->size - 1, p->start, p->image);
}

/* NULL: there are too many. */
static struct program *new_program(struct kernel *k)
{
	size_t nr = 0;

	if (k->nr_programs == PROGRAMS_MAX) {
		for (size_t i = 0; i < k->nr_programs; i++)
			if (k->programs[i].is_loaded || !k->programs[i].is_saved)
				k->programs[nr++] = k->programs[i];
		k->nr_programs = nr;
	}
	if (k->nr_programs == PROGRAMS_MAX)
		return NULL;
	xgrow(k->programs, k->nr_programs, k->room_programs);
	return &k->programs[k->nr_programs++];
}

/* A BPF program was loaded or unloaded. Where one was another may be, at once. */
static void note_program(struct kernel *k, bool loaded, uint64_t start, uint64_t size,
			 const char *name)
{
	struct image *image = image_get(k->images, IMAGE_KERNEL, name, "");
	struct program *known = NULL;
	bool is_saved = false;
	uint64_t end;

	if (!start || !size || __builtin_add_overflow(start, size, &end))
		return;
	for (size_t i = 0; i < k->nr_programs; i++) {
		struct program *p = &k->programs[i];

		if (p->start < end && start < p->start + p->size)
			p->is_loaded = false;
		if (p->image == image) {
			is_saved |= p->is_saved;
			known = p->is_loaded ? known : p;
		}
	}
	if (loaded)
		known = known ? known : new_program(k);
	if (loaded && known) {
		*known = (struct program){ start, size, image, true, is_saved };
		add_program(k, known);
		k->capture_wanted |= !is_saved;
	} else {
		clear_made(k, start, end - 1);
	}
	build_ranges(k);
}

/* Modules */

static bool is_module_name(const char *name)
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

/* Remove unloaded modules from the range; the start of a loaded one does not change. */
static void clear_range(struct kernel *k, uint64_t start, uint64_t size)
{
	for (size_t i = k->nr_modules; i-- > 0; ) {
		const struct module *m = &k->modules[i];

		if (m->start == start || (!m->is_loaded && m->start - start < size))
			remove_module(k, i);
	}
}

/* NULL: there are too many. */
static struct module *add_module(struct kernel *k, uint64_t start, uint64_t size,
				 struct image *image)
{
	size_t i;

	clear_range(k, start, size);
	/*
	 * The end of generated code is a guess that now proves wrong. What begins later stays:
	 * @size may be that of all its memory, between parts of which programs lie.
	 */
	for (i = 0; i < k->nr_made; i++)
		if (k->made[i].start < start && k->made[i].last >= start)
			k->made[i].last = start - 1;
	if (k->nr_modules == MODULES_MAX)
		return NULL;
	xgrow(k->modules, k->nr_modules, k->room_modules);
	for (i = k->nr_modules; i > 0 && k->modules[i - 1].start > start; i--)
		k->modules[i] = k->modules[i - 1];
	k->modules[i] = (struct module){
		.start = start, .size = size, .base = image->path[0] == '[' ? 0 : start,
		.image = image, .is_loaded = true, .is_listed = true,
	};
	k->nr_modules++;
	log_about(LOG_MODULE, "module '%s' at %" PRIx64 ", %" PRIu64 " bytes", image->path, start,
		  size);
	return &k->modules[i];
}

/*
 * The image of a module, or of its text for start-up, "NAME.init". That is gone before a report
 * could find it in a file, so its keys are addresses, as those of generated code.
 */
static struct image *module_image(struct kernel *k, const char *name)
{
	size_t len = strlen(name);
	char code[140];

	if (len < 5 || strcmp(name + len - 5, ".init"))
		return image_get(k->images, IMAGE_KERNEL, name, "");
	snprintf(code, sizeof(code), "[%s]", name);
	return image_get(k->images, IMAGE_KERNEL, code, "");
}

/* @listed: @size is that of /proc/modules, of all memory; else of the text, or not known better. */
static void find_or_add_module(struct kernel *k, uint64_t start, uint64_t size, const char *name,
			       bool listed)
{
	struct image *image;
	struct module *m = NULL;

	if (!start || !size || !is_module_name(name))
		return;
	image = module_image(k, name);
	for (size_t i = 0; i < k->nr_modules && !m; i++)
		if (k->modules[i].start == start && k->modules[i].image == image &&
		    k->modules[i].is_loaded)
			m = &k->modules[i];
	if (!m) {
		m = add_module(k, start, size, image);
		k->capture_wanted = true;
	}
	if (!m)
		return;
	m->size = size < m->size ? size : m->size;
	m->listed = listed ? size : m->listed;
	m->is_listed = true;
}

void kernel_module_range(struct kernel *k, bool loaded, uint64_t start, uint64_t size,
			 const char *name)
{
	size_t program = kernel_bpf_name(name, strlen(name));

	if (k->config.mode == KERNEL_NO_VMLINUX)
		return;
	if (program) {
		char image[KERNEL_BPF_NAME_MAX];

		snprintf(image, sizeof(image), "%.*s", (int)program, name);
		note_program(k, loaded, start, size, image);
		return;
	}
	if (loaded) {
		find_or_add_module(k, start, size, name, false);
		build_ranges(k);
		return;
	}
	if (!is_module_name(name))
		return;
	for (size_t i = k->nr_modules; i-- > 0; ) {
		struct module *m = &k->modules[i];

		if (m->start != start || m->image != module_image(k, name))
			continue;
		m->is_loaded = false;
		if (!m->base)
			remove_module(k, i);	/* anything can be loaded there, without a note */
	}
	build_ranges(k);
	log_about(LOG_MODULE, "module '%s' unloaded", name);
}

/* "name size refs users state 0xaddress"; the address is 0 if the kernel hides it. */
static void read_module_line(struct kernel *k, char *line)
{
	char name[128];
	unsigned long long size, start;

	if (sscanf(line, "%127s %llu %*s %*s %*s %llx", name, &size, &start) == 3)
		find_or_add_module(k, start, size, name, true);
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
		k->modules[i].is_listed = is_vmlinux(k, &k->modules[i]);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		read_module_line(k, line);
	for (size_t i = 0; i < k->nr_modules; i++)
		k->modules[i].is_loaded = k->modules[i].is_listed;
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
	free(k->programs);
	free(k->made);
	free(k->ranges);
	free(k->snapshot);
	free(k);
}

void kernel_keep_images(const struct kernel *k)
{
	image_keep(k->image);
	for (size_t i = 0; i < k->nr_modules; i++)
		image_keep(k->modules[i].image);
	for (size_t i = 0; i < k->nr_programs; i++)
		image_keep(k->programs[i].image);
	for (size_t i = 0; i < k->nr_made; i++)
		image_keep(k->made[i].image);
}

/* Text, by kallsyms */

/* Its keys are addresses. */
static void add_made_run(struct kernel *k, const struct kernel_run *run, const char *name)
{
	char code[140];

	snprintf(code, sizeof(code), "[%s]", name);
	add_made(k, run->start, run->last, 0, image_get(k->images, IMAGE_KERNEL, code, ""));
}

/* Text of a module outside its memory is its text for start-up, which is being run. */
static void take_run(struct kernel *k, const struct kernel_run *run)
{
	static const char builtin[] = "__builtin__";
	bool is_module = false;
	char init[128];

	if (!is_module_name(run->owner) || strlen(run->owner) > 100)
		return;
	for (size_t i = 0; i < k->nr_modules; i++) {
		struct module *m = &k->modules[i];
		uint64_t end = run->last + 1 - m->start;

		if (!m->is_loaded || strcmp(m->image->path, run->owner))
			continue;
		is_module = true;
		if (run->start - m->start >= m->size)
			continue;
		m->text = end > m->text ? end : m->text;
		return;
	}
	snprintf(init, sizeof(init), "%s.init", run->owner);
	if (is_module)
		add_made_run(k, run, init);
	else if (!strncmp(run->owner, builtin, strlen(builtin)))
		add_made_run(k, run, run->owner + strlen(builtin));
	else if (!strcmp(run->owner, "bpf"))
		add_made_run(k, run, run->owner);
	else if (kernel_bpf_name(run->owner, strlen(run->owner)))
		add_made(k, run->start, run->last, run->start,
			 image_get(k->images, IMAGE_KERNEL, run->owner, ""));
}

static void find_text(struct kernel *k, const struct snapshot_kallsyms *kallsyms)
{
	struct kernel_runs text;

	kernel_runs_make(kallsyms->text, kallsyms->len, &text);
	k->nr_made = 0;
	for (size_t i = 0; i < k->nr_modules; i++)
		k->modules[i].text = 0;
	for (size_t i = 0; i < text.nr_runs; i++)
		take_run(k, &text.runs[i]);
	/* samples that are still to come may be older than kallsyms is now */
	for (size_t i = 0; i < k->nr_programs; i++)
		if (k->programs[i].is_loaded)
			add_program(k, &k->programs[i]);
	kernel_runs_free(&text);
	build_ranges(k);
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

void kernel_note_sample(struct kernel *k, uint64_t pc)
{
	uint64_t page = pc >> PAGE_BITS, *captured = &k->pages[page % NR_PAGES];

	if ((pc >= k->text_start && pc < k->text_end) || !k->text_end || *captured == page)
		return;
	*captured = page;
	k->capture_wanted = true;
}

/* Parts of the programs that may be gone from kallsyms, for snapshot_kallsyms.parts. */
static void add_parts(const struct kernel *k, struct strbuf *parts)
{
	for (size_t i = 0; i < k->nr_programs; i++) {
		const struct program *p = &k->programs[i];

		if (!p->is_saved)
			strbuf_addf(parts, "%s# module %s %" PRIx64 " %" PRIx64 "\n0 t %s\n",
				    parts->len ? "" : "\n", p->image->path, p->start, p->size,
				    p->image->path);
	}
}

static void capture(struct kernel *k)
{
	struct op_error e = { "" };
	struct snapshot_kallsyms kallsyms = { .path = kallsyms_path(k) };
	struct strbuf parts = STRBUF_INIT;
	int64_t began = now_ms(), pause;
	/* once: the kernel takes 50 ms to write it */
	int err = kernel_symbols_read_kallsyms(kallsyms.path, &kallsyms.text, &kallsyms.len, &e);

	if (!err) {
		find_text(k, &kallsyms);
		add_parts(k, &parts);
		kallsyms.parts = parts.len ? parts.text : NULL;
		err = snapshot_update(&kallsyms, modules_path(k), k->snapshot, &e);
		free(kallsyms.text);
		strbuf_free(&parts);
	}
	for (size_t i = 0; i < k->nr_programs; i++)
		k->programs[i].is_saved |= !err;
	pause = (now_ms() - began) * CAPTURE_SHARE;
	k->capture_at = now_ms() + (pause > CAPTURE_PAUSE_MIN ? pause : CAPTURE_PAUSE_MIN);
	k->hidden = err == -EACCES;
	k->capture_wanted = err && !k->hidden;
	if (k->capture_wanted)		/* a full disk may have room then */
		k->capture_at = now_ms() + CAPTURE_RETRY;
	read_text_range(k);
	if (err && err != k->logged_err)
		log_line("cannot save the kernel's symbols: %s",
			 e.text[0] ? e.text : strerror(-err));
	k->logged_err = err;
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

static bool has_snapshot(const struct kernel *k)
{
	return k->config.mode != KERNEL_NO_VMLINUX && k->snapshot;
}

void kernel_set_session(struct kernel *k, const char *stats_dir)
{
	free(k->snapshot);
	k->snapshot = path_join(stats_dir, "kernel-symbols");
	k->text_start = k->text_end = 0;
	memset(k->pages, 0, sizeof(k->pages));
	for (size_t i = 0; i < k->nr_programs; i++)
		k->programs[i].is_saved = false;
	if (has_snapshot(k))
		capture(k);
}

void kernel_capture_now(struct kernel *k)
{
	bool retry = k->logged_err && !k->hidden;

	if (has_snapshot(k) && k->capture_wanted && (!retry || now_ms() >= k->capture_at))
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
