/* busy_mod: not linked, as modules are */
	.text
	.type	busy_init, %function
	.type	busy_work, %function
	.type	busy_exit, %function
busy_init:
	nop
	.org	0x10
busy_work:
	nop
	.org	0x40
busy_exit:
	nop
	.org	0x48
	nop			/* in busy_exit */
	.org	0x50
