/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terminal.c - a pager on terminals only, and progress */
#include "pp/cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libutil/clock.h"
#include "libutil/plain_text.h"
#include "libutil/progress.h"

static const char *pager_command(void)
{
	const char *term = getenv("TERM"), *command = getenv("PAGER");

	if (!isatty(STDOUT_FILENO) || !term || !strcmp(term, "dumb"))
		return NULL;
	if (!command)
		command = "less";
	return *command && strcmp(command, "cat") ? command : NULL;
}

static pid_t reader;			/* what on_broken_pipe() waits for */
static volatile sig_atomic_t reader_status;
static volatile sig_atomic_t reader_is_gone;

static void wait_for_reader(void)
{
	int status = 0;

	if (reader_is_gone)
		return;
	while (waitpid(reader, &status, 0) < 0 && errno == EINTR)
		;
	reader_status = status;
	reader_is_gone = 1;
}

/* The shell's exit status for commands that are missing or cannot be executed. */
static bool reader_never_ran(void)
{
	return WIFEXITED(reader_status) &&
	       (WEXITSTATUS(reader_status) == 126 || WEXITSTATUS(reader_status) == 127);
}

/* If the pager has ended, so does this program; if it never ran, the report is printed without. */
static void on_broken_pipe(int number)
{
	int error = errno;

	wait_for_reader();
	if (!reader_never_ran()) {
		signal(number, SIG_DFL);
		raise(number);
	}
	errno = error;
}

/* Ctrl-C goes to all programs of the terminal's group, but is meant for the pager. */
static void take_signals(struct pager *pager)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction broken = { .sa_handler = on_broken_pipe };

	sigaction(SIGINT, &ignore, &pager->interrupt);
	sigaction(SIGQUIT, &ignore, &pager->quit);
	sigaction(SIGPIPE, &broken, &pager->broken_pipe);
}

static void restore_signals(const struct pager *pager)
{
	sigaction(SIGINT, &pager->interrupt, NULL);
	sigaction(SIGQUIT, &pager->quit, NULL);
	sigaction(SIGPIPE, &pager->broken_pipe, NULL);
}

static struct {
	pid_t pid;			/* 0: none */
	int go;				/* a byte: execute the pager; its end: exit */
	int out;
} prepared;

/* In the child. */
static _Noreturn void wait_and_page(const char *command, int go, int in)
{
	char c;
	ssize_t n;

	do
		n = read(go, &c, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(0);
	dup2(in, STDIN_FILENO);
	setenv("LESS", "FRX", 0);	/* leaves a short report on the screen */
	execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(127);
}

void pager_prepare(bool wanted)
{
	const char *command = wanted ? pager_command() : NULL;
	int data[2], go[2];

	if (!command || pipe2(data, O_CLOEXEC) < 0)
		return;
	if (pipe2(go, O_CLOEXEC) < 0) {
		close(data[0]);
		close(data[1]);
		return;
	}
	prepared.pid = fork();
	if (prepared.pid == 0) {
		close(data[1]);
		close(go[1]);
		wait_and_page(command, go[0], data[0]);
	}
	close(data[0]);
	close(go[0]);
	prepared.out = data[1];
	prepared.go = go[1];
	if (prepared.pid < 0) {
		close(data[1]);
		close(go[1]);
		prepared.pid = 0;
	}
}

void pager_start(struct pager *pager, bool wanted)
{
	*pager = (struct pager){ .out = stdout };
	if (isatty(STDOUT_FILENO)) {	/* the report itself shows how far it is */
		progress_show_with(NULL);
		progress_end();
	}
	if (!wanted || !prepared.pid)
		return;
	pager->out = fdopen(prepared.out, "w");
	if (!pager->out) {
		*pager = (struct pager){ .out = stdout };
		return;
	}
	fflush(stdout);
	take_signals(pager);
	reader_is_gone = 0;
	reader = pager->pid = prepared.pid;
	prepared.pid = 0;
	(void)!write(prepared.go, "", 1);
	close(prepared.go);
}

int pager_finish(struct pager *pager)
{
	int err = fflush(pager->out) || ferror(pager->out) ? (errno ? -errno : -EIO) : 0;

	if (!pager->pid)
		return err;
	fclose(pager->out);
	wait_for_reader();
	restore_signals(pager);
	return reader_never_ran() ? -ENOEXEC : err;
}

/* How progress is shown: OPROFILE_PROGRESS in the environment, or by what standard error is. */
static struct {
	bool at_once;			/* "always": each step, for tests */
	bool on_line;			/* a line of a terminal has it */
	double next, pause;		/* seconds */
} progress;

#define LINES_FROM	2.0		/* seconds, and the longest pause between two */
#define LINES_PAUSE	60.0
#define BAR		20		/* characters */

static double now(void)
{
	return (double)now_ns() * 1e-9;
}

/* First after @first seconds; then after pauses that double from @pause to @longest. */
static bool is_progress_due(double first, double pause, double longest)
{
	double time = now();

	if (progress.at_once)
		return true;
	if (!progress.next) {
		progress.next = time + first;
		progress.pause = pause;
	}
	if (time < progress.next)
		return false;
	progress.next = time + progress.pause;
	if (progress.pause < longest)
		progress.pause *= 2;
	return true;
}

static void put_step(const char *what, size_t done, size_t total, const char *unit)
{
	if (what) {
		plain_put(what, stderr);
		fputs(": ", stderr);
	}
	if (total)
		fprintf(stderr, "%zu of %zu %s", done, total, unit);
	else
		fprintf(stderr, "%zu %s", done, unit);
}

static void put_bar(size_t done, size_t total)
{
	size_t full = done < total ? done * BAR / total : BAR;

	putc('[', stderr);
	for (size_t i = 0; i < BAR; i++)
		putc(i < full ? '#' : '.', stderr);
	fputs("] ", stderr);
}

/* Nothing in the first second, then ten times a second at most. */
static void show_bar(const char *what, size_t done, size_t total, const char *unit)
{
	if (!is_progress_due(1, 0.1, 0.1))
		return;
	progress.on_line = true;
	fputs("\r\033[K", stderr);
	if (total)
		put_bar(done, total);
	put_step(what, done, total, unit);
	fflush(stderr);
}

/* For a log: few, however long it takes. */
static void show_line(const char *what, size_t done, size_t total, const char *unit)
{
	if (!is_progress_due(LINES_FROM, LINES_FROM, LINES_PAUSE))
		return;
	fprintf(stderr, "%s: note: ", program_invocation_short_name);
	put_step(what, done, total, unit);
	putc('\n', stderr);
}

void progress_begin(void)
{
	const char *how = getenv("OPROFILE_PROGRESS");

	if (how && !strcmp(how, "never"))
		return;
	progress.at_once = how && !strcmp(how, "always");
	progress_show_with(isatty(STDERR_FILENO) ? show_bar : show_line);
}

void progress_end(void)
{
	if (progress.on_line)
		fputs("\r\033[K", stderr);
	progress.on_line = false;
}
