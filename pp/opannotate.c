/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opannotate.c - print source lines and instructions with their samples */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/message.h"
#include "pp/annotate/assembly.h"
#include "pp/annotate/missing.h"
#include "pp/annotate/options.h"
#include "pp/annotate/samples.h"
#include "pp/annotate/source.h"
#include "pp/annotate/text.h"
#include "pp/binary/line/cache.h"
#include "pp/cli/common_options.h"
#include "pp/cli/confine.h"
#include "pp/cli/output.h"
#include "pp/cli/terminal.h"
#include "pp/report/data_quality.h"
#include "pp/report/fetch_debug.h"
#include "pp/select/collect.h"
#include "pp/select/invert.h"

static void make_annotation(const struct annotate_options *o, struct collection *c,
			    const char *cache_dir, struct annotation *ret, struct notices *notices)
{
	const struct populate_options how = {
		.compat = o->compat,
		.demangle = o->demangle,
		.merge_unnamed = o->merge_unnamed,
		.root = c->root,
		.include = o->include,
		.exclude = o->exclude,
	};
	const struct line_options lines = {
		.compat = o->compat,
		.inlines = o->inlines,
		.root = how.root,
		.cache_dir = cache_dir,
	};
	struct inversion inversion;

	invert_arrangement(&c->arrangement, &inversion);
	if (o->print_images)
		inversion_print(&inversion, stderr);
	if (!o->compat)
		fetch_debug_files(&inversion, c->root, o->source, c->finder, notices);
	annotate_samples(&inversion, c->arrangement.nr_classes, &how,
			 o->assembly ? NULL : &lines, c->finder, ret, notices);
	inversion_free(&inversion);
	if (o->print_symbols)
		annotation_print(ret, stderr);
}

/* OProfile 0.9 looks at the first column only; its files are recognized by version [RP-8]. */
static bool is_first_class_only(const struct annotate_options *o, const struct collection *c)
{
	return o->compat && c->arrangement.classes[0].header.version == SAMPLE_VERSION_099;
}

static int print(const struct annotate_options *o, const struct collection *c,
		 const struct annotation *a, const char *cache_dir, struct notices *notices,
		 struct op_error *e)
{
	struct strbuf header = STRBUF_INIT;
	bool paged = !o->compat && !o->output_dir;
	struct pager pager;
	int err, written;

	annotate_header(&header, o, c);
	do {
		pager_start(&pager, paged);
		if (o->assembly)
			err = annotate_assembly(a, o, header.text, cache_dir,
						is_first_class_only(o, c), pager.out, notices, e);
		else
			err = annotate_source(a, o, header.text, is_first_class_only(o, c),
					      pager.out, notices, e);
		written = pager_finish(&pager);
		paged = false;
	} while (written == -ENOEXEC);
	if (!err && written)
		err = op_error_set(e, written, "cannot write to standard output: %s",
				   strerror(-written));
	strbuf_free(&header);
	return err;
}

static void print_notices(const struct annotate_options *o, const struct notices *notices)
{
	if (o->print_warnings)
		report_notices(notices);
	else
		report_notices_briefly(notices);
}

static int annotate(const struct annotate_options *o, struct collection *c,
		    struct notices *notices, struct op_error *e)
{
	char *cache_dir = line_cache_dir();
	struct annotation a;
	int err;

	make_annotation(o, c, cache_dir, &a, notices);
	a.color = o->color;
	progress_end();
	if (!o->assembly)
		missing_lines_notices(&a, o->compat, notices);
	print_notices(o, notices);	/* before the output that they are about */
	if (!o->assembly && a.nr_images && !a.nr_with_lines)
		report_warning("no debug information for any of the selected binaries; compile "
			       "with -g, install debug packages, or use --assembly");
	notices_free(notices);
	err = print(o, c, &a, cache_dir, notices, e);
	progress_end();
	annotation_free(&a);
	free(cache_dir);
	return err;
}

static int run(const void *p)
{
	const struct annotate_options *o = p;
	const struct collect_options what = {
		.session_dir = option_session_dir(o->session_dir, o->spec.archive, "session-dir"),
		.spec = &o->spec,
		.merge = &o->merge,
		.image_path = &o->image_path,
		.root = o->root,
		.exclude_dependent = o->exclude_dependent,
		.print_files = o->print_files,
		.print_classes = o->print_classes,
	};
	struct notices notices = { 0 };
	struct op_error e = { "" };
	struct collection c;
	int err = collect(&what, &c, &notices, &e);

	/* also if there is no output: losses may be the reason */
	data_quality_notices(&c.sessions, &notices);
	if (!err)
		err = annotate(o, &c, &notices, &e);
	print_notices(o, &notices);
	notices_free(&notices);
	if (err)
		report_error("%s", *e.text ? e.text : strerror(-err));
	collection_free(&c);
	return err ? 1 : 0;
}

int main(int argc, const char **argv)
{
	struct annotate_options options;
	struct op_error e = { "" };
	int status = 0;

	if (annotate_options_parse(argc, argv, &options, &e)) {
		report_error("%s", e.text);
		return 1;
	}
	if (options.asked != ASKED_WORK) {
		option_set_print(&annotate_option_set, options.asked);
	} else {
		const struct confine_needs needs = {
			.outputs = { options.output_dir },
			.line_cache = true,
			.pager = !options.compat && !options.output_dir,
		};

		status = confine_and_run(&needs, run, &options);
	}
	annotate_options_free(&options);
	return finish_output(status);
}
