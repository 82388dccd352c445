/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkprofile.c - samples as text become a session, through the library the daemon uses
 *
 *	mkprofile PROFILE.txt SESSION_DIR
 *
 * A line sets something for the lines after it, or adds samples:
 *
 *	session NAME			default: current
 *	version 0x13			of the sample files; 0x12 is OProfile 0.9's
 *	cpu TYPE [MHZ]			"timer", "i386/core_2"; default timer, 0 MHz
 *	event NAME [COUNT [UM]]		default TIMER 0 0
 *	app IMAGE			and the image is the same until "image" comes
 *	image IMAGE
 *	callee IMAGE			until "app" or "image": a call-graph file, and its lines are
 *	CALLER CALLEE COUNT
 *	task TGID TID CPU		"all" or a number; default all all all
 *	mtime SECONDS			of the image; default 0, unknown
 *	kernel yes|no			header's is_kernel; default: whether the image is {kern}
 *	KEY COUNT			samples; KEY is 0x hex or decimal
 *	part BUILD CGROUP		of the session; "-" for either, and for neither
 *	stats FILE			the lines up to "end" become stats/FILE of the session
 *
 * IMAGE is an absolute path, {kern}NAME, or {anon}NAME,TGID,START,END. '#' starts a comment line.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/cpu/type.h"
#include "libdb/odb/odb.h"
#include "libdb/session/header.h"
#include "libdb/session/name.h"
#include "libdb/session/parts.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "tests/golden/mktext.h"

#define MAX_WORDS 5

struct maker {
	const char *session_dir;
	char *session, *app, *image, *callee, *event, *cpu;	/* as in the profile */
	char *part;				/* its folder, or NULL */
	struct sample_name name;
	struct sample_header header;
	int is_kernel;				/* -1: by the image */
	struct odb *db;				/* of what is set now, or NULL */
};

static void set_string(char **field, const char *value)
{
	free(*field);
	*field = xstrdup(value);
}

static void open_file(struct maker *m)
{
	const struct cpu_type *type = cpu_type_by_name(m->cpu);
	struct strbuf relative = STRBUF_INIT;
	struct op_error e = { "" };
	char *samples, *path;
	size_t size = m->header.version == SAMPLE_VERSION_099 ? SAMPLE_HEADER_SIZE_099
							      : SAMPLE_HEADER_SIZE;
	int err;

	if (!type)
		fail("no such CPU type", m->cpu);
	m->header.cpu_type = m->header.version == SAMPLE_VERSION_099 ? type->number_099
								      : type->number_1x;
	m->header.is_kernel = m->is_kernel < 0 ? m->name.image.kind == IMAGE_KERNEL : m->is_kernel;
	m->header.count = m->name.count;
	m->header.unit_mask = m->name.unit_mask;
	m->header.anon_start = m->name.image.anon_start;
	m->header.cg_to_is_kernel = m->name.has_callee && m->name.callee.kind == IMAGE_KERNEL;
	m->header.cg_to_anon_start = m->name.has_callee ? m->name.callee.anon_start : 0;
	if (sample_name_format(&m->name, &relative))
		fail("no sample file can have that name", m->image);
	samples = m->part ? xstrdup(m->part) : session_samples_path(m->session_dir, m->session);
	path = path_join(samples, relative.text);
	err = file_make_parent_dirs(path, 0755);
	if (!err)
		err = odb_open(path, size, &m->db, &e);
	if (err)
		fail(*e.text ? e.text : strerror(-err), path);
	if (odb_is_new(m->db))
		sample_header_store(&m->header, odb_header(m->db));
	strbuf_free(&relative);
	free(samples);
	free(path);
}

static void add_samples(struct maker *m, char **words)
{
	const char *key = words[0], *count = words[m->name.has_callee ? 2 : 1];
	uint64_t place = number(key);

	if (m->name.has_callee)
		place = place << 32 | (uint32_t)number(words[1]);
	if (!m->name.image.path)
		fail("samples before any 'app'", key);
	if (!m->db)
		open_file(m);
	if (odb_add(m->db, place, (uint32_t)number(count)))
		fail("cannot add samples", key);
}

static void copy_stats(struct maker *m, const char *file, FILE *in)
{
	char *path = session_stats_path(m->session_dir, m->session, file);
	char *line = NULL;
	size_t room = 0;
	FILE *out;

	if (file_make_parent_dirs(path, 0755) || !(out = fopen(path, "w")))
		fail("cannot write", path);
	while (getline(&line, &room, in) > 0 && strcmp(line, "end\n")) {
		at.line++;
		fputs(line, out);
	}
	at.line++;
	fclose(out);
	free(line);
	free(path);
}

static void set_event(struct maker *m, char **words)
{
	set_string(&m->event, words[1]);
	m->name.event = m->event;
	m->name.count = words[2] ? number(words[2]) : 0;
	m->name.unit_mask = words[2] && words[3] ? number(words[3]) : 0;
}

static void set_part(struct maker *m, const char *build_id, const char *cgroup)
{
	char *stats = session_stats_path(m->session_dir, m->session, NULL);
	struct session_parts parts = { 0 };
	size_t nr;

	free(m->part);
	m->part = NULL;
	build_id = strcmp(build_id, "-") ? build_id : "";
	cgroup = strcmp(cgroup, "-") ? cgroup : "";
	if (*build_id || *cgroup) {
		(void)session_parts_read(stats, &parts, NULL);
		if (session_parts_get(stats, &parts, build_id, cgroup, &nr))
			fail("cannot make a part", cgroup);
		m->part = session_part_path(stats, nr);
		session_parts_free(&parts);
	}
	free(stats);
}

static void set_image(struct maker *m, const char *word)
{
	set_string(&m->image, word);
	parse_image(m->image, &m->name.image);
	m->name.has_callee = false;
}

static void do_line(struct maker *m, char **words, FILE *in)
{
	const char *word = words[0];

	if (word[0] >= '0' && word[0] <= '9') {
		add_samples(m, words);
		return;
	}
	m->db = odb_close(m->db);	/* what follows goes elsewhere */
	if (!words[1])
		fail("a word is missing after", word);
	if (!strcmp(word, "session")) {
		set_string(&m->session, words[1]);
	} else if (!strcmp(word, "version")) {
		m->header.version = number(words[1]);
	} else if (!strcmp(word, "cpu")) {
		set_string(&m->cpu, words[1]);
		m->header.cpu_mhz = words[2] ? strtod(words[2], NULL) : 0;
	} else if (!strcmp(word, "event")) {
		set_event(m, words);
	} else if (!strcmp(word, "app")) {
		set_string(&m->app, words[1]);
		parse_image(m->app, &m->name.app);
		set_image(m, words[1]);
	} else if (!strcmp(word, "image")) {
		set_image(m, words[1]);
	} else if (!strcmp(word, "callee")) {
		set_string(&m->callee, words[1]);
		parse_image(m->callee, &m->name.callee);
		m->name.has_callee = true;
	} else if (!strcmp(word, "task") && words[2]) {
		m->name.tgid = number_or_all(words[1]);
		m->name.tid = number_or_all(words[2]);
		m->name.cpu = number_or_all(words[3]);
	} else if (!strcmp(word, "part") && words[2]) {
		set_part(m, words[1], words[2]);
	} else if (!strcmp(word, "mtime")) {
		m->header.mtime = number(words[1]);
	} else if (!strcmp(word, "kernel")) {
		m->is_kernel = !strcmp(words[1], "yes");
	} else if (!strcmp(word, "stats")) {
		copy_stats(m, words[1], in);
	} else {
		fail("no such line", word);
	}
}

int main(int argc, char **argv)
{
	struct maker m = { .is_kernel = -1 };
	char *line = NULL;
	size_t room = 0;
	FILE *in;

	if (argc != 3) {
		report_error("usage: mkprofile PROFILE.txt SESSION_DIR");
		return 1;
	}
	at.path = argv[1];
	m.session_dir = argv[2];
	m.header.version = SAMPLE_VERSION_1X;
	m.name.tgid = m.name.tid = m.name.cpu = SAMPLE_ALL;
	set_string(&m.session, SESSION_CURRENT);
	set_string(&m.cpu, "timer");
	set_string(&m.event, "TIMER");
	m.name.event = m.event;
	in = fopen(at.path, "r");
	if (!in) {
		report_error("cannot open '%s': %s", at.path, strerror(errno));
		return 1;
	}
	while (getline(&line, &room, in) > 0) {
		char *words[MAX_WORDS + 1] = { NULL }, *save = NULL;
		size_t nr = 0;

		at.line++;
		for (char *w = strtok_r(line, " \t\n", &save); w && nr < MAX_WORDS;
		     w = strtok_r(NULL, " \t\n", &save))
			words[nr++] = w;
		if (nr && words[0][0] != '#')
			do_line(&m, words, in);
	}
	odb_close(m.db);
	fclose(in);
	free(line);
	free(m.part);
	free(m.session);
	free(m.app);
	free(m.image);
	free(m.callee);
	free(m.event);
	free(m.cpu);
	return 0;
}
