// SPDX-License-Identifier: GPL-2.0-or-later
// speedscope.js PACKAGE FILE - a file read by speedscope's importers, its stacks printed
//
// The package is a page: one script, in which the importers stand before what draws. So the script
// is run up to there, in a context that has of a browser only what is looked for on the way.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const [packagePath, file] = process.argv.slice(2);

function fail(what) {
	console.error(`speedscope: ${file}: ${what}`);
	process.exit(1);
}

function importersOf(release) {
	const script = fs.readdirSync(release).find((f) => /^speedscope-\w+\.js$/.test(f));
	const source = fs.readFileSync(path.join(release, script), 'utf8');
	const table = /(\w+)=\{\};[\w$]+\(\1,\{importFromFileSystemDirectoryEntry:/.exec(source);
	const start = table && new RegExp(
		`var (\\w+)=Promise\\.resolve\\(\\)\\.then\\(\\(\\)=>\\(\\w+\\(\\),${table[1]}\\)\\);`)
		.exec(source);

	if (!start)
		fail('its importers are not where they were in 1.25.0');
	return source.slice(0, start.index) + start[0] + `importers=${start[1]};})();`;
}

// Anything a page may ask its window for, and nothing of it.
const nothing = new Proxy(function () {}, {
	get: (target, name) => (name === Symbol.toPrimitive ? () => '' : nothing),
	apply: () => nothing,
	construct: () => nothing,
	set: () => true,
});
const context = {
	importers: null, console: { log() {}, warn() {}, error() {}, assert() {} },
	TextDecoder, TextEncoder, URL, Uint8Array, ArrayBuffer, Promise, setTimeout, clearTimeout,
	atob, btoa, document: nothing, navigator: { platform: '', userAgent: '' },
	localStorage: nothing, location: { hash: '', href: 'file:///', protocol: 'file:' },
	HTMLElement: class {}, FileReader: nothing, performance: { now: () => 0 },
};
context.window = context.self = context.globalThis = context;

function printProfile(profile) {
	const stacks = new Map();

	console.log(`profile ${profile.getName()} ${profile.getWeightUnit()} ` +
		profile.getTotalWeight());
	profile.samples.forEach((node, i) => {
		const names = [];

		for (let n = node; n && n.parent; n = n.parent)
			names.push(n.frame.name);
		const stack = names.reverse().join(';');
		stacks.set(stack, (stacks.get(stack) || 0) + profile.weights[i]);
	});
	for (const stack of [...stacks.keys()].sort())
		console.log(`${stack} ${stacks.get(stack)}`);
}

async function main() {
	const bytes = fs.readFileSync(file);

	vm.runInNewContext(importersOf(path.join(packagePath, 'dist/release')), context);
	const importers = await context.importers;
	const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
	const group = await importers.importProfilesFromArrayBuffer(path.basename(file), copy);

	if (!group || !group.profiles.length)
		fail('not a profile that it knows');
	group.profiles.forEach(printProfile);
}

main().catch((e) => fail(e.stack || e));
