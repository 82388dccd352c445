/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.c - make the objects of a profile from the binaries of a session */
#include "feedback/session/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "feedback/session/calls.h"
#include "feedback/xprof/lines.h"
#include "libutil/hash.h"
#include "libutil/progress.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"
#include "pp/binary/binary.h"
#include "pp/binary/disassemble/private.h"
#include "pp/binary/line/binary.h"
#include "pp/binary/line/source_positions.h"
#include "pp/report/populate.h"
#include "pp/select/collect.h"
#include "pp/select/invert.h"
#include "pp/select/samples.h"

struct work {
	const struct gprof_options *options;
	struct collection collection;
	struct xprof *x;
	struct xprof_calls calls;
	struct notices *notices;
	uint64_t nr_skipped;	/* samples outside of procedures */
};

static int collect_files(struct work *w, const char *session_dir, struct op_error *e)
{
	const struct gprof_options *o = w->options;
	const struct merge merge = {
		.cpu = true, .tid = true, .tgid = true, .cgroup = true, .unit_mask = true,
		.lib = true,
	};
	const struct collect_options what = {
		.session_dir = session_dir,
		.spec = &o->spec,
		.merge = &merge,
		.image_path = &o->image_path,
		.root = o->root,
		.strict = true,
	};
	int err = collect(&what, &w->collection, w->notices, e);

	if (!err && w->collection.arrangement.nr_classes > 1)
		err = op_error_set(e, -EINVAL, "expected samples of one event, got %zu (%s, %s%s); "
				   "choose one with event:", w->collection.arrangement.nr_classes,
				   w->collection.arrangement.classes[0].title,
				   w->collection.arrangement.classes[1].title,
				   w->collection.arrangement.nr_classes > 2 ? ", ..." : "");
	return err;
}

static void read_samples(struct work *w, const struct inverted_image *inverted,
			 struct sample_list *ret)
{
	struct sample_header header;

	for (size_t i = 0; i < inverted->nr_apps; i++)
		for (size_t k = 0; k < inverted->apps[i].nr; k++) {
			const struct arranged_file *f = inverted->apps[i].files[k];

			if (!samples_add_file(ret, f, &header, w->notices))
				populate_check_age(inverted->image, f->file, &header, w->notices);
		}
	samples_sort(ret);
}

static bool has_calls(const struct xprof_image *image, const struct code_symbol *symbol)
{
	size_t nr;

	xprof_calls_find(image->calls, image->path, symbol->start, symbol->end, &nr);
	return nr > 0;
}

static bool has_samples(const struct xprof_image *image, const struct code_symbol *symbol)
{
	const struct sample_list *s = image->samples;
	size_t low = first_not(s->nr, i,
			       s->samples[i].offset + image->binary->key_base < symbol->start);

	return low < s->nr && s->samples[low].offset + image->binary->key_base < symbol->end;
}

/* Without debug information they stay unknown. */
static void find_decl_lines(struct xprof_image *image, const char *path)
{
	const struct binary *b = image->binary;
	uint64_t *addresses = xcalloc(b->nr_symbols, sizeof(*addresses));
	uint32_t *of = xcalloc(b->nr_symbols, sizeof(*of));
	struct source_positions *positions = NULL;
	struct op_error ignored;
	size_t nr = 0;

	image->decl_lines = xcalloc(b->nr_symbols, sizeof(*image->decl_lines));
	for (size_t i = 0; i < b->nr_symbols; i++)
		if ((!nr || b->symbols[i].vma > addresses[nr - 1]) &&
		    (has_samples(image, &b->symbols[i]) || has_calls(image, &b->symbols[i]))) {
			addresses[nr] = b->symbols[i].vma;
			of[nr++] = (uint32_t)i;
		}
	if (nr && !source_positions_find(path, addresses, nr, &positions, &ignored))
		for (size_t i = 0; i < nr; i++) {
			const struct source_frame *frames;
			size_t depth = source_position(positions, i, &frames);

			if (depth)
				image->decl_lines[of[i]] = frames[depth - 1].start_line;
		}
	source_positions_free(positions);
	free(addresses);
	free(of);
}

static void add_procs(struct work *w, const struct xprof_image *image)
{
	const struct binary *b = image->binary;
	const struct sample_list *s = image->samples;
	size_t at = 0;

	for (size_t i = 0; i < b->nr_symbols; i++) {
		const struct code_symbol *symbol = &b->symbols[i];
		size_t first;
		uint64_t count = 0;

		for (; at < s->nr && s->samples[at].offset + b->key_base < symbol->start; at++)
			w->nr_skipped += s->samples[at].count;
		for (first = at; at < s->nr &&
		     s->samples[at].offset + b->key_base < symbol->end; at++)
			count += s->samples[at].count;
		if ((count || has_calls(image, symbol)) &&
		    !xprof_session_add_proc(w->x, image, symbol, first, at - first))
			w->nr_skipped += count;
	}
	for (; at < s->nr; at++)
		w->nr_skipped += s->samples[at].count;
}

static void begin_object(struct work *w, const struct report_image *image)
{
	struct xprof_object *o = xprof_begin_object(w->x);
	struct stat st = { 0 };

	stat(image->found, &st);
	o->path = xprof_intern(w->x, image->found);
	o->has = XPROF_HAS_MAX | XPROF_HAS_SUM;
	o->nr_values = XPROF_SESSION_VALUES;
	o->sec = st.st_mtim.tv_sec;
	o->usec = st.st_mtim.tv_nsec / 1000;
	o->signature = image->build_id ? hash_string(image->build_id) : 0;
}

/* Complete the signature of the last object [XP-43]. */
static void finish_object(struct work *w)
{
	struct xprof *x = w->x;
	struct xprof_object *o = &x->objects[x->nr_objects - 1];

	for (uint32_t i = o->first_proc; i < o->first_proc + o->nr_procs; i++)
		o->signature = hash_mix(o->signature, x->procs[i].signature);
}

/* Jumps are recognized by their mnemonics, which are known for x86 and AArch64 [XP-40]. */
static int open_disassembler(const struct binary *b, struct xprof_image *image, struct op_error *e)
{
	static const struct disassemble_options plain;
	int err = disassembler_open(b, &plain, false, &image->disassembler, e);
	enum bfd_architecture machine;

	if (err)
		return err;
	machine = image->disassembler->info.arch;
	image->is_arm = machine == bfd_arch_aarch64;
	if (machine != bfd_arch_i386 && machine != bfd_arch_aarch64)
		return op_error_set(e, -ENOTSUP, "unsupported machine: expected x86 or AArch64");
	return 0;
}

static void add_image(struct work *w, const struct inverted_image *inverted)
{
	const struct populate_options how = {
		.code = true, .merge_unnamed = true, .root = w->collection.root,
	};
	const struct line_options line_options = { .root = w->collection.root };
	struct sample_list samples = { 0 };
	struct binary binary;
	struct xprof_image image = {
		.binary = &binary, .samples = &samples, .calls = &w->calls,
		.path = inverted->image->path,
	};
	struct op_error why = { "" };

	find_image(w->collection.finder, inverted->image, w->notices);
	if (!inverted->image->found || xprof_name_fault(inverted->image->found,
							strlen(inverted->image->found)))
		return;
	populate_open_image(inverted, &how, w->collection.finder, &binary, w->notices);
	if (binary.nr_symbols && !open_disassembler(&binary, &image, &why)) {
		if (line_binary_open(&binary, inverted->image->found, &line_options, &image.lines,
				     &why))
			image.lines = NULL;
		read_samples(w, inverted, &samples);
		find_decl_lines(&image, binary.debug_path ? binary.debug_path
							  : inverted->image->found);
		begin_object(w, inverted->image);
		add_procs(w, &image);
		finish_object(w);
	} else if (*why.text) {
		notice_add(w->notices, "skipped '%s': %s", inverted->image->found, why.text);
	}
	free(image.decl_lines);
	line_binary_close(image.lines);
	disassembler_close(image.disassembler);
	samples_free(&samples);
	binary_close(&binary);
}

/* An object that is a whole program is a sampled one: no compiler's object file is [XP-39]. */
static void add_programs(struct xprof *x)
{
	for (uint32_t i = 0; i < x->nr_objects; i++) {
		struct xprof_program *p = xprof_begin_program(x);

		p->path = x->objects[i].path;
		p->has = XPROF_HAS_MAX | XPROF_HAS_SUM;
		xprof_add_refs(x)->object = i;
		p->nr_refs = 1;
	}
}

static int make(struct work *w, const char *session_dir, struct op_error *e)
{
	struct inversion inversion;
	int err = collect_files(w, session_dir, e);

	if (err)
		return err;
	xprof_calls_read(&w->collection, &w->calls);
	invert_arrangement(&w->collection.arrangement, &inversion);
	for (size_t i = 0; i < inversion.nr_images; i++) {
		progress_tell(NULL, i, inversion.nr_images, "images");
		if (inversion.images[i].image->kind == IMAGE_FILE &&
		    !inversion.images[i].image->is_kernel)
			add_image(w, &inversion.images[i]);
	}
	inversion_free(&inversion);
	add_programs(w->x);
	xprof_set_sums(w->x);
	if (!w->x->nr_procs)
		return op_error_set(e, -ENOENT, "no samples in functions of available binaries");
	if (w->nr_skipped)
		notice_add(w->notices, "skipped %" PRIu64 " samples: not in functions that can be "
			   "decoded", w->nr_skipped);
	return 0;
}

int xprof_session_make(const struct gprof_options *options, const char *session_dir,
		       struct xprof **ret, struct notices *notices, struct op_error *e)
{
	struct work w = {
		.options = options, .x = xprof_new(XPROF_FEEDBACK), .notices = notices,
	};
	int err = make(&w, session_dir, e);

	xprof_calls_free(&w.calls);
	collection_free(&w.collection);
	if (err)
		xprof_free(w.x);
	else
		*ret = w.x;
	return err;
}
