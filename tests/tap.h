/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tap.h - unit tests in one header: a child process per test, TAP on stdout
 *
 *	TEST(name) { CHECK(2 > 1, "two is %d", 2); }
 *	TEST_MAIN()
 *
 * A failed CHECK is reported and the test goes on; a test that crashes, or that takes longer than
 * TEST_SECONDS, is one failure. SKIP("why") ends a test as skipped. "PROGRAM NAME..." runs only the
 * tests named; an unknown name is an error, and all names are listed.
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEST_SECONDS 600	/* ends what hangs, not what a busy machine delays */
#define TAP_SKIPPED 77

struct tap_test {
	const char *name;
	void (*run)(void);
	struct tap_test *next;
};
static struct tap_test *tap_first, **tap_last = &tap_first;
static int tap_failures;
static void (*tap_after)(void);	/* run in the parent when a test has ended, however it did */

#define TEST(test)                                                                             \
	static void test_##test(void);                                                         \
	static struct tap_test tap_##test = { #test, test_##test, NULL };                      \
	__attribute__((constructor)) static void tap_add_##test(void)                          \
	{                                                                                      \
		*tap_last = &tap_##test;                                                       \
		tap_last = &tap_##test.next;                                                   \
	}                                                                                      \
	static void test_##test(void)

#define CHECK(condition, ...)                                                                  \
	do {                                                                                   \
		if (!(condition)) {                                                            \
			tap_failures++;                                                        \
			printf("# %s:%d: check failed: %s: ", __FILE__, __LINE__, #condition);     \
			printf(__VA_ARGS__);                                                   \
			printf("\n");                                                          \
		}                                                                              \
	} while (0)

#define SKIP(why)                                                                              \
	do {                                                                                   \
		printf("# skip: %s\n", why);                                                   \
		fflush(stdout);                                                                \
		_exit(TAP_SKIPPED);                                                            \
	} while (0)

static int tap_run(struct tap_test *t, int number)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		alarm(TEST_SECONDS);
		t->run();
		fflush(stdout);
		exit(tap_failures ? 1 : 0);	/* not _exit(): leak checks run here */
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0) {
		printf("not ok %d - %s # cannot fork\n", number, t->name);
		return 1;
	}
	if (tap_after)
		tap_after();
	if (WIFEXITED(status) && WEXITSTATUS(status) == TAP_SKIPPED) {
		printf("ok %d - %s # SKIP\n", number, t->name);
		return 0;
	}
	if (WIFSIGNALED(status))
		printf("# ended by signal %d (%s); a test may take %d seconds\n",
		       WTERMSIG(status), strsignal(WTERMSIG(status)), TEST_SECONDS);
	printf("%s %d - %s\n", status ? "not ok" : "ok", number, t->name);
	return status != 0;
}

static struct tap_test *tap_find(const char *name)
{
	struct tap_test *t = tap_first;

	while (t && strcmp(t->name, name))
		t = t->next;
	return t;
}

static int tap_unknown(const char *program, const char *name)
{
	fprintf(stderr, "%s: unknown test '%s'; its tests are:\n", program, name);
	for (struct tap_test *t = tap_first; t; t = t->next)
		fprintf(stderr, "  %s\n", t->name);
	return 2;
}

/* For programs whose main() does more. */
static inline int tap_main(int argc, char **argv)
{
	int number = 0, failed = 0;

	for (int i = 1; i < argc; i++)
		if (!tap_find(argv[i]))
			return tap_unknown(argv[0], argv[i]);
	for (struct tap_test *t = argc < 2 ? tap_first : NULL; t; t = t->next)
		failed += tap_run(t, ++number);
	for (int i = 1; i < argc; i++)
		failed += tap_run(tap_find(argv[i]), ++number);
	printf("1..%d\n", number);
	return failed ? 1 : 0;
}

#define TEST_MAIN()                                                                            \
	int main(int argc, char **argv)                                                        \
	{                                                                                      \
		return tap_main(argc, argv);                                                   \
	}

#endif
