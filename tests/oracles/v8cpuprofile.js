// SPDX-License-Identifier: GPL-2.0-or-later
// v8cpuprofile.js FILE... - check files against the DevTools protocol's Profiler.Profile, and against
// what DevTools, VS Code and speedscope rely on
'use strict';
const fs = require('fs');

function check(file) {
	const must = (what, text) => {
		if (!what) {
			console.error(`${file}: ${text}`);
			process.exit(1);
		}
	};
	const whole = (value) => Number.isInteger(value);
	const profile = JSON.parse(fs.readFileSync(file, 'utf8'));
	const { nodes, samples, timeDeltas, startTime, endTime } = profile;
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const parents = new Map();
	let hits = 0;

	must(byId.size === nodes.length, 'node IDs are not unique');
	for (const { id, callFrame: f, hitCount, children } of nodes) {
		must(whole(id) && id > 0, `node ID ${id}`);
		must(typeof f.functionName === 'string' && typeof f.scriptId === 'string' &&
		     typeof f.url === 'string', `node ${id}: names`);
		must(whole(f.lineNumber) && whole(f.columnNumber) && f.lineNumber >= -1, `node ${id}: position`);
		must(whole(hitCount) && hitCount >= 0, `node ${id}: hitCount`);
		hits += hitCount;
		for (const child of children || []) {
			must(byId.has(child) && !parents.has(child), `child ${child} of node ${id}`);
			parents.set(child, id);
		}
	}
	must(nodes[0].callFrame.functionName === '(root)' && !parents.has(nodes[0].id), 'the first node is no root');
	must(parents.size === nodes.length - 1, 'nodes without a parent');
	must(samples.length === timeDeltas.length, 'samples and timeDeltas differ in length');
	must(samples.every((id) => byId.has(id)), 'a sample of an unknown node');
	must(timeDeltas.every(whole), 'a time delta that is not whole');
	must(!profile.oprofile || samples.length === hits + 1, `${samples.length} samples, ${hits} hits`);
	must(whole(startTime) && whole(endTime) && startTime > 0 && endTime > startTime, 'startTime, endTime');
	must(startTime + timeDeltas.reduce((a, b) => a + b) <= endTime, 'samples after the end');
}

process.argv.slice(2).forEach(check);
