// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ophelp.c - list the events of this machine's or another CPU
 *
 * Scripts use it to look up an event's code, default unit mask or counter.
 */
#include "control/ophelp/ophelp.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include "events/data.h"
#include "libutil/file.h"
#include "libutil/message.h"
#include "libutil/terminal_width.h"
#include "libutil/version.h"

#define MIN_WIDTH 40

static bool is_timer(const struct help_cpus *cpus)
{
	return !cpus->cpu[0].table;
}

/* The type of --cpu-type, with its usual number of counters. */
static int named_type(const struct help_options *o, struct cpu_kinds *kinds, struct op_error *e)
{
	const struct cpu_type *type = cpu_type_by_name(o->cpu_type);
	struct arch_perfmon pmu;

	if (!type)
		return op_error_set(e, -EINVAL,
				    "cpu_type '%s' is not valid; 'ophelp --list-cpu-types' lists "
				    "the valid ones",
				    o->cpu_type);
	memset(kinds, 0, sizeof(*kinds));
	kinds->nr = 1;
	kinds->kind[0].type = type;
	kinds->kind[0].nr_counters = type->nr_counters;
	/* OProfile takes the number of Intel's counters from the machine that it runs on */
	if (!type->nr_counters || (o->compat && !strncmp(type->name, "i386/", 5))) {
		arch_perfmon_read(&pmu);
		kinds->kind[0].nr_counters = pmu.nr_counters;
	}
	return 0;
}

static void free_cpus(struct help_cpus *cpus)
{
	for (unsigned int i = 0; i < cpus->nr; i++)
		event_table_free(cpus->cpu[i].table);
}

static int load_cpus(const struct help_options *o, struct help_cpus *cpus, struct op_error *e)
{
	struct cpu_kinds kinds;
	int err = 0;

	if (!o->cpu_type)
		cpu_detect("", &kinds);
	else
		err = named_type(o, &kinds, e);
	for (unsigned int i = 0; i < kinds.nr && !err; i++) {
		struct help_cpu *c = &cpus->cpu[cpus->nr];

		*c = (struct help_cpu){ .kind = kinds.kind[i] };
		if (c->kind.type->clock_event)
			err = machine_events_load(o->cpu_type ? "/nonexistent" : "", &c->kind,
						  &c->table, e);
		cpus->nr += !err;
	}
	return err;
}

/* The width of the terminal; else that of OProfile. */
static unsigned int width_of(const struct help_options *o)
{
	unsigned int width = terminal_width();

	if (o->compat || width < MIN_WIDTH)
		return OPHELP_WIDTH;
	return width - 1; /* the last column makes some terminals wrap */
}

static void list(const struct help_cpus *cpus, const struct help_options *o)
{
	if (o->xml) {
		help_list_xml(cpus, o->compat, stdout);
	} else if (o->json) {
		help_list_json(cpus, stdout);
	} else {
		for (unsigned int i = 0; i < cpus->nr; i++)
			help_list_text(&cpus->cpu[i], width_of(o), o->compat, stdout);
	}
}

static void print_types(const struct help_cpus *cpus)
{
	for (unsigned int i = 0; i < cpus->nr; i++)
		printf("%s\n", cpus->cpu[i].kind.type->name);
}

/* The types that have a table, by name. */
static int list_types(struct op_error *e)
{
	char *dir = event_data_dir(), *pattern = path_join(dir, "*/*/events");
	size_t nr = 0;
	glob_t found;

	if (!glob(pattern, 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const struct cpu_type *type;

			*strrchr(found.gl_pathv[i], '/') = '\0';
			type = cpu_type_by_name(found.gl_pathv[i] + strlen(dir) + 1);
			if (type)
				printf("%-26s %s\n", type->name, type->pretty);
			nr += !!type;
		}
		globfree(&found);
	}
	free(pattern);
	if (!nr)
		op_error_set(e, -ENOENT, "no event tables in '%s'", dir);
	free(dir);
	return nr ? 0 : -ENOENT;
}

static void print_default(const struct help_cpus *cpus)
{
	printf("%s\n", cpus->cpu[0].kind.type->default_event);
}

static int act(const struct help_cpus *cpus, const struct help_options *o, struct op_error *e)
{
	/* [HLP-07] the answer to everything on a timer; XML and JSON remain complete documents */
	if (is_timer(cpus) && !(o->action == HELP_LIST && (o->xml || o->json) && !o->compat)) {
		printf("Using timer interrupt.\n");
		return 0;
	}
	switch (o->action) {
	case HELP_LIST:
		list(cpus, o);
		return 0;
	case HELP_TYPE:
		print_types(cpus);
		return 0;
	case HELP_DEFAULT:
		print_default(cpus);
		return 0;
	default:
		return help_answer(cpus, o, e);
	}
}

static int run(const struct help_options *o)
{
	struct help_cpus cpus = { .nr = 0 };
	struct op_error e = { "" };
	int err;

	if (o->action == HELP_LIST_TYPES) {
		err = list_types(&e);
	} else {
		err = load_cpus(o, &cpus, &e);
		if (!err)
			err = act(&cpus, o, &e);
	}
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = op_error_set(&e, -EIO, "cannot write the output: %s", strerror(errno));
	if (err)
		report_error("%s", *e.text ? e.text : strerror(-err));
	free_cpus(&cpus);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, const char **argv)
{
	struct help_options o;
	struct op_error e = { "" };
	int status = EXIT_SUCCESS;

	set_program_name("ophelp");
	if (help_options_parse(argc, argv, &o, &e)) {
		report_error("%s", e.text);
		status = EXIT_FAILURE;
	} else if (o.action == HELP_VERSION) {
		version_print("ophelp");
	} else if (o.action == HELP_HELP || o.action == HELP_USAGE) {
		help_options_print(o.action == HELP_USAGE);
	} else {
		status = run(&o);
	}
	help_options_free();
	return status;
}
