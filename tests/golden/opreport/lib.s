/* A library: two exported functions with sizes and code of others between them. */
	.text
	.globl	lib_first
	.type	lib_first, %function
lib_first:
	.skip	0x20			/* 0x1000 */
	.size	lib_first, 0x20
	.type	hidden_work, %function
hidden_work:
	.skip	0x40			/* 0x1020: only .symtab knows it */
	.size	hidden_work, 0x40
	.globl	lib_second
	.type	lib_second, %function
lib_second:
	.skip	0x20			/* 0x1060 */
	.size	lib_second, 0x20
	.skip	0x180
	.section .plt, "ax", %progbits
	.skip	0x10
