/* hot.c - branches, loops, calls and a table of cases, all of them hot: sampled and counted */
#include <stdio.h>
#include <stdlib.h>
static unsigned int seed = 1;
static unsigned int next(void) { return seed = seed * 1103515245u + 12345u; }
static __attribute__((noinline)) unsigned int collatz(unsigned int n)
{
	unsigned int steps = 0;

	while (n > 1 && steps < 200) {
		if (n & 1)
			n = 3 * n + 1;
		else
			n /= 2;
		steps++;
	}
	return steps;
}
static __attribute__((noinline)) int compare(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	if (x < y)
		return -1;
	if (x > y)
		return 1;
	return 0;
}
static __attribute__((noinline)) void sort(unsigned int *v, int n)
{
	for (int i = 1; i < n; i++) {
		unsigned int x = v[i];
		int k = i;

		while (k > 0 && compare(&v[k - 1], &x) > 0) {
			v[k] = v[k - 1];
			k--;
		}
		v[k] = x;
	}
}
static __attribute__((noinline)) unsigned int dispatch(const unsigned char *code, int n)
{
	unsigned int a = 0;

	for (int i = 0; i < n; i++)
		switch (code[i] % 8) {
		case 0: a++; break;
		case 1: a ^= 3; break;
		case 2: a *= 5; break;
		case 3: a -= i; break;
		case 4: a |= 1; break;
		case 5: a &= 0xffff; break;
		case 6: a += a >> 3; break;
		default: a = ~a;
		}
	return a;
}
int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	static unsigned int v[600];
	static unsigned char code[4096];
	unsigned int sum = 0;

	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < 600; i++)
			v[i] = next() >> 8;
		for (int i = 0; i < 4096; i++)
			code[i] = next() >> 16;
		sort(v, 600);
		for (int i = 0; i < 600; i++)
			sum += collatz(v[i]);
		for (int i = 0; i < 20; i++)
			sum += dispatch(code, 4096);
	}
	printf("%u\n", sum);
	return 0;
}
