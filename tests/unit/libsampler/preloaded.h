/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preloaded.h - run the test program again, sampled by the library that opsample loads */
#ifndef TESTS_UNIT_LIBSAMPLER_PRELOADED_H
#define TESTS_UNIT_LIBSAMPLER_PRELOADED_H

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/tap.h"

static inline void skip_unless_preloaded(void)
{
#ifdef __SANITIZE_ADDRESS__
	SKIP("AddressSanitizer must be the first library");
#endif
}

/* @word is its only argument. Its samples are written to @output only at its end. */
__attribute__((noreturn)) static inline void be_preloaded(const char *word, const char *rate,
							  const char *output)
{
	char self[PATH_MAX] = "", library[PATH_MAX] = "", pid[12];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 64);

	if (len < 0)
		_exit(1);
	memcpy(library, self, sizeof(library));
	for (int i = 0; i < 2; i++)
		if (strrchr(library, '/'))
			*strrchr(library, '/') = '\0';
	strcat(library, "/lib/oprofile/libopsample.so");
	snprintf(pid, sizeof(pid), "%d", getpid());
	setenv("LD_PRELOAD", library, 1);
	setenv("OPSAMPLE_PID", pid, 1);
	setenv("OPSAMPLE_RATE", rate, 1);
	setenv("OPSAMPLE_SAVE", "0", 1);
	setenv("OPSAMPLE_FORMAT", "folded", 1);
	setenv("OPSAMPLE_OUTPUT", output, 1);
	execl(self, self, word, (char *)NULL);
	_exit(1);
}

#endif
