/* SPDX-License-Identifier: GPL-2.0-or-later */
/* build.h - call builders like the sampling thread, with made-up samples */
#ifndef TESTS_UNIT_LIBSAMPLER_BUILD_H
#define TESTS_UNIT_LIBSAMPLER_BUILD_H

#include <link.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>
#include "libsampler/oprofsampler.h"
#include "libutil/build_id.h"
#include "libutil/xalloc.h"
#include "tests/unit/tmpdir.h"

/* The test's own program as a module, and code without a file. */
static struct sampler_module program_module;
__attribute__((unused)) static struct sampler_module made_module = {
	.start = 0x10000000, .limit = 0x10001000, .base = 0x10000000, .path = "made_code",
	.build_id = "",
};

static inline int take_program(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size, (void)context;
	program_module.base = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + h->p_vaddr;

		if (h->p_type != PT_LOAD)
			continue;
		if (!program_module.start)
			program_module.start = start;
		program_module.limit = start + h->p_memsz;
	}
	return 1;			/* the program is the first */
}

static inline void find_program(void)
{
	static char path[PATH_MAX], text[BUILD_ID_TEXT];
	struct build_id id;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	program_module = (struct sampler_module){ .path = path, .build_id = "", .is_native = true };
	if (!build_id_read(path, &id))
		program_module.build_id = build_id_text(&id, text);
	dl_iterate_phdr(take_program, NULL);
}

/* Frames of the test's program, at these offsets from a function's start. */
static inline struct sampler_frame frame_in(void (*function)(void), size_t offset)
{
	return (struct sampler_frame){ (uintptr_t)function + offset, &program_module,
					false };
}

static inline void give(const struct sampler_builder *b, const struct sampler_frame *frames,
			size_t nr, enum sampler_status status, uint64_t time_ns, pid_t tid,
			const struct sampler_metadata *metadata, size_t nr_metadata)
{
	const struct sampler_sample s = {
		.frames = frames, .nr_frames = nr, .status = status, .time_ns = time_ns,
		.tid = tid, .metadata = metadata, .nr_metadata = nr_metadata,
		.weight = 1,
	};

	b->ops->sample(b->context, &s);
}

static inline void drop(struct sampler_builder *b)
{
	b->ops->free(b->context);
}

static inline struct sampler_summary summary_of(enum sampler_clock clock)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (struct sampler_summary){
		.start_ns = (uint64_t)now.tv_sec * 1000000000 - 1000000000,
		.duration_ns = 1000000000, .period_ns = 10000000, .clock = clock,
	};
}

#endif
