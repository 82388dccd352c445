// SPDX-License-Identifier: GPL-2.0-or-later
/* beside.c - what is told beside the samples: who, when, how, and what was lost */
#include "libsampler/session/session.h"

#include <elf.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#include "libdb/session/header.h"
#include "libdb/session/thread_sample.h"
#include "libutil/build_id.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

static void copy_text(char *to, size_t size, const char *from)
{
	size_t n = strlen(from);

	if (n >= size)
		n = size - 1;
	memcpy(to, from, n);
	to[n] = '\0';
}

static void tell_machine(struct session_info *info)
{
	struct build_id id;
	struct utsname u;
	char *notes, text[BUILD_ID_TEXT];
	size_t size;

	if (!uname(&u)) {
		copy_text(info->host, sizeof(info->host), u.nodename);
		copy_text(info->kernel, sizeof(info->kernel), u.release);
		copy_text(info->machine, sizeof(info->machine), u.machine);
	}
	if (file_read_all("/sys/kernel/notes", 1 << 20, &notes, &size))
		return;
	if (!build_id_read_notes(notes, size, &id))
		copy_text(info->kernel_build_id, sizeof(info->kernel_build_id),
			  build_id_text(&id, text));
	free(notes);
}

/* The command line, as far as there is room. */
static void tell_command(struct session_info *info)
{
	char *text;
	size_t n;

	if (file_read_all("/proc/self/cmdline", 1 << 20, &text, &n))
		return;
	for (size_t i = 0; i + 1 < n; i++)
		if (!text[i])
			text[i] = ' ';
	copy_text(info->profiled, sizeof(info->profiled), text);
	free(text);
}

static void tell_event(const struct session_writer *w, struct session_info *info)
{
	size_t n = strlen(info->events);
	char event[80];

	snprintf(event, sizeof(event), THREAD_SAMPLE ":%" PRIu64 ":%" PRIu64, w->count,
		 w->unit_mask);
	if (!strstr(info->events, event) && n + strlen(event) + 2 < sizeof(info->events))
		snprintf(info->events + n, sizeof(info->events) - n, "%s%s", n ? " " : "", event);
}

/* Whoever began first says what was profiled; a session that the daemon made stays its own. */
static int write_info(const struct session_writer *w)
{
	struct session_info info;
	uint64_t start = (uint64_t)w->p->start_ns / 1000000000;
	uint64_t end = ((uint64_t)(w->p->start_ns + w->p->duration_ns) + 999999999) / 1000000000;
	bool is_new = session_info_read(w->stats, &info);

	if (is_new) {
		info = (struct session_info){ .start_time = UINT64_MAX };
		copy_text(info.collector, sizeof(info.collector), THREAD_SAMPLE_COLLECTOR);
		copy_text(info.model, sizeof(info.model), "timer");
		copy_text(info.cpu_type, sizeof(info.cpu_type), "timer");
		copy_text(info.separate, sizeof(info.separate), "lib thread");
		info.period_ns = w->summary->period_ns;
		tell_machine(&info);
	}
	if (!strcmp(info.collector, THREAD_SAMPLE_COLLECTOR) && start < info.start_time)
		tell_command(&info);
	if (start < info.start_time)
		info.start_time = start;
	if (end > info.end_time)
		info.end_time = end;
	tell_event(w, &info);
	return session_info_write(w->stats, &info);
}

static int write_counts(const struct session_writer *w)
{
	struct session_counts counts = { 0 };
	int err;

	if (session_counts_read(w->stats, &counts) || !counts.nr_cpus) {
		free(counts.cpu);
		counts = (struct session_counts){ 1, xcalloc(1, sizeof(*counts.cpu)) };
	}
	cpu_counts_add(&counts.cpu[0], &w->counts);
	err = session_counts_write(w->stats, &counts);
	free(counts.cpu);
	return err;
}

/* The kernel made it: its headers are true, and all they speak of is mapped. */
static size_t vdso_size(const char *image)
{
	const ElfW(Ehdr) *h = (const void *)image;
	const ElfW(Phdr) *p = (const void *)(image + h->e_phoff);
	size_t end = h->e_shoff + h->e_shnum * sizeof(ElfW(Shdr));

	for (unsigned int i = 0; i < h->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_offset + p[i].p_filesz > end)
			end = p[i].p_offset + p[i].p_filesz;
	return end;
}

/* Reports name what runs in the kernel's code of every process [SS-66]. */
static void write_vdso(const struct session_writer *w)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	char *path = path_join(w->stats, SESSION_VDSO_FILE);

	if (image && !file_exists(path))
		(void)file_write_atomic(path, image, vdso_size(image), 0644);
	free(path);
}

void session_write_beside(struct session_writer *w, const char *dir)
{
	char *abi = path_join(dir, "abi");
	int err = write_counts(w);

	if (!err)
		err = write_info(w);
	if (!err && !file_exists(abi))
		err = session_abi_write(dir, SAMPLE_VERSION_1X);
	if (err)
		session_failed(w, err, w->stats);
	write_vdso(w);
	free(abi);
}
