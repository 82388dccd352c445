// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chromium.js - a headless Chromium for tests, driven over its DevTools pipe
 *
 * Needs Node.js and nothing from npm. A test opens pages of files, looks at them by evaluating
 * expressions in them, presses keys, and is told of what they should not do: requests, dialogs,
 * exceptions, violations of their own policy.
 *
 *	const browser = await require("./chromium.js").start();
 *	const page = await browser.open("file:///tmp/x.html");
 *	await page.value("document.title");
 *	page.requests, page.complaints
 *	await browser.stop();
 */
"use strict";

const { spawn } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

const NAMES = ["chromium", "chromium-browser", "google-chrome"];
const DEADLINE = 60000;		// of one command; only a hang reaches it

/* Where it is in $PATH, or null. */
function find() {
	for (const dir of (process.env.PATH || "").split(":"))
		for (const name of NAMES)
			if (fs.existsSync(path.join(dir, name)))
				return path.join(dir, name);
	return null;
}

class Browser {
	constructor(program) {
		this.folder = fs.mkdtempSync(path.join(os.tmpdir(), "chromium-"));
		this.child = spawn(program, [
			"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
			"--no-first-run", "--disable-extensions", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--no-proxy-server",
			"--host-resolver-rules=MAP * ~NOTFOUND", "--allow-file-access-from-files",
			"--hide-scrollbars", "--force-device-scale-factor=1",
			"--user-data-dir=" + this.folder, "--remote-debugging-pipe", "about:blank",
		], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
		     env: Object.assign({}, process.env, { HOME: this.folder }) });
		this.next = 1;
		this.waiting = new Map();
		this.pages = new Map();		// by session
		this.ended = new Promise((resolve) => this.child.on("exit", resolve));
		this.child.on("exit", () => {
			for (const w of this.waiting.values())
				w.reject(new Error("the browser has ended"));
		});
		this.child.stdio[3].on("error", () => {});
		let rest = Buffer.alloc(0);
		this.child.stdio[4].on("data", (bytes) => {
			let end;
			rest = Buffer.concat([rest, bytes]);
			while ((end = rest.indexOf(0)) >= 0) {
				this.take(JSON.parse(rest.subarray(0, end).toString()));
				rest = rest.subarray(end + 1);
			}
		});
	}

	take(message) {
		const waiting = this.waiting.get(message.id);
		if (waiting) {
			this.waiting.delete(message.id);
			if (message.error)
				waiting.reject(new Error(message.error.message));
			else
				waiting.resolve(message.result);
		} else if (this.pages.has(message.sessionId)) {
			this.pages.get(message.sessionId).take(message.method, message.params);
		}
	}

	send(method, params, sessionId) {
		const id = this.next++;
		return new Promise((resolve, reject) => {
			const timer = setTimeout(() => reject(new Error(method + ": no answer")), DEADLINE);
			this.waiting.set(id, {
				resolve: (r) => { clearTimeout(timer); resolve(r); },
				reject: (e) => { clearTimeout(timer); reject(e); },
			});
			this.child.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
		});
	}

	/* A new page of @url, when it is loaded. */
	async open(url, options = {}) {
		const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
		const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
		const page = new Page(this, sessionId, url);
		this.pages.set(sessionId, page);
		await page.load(options);
		return page;
	}

	async stop() {
		this.send("Browser.close").catch(() => {});
		const timer = setTimeout(() => this.child.kill("SIGKILL"), 5000);
		await this.ended;
		clearTimeout(timer);
		fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
	}
}

class Page {
	constructor(browser, session, url) {
		this.browser = browser;
		this.session = session;
		this.url = url;
		this.requests = [];	// URLs asked for, but the page itself
		this.complaints = [];	// exceptions, dialogs, errors on the console
	}

	send(method, params = {}) { return this.browser.send(method, params, this.session); }

	take(method, params) {
		if (method === "Network.requestWillBeSent" && params.request.url !== this.url)
			this.requests.push(params.request.url);
		else if (method === "Runtime.exceptionThrown")
			this.complaints.push("exception: " + (params.exceptionDetails.exception || {}).description);
		else if (method === "Log.entryAdded" && params.entry.level === "error")
			this.complaints.push("log: " + params.entry.text);
		else if (method === "Page.javascriptDialogOpening") {
			this.complaints.push("dialog: " + params.message);
			this.send("Page.handleJavaScriptDialog", { accept: true });
		} else if (method === "Page.loadEventFired" && this.loaded)
			this.loaded();
	}

	/* @options: width, height, dark */
	async load(options) {
		await Promise.all(["Page", "Runtime", "Network", "Log"].map((d) => this.send(d + ".enable")));
		await this.send("Emulation.setDeviceMetricsOverride", {
			width: options.width || 1400, height: options.height || 1000,
			deviceScaleFactor: 1, mobile: false,
		});
		await this.send("Emulation.setEmulatedMedia", { features: [
			{ name: "prefers-color-scheme", value: options.dark ? "dark" : "light" } ] });
		const loaded = new Promise((resolve) => { this.loaded = resolve; });
		await this.send("Page.navigate", { url: this.url });
		await loaded;
	}

	/* What @expression is in the page, by value; a promise is waited for. */
	async value(expression) {
		const r = await this.send("Runtime.evaluate", {
			expression, returnByValue: true, awaitPromise: true });
		if (r.exceptionDetails)
			throw new Error(expression + ": " +
					(r.exceptionDetails.exception || r.exceptionDetails).description);
		return r.result.value;
	}

	/* Until @expression is true; false: it never was. */
	async becomes(expression, milliseconds = 15000) {
		for (const end = Date.now() + milliseconds; Date.now() < end;) {
			if (await this.value("!!(" + expression + ")"))
				return true;
			await new Promise((resolve) => setTimeout(resolve, 30));
		}
		return false;
	}

	async key(key, code = key, text = undefined) {
		const number = { Enter: 13, Escape: 27, Tab: 9, ArrowUp: 38, ArrowDown: 40,
				 ArrowLeft: 37, ArrowRight: 39, Home: 36 }[key];
		const event = { key, code, text, windowsVirtualKeyCode: number };
		await this.send("Input.dispatchKeyEvent", Object.assign({ type: "keyDown" }, event));
		await this.send("Input.dispatchKeyEvent", Object.assign({ type: "keyUp" }, event));
	}

	type(text) { return this.send("Input.insertText", { text }); }

	async click(x, y) {
		for (const type of ["mousePressed", "mouseReleased"])
			await this.send("Input.dispatchMouseEvent",
					{ type, x, y, button: "left", clickCount: 1 });
	}

	async screenshot(file, whole = false) {
		const { data } = await this.send("Page.captureScreenshot",
						 { format: "png", captureBeyondViewport: whole });
		fs.writeFileSync(file, Buffer.from(data, "base64"));
	}
}

/* Rejects if there is no Chromium: ask find() before. */
async function start() {
	const program = find();
	if (!program)
		throw new Error("no chromium in $PATH");
	const browser = new Browser(program);
	await browser.send("Browser.getVersion");
	return browser;
}

module.exports = { find, start };
