// SPDX-License-Identifier: GPL-2.0-or-later
/* jit.c - the programs of a session that made code at run time, and how each names it */
#include "control/opdoctor/session.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"

#define WORTH_A_LINE	0.1	/* percent of all samples */
#define MOSTLY		90.0	/* percent of a program's that should have names */

struct program {
	const struct report_image *app;
	uint64_t named, unnamed;	/* samples in code made at run time */
};

struct programs {
	struct program *all;
	size_t nr, room;
};

static struct program *find(struct programs *p, const struct report_image *app)
{
	for (size_t i = 0; i < p->nr; i++)
		if (p->all[i].app == app)
			return &p->all[i];
	xgrow(p->all, p->nr, p->room);
	p->all[p->nr] = (struct program){ .app = app };
	return &p->all[p->nr++];
}

/* Not "[heap]", "[vdso]" and the like: they hold no code of that kind [JT-1]. */
static bool is_made_code(const struct report_image *image)
{
	return image->kind == IMAGE_JIT || (image->kind == IMAGE_ANON && *image->path != '[');
}

/* What a runtime needs to write the names of its code; doc/jit.md. */
static const char *advice_for(const char *program)
{
	static const char *const runtimes[][2] = {
		{ "node", "start it with --perf-basic-prof --interpreted-frames-native-stack" },
		{ "java", "start it with -agentpath:PATH/libjvmti_oprofile.so and "
		  "-XX:+PreserveFramePointer, or run jcmd PID Compiler.perfmap while it is "
		  "profiled" },
		{ "dotnet", "set DOTNET_PerfMapEnabled=1 when it starts" },
		{ "python", "start it with -X perf (Python 3.12 or later)" },
		{ "luajit", "build it with LUAJIT_USE_PERFTOOLS; Debian's cannot name its code" },
		{ "wasmtime", "start it with --profile=perfmap" },
		{ "qemu", "start it with -perfmap (QEMU 8.0 or later)" },
	};

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
		if (!strncmp(program, runtimes[i][0], strlen(runtimes[i][0])))
			return runtimes[i][1];
	return "let it write /tmp/perf-PID.map or use libopagent, see doc/jit.md";
}

static void add_program(const struct program *p, struct findings *f)
{
	double all = (double)(p->named + p->unnamed);
	bool good = 100 * (double)p->named >= MOSTLY * all;
	const char *program = path_base(p->app->path);
	char share[PERCENT_TEXT];

	finding_add(f, good ? VERDICT_OK : VERDICT_POOR, "run-time code", "'%s': %s of the samples "
		    "in its run-time code are in code whose names it wrote", program,
		    number_format_percent(share, (double)p->named, all));
	if (!good)
		finding_advise(f, "%s", advice_for(program));
}

/* By the application that was recorded: the arrangement has none. */
static void add_app(const struct inverted_app *app, bool named, struct programs *programs)
{
	for (size_t i = 0; i < app->nr; i++) {
		struct program *p = find(programs, app->files[i]->file->app);

		*(named ? &p->named : &p->unnamed) += samples_of_file(app->files[i]);
	}
}

void probe_jit(const struct inversion *inversion, uint64_t total, struct findings *f)
{
	struct programs programs = { 0 };
	size_t nr = 0;

	for (size_t i = 0; i < inversion->nr_images; i++) {
		const struct inverted_image *image = &inversion->images[i];

		for (size_t k = 0; is_made_code(image->image) && k < image->nr_apps; k++)
			add_app(&image->apps[k], image->image->kind == IMAGE_JIT, &programs);
	}
	for (size_t i = 0; i < programs.nr; i++) {
		const struct program *p = &programs.all[i];

		if (100 * (double)(p->named + p->unnamed) < WORTH_A_LINE * (double)total)
			continue;
		add_program(p, f);
		nr++;
	}
	if (!nr)
		finding_add(f, VERDICT_OK, "run-time code", "no program made code at run time");
	free(programs.all);
}
