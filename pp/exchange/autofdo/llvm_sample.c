/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * llvm_sample.c - LLVM's sample profile, as text: clang -fprofile-sample-use
 *
 * Rules: doc/sample-pgo.md [SG-10]..[SG-12].
 */
#include "pp/exchange/autofdo/sample_pgo.h"

#include <inttypes.h>
#include <string.h>

#include "formats/all_formats.h"
#include "pp/exchange/export/session_format.h"

/* The part of a raw discriminator that distinguishes blocks of the source [SG-4]. */
static uint32_t base_discriminator(uint32_t raw)
{
	uint32_t bits = raw >> 1;

	if (raw & 1)
		return 0;
	return bits & 0x20 ? (bits >> 1 & 0xfe0) | (bits & 0x1f) : bits & 0x1f;
}

/* False: the name has a separator of the format. Names of C, C++ and Rust do not. */
static bool is_writable(const char *name)
{
	return *name && !name[strcspn(name, " \t\r\n:")];
}

static void write_place(const struct pgo_position *p, int depth, FILE *out)
{
	fprintf(out, "%*s%" PRIu32, depth, "", p->offset);
	if (p->discriminator)
		fprintf(out, ".%" PRIu32, p->discriminator);
	fputs(": ", out);
}

static void write_counts(const struct pgo_position *p, int depth, FILE *out)
{
	if (!p->is_counted && !p->nr_targets)
		return;
	write_place(p, depth, out);
	fprintf(out, "%" PRIu64, p->count);
	for (size_t i = 0; i < p->nr_targets; i++)
		if (is_writable(p->targets[i].function))
			fprintf(out, " %s:%" PRIu64, p->targets[i].function, p->targets[i].count);
	fputc('\n', out);
}

static void write_body(const struct pgo_function *f, int depth, FILE *out)
{
	for (size_t i = 0; i < f->nr; i++)
		write_counts(&f->positions[i], depth, out);
	for (size_t i = 0; i < f->nr; i++) {
		const struct pgo_position *p = &f->positions[i];

		for (size_t k = 0; k < p->nr_inlined; k++) {
			if (!is_writable(p->inlined[k]->name))
				continue;
			write_place(p, depth, out);
			fprintf(out, "%s:%" PRIu64 "\n", p->inlined[k]->name,
				pgo_total(p->inlined[k]));
			write_body(p->inlined[k], depth + 1, out);
		}
	}
}

static int write_llvm(const struct profile *p, const struct format_write_options *options,
		      FILE *out, struct op_error *e)
{
	const struct format_session *s = options->session;
	struct pgo_options pgo = { .collection = s->collection, .notices = s->notices,
				   .event = options->event,
				   .discriminator = base_discriminator };
	struct pgo_samples samples;
	int err = pgo_samples_read(p, &pgo, &samples, e);

	if (err)
		return err;
	for (size_t i = 0; i < samples.tree.nr; i++) {
		const struct pgo_function *f = samples.tree.functions[i];

		if (!is_writable(f->name)) {
			notice_add(s->notices, "function '%s' skipped: its name cannot be written "
				   "in this format", f->name);
			continue;
		}
		fprintf(out, "%s:%" PRIu64 ":%" PRIu64 "\n", f->name, pgo_total(f), f->head);
		write_body(f, 1, out);
	}
	pgo_samples_free(&samples);
	return 0;
}

const struct profile_format format_llvm_sample = {
	.name = "llvm-sample",
	.suffix = "llvm-sample",
	.text = "LLVM's sample profile as text, for clang -fprofile-sample-use",
	.one_event = true,
	.no_names = true,
	.needs_session = true,
	.write = write_llvm,
};
