// SPDX-License-Identifier: GPL-2.0-or-later
// pprof-format.js PACKAGE FILE - a profile.proto decoded by pprof-format, checked and printed
//
// Checked is what the strictest readers ask for (doc/profile-proto.md), each in its own words: ids
// from 1 in order, indexes in range, as many values as types, labels with keys, valid UTF-8.
'use strict';
const fs = require('fs');
const zlib = require('zlib');

const [packagePath, file] = process.argv.slice(2);
const { Profile } = require(packagePath + '/dist/commonjs/index.js');

function fail(what) {
	console.error(`pprof-format: ${file}: ${what}`);
	process.exit(1);
}

function unpacked(bytes) {
	return bytes[0] === 0x1f && bytes[1] === 0x8b ? zlib.gunzipSync(bytes) : bytes;
}

const profile = Profile.decode(unpacked(fs.readFileSync(file)));
const strings = profile.stringTable.strings;

function text(index) {
	if (Number(index) >= strings.length)
		fail(`string ${index} of ${strings.length}`);
	return strings[Number(index)];
}

// What the ids of a table stand for.
function byId(things, what) {
	things.forEach((thing, i) => {
		if (Number(thing.id) !== i + 1)
			fail(`${what} number ${i + 1} has id ${thing.id}`);
	});
	return (id) => things[Number(id) - 1] || fail(`no ${what} ${id}`);
}

const mappingOf = byId(profile.mapping, 'mapping');
const functionOf = byId(profile.function, 'function');
const locationOf = byId(profile.location, 'location');

function lineText(line) {
	const f = functionOf(line.functionId);

	return `${text(f.name)} ${text(f.systemName)} ` +
		`${text(f.filename)}:${f.startLine}:${line.line}`;
}

function frame(id) {
	const l = locationOf(id);
	const path = Number(l.mappingId) ? text(mappingOf(l.mappingId).filename) : '';

	return ` 0x${BigInt(l.address).toString(16)}@${path}[${l.line.map(lineText).join(', ')}]`;
}

function label(l) {
	if (!Number(l.key))
		fail('a label without a key');
	return Number(l.str) ? ` ${text(l.key)}=${text(l.str)}`
		: ` ${text(l.key)}=${BigInt.asIntN(64, BigInt(l.num))} ${text(l.numUnit)}`;
}

// In the order of the bytes.
function inOrder(words) {
	return words.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function sample(s) {
	if (s.value.length !== profile.sampleType.length)
		fail(`a sample with ${s.value.length} values`);
	return `sample ${s.value.join(' ')} |${inOrder(s.label.map(label)).join(',')} |` +
		s.locationId.map(frame).join('');
}

if (strings[0] !== '')
	fail('string 0 is not empty');
if (strings.some((s) => s.includes('\ufffd')))
	fail('a string that is no UTF-8');
const hex = (n) => '0x' + BigInt.asUintN(64, BigInt(n)).toString(16);
const out = [];
for (const t of profile.sampleType) {
	if (text(t.type).includes('-'))
		fail(`a '-' in the sample type ${text(t.type)}`);
	out.push(`type ${text(t.type)}/${text(t.unit)}`);
}
for (const m of profile.mapping)
	out.push(`mapping ${hex(m.memoryStart)} ${hex(m.memoryLimit)} ${hex(m.fileOffset)} ` +
		`${text(m.filename)} ${text(m.buildId)}`);
out.push(`time ${profile.timeNanos} ${profile.durationNanos}`);
for (const c of profile.comment)
	out.push(`comment ${text(c)}`);
for (const s of profile.sample)
	out.push(sample(s));
console.log(out.join('\n'));
