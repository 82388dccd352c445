/* A program for reports: symbols at known places and no instructions, so any assembler will do.
   Offsets in the file: .text 0x1000, .plt 0x1200 (layout.ld). */
	.text
	.globl	main
	.type	main, %function
main:	.skip	0x40			/* 0x1000 */
	.globl	hot_loop
	.globl	_hot_alias		/* the same place: the less underscored name is kept */
	.type	hot_loop, %function
	.type	_hot_alias, %function
_hot_alias:
hot_loop:
	.skip	0x80			/* 0x1040; its .size is smaller: the rest is nobody's */
	.size	hot_loop, 0x10
	.globl	_ZN3geo4Disc4areaEv
	.type	_ZN3geo4Disc4areaEv, %function
_ZN3geo4Disc4areaEv:
	.skip	0x40			/* 0x10c0: geo::Disc::area() */
	.type	helper, %function
helper:	.skip	0x100			/* 0x1100, local */
	.section .plt, "ax", %progbits
	.skip	0x100			/* 0x1200: code without symbols */
