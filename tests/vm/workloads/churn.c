/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * churn - programs that are new each time, and processes without end
 *
 *	churn binaries DIR TURNS TEMPLATE...	run DIR/N/NAME of a template, each a new file
 *	churn builds PATH TURNS TEMPLATE...	run PATH, each time replaced by another build
 *	churn alive COUNT TURNS			so many processes, which burn TURNS every 100 s
 *
 * Each file gets a build ID of its own: b1d0, the template's number of two digits, and how many
 * there were before. Until it is killed, the number so far is in DIR.count or PATH.count.
 */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/vm/workloads/spin.h"

extern char **environ;

#define MAX_TEMPLATES 32

static struct template {
	const char *name;
	unsigned char *bytes;
	size_t size, build_id;		/* build_id: offset, of 20 bytes */
} templates[MAX_TEMPLATES];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void read_template(const char *path, struct template *t)
{
	static const unsigned char note[] = "\4\0\0\0\24\0\0\0\3\0\0\0GNU";
	int fd = open(path, O_RDONLY);
	const unsigned char *at;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	t->name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	t->size = st.st_size;
	t->bytes = malloc(t->size);
	if (!t->bytes || read(fd, t->bytes, t->size) != (ssize_t)t->size)
		die(path);
	at = memmem(t->bytes, t->size, note, sizeof(note));
	if (!at || at + sizeof(note) + 20 > t->bytes + t->size) {
		fprintf(stderr, "churn: %s: no build ID\n", path);
		exit(1);
	}
	t->build_id = at + sizeof(note) - t->bytes;
	close(fd);
}

/* Write the program that is number @nr of all. 0: there is no room for it. */
static int write_program(const char *path, struct template *t, unsigned int nr)
{
	unsigned char *id = t->bytes + t->build_id;
	unsigned int variant = atoi(t->name + strcspn(t->name, "0123456789"));
	int fd, whole;

	id[0] = 0xb1;
	id[1] = 0xd0;
	id[2] = variant / 10 << 4 | variant % 10;
	memcpy(id + 3, &nr, sizeof(nr));
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	if (fd < 0)
		return 0;
	whole = write(fd, t->bytes, t->size) == (ssize_t)t->size;
	close(fd);
	return whole;
}

static void run(char *path, char *turns)
{
	char *args[] = { path, turns, NULL };
	int status;
	pid_t pid;

	if (!posix_spawn(&pid, path, NULL, NULL, args, environ))
		waitpid(pid, &status, 0);
}

/* For whoever looks: never empty. */
static void write_count(const char *path, unsigned int nr)
{
	static int fd = -1;
	char text[16];

	if (fd < 0)
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (pwrite(fd, text, snprintf(text, sizeof(text), "%-10u\n", nr), 0) < 0)
		die(path);
}

static void churn(const char *where, char *turns, int nr_templates, int builds)
{
	char count[4096], dir[4096], path[4200];

	snprintf(count, sizeof(count), "%s.count", where);
	if (!builds)
		mkdir(where, 0755);
	for (unsigned int nr = 0;; nr++) {
		struct template *t = &templates[nr % nr_templates];

		snprintf(dir, sizeof(dir), "%s/%u", where, nr);
		if (builds)
			snprintf(path, sizeof(path), "%s", where);
		else
			snprintf(path, sizeof(path), "%s/%s", dir, t->name);
		if (!builds)
			mkdir(dir, 0755);
		if (write_program(path, t, nr))
			run(path, turns);
		unlink(path);
		if (!builds)
			rmdir(dir);
		write_count(count, nr + 1);
	}
}

static void live(unsigned int nr, unsigned long long turns)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sleep(nr % 100);
	for (;;) {
		spin(turns);
		sleep(100);
	}
}

static void keep_alive(int count, unsigned long long turns)
{
	int nr = 0;

	for (; nr < count; nr++) {
		pid_t pid = fork();

		if (!pid)
			live(nr, turns);
		if (pid < 0)
			break;
	}
	printf("%d\n", nr);
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	int builds = argc > 4 && !strcmp(argv[1], "builds");

	if (argc == 4 && !strcmp(argv[1], "alive"))
		keep_alive(atoi(argv[2]), strtoull(argv[3], NULL, 0));
	if (argc < 5 || argc - 4 > MAX_TEMPLATES || (!builds && strcmp(argv[1], "binaries"))) {
		fprintf(stderr, "usage: churn binaries|builds PATH TURNS TEMPLATE... | "
			"alive COUNT TURNS\n");
		return 2;
	}
	for (int i = 4; i < argc; i++)
		read_template(argv[i], &templates[i - 4]);
	churn(argv[2], argv[3], argc - 4, builds);
	return 1;
}
