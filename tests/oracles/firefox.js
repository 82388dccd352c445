// SPDX-License-Identifier: GPL-2.0-or-later
// firefox.js PACKAGE FILE - a file loaded by the Firefox Profiler's command line, its tracks printed
//
// The package is the profiler's own code behind a command line: a server has the file loaded, and
// commands ask it by a socket. The server is started here and not by a command, which gives it half
// a second; it lives in a folder of its own, and ends with this script.
'use strict';
const { spawn, spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const [packagePath, file] = process.argv.slice(2);
const program = path.join(packagePath, 'dist', 'profiler-cli.js');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'firefox-oracle-'));
const env = { ...process.env, HOME: folder, PROFILER_CLI_SESSION_DIR: folder,
	      PROFILER_CLI_NO_SYMBOLICATE: '1' };
const PATIENCE = 120;			// seconds, of a machine that does other things, too
let server;

function end(status, what) {
	if (what)
		console.error(`firefox: ${file}: ${what}`);
	if (server)
		server.kill('SIGKILL');
	fs.rmSync(folder, { recursive: true, force: true });
	process.exit(status);
}

function ask(...words) {
	const output = spawnSync(process.execPath,
		[program, ...words, '--json', '--session', 'test'],
		{ env, encoding: 'utf8', maxBuffer: 1 << 28 });

	try {
		return output.status === 0 ? JSON.parse(output.stdout) : output.stderr + output.stdout;
	} catch (e) {
		return output.stdout;
	}
}

function log() {
	const its = path.join(folder, 'test.log');

	return fs.existsSync(its) ? fs.readFileSync(its, 'utf8') : '';
}

// It goes on with a file it can't read, but says so.
function whyNot() {
	return /^\[ERROR\].*Failed to load profile: (.*)$/m.exec(log());
}

// Who asks earlier, finds a session half made, and takes it away.
function isReady() {
	return /Profile loaded successfully/.test(log());
}

async function load() {
	const until = Date.now() + PATIENCE * 1000;

	server = spawn(process.execPath, [program, '--daemon', file, '--session', 'test'],
		       { env, stdio: 'ignore' });
	while (server.exitCode === null && Date.now() < until) {
		const list = isReady() ? ask('thread', 'list', '--limit', '100000') : '';

		if (typeof list === 'object' && list.threads)
			return list.threads;
		if (whyNot())
			end(1, whyNot()[1]);
		await new Promise((done) => setTimeout(done, 100));
	}
	end(1, `it is not loaded: ${log().slice(-2000)}`);
}

function print(thread) {
	const list = ask('thread', 'functions', '--thread', thread.threadHandle, '--include-idle',
			 '--limit', '1000000');

	if (typeof list !== 'object' || !list.functions)
		end(1, list);
	if (list.functions.length !== list.totalFunctionCount)
		end(1, 'not all functions were told');
	console.log(`track ${thread.pid} ${thread.tid} ${thread.name}`);
	for (const f of list.functions)
		console.log(f.selfSamples, f.totalSamples, f.nameWithLibrary);
}

load().then((threads) => {
	threads.forEach(print);
	end(0);
}, (e) => end(1, e.stack));
