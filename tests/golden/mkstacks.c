/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkstacks.c - call stacks as text become a session's stack store, through the daemon's library
 *
 *	mkstacks STACKS.txt SESSION_DIR
 *
 * A line sets something for the lines after it, or adds samples of a stack:
 *
 *	session NAME			default: current
 *	event NAME [COUNT [UM]]		default TIMER 0 0
 *	image WORD IMAGE [BUILD-ID]	frames in it are WORD:OFFSET; IMAGE as for mkprofile
 *	app WORD			an image, or "none"; default none
 *	task TGID TID CPU		"all" or a number; default all all all
 *	cgroup NAME			"-": not kept apart, the default
 *	end KIND			how stacks end, a number of doc/stack-store.md [ST-12]
 *	COUNT FRAME...			outermost first
 *
 * FRAME*N is FRAME N times. '#' starts a comment line.
 */
#include <errno.h>
#include <stdio.h>

#include "libdb/session/session.h"
#include "libdb/stack/store.h"
#include "libutil/file.h"
#include "tests/golden/mktext.h"

#define MAX_IMAGES 32

struct maker {
	const char *session_dir;
	struct stack_store *store;
	struct { char word[32]; uint32_t id; } images[MAX_IMAGES];
	size_t nr_images;
	struct stack_context labels;
	char cgroup[256];			/* in them */
	uint32_t event;
	unsigned int end;
};

static void check(int err, const char *word)
{
	if (err)
		fail(strerror(-err), word);
}

static void set_event(struct maker *m, const char *name, char **save)
{
	struct stack_event event = { .name = name };
	const char *word = strtok_r(NULL, " \t\n", save);

	event.count = word ? number(word) : 0;
	word = strtok_r(NULL, " \t\n", save);
	event.unit_mask = word ? number(word) : 0;
	check(stack_store_event(m->store, &event, &m->event), name);
}

static void open_store(struct maker *m, const char *session)
{
	char *path = session_stats_path(m->session_dir, session, STACK_STORE_FILE);
	struct op_error e = { "" };

	stack_store_close(m->store);
	m->nr_images = 0;
	m->labels.app = STACK_NONE;
	check(file_make_parent_dirs(path, 0755), path);
	if (stack_store_open(path, 0, &m->store, &e))
		fail(e.text, path);
	set_event(m, "TIMER", &(char *){ (char[]){ "" } });
	free(path);
}

static uint32_t image_of(const struct maker *m, const char *word, size_t len)
{
	for (size_t i = m->nr_images; i-- > 0;)
		if (strlen(m->images[i].word) == len && !strncmp(m->images[i].word, word, len))
			return m->images[i].id;
	fail("no such image", word);
}

static void add_image(struct maker *m, const char *word, char **save)
{
	char *text = strtok_r(NULL, " \t\n", save), *id = strtok_r(NULL, " \t\n", save);
	struct stack_image image = { .build_id = id ? id : "" };

	if (!text)
		fail("no image", word);
	parse_image(text, &image.name);
	if (m->nr_images == MAX_IMAGES || strlen(word) >= sizeof(m->images[0].word))
		fail("too many images, or too long a word", word);
	strcpy(m->images[m->nr_images].word, word);
	check(stack_store_image(m->store, &image, &m->images[m->nr_images++].id), word);
}

static size_t add_frames(const struct maker *m, char *word, struct stack_frame *frames, size_t nr)
{
	char *colon = strchr(word, ':'), *star = strchr(word, '*');
	uint64_t times = star ? number(star + 1) : 1;

	if (!colon)
		fail("a frame is IMAGE:OFFSET", word);
	if (star)
		*star = '\0';
	for (; times; times--) {
		if (nr == STACK_FRAMES_MAX)
			fail("too many frames", word);
		frames[nr++] = (struct stack_frame){
			image_of(m, word, (size_t)(colon - word)), number(colon + 1) };
	}
	return nr;
}

static void add_stack(struct maker *m, const char *count, char **save)
{
	struct stack_frame frames[STACK_FRAMES_MAX];
	size_t nr = 0;
	uint32_t context;
	char *word;

	while ((word = strtok_r(NULL, " \t\n", save)))
		nr = add_frames(m, word, frames, nr);
	for (size_t i = 0; i < nr / 2; i++) {
		struct stack_frame swap = frames[i];

		frames[i] = frames[nr - 1 - i];
		frames[nr - 1 - i] = swap;
	}
	check(stack_store_context(m->store, &m->labels, &context), "context");
	check(stack_store_add(m->store, context, m->event, frames, nr, m->end,
				 number(count)), count);
}

static void do_line(struct maker *m, char *word, char **save)
{
	char *second;

	if (*word >= '0' && *word <= '9') {
		add_stack(m, word, save);
		return;
	}
	second = strtok_r(NULL, " \t\n", save);
	if (!second)
		fail("a word is missing after", word);
	if (!strcmp(word, "session")) {
		open_store(m, second);
	} else if (!strcmp(word, "event")) {
		set_event(m, second, save);
	} else if (!strcmp(word, "image")) {
		add_image(m, second, save);
	} else if (!strcmp(word, "app")) {
		m->labels.app = strcmp(second, "none") ? image_of(m, second, strlen(second))
						       : STACK_NONE;
	} else if (!strcmp(word, "task")) {
		m->labels.tgid = number_or_all(second);
		m->labels.tid = number_or_all(strtok_r(NULL, " \t\n", save));
		m->labels.cpu = number_or_all(strtok_r(NULL, " \t\n", save));
	} else if (!strcmp(word, "cgroup")) {
		snprintf(m->cgroup, sizeof(m->cgroup), "%s", strcmp(second, "-") ? second : "");
		m->labels.cgroup = m->cgroup;
	} else if (!strcmp(word, "end")) {
		m->end = (unsigned int)number(second);
	} else {
		fail("no such line", word);
	}
}

int main(int argc, char **argv)
{
	struct maker m = { .labels = { .tgid = SAMPLE_ALL, .tid = SAMPLE_ALL, .cpu = SAMPLE_ALL,
				       .cgroup = "", .comm = "" } };
	char *line = NULL;
	size_t room = 0;
	FILE *in;

	if (argc != 3) {
		report_error("usage: mkstacks STACKS.txt SESSION_DIR");
		return 1;
	}
	at.path = argv[1];
	m.session_dir = argv[2];
	in = fopen(at.path, "r");
	if (!in) {
		report_error("cannot open '%s': %s", at.path, strerror(errno));
		return 1;
	}
	open_store(&m, SESSION_CURRENT);
	while (getline(&line, &room, in) > 0) {
		char *save = NULL, *word = strtok_r(line, " \t\n", &save);

		at.line++;
		if (word && *word != '#')
			do_line(&m, word, &save);
	}
	stack_store_close(m.store);
	fclose(in);
	free(line);
	return 0;
}
