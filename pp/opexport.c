// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opexport.c - write the samples of a session as a file for other tools
 *
 * The whole file is made in memory first: an error leaves an existing file unchanged.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libutil/message.h"
#include "libutil/xalloc.h"
#include "pp/binary/line/cache.h"
#include "pp/cli/common_options.h"
#include "pp/cli/confine.h"
#include "pp/cli/output.h"
#include "pp/cli/terminal.h"
#include "pp/exchange/export/command.h"
#include "pp/exchange/export/profile.h"
#include "pp/exchange/export/session_format.h"
#include "pp/report/fetch_debug.h"

static int make_profile(const struct export_command *c, struct collection *collection,
			struct profile **ret, struct notices *notices, struct op_error *e)
{
	const struct merge nothing = { 0 };
	bool symbols = c->symbols && !c->format->no_names;
	bool inlines = c->inlines && symbols;
	bool lines = inlines || c->format->needs_session;	/* the format looks them up */
	char *cache_dir = inlines ? line_cache_dir() : NULL;
	const struct collect_options collecting = {
		.session_dir = option_session_dir(c->session_dir, c->spec.archive, "session-dir"),
		.spec = &c->spec,
		.merge = &nothing,
		.image_path = &c->image_path,
		.root = c->root,
		.files_only = true,
		.want_arcs = true,	/* for the formats that have arcs */
	};
	const struct export_options exporting = {
		.cache_dir = cache_dir,
		.spec = &c->spec,
		.demangle = c->demangle,
		.symbols = symbols,
		.merge_unnamed = c->merge_unnamed,
		.inlines = inlines,
	};
	int err = collect(&collecting, collection, notices, e);

	if (!err && (symbols || lines))
		fetch_debug_of_all(collection, lines, notices);
	if (!err)
		err = export_profile(collection, &exporting, ret, notices, e);
	else if (err == -ENOENT && (*ret = export_empty(collection, notices)))
		err = 0;
	free(cache_dir);
	return err;
}

static void warn(void *context, const char *text)
{
	(void)context;
	report_warning("%s", text);
}

static char *event_names(const struct profile *p)
{
	struct strbuf names = STRBUF_INIT;

	for (uint32_t i = 0; i < p->nr_events; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", profile_text(p, p->events[i].name));
	return strbuf_steal(&names);
}

/* The event to write, in formats with room for one. */
static int choose_event(const struct export_command *c, const struct profile *p, uint32_t *ret,
			struct op_error *e)
{
	char *names = event_names(p);
	int err = 0;

	*ret = 0;
	if (c->event) {
		while (*ret < p->nr_events &&
		       strcmp(profile_text(p, p->events[*ret].name), c->event))
			++*ret;
		if (*ret == p->nr_events)
			err = op_error_set(e, -EINVAL, "invalid value '%s' for --event: expected "
					   "one of %.400s", c->event, names);
	} else if (c->format->one_event && p->nr_events > 1) {
		report_warning("writing event '%s' only, of %s; choose one with --event=NAME",
			       profile_text(p, p->events[0].name), names);
	}
	free(names);
	return err;
}

/* *ret_bytes is the caller's to free, also on failure. */
static int make_file(const struct export_command *c, struct collection *collection,
		     const struct profile *p, char **ret_bytes, size_t *ret_size,
		     struct notices *notices, struct op_error *e)
{
	const struct format_warnings warnings = { warn, NULL };
	const struct format_session session = { collection, notices };
	struct format_write_options how = { .warnings = &warnings, .pid = "",
					    .session = &session };
	FILE *out = open_memstream(ret_bytes, ret_size);
	int err = choose_event(c, p, &how.event, e);

	if (!out)
		return op_error_set(e, -errno, "%s", strerror(errno));
	if (!err)
		err = c->format->write(p, &how, out, e);
	if (fclose(out) && !err)
		err = op_error_set(e, -ENOMEM, "%s", strerror(ENOMEM));
	return err;
}

struct bytes {
	const char *bytes;
	size_t size;
};

static void print(const void *report, FILE *out)
{
	const struct bytes *b = report;

	fwrite(b->bytes, 1, b->size, out);
}

/* Binary output would confuse a terminal. */
static bool is_binary(const struct bytes *b)
{
	for (size_t i = 0; i < b->size; i++)
		if ((unsigned char)b->bytes[i] < ' ' && !memchr("\t\n\r", b->bytes[i], 3))
			return true;
	return false;
}

static int write_file(const struct export_command *c, const struct bytes *b)
{
	const char *path = c->output && strcmp(c->output, "-") ? c->output : NULL;

	if (!path && isatty(STDOUT_FILENO) && is_binary(b)) {
		report_error("standard output is a terminal, this format is binary; name a file "
			     "with --output (-o)");
		return 1;
	}
	return output_write(path, false, print, b);
}

static int run(const void *options)
{
	const struct export_command *c = options;
	struct notices notices = { 0 };
	struct collection collection;
	struct profile *p = NULL;
	struct op_error e = { "" };
	char *bytes = NULL;
	size_t size = 0;
	int status = 1, err = make_profile(c, &collection, &p, &notices, &e);

	if (!err)
		err = make_file(c, &collection, p, &bytes, &size, &notices, &e);
	progress_end();
	if (c->verbose)
		report_notices(&notices);
	else
		report_notices_briefly(&notices);
	if (err)
		report_error("%s", *e.text ? e.text : strerror(-err));
	else
		status = write_file(c, &(struct bytes){ bytes, size });
	free(bytes);
	profile_free(p);
	collection_free(&collection);
	notices_free(&notices);
	return status;
}

int main(int argc, const char **argv)
{
	struct export_command command;
	struct op_error e = { "" };
	int status = 0;

	if (export_command_parse(argc, argv, &command, &e)) {
		report_error("%s", e.text);
		return 1;
	}
	if (command.asked != ASKED_WORK) {
		option_set_print(&export_option_set, command.asked);
	} else if (command.list_formats) {
		profile_formats_print(export_formats, true, stdout);
	} else {
		const struct confine_needs needs = {
			.outputs = { command.output },
			.line_cache = command.inlines && command.symbols,
		};

		status = confine_and_run(&needs, run, &command);
	}
	export_command_free(&command);
	return finish_output(status);
}
