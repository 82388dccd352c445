/* flow.c - all that makes a graph hard to count: loops on one line, gotos, calls that do not return */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TWICE(name) static int name##_one(int n) { return n > 2 ? n : name(n); } \
	static int name##_two(int n) { while (n > 0) n -= 2; return n; }
static int base(int n) { return n + 1; }
TWICE(base)

static jmp_buf back;

static void jump(int n)
{
	if (n == 3)
		longjmp(back, 1);
}

static int nested(int n) { int s = 0; for (int i = 0; i < n; i++) { for (int j = 0; j < i; j++) { if (j & 1) continue; if (s > 1000) goto out; s += j; } s++; } out: return s; }

static int two(int n) { return n; } static int ways(int n) { return n ? two(n) : -1; }

static unsigned int table(unsigned int n)
{
	static void *const go[] = { &&zero, &&one, &&two };

	goto *go[n % 3];
zero:	return 0;
one:	n++;
two:
	do n = n & 1 ? 3 * n + 1 : n / 2; while (n > 1);
	return n;
}

static int either(const char *text)
{
	int n = 0;

	while (*text)
		switch (*text++) {
		case 'a': case 'b':
			n++;
			/* fall through */
		case 'c':
			n += 2; break;
		default: n--;
		}
	return n;
}

int main(int argc, char **argv)
{
	int sum = 0;

	for (int i = 0; i < 20; i++)
		sum += nested(i) + ways(i % 2) + base_one(i) + base_two(i), sum += table(i);
	for (volatile int i = 0; i < 5; i++)
		if (!setjmp(back))
			jump(i);
		else
			sum++;
	sum += either("abcabd") && either("") || either("x");
	if (argc > 5)
		abort();
	printf("%d %s\n", sum, argv[0] ? "ok" : "");
	fflush(stdout);
	if (sum)
		exit(0);
	_exit(1);
}
