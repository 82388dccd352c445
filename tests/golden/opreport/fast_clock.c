/* fast_clock.c - preloaded into tools: each look at the monotonic clock is a second later */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *t)
{
	static time_t seconds;
	long err = syscall(SYS_clock_gettime, clock, t);

	if (clock == CLOCK_MONOTONIC)
		t->tv_sec += ++seconds;
	return (int)err;
}
