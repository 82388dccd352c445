/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawn - run many short programs, a few at a time, or fork without end
 *
 *	spawn COUNT PARALLEL TURNS PROGRAM...	COUNT processes in all, of each program in turn
 *	spawn storm SECONDS PARALLEL		children that touch memory, map, fork and end
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int reap(int running, int *failed)
{
	int status;

	if (wait(&status) < 0)
		return 0;
	*failed += status != 0;
	return running - 1;
}

static int spawn_all(int count, int parallel, char *turns, char **programs, int nr)
{
	int running = 0, failed = 0;

	for (int i = 0; i < count; i++) {
		char *args[] = { programs[i % nr], turns, NULL };
		pid_t pid;

		while (running >= parallel)
			running = reap(running, &failed);
		if (posix_spawn(&pid, args[0], NULL, NULL, args, environ)) {
			perror(args[0]);
			return 1;
		}
		running++;
	}
	while (running)
		running = reap(running, &failed);
	if (failed)
		fprintf(stderr, "spawn: %d of %d failed\n", failed, count);
	return failed != 0;
}

/* What a child does with its few hundred microseconds: executable pages come and go, too. */
static void storm_child(void)
{
	char *p = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p != MAP_FAILED) {
		memset(p, 1, 1 << 16);
		munmap(p, 1 << 15);
	}
	if (fork() == 0)
		_exit(0);
	_exit(0);
}

static int storm(int seconds, int parallel)
{
	time_t end = time(NULL) + seconds;
	int running = 0, failed = 0;
	long forks = 0;

	while (time(NULL) < end) {
		pid_t pid = fork();

		if (pid == 0)
			storm_child();
		if (pid > 0) {
			running++;
			forks++;
		}
		while (running >= parallel || (running && pid < 0))
			running = reap(running, &failed);
	}
	while (running)
		running = reap(running, &failed);
	printf("%ld forks\n", forks);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "storm"))
		return storm(atoi(argv[2]), atoi(argv[3]));
	if (argc < 5) {
		fprintf(stderr, "usage: spawn COUNT PARALLEL TURNS PROGRAM... | "
			"storm SECONDS PARALLEL\n");
		return 2;
	}
	return spawn_all(atoi(argv[1]), atoi(argv[2]), argv[3], argv + 4, argc - 4);
}
