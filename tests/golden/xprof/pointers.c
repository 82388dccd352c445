/* pointers.c - one call that leads to two functions, one of them three times as long */
#include <stdio.h>
#include <stdlib.h>
static volatile unsigned int sink;
__attribute__((noinline)) static void often(void) { for (int i = 0; i < 30000; i++) sink += i; }
__attribute__((noinline)) static void rarely(void) { for (int i = 0; i < 10000; i++) sink ^= i; }
static void (*volatile const go[])(void) = { often, rarely };
__attribute__((noinline)) static void turn(int i) { go[i & 1](); sink++; }
int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < rounds; i++)
		turn(i);
	return 0;
}
