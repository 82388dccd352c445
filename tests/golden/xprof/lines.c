#include <stdio.h>
#include <stdlib.h>
static int f(int n) { int s = 0; for (int i = 0; i < n; i++) if (i & 1) s += i; else s -= 1; return s; }
static int never(int a)
{
	return a + 1;
}
int main(int argc, char **argv)
{
	int t = 0;
	for (int i = 0; i < 10; i++) {
		t += f(i);
		if (t == 12345)
			t = never(t);
	}
	switch (argc) {
	case 1: t++; break;
	case 2: t--; break;
	default: exit(3);
	}
	printf("%d %s\n", t, argv[0] ? "x" : "y");
	return 0;
}
