/*
 * sort_and_run.c - a program that a compiler can make faster once it knows how it is used
 *
 * Heap sort through a pointer to the comparison, as qsort() has it, and a loop that runs byte
 * code, some instructions of which hardly ever come.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*compare_fn)(const void *a, const void *b);

static uint32_t state = 12345;

static uint32_t roll(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int by_low_bits(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (int)(*x & 0xff) - (int)(*y & 0xff);
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t t = *a;

	*a = *b;
	*b = t;
}

static void sift_down(uint32_t *heap, size_t root, size_t nr, compare_fn compare)
{
	for (;;) {
		size_t child = 2 * root + 1;

		if (child >= nr)
			return;
		if (child + 1 < nr && compare(&heap[child], &heap[child + 1]) < 0)
			child++;
		if (compare(&heap[root], &heap[child]) >= 0)
			return;
		swap(&heap[root], &heap[child]);
		root = child;
	}
}

static __attribute__((noinline)) void heap_sort(uint32_t *values, size_t nr, compare_fn compare)
{
	for (size_t i = nr / 2; i--; )
		sift_down(values, i, nr, compare);
	for (size_t i = nr; i-- > 1; ) {
		swap(&values[0], &values[i]);
		sift_down(values, 0, i, compare);
	}
}

enum { PUSH, ADD, MULTIPLY, DIVIDE, POP, SWAP, DUPLICATE, NEGATE, HALT };

static __attribute__((noinline)) int64_t run(const uint8_t *code, unsigned int rounds)
{
	int64_t stack[16], sum = 0;
	unsigned int top = 0;

	while (rounds--) {
		for (const uint8_t *at = code; *at != HALT; at++) {
			switch (*at) {
			case PUSH:	stack[top++ & 15] = *++at;			break;
			case ADD:	stack[(top - 2) & 15] += stack[(top - 1) & 15]; top--;	break;
			case MULTIPLY:	stack[(top - 2) & 15] *= stack[(top - 1) & 15]; top--;	break;
			case DIVIDE:
				if (!stack[(top - 1) & 15]) {
					fputs("division by 0\n", stderr);
					exit(1);
				}
				stack[(top - 2) & 15] /= stack[(top - 1) & 15];
				top--;
				break;
			case POP:	top--;						break;
			case SWAP: {
				int64_t t = stack[(top - 1) & 15];

				stack[(top - 1) & 15] = stack[(top - 2) & 15];
				stack[(top - 2) & 15] = t;
				break;
			}
			case DUPLICATE:	stack[top & 15] = stack[(top - 1) & 15]; top++; break;
			case NEGATE:	stack[(top - 1) & 15] = -stack[(top - 1) & 15];	break;
			default:	fputs("bad code\n", stderr); exit(1);
			}
		}
		sum += stack[(top - 1) & 15];
		top = 0;
	}
	return sum;
}

int main(int argc, char **argv)
{
	static const uint8_t code[] = { PUSH, 3, PUSH, 4, ADD, DUPLICATE, MULTIPLY, PUSH, 7, ADD,
					PUSH, 2, ADD, PUSH, 5, ADD, PUSH, 9, ADD, HALT };
	unsigned int scale = argc > 1 ? atoi(argv[1]) : 10;
	size_t nr = 20000;
	uint32_t *values = calloc(nr, sizeof(*values));
	uint64_t check = 0;

	for (unsigned int i = 0; i < 10 * scale; i++) {
		for (size_t k = 0; k < nr; k++)
			values[k] = roll();
		heap_sort(values, nr, i % 50 ? by_value : by_low_bits);
		check = check * 31 + values[nr / 2];
	}
	check += run(code, 200000 * scale);
	printf("%llu\n", (unsigned long long)check);
	free(values);
	return 0;
}
