// SPDX-License-Identifier: GPL-2.0-or-later
/* build.c - build the unwind table of a binary with the other files of this folder */
#include <errno.h>
#include <stdlib.h>
#include "unwind/build.h"
#include "unwind/cfi.h"
#include "unwind/elf.h"
#include "unwind/plt.h"
#include "unwind/rows.h"
#include "unwind/signal.h"

struct build {
	struct unwind_elf elf;
	struct unwind_rules rules;
	struct unwind_rows rows;
	struct unwind_counts counts;
	/* the current function */
	const struct unwind_fde *fde;
	uint64_t offset;		/* of its first byte */
	int err;
};

static void add_row(void *context, uint64_t vaddr, const struct unwind_state *state)
{
	struct build *build = context;
	uint16_t rule;

	if (build->err)
		return;
	build->err = unwind_rules_add(&build->rules, state, build->fde->cie->signal, &rule);
	if (!build->err)
		build->err = unwind_rows_add(&build->rows,
					     build->offset + (vaddr - build->fde->begin), rule);
}

static int add_function(void *context, const struct unwind_fde *fde)
{
	struct build *build = context;
	uint64_t size = fde->end - fde->begin, stopped;

	if (!size || !fde->begin ||
	    !unwind_elf_offset(&build->elf, fde->begin, size, &build->offset)) {
		build->counts.discarded++;
		return 0;
	}
	if (build->offset + size >= (uint64_t)OP_UNWIND_PAGES_MAX << OP_UNWIND_PAGE_SHIFT)
		return -EFBIG;
	build->fde = fde;
	build->err = unwind_rows_function(&build->rows, build->offset, build->offset + size);
	if (build->err)
		return build->err;
	if (unwind_program_run(fde->program, fde->program_vaddr, fde->cie, fde->begin, fde->end,
			       add_row, build, &stopped)) {
		build->counts.functions++;
	} else if (!build->err) {
		build->counts.skipped++;
		build->err = unwind_rows_add(&build->rows,
					     build->offset + (stopped - fde->begin),
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
	cfi.bytes = bytes;
	err = unwind_cfi_walk(&cfi, add_function, build, &build->counts.skipped);
	free(bytes);
	return err;
}

static int fill(struct build *build, size_t limit)
{
	struct unwind_elf *elf = &build->elf;
	const struct unwind_section *section;
	int err;

	section = elf->eh_frame.size ? &elf->eh_frame : &elf->debug_frame;
	err = unwind_signal_add(elf, &build->rules, &build->rows);
	if (!err && section->size)
		err = add_section(build, section, limit);
	if (!err)
		err = unwind_plt_add(elf, &build->rules, &build->rows,
				     &build->counts.bytes_plt);
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
	if (!err)
		err = unwind_rows_table(&build.rows, &build.rules, limit, ret, ret_len,
					&build.counts);
	/* all entries are malformed */
	if (err == -ENODATA && build.counts.skipped)
		err = -EPROTO;
	if (!err && ret_counts)
		*ret_counts = build.counts;
	unwind_rows_free(&build.rows);
	unwind_rules_free(&build.rules);
	unwind_elf_close(&build.elf);
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
