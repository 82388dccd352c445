// SPDX-License-Identifier: GPL-2.0-or-later
/* build.c - build the unwind table of a binary with the other files of this folder */
#include <errno.h>
#include <stdlib.h>
#include "libutil/file.h"
#include "libutil/opener/registered.h"
#include "unwind/build.h"
#include "unwind/cfi.h"
#include "unwind/elf.h"
#include "unwind/hotspot.h"
#include "unwind/plt.h"
#include "unwind/rows.h"
#include "unwind/signal.h"

struct build {
	struct unwind_elf elf;
	struct unwind_rules rules;
	struct unwind_rows rows;
	struct unwind_counts counts;
	uint32_t window;		/* of code made at run time, or 0 */
	/* the current function */
	const struct unwind_fde *fde;
	uint64_t offset;		/* of @begin */
	uint64_t begin, end;		/* of it, in the window */
	int err;
};

static void add_row(void *context, uint64_t vaddr, const struct unwind_state *state)
{
	struct build *build = context;
	uint16_t rule;

	if (build->err || vaddr >= build->end)
		return;
	if (vaddr < build->begin)
		vaddr = build->begin;
	build->err = unwind_rules_add(&build->rules, state, build->fde->cie->signal, &rule);
	if (!build->err)
		build->err = unwind_rows_add(&build->rows,
					     build->offset + (vaddr - build->begin), rule);
}

/* The part of the function in the window. False: none. */
static bool clip(struct build *build, const struct unwind_fde *fde)
{
	uint64_t from = (uint64_t)(build->window - 1) << 32, to = from + UINT32_MAX;

	build->begin = fde->begin > from ? fde->begin : from;
	build->end = fde->end < to ? fde->end : to;
	build->offset = build->begin - from;
	return build->begin < build->end;
}

/* Where it is in the table. False: nowhere. */
static bool place(struct build *build, const struct unwind_fde *fde)
{
	build->fde = fde;
	if (build->window)
		return clip(build, fde);
	build->begin = fde->begin;
	build->end = fde->end;
	return fde->begin && fde->begin < fde->end &&
	       unwind_elf_offset(&build->elf, fde->begin, fde->end - fde->begin, &build->offset);
}

static int add_function(void *context, const struct unwind_fde *fde)
{
	struct build *build = context;
	uint64_t size, stopped;

	if (!place(build, fde)) {
		build->counts.discarded++;
		return 0;
	}
	size = build->end - build->begin;
	if (build->offset + size >= (uint64_t)OP_UNWIND_PAGES_MAX << OP_UNWIND_PAGE_SHIFT)
		return -EFBIG;
	build->err = unwind_rows_function(&build->rows, build->offset, build->offset + size);
	if (build->err)
		return build->err;
	if (unwind_program_run(fde->program, fde->program_vaddr, fde->cie, fde->begin, fde->end,
			       add_row, build, &stopped)) {
		build->counts.functions++;
	} else if (!build->err) {
		build->counts.skipped++;
		if (stopped < build->begin)
			stopped = build->begin;
		if (stopped < build->end)
			build->err = unwind_rows_add(&build->rows,
						     build->offset + (stopped - build->begin),
						     UNWIND_UNKNOWN_RULE);
	}
	return build->err;
}

static int add_section(struct build *build, const struct unwind_section *section, size_t limit)
{
	struct unwind_cfi cfi = {
		.vaddr = section->vaddr, .to_end = section->to_end,
		.debug_frame = section == &build->elf.debug_frame,
		.machine = build->elf.file.machine, .is_32 = !build->elf.file.is_64,
	};
	uint8_t *bytes;
	int err;

	err = unwind_elf_section(&build->elf, section, limit, &bytes, &cfi.size);
	if (err)
		return err;
	err = unwind_elf_relocate(&build->elf, section, bytes, cfi.size);
	cfi.bytes = bytes;
	if (!err)
		err = unwind_cfi_walk(&cfi, add_function, build, &build->counts.skipped);
	free(bytes);
	return err;
}

static int add_functions(struct build *build, size_t limit)
{
	const struct unwind_elf *elf = &build->elf;
	const struct unwind_section *section = elf->eh_frame.size ? &elf->eh_frame :
								    &elf->debug_frame;

	return section->size ? add_section(build, section, limit) : 0;
}

static int fill(struct build *build, size_t limit)
{
	struct unwind_elf *elf = &build->elf;
	int err = unwind_signal_add(elf, &build->rules, &build->rows);

	if (!err)
		err = add_functions(build, limit);
	if (!err)
		err = unwind_plt_add(elf, &build->rules, &build->rows,
				     &build->counts.bytes_plt);
	return err;
}

/* Write the table of what was added without @err, and free @build. */
static int end_build(struct build *build, int err, size_t limit, struct op_unwind_table **ret,
		     size_t *ret_len, struct unwind_counts *ret_counts)
{
	if (!err)
		err = unwind_rows_table(&build->rows, &build->rules, limit, ret, ret_len,
					&build->counts);
	/* all entries are malformed */
	if (err == -ENODATA && build->counts.skipped)
		err = -EPROTO;
	if (!err && ret_counts)
		*ret_counts = build->counts;
	unwind_rows_free(&build->rows);
	unwind_rules_free(&build->rules);
	return err;
}

static int build(const struct elf_file *file, size_t limit, struct op_unwind_table **ret,
		 size_t *ret_len, struct unwind_counts *ret_counts)
{
	struct build build = { 0 };
	int err;

	err = unwind_elf_open(file, &build.elf);
	if (err)
		return err;
	/* equal adjacent rows are merged only at the end */
	unwind_rows_init(&build.rows, limit / sizeof(struct unwind_row) * 2);
	err = unwind_rules_init(&build.rules, build.elf.file.machine);
	if (!err)
		err = fill(&build, limit);
	err = end_build(&build, err, limit, ret, ret_len, ret_counts);
	unwind_elf_close(&build.elf);
	return err;
}

/* One image of several. What is wrong with it does not keep the others from the table. */
static int add_image(struct build *build, const struct elf_file *file, size_t limit)
{
	int err = unwind_elf_open_made(file, &build->elf);

	if (err)
		return err;
	if (!build->rules.machine)
		err = unwind_rules_init(&build->rules, file->machine);
	else if (build->rules.machine != file->machine)
		err = -ENOTSUP;
	if (!err)
		err = add_functions(build, limit);
	unwind_elf_close(&build->elf);
	return err;
}

static int add_blob(struct build *build, const struct registered_blob *blob,
		    const unsigned char *code)
{
	int err = build->rules.machine ? 0 : unwind_rules_init(&build->rules, OP_UNWIND_X86_64);

	if (!err && build->rules.machine == OP_UNWIND_X86_64)
		err = unwind_hotspot_add(blob, code, build->window, &build->rules, &build->rows);
	build->counts.functions += !err;
	return err;
}

/* One of the copy: an ELF image, or code of HotSpot. */
static int add_made(struct build *build, const unsigned char *image, size_t size, size_t limit)
{
	struct registered_blob blob;
	struct elf_file file;
	int err;

	if (registered_is_blob(image, size, &blob))
		return add_blob(build, &blob, image + sizeof(blob));
	err = elf_file_open_memory(image, size, &file);
	return err ? err : add_image(build, &file, limit);
}

int unwind_build_copy(const void *copy, size_t len, uint32_t window, size_t limit,
		      struct op_unwind_table **ret, size_t *ret_len,
		      struct unwind_counts *ret_counts)
{
	struct build build = { .window = window };
	const unsigned char *image;
	size_t at = 0, size;
	int err = 0;

	unwind_rows_init(&build.rows, limit / sizeof(struct unwind_row) * 2);
	while (!err && (image = registered_next(copy, len, &at, &size))) {
		err = add_made(&build, image, size, limit);
		if (err && err != -ENOMEM && err != -EFBIG) {
			build.counts.skipped++;
			err = 0;
		}
	}
	if (!err && !build.rules.machine)
		err = -ENODATA;
	return end_build(&build, err, limit, ret, ret_len, ret_counts);
}

int unwind_build_copy_fd(int fd, uint32_t window, size_t limit, struct op_unwind_table **ret,
			 size_t *ret_len, struct unwind_counts *ret_counts)
{
	void *copy = malloc(REGISTERED_BYTES_MAX);
	size_t len;
	int err = copy ? file_read_up_to(fd, copy, REGISTERED_BYTES_MAX, 0, &len) : -ENOMEM;

	if (!err)
		err = unwind_build_copy(copy, len, window, limit, ret, ret_len, ret_counts);
	free(copy);
	return err;
}

int unwind_build_fd(int fd, size_t limit, struct op_unwind_table **ret, size_t *ret_len,
		    struct unwind_counts *ret_counts)
{
	struct elf_file file;
	int err = elf_file_open(fd, &file);

	/* a directory is not a program either */
	if (err)
		return err == -EISDIR ? -ENOEXEC : err;
	return build(&file, limit, ret, ret_len, ret_counts);
}

int unwind_build_image(const void *image, size_t len, size_t limit, struct op_unwind_table **ret,
		       size_t *ret_len, struct unwind_counts *ret_counts)
{
	struct elf_file file;
	int err = elf_file_open_memory(image, len, &file);

	return err ? err : build(&file, limit, ret, ret_len, ret_counts);
}

const char *unwind_refusal(int err)
{
	switch (err) {
	case -ENOEXEC:
		return "not a program or library";
	case -ENOTSUP:
		return "for another machine";
	case -ENODATA:
		return "no call frame information";
	case -EPROTONOSUPPORT:
		return "unknown compression of call frame information";
	case -EPROTO:
		return "malformed call frame information";
	case -EFBIG:
		return "too large";
	case -ENOMEM:
		return "out of memory";
	case -ECANCELED:
		return "its reader crashed or exceeded a limit";
	case -ENOSPC:
		return "no room next to the tables in use";
	}
	return "unreadable";
}
