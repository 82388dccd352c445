/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attacker.h - an unprivileged user's process, which plays an attack beside root's daemon */
#ifndef TESTS_UNIT_DAEMON_ATTACKER_H
#define TESTS_UNIT_DAEMON_ATTACKER_H

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/unit/tmpdir.h"

#define ATTACKER_UID	1234

/* An endless loop of machine code, as a file or in memory. */
#if defined(__x86_64__)
static const unsigned char endless_loop[] = { 0xeb, 0xfe };
#elif defined(__aarch64__)
static const unsigned char endless_loop[] = { 0, 0, 0, 0x14 };
#endif

/* In the attacker: run the endless loop that was mapped at @at. */
static inline void spin_at(void *at)
{
	void (*spin)(void);

	memcpy(&spin, &at, sizeof(spin));
	spin();
}

/* A folder in tmpdir that belongs to the attacker, who may reach it. */
static inline void make_attackers_dir(void)
{
	CHECK(!chmod(tmpdir, 0755) && !mkdir(tmpdir_path("his"), 0755) &&
	      !chown(tmpdir_path("his"), ATTACKER_UID, ATTACKER_UID), "his");
}

/*
 * Run @prepare as the attacker and, when it has returned in the child, return; then the child runs
 * @attack. It ends with the test.
 */
static inline pid_t attack(bool (*prepare)(void), void (*run)(void))
{
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe(ends) || (pid = fork()) < 0)
		exit(1);
	if (pid == 0) {
		if (setgroups(0, NULL) || setresgid(ATTACKER_UID, ATTACKER_UID, ATTACKER_UID) ||
		    setresuid(ATTACKER_UID, ATTACKER_UID, ATTACKER_UID) ||
		    prctl(PR_SET_PDEATHSIG, SIGKILL) || !prepare() || write(ends[1], "", 1) != 1)
			_exit(1);
		close(ends[0]);
		close(ends[1]);
		run();
		_exit(0);
	}
	close(ends[1]);
	CHECK(read(ends[0], &byte, 1) == 1, "the attack could not be prepared");
	close(ends[0]);
	return pid;
}

/* Whether @attempt returns true in a child that runs as @uid. */
static inline bool is_true_for(uid_t uid, bool (*attempt)(void))
{
	pid_t pid = fork();
	int status = 1;

	if (!pid) {
		if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
			_exit(1);
		_exit(!attempt());
	}
	return waitpid(pid, &status, 0) == pid && !status;
}

static inline void attack_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

#endif
