/* For -g: functions at 0x1000 and 0x1040 of the file, each on one line, so that compilers agree. */
int main(void) { return 0; }

__attribute__((aligned(0x40))) int hot_loop(int x) { return x + 1; }
