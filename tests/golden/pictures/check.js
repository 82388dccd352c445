// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * check.js - look at the pictures that pictures.test has made; prints TAP
 *
 *	node check.js FOLDER chromium.js
 */
"use strict";

const fs = require("fs");
const path = require("path");

const [folder, driver] = process.argv.slice(2);
const chromium = require(path.resolve(driver));
let number = 0, failed = 0;

function report(name, problem) {
	number++;
	if (problem) {
		failed = 1;
		console.log("# " + String(problem).replace(/\n/g, "\n# "));
	}
	console.log((problem ? "not ok " : "ok ") + number + " - " + name);
}

/* @look returns what is wrong, if anything. */
async function check(name, look) {
	try {
		report(name, await look());
	} catch (e) {
		report(name, e.stack);
	}
}

function differs(what, got, wanted) {
	got = JSON.stringify(got);
	wanted = JSON.stringify(wanted);
	return got === wanted ? undefined : what + ": " + got + ", not " + wanted;
}

const url = (name) => "file://" + path.join(folder, name);
const json = (name) => JSON.parse(fs.readFileSync(path.join(folder, name), "utf8"));
const quiet = (page) => differs("requests and complaints", [page.requests, page.complaints], [[], []]);

/* Expressions in the page. */
const text = (id) => `document.getElementById(${JSON.stringify(id)}).textContent`;
const frame = (name) => `Array.from(document.querySelectorAll("#graph .f"))` +
	`.find((e) => e.node.name === ${JSON.stringify(name)})`;
const set = (id, value, event) => `(() => { const e = document.getElementById("${id}"); e.value = ` +
	`${JSON.stringify(value)}; e.dispatchEvent(new Event("${event}")); return true; })()`;
const total = `document.querySelector("#graph .f.root").node.all`;
const selfOfTable = `Array.from(document.querySelectorAll("#table tbody tr")).reduce((sum, tr) => ` +
	`sum + Number(tr.cells[0].textContent.replace(/,/g, "")), 0)`;

async function middle(page, expression) {
	return page.value(`(() => { const r = (${expression}).getBoundingClientRect(); ` +
			  `return [r.left + Math.min(r.width / 2, 20), r.top + r.height / 2]; })()`);
}

/* --- the page --- */

async function pageDraws(page) {
	const frames = await page.value(`document.querySelectorAll("#graph .f").length`);
	const title = await page.value("document.title");

	return frames < 20 ? frames + " frames" : differs("title", title, "testhost, 2023-11-14 22:13 (before)") ||
		quiet(page);
}

/* The page's total of each event, as frames, facts and table have it, and opreport's. */
async function totalsAreEqual(page) {
	const summary = json("summary.json").classes, stacks = json("stacks.json").classes;

	for (const i of [0, 1]) {
		await page.value(set("event", String(i), "change"));
		const wrong = differs("classes of opreport", summary[i].samples, stacks[i].samples) ||
			differs("root", (await page.value(total))[i], stacks[i].samples) ||
			differs("table", await page.value(selfOfTable), stacks[i].samples) ||
			differs("fact", await page.value(`document.querySelector("#facts dd").textContent`),
				String(summary[i].samples));
		if (wrong)
			return wrong;
	}
	await page.value(set("event", "0", "change"));
	return undefined;
}

/* Each function has as many samples as in opreport -l. */
async function functionsAreEqual(page) {
	const wanted = {}, got = await page.value(
		`Array.from(document.querySelectorAll("#table tbody tr")).map((tr) => ` +
		`[tr.cells[4].firstChild.title, Number(tr.cells[0].textContent)])`);
	const names = {};

	json("symbols.json").symbols.forEach((s) => {
		if (s.samples[0])
			wanted[s.name] = (wanted[s.name] || 0) + s.samples[0];
	});
	got.filter((row) => row[1]).forEach((row) => { names[row[0]] = row[1]; });
	const sorted = (o) => Object.entries(o).sort();
	return differs("functions", sorted(names), sorted(wanted));
}

async function searchWorks(page) {
	await page.key("/", "Slash", "/");
	await page.type("LIB_");
	if (!await page.becomes(text("found") + ` !== ""`))
		return "nothing found";
	const wrong = differs("found", await page.value(text("found")), "2 matches, 31 samples, 21.09 %") ||
		differs("marked", await page.value(
			`Array.from(new Set(Array.from(document.querySelectorAll("#graph .hit"), ` +
			`(e) => e.node.name))).sort()`), ["lib_first", "lib_second"]) ||
		differs("rows", await page.value(`document.querySelectorAll("#table tbody tr").length`), 2);
	await page.value(set("search", "", "input"));
	return wrong || (await page.becomes(text("found") + ` === ""`) ? undefined : "search stays");
}

async function zoomWorks(page) {
	const width = `document.getElementById("graph").clientWidth`;

	await page.value(`document.getElementById("graph").scrollIntoView({ behavior: "instant", block: "center" })`);
	await page.click(...await middle(page, frame("helper")));
	const wrong = differs("width of helper", await page.value(`Math.round(parseFloat(${frame("helper")}.style.width))`),
			      await page.value(width)) ||
		differs("others are away", await page.value(`!!(${frame("do_idle")})`), false) ||
		differs("path", await page.value(`document.querySelectorAll("#path button").length`), 3);
	if (wrong)
		return wrong;
	await page.value(`${frame("helper")}.focus()`);
	for (let i = 0; i < 3; i++)
		await page.key("Escape");
	return differs("zoomed out", await page.value(`!!(${frame("do_idle")}) && ${text("path")}`), "");
}

/* Roving focus: one stop for Tab, arrows inside; what has the focus is told in words. */
async function keysWork(page) {
	const label = `document.activeElement.getAttribute("aria-label")`;

	await page.value(`document.getElementById("search").focus()`);
	await page.key("Tab");
	const wrong = differs("first stop", await page.value(label), "all, 147 samples, 100.00 %") ||
		differs("stops", await page.value(`document.querySelectorAll("#graph [tabindex='0']").length`), 1);
	if (wrong)
		return wrong;
	await page.key("ArrowUp");
	const up = await page.value(label);
	await page.key("ArrowUp");
	await page.key("ArrowRight");
	const right = await page.value(label);
	await page.key("Enter");
	const zoomed = await page.value(text("path"));
	await page.key("Home");
	await page.key("Enter");
	return differs("up", up, "main, in prog, 130 samples, 88.44 %") ||
		differs("right", right, "helper, in prog, 28 samples, 19.05 %") ||
		differs("zoomed", zoomed, "Reset zoommainhelper") ||
		differs("outline", await page.value(`getComputedStyle(document.activeElement).outlineStyle`), "solid");
}

async function processesWork(page) {
	await page.value(`(() => { const s = document.getElementById("process"); s.value = ` +
		`Array.from(s.options).find((o) => o.text === "prog (138)").value; ` +
		`s.dispatchEvent(new Event("change")); })()`);
	const one = (await page.value(total))[0];
	await page.value(set("process", "", "change"));
	await page.value(set("split", "app", "change"));
	const split = await page.value(`[${frame("prog")}.node.all[0], ${frame("[no application]")}.node.all[0]]`);
	await page.value(set("split", "", "change"));
	return differs("prog", one, 138) || differs("split", split, [138, 9]);
}

async function sortingWorks(page) {
	const names = `Array.from(document.querySelectorAll("#table tbody tr"), (tr) => tr.cells[4].firstChild.textContent)`;
	const press = `document.querySelectorAll("#table th button")[4].click()`;
	const state = `document.querySelectorAll("#table th")[4].getAttribute("aria-sort")`;

	await page.value(press);
	const up = await page.value(names), first = await page.value(state);
	await page.value(press);
	const down = await page.value(names), second = await page.value(state);
	return differs("states", [first, second], ["ascending", "descending"]) ||
		differs("ascending", up, up.slice().sort()) ||
		differs("descending", down, up.slice().reverse());
}

async function icicleWorks(page) {
	const top = `document.querySelector("#graph .f.root").getBoundingClientRect().top < ${frame("main")}.getBoundingClientRect().top`;
	const before = await page.value(top);

	await page.value(`document.querySelector("input[value=icicle]").click()`);
	const after = await page.value(top);
	await page.value(`document.querySelector("input[value=flame]").click()`);
	return differs("root on top", [before, after], [false, true]);
}

/* What a screen reader is given. */
async function isSpoken(page) {
	await page.send("Accessibility.enable");
	const { nodes } = await page.send("Accessibility.getFullAXTree");
	const of = (role) => nodes.filter((n) => !n.ignored && n.role && n.role.value === role);
	const nameless = (n) => !n.name || !n.name.value;

	for (const role of ["tree", "treeitem", "button", "searchbox", "combobox", "radio", "heading"])
		if (!of(role).length || of(role).some(nameless))
			return role + ": " + of(role).length + ", without name " + of(role).filter(nameless).length;
	return of("columnheader").length < 5 ? "no columnheaders" : undefined;
}

/* WCAG's contrast of the text of frames, details, notes: 4.5. */
const CONTRAST = `(() => {
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const rgb = (c) => { canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1);
		return Array.from(canvas.getImageData(0, 0, 1, 1).data); };
	const light = (c) => rgb(c).slice(0, 3).map((v) => v / 255)
		.map((v) => v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4))
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
		if (c !== "rgba(0, 0, 0, 0)" && c !== "transparent") return c; } return "white"; };
	const all = Array.from(document.querySelectorAll(".f:not(.thin), .small, #details b, #details span, #table td, " +
		"#table th button, #facts dt, #facts dd, .code td, label, #legend span")).map((e) => {
		const a = light(getComputedStyle(e).color), b = light(behind(e));
		return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.className + " " + e.textContent.slice(0, 20)];
	});
	return all.length < 50 ? all.length : all.filter((c) => c[0] < 4.5);
})()`;

async function canBeRead(browser, name, dark) {
	const page = await browser.open(url(name), { dark });
	return differs("too little contrast", await page.value(CONTRAST), []);
}

async function checkPage(browser) {
	const page = await browser.open(url("stacks.html"));

	await check("page: draws, makes no requests", () => pageDraws(page));
	await check("page: totals of both events are opreport's", () => totalsAreEqual(page));
	await check("page: functions are those of opreport -l", () => functionsAreEqual(page));
	await check("page: search", () => searchWorks(page));
	await check("page: zoom", () => zoomWorks(page));
	await check("page: keyboard", () => keysWork(page));
	await check("page: by process", () => processesWork(page));
	await check("page: sorting", () => sortingWorks(page));
	await check("page: icicle", () => icicleWorks(page));
	await check("page: roles and names for screen readers", () => isSpoken(page));
	await check("page: contrast, light and dark", async () =>
		await canBeRead(browser, "stacks.html", false) || await canBeRead(browser, "stacks.html", true) ||
		await canBeRead(browser, "diff.html", false) || canBeRead(browser, "diff.html", true));
	await check("page: no errors or requests", () => quiet(page));
}

/* --- other pages --- */

async function diffWorks(browser) {
	const page = await browser.open(url("diff.html"));
	const classes = `[${frame("hot_loop")}.className, ${frame("geo::Disc::area()")}.className]`;
	const width = `parseFloat(${frame("hot_loop")}.style.width) / document.getElementById("graph").clientWidth`;
	const after = await page.value(width), colours = await page.value(classes);

	await page.value(set("widths", "0", "change"));
	const before = await page.value(width);
	return differs("colours", colours, ["f more4", "f less4"]) ||
		differs("widths", [after.toFixed(3), before.toFixed(3)], [(301 / 347).toFixed(3), (101 / 147).toFixed(3)]) ||
		quiet(page);
}

async function flatWorks(browser) {
	const page = await browser.open(url("flat.html"));

	return differs("title", await page.value(text("graph-title")), "Images and functions") ||
		differs("total", (await page.value(total))[0], json("summary.json").classes[0].samples) ||
		differs("depth", await page.value(`Math.max(...Array.from(document.querySelectorAll("#graph .f"), (e) => e.node.depth))`), 3) ||
		differs("notice", (await page.value(text("notices"))).includes("no call stacks"), true) || quiet(page);
}

async function controlGroupsWork(browser) {
	const page = await browser.open(url("boxes.html"));
	const options = await page.value(`Array.from(document.getElementById("process").options, (o) => o.text)`);

	await page.value(set("split", "cgroup", "change"));
	const split = await page.value(`[${frame("/web")}.node.all[0], ${frame("/db")}.node.all[0]]`);
	await page.value(set("process", "cgroup:1", "change"));
	return differs("choices", options, ["all", "prog (30)", "/web (20)", "/db (10)"]) ||
		differs("split", split, [20, 10]) ||
		differs("one", (await page.value(total))[0], 10) || quiet(page);
}

async function evilIsText(browser) {
	const page = await browser.open(url("evil.html"));
	const shown = await page.value(`document.body.innerText`);

	for (const name of ["<img src=x onerror=hacked=1>", '"]}</script><svg onload=hacked=3>',
			    "</script><script>hacked=2</script>"])
		if (!shown.includes(name))
			return "not shown: " + name;
	return differs("hacked", await page.value("typeof hacked"), "undefined") ||
		differs("elements", await page.value(`document.querySelectorAll("img, svg, iframe, #graph script").length`), 0) ||
		differs("scripts", await page.value(`document.scripts.length`), 2) || quiet(page);
}

/* If a name became markup, the policy would still block it. */
async function policyHolds(browser) {
	const page = await browser.open(url("evil.html"));

	await page.value(`(() => { const s = document.createElement("script"); s.textContent = "hacked = 5"; ` +
		`document.body.appendChild(s); document.body.insertAdjacentHTML("beforeend", ` +
		`"<img src=x onerror='hacked=6'><p style='color:red' onclick='hacked=7' id=bait>x</p>"); ` +
		`document.getElementById("bait").click(); return true; })()`);
	const fetched = await page.value(`fetch("http://127.0.0.1:9/").then(() => "sent", () => "refused")`);
	return differs("hacked", await page.value("typeof hacked"), "undefined") ||
		differs("fetch", fetched, "refused") ||
		differs("requests", page.requests.filter((r) => !r.startsWith("file:")), []);
}

async function largeIsBounded(browser) {
	const page = await browser.open(url("large.html"));
	const got = await page.value(`(() => { const d = JSON.parse(document.getElementById("data").textContent); ` +
		`let sum = 0; for (let i = 2; i < d.nodes.length; i += 3) sum += d.nodes[i]; ` +
		`return [d.nodes.length / 3, sum === d.totals[0], d.small_nodes, document.querySelectorAll("#graph *").length]; })()`);

	return got[0] < 50000 || got[0] > 60000 || !got[2] ? "nodes: " + got[0] + ", small: " + got[2]
		: !got[1] ? "samples are missing" : got[3] > 20000 ? "frames: " + got[3] : quiet(page);
}

/* Lines of opannotate's listing: number -> [samples, text], without the comments that it adds. */
function annotatedLines(name) {
	const listing = fs.readFileSync(path.join(folder, name), "utf8").split("\n");
	const lines = listing.map((l) => /^([ 0-9.]{15}):(.*)$/.exec(l)).filter((m) => m);

	return lines.map((m) => [Number(m[1].trim().split(/ +/)[0]), m[2].replace(/ ?\/\* .* total: .*\*\/$/, "")]);
}

/* The source of a function in the page: rows of number, samples, text, background. */
const panel = (name) => `(() => {
	const d = Array.from(document.querySelectorAll("#sources details"))
		.find((e) => e.querySelector(".name").textContent === ${JSON.stringify(name)});
	return { open: d.open, focus: document.activeElement === d.firstChild,
		 rows: Array.from(d.querySelectorAll(".code tr:not(.gap)")).slice(1).map((tr) => [
			Number(tr.cells[0].textContent), Number(tr.cells[1].textContent.replace(/,/g, "")),
			tr.cells[3].textContent, getComputedStyle(tr.cells[3]).backgroundColor]) };
})()`;

function panelDiffers(name, shown, lines) {
	const symbol = json("source.json").symbols.find((s) => s.name === name);
	const wanted = shown.rows.map((r) => [r[0], ...lines[r[0] - 1]]);
	const sum = shown.rows.reduce((n, r) => n + r[1], 0);
	const hot = shown.rows.filter((r) => r[1]), cold = shown.rows.filter((r) => !r[1]);

	return differs("lines of " + name, shown.rows.map((r) => r.slice(0, 3)), wanted) ||
		differs("samples of " + name, sum, symbol.samples[0]) ||
		(hot.length < 2 || !cold.length ? "lines: " + hot.length + ", others " + cold.length : undefined) ||
		differs("background of lines without samples", new Set(cold.map((r) => r[3])).size, 1) ||
		(hot.some((r) => r[3] === cold[0][3]) ? "a line with samples looks like one without" : undefined);
}

/* The source of the hottest function is open, another one opens from the table; as in opannotate. */
async function sourceWorks(browser) {
	const page = await browser.open(url("source.html"));
	const lines = annotatedLines("source.listing");
	const large = await page.value(panel("large"));

	await page.value(`document.querySelector("#table [aria-label='Source of small']").click()`);
	const small = await page.value(panel("small"));
	const reached = [].concat(large.rows, small.rows).filter((r) => r[1]).map((r) => r[0]);
	const wanted = lines.map((l, i) => l[0] ? i + 1 : 0).filter((i) => i);
	return differs("open", [large.open, small.open, small.focus], [true, true, true]) ||
		panelDiffers("large", large, lines) || panelDiffers("small", small, lines) ||
		differs("lines with samples", reached.sort((a, b) => a - b), wanted) || quiet(page);
}

/* --- in windows of all sizes --- */

const MAP = "std::map<std::string, int, std::less<std::string>, std::allocator<std::pair<std::string const, int> > >" +
	"::operator[](std::string const&)";
const WINDOWS = [[420, 860], [1400, 900], [2560, 1300]];

/* What is wider than the window, or than what it lies in. */
const TOO_WIDE = `(() => {
	const wide = Array.from(document.querySelectorAll("h1, #facts *, #controls *, #legend *, #path *, #box, #details, " +
		"#details *, #keys, .head *, #table, #table th, #table td, #table td *, #sources summary *, footer"))
		.filter((e) => !e.closest(".unseen, option, [hidden]") && e.getClientRects().length)
		.filter((e) => { const r = e.getBoundingClientRect(); return r.right > innerWidth || r.left < 0; });
	const scrolled = [document.documentElement, document.getElementById("box"), document.querySelector("#functions .scroll")]
		.filter((e) => e.scrollWidth > e.clientWidth);
	return wide.concat(scrolled).map((e) => e.tagName + "." + e.className + " " + e.textContent.slice(0, 30));
})()`;

/* A frame, whole within the window and the box that scrolls. */
const inSight = (e) => `(() => { const r = (${e}).getBoundingClientRect(), b = document.getElementById("box")` +
	`.getBoundingClientRect(); return r.top >= Math.max(0, b.top - 1) && r.bottom <= Math.min(innerHeight, b.bottom + 1); })()`;
const ROOT = `document.querySelector("#graph .f.root")`;
const DEEPEST = `Array.from(document.querySelectorAll("#graph .f")).reduce((a, e) => e.node.depth > a.node.depth ? e : a)`;

async function fits(browser, name) {
	for (const [width, height] of WINDOWS)
		for (const dark of [false, true]) {
			const page = await browser.open(url(name), { width, height, dark });
			const wrong = differs("too wide", await page.value(TOO_WIDE), []) ||
				differs("root in sight", await page.value(inSight(ROOT)), true) ||
				differs("nothing scrolled", await page.value("scrollY"), 0) || quiet(page);
			if (wrong)
				return name + ", " + width + " pixels: " + wrong;
		}
	return undefined;
}

/* Zooming to where a deep stack ends shows that frame; so does going back, and the other layout. */
async function deepIsInSight(browser) {
	for (const [width, height] of WINDOWS) {
		const page = await browser.open(url("wide.html"), { width, height });

		await page.value(`(${DEEPEST}).click()`);
		const zoomed = await page.value(
			inSight(`Array.from(document.querySelectorAll("#graph .f:not(.above)")).reduce((a, e) => e.node.depth > a.node.depth ? e : a)`));
		await page.value(`document.querySelector("#path button").click()`);
		const back = await page.value(inSight(ROOT));
		await page.send("Emulation.setDeviceMetricsOverride",
			{ width: width - 60, height: height - 150, deviceScaleFactor: 1, mobile: false });
		const resized = await page.becomes(`Math.abs(${ROOT}.getBoundingClientRect().width - document.getElementById("box").clientWidth) < 1 && ` +
			inSight(ROOT));
		await page.value(`document.querySelector("input[value=icicle]").click()`);
		const wrong = differs("in sight", [zoomed, back, resized, await page.value(inSight(ROOT))], [true, true, true, true]) ||
			differs("too wide", await page.value(TOO_WIDE), []) || quiet(page);
		if (wrong)
			return width + " pixels: " + wrong;
	}
	return undefined;
}

/* What Ctrl+C puts into the clipboard. */
const COPIED = `(() => { const d = new DataTransfer(); document.dispatchEvent(new ClipboardEvent("copy", ` +
	`{ clipboardData: d, bubbles: true, cancelable: true })); return d.getData("text/plain"); })()`;
const select = (from, to) => `(() => { const r = document.createRange(); r.setStartBefore(${from}); r.setEndAfter(${to}); ` +
	`const s = getSelection(); s.removeAllRanges(); s.addRange(r); })()`;

/* Brief in frames and in the table, whole when the pointer is there, and when copied. */
async function namesAreWhole(browser) {
	const page = await browser.open(url("wide.html"));
	const second = `Array.from(document.querySelectorAll("#graph .f")).find((e) => e.node.name === ${JSON.stringify(MAP)})`;
	const cell = `document.querySelector("#table [data-whole^='std::map']")`;
	const rows = `document.querySelector("#table tbody")`;

	await page.send("Input.dispatchMouseEvent", Object.assign({ type: "mouseMoved" },
		await middle(page, second).then(([x, y]) => ({ x, y }))));
	const hovered = [await page.value(second + ".title"), await page.value(text("details"))];
	await page.value(second + ".focus()");
	const frameCopied = await page.value(COPIED);
	await page.value(select(cell + ".firstChild", cell + ".firstChild"));
	const nameCopied = await page.value(COPIED);
	await page.value(select(rows + ".firstChild", rows + ".lastChild"));
	const rowsCopied = (await page.value(COPIED)).split("\n").map((r) => r.split("\t"));
	return differs("frame", await page.value(second + ".textContent"), "std::map<...>::operator[]") ||
		differs("cell", await page.value(`[${cell}.textContent, ${cell}.title]`), ["std::map<...>::operator[]", MAP]) ||
		(hovered.every((t) => t.includes(MAP)) ? undefined : "hovered: " + hovered) ||
		differs("frame copied", frameCopied, MAP) || differs("name copied", nameCopied, MAP) ||
		differs("rows copied", rowsCopied.map((r) => [r[0], r[4], r[5]]),
			[["90", MAP, "wide"], ["20", "long_name_".repeat(40), "wide"]]) || quiet(page);
}

/* Where a brief name has no room it loses its scopes, not its end. */
async function namesKeepTheirEnd(browser) {
	const narrow = { width: 240, height: 800 };
	const page = await browser.open(url("wide.html"), narrow), svg = await browser.open(url("wide.svg"), narrow);
	const cut = (of, selector) => of.value(`Array.from(document.querySelectorAll("${selector}"), (e) => e.textContent)
		.filter((t) => t.includes("map<") || t.includes("operator")).sort().filter((t, i, all) => t !== all[i - 1])`);

	return differs("page", await cut(page, "#graph .f"), ["map<...>::operator[]", "operator[]", "std::map<...>::operator[]"]) ||
		differs("svg", await cut(svg, ".f text"), ["operator[]", "std::map<...>::operator[]"]) || quiet(page) || quiet(svg);
}

async function titlesTell(browser) {
	const long = "long_name_".repeat(40), wanted = "wide <img src=x onerror=hacked=5> " + long.slice(0, 46) + "…";
	const page = await browser.open(url("wide.html")), svg = await browser.open(url("wide.svg"));

	return differs("page", await page.value(`[document.title, ${text("title")}, typeof hacked]`), [wanted + " (wide)", wanted + " (wide)", "undefined"]) ||
		differs("svg", await svg.value(`[document.querySelector("svg > title").textContent, typeof hacked]`), [wanted + " (wide)", "undefined"]);
}

/* The SVG by itself: frames as wide as the window, text of one size. As an image: as wide as its container. */
async function svgScales(browser) {
	for (const [width, height] of WINDOWS) {
		const page = await browser.open(url("wide.svg"), { width, height });
		const got = await page.value(`(() => { const root = document.querySelector(".f.root"), r = root.querySelector("rect").getBoundingClientRect();
			const t = root.querySelector("text").getBoundingClientRect();
			return [document.documentElement.scrollWidth <= innerWidth, Math.round(r.left), Math.round(r.right), t.height > 10 && t.height < 16,
				r.top >= 0 && r.bottom <= innerHeight,
				Array.from(document.querySelectorAll("text, input")).filter((e) => e.getBoundingClientRect().right > innerWidth).length]; })()`);
		const wrong = differs("fits", got, [true, 10, width - 10, true, true, 0]) || quiet(page);
		if (wrong)
			return width + " pixels: " + wrong;
	}
	const image = await browser.open(url("image.html"));
	const box = await image.value(`(() => { const r = document.querySelector("img").getBoundingClientRect(); return [r.width, r.height > 300]; })()`);
	return differs("as an image", box, [300, true]);
}

/* --- the picture --- */

/* Frames of two profiles: the change in points in the title, and the computed color. */
const CHANGES = `Array.from(document.querySelectorAll(".f:not(.root)")).map((g) => ({
	name: g.querySelector("title").textContent.split("\\n")[0],
	points: Number(/\\n([-+][0-9.]+) points/.exec(g.querySelector("title").textContent)[1]),
	fill: getComputedStyle(g.querySelector("rect")).fill.match(/[0-9.]+/g).slice(0, 3).map(Number),
}))`;

/* Red: larger share, blue: smaller, stronger with the change; gray: unchanged. */
function colourIsWrong(f) {
	const [r, g, b] = f.fill, spread = Math.max(r, g, b) - Math.min(r, g, b);

	return Math.abs(f.points) < 0.045 ? spread > 12
		: Math.abs(f.points) > 0.055 && (spread < 24 || Math.max(r, g, b) !== (f.points > 0 ? r : b));
}

function unordered(frames, strength) {
	const sorted = frames.slice().sort((x, y) => Math.abs(x.points) - Math.abs(y.points));

	return sorted.some((f, i) => i && strength(f) < strength(sorted[i - 1]));
}

async function svgColoursAre(browser, dark) {
	const page = await browser.open(url("diff.svg"), { dark });
	const frames = await page.value(CHANGES);
	const same = await (await browser.open(url("same.svg"), { dark })).value(CHANGES);
	const grown = frames.filter((f) => f.points > 0.05), shrunk = frames.filter((f) => f.points < -0.05);
	const told = (name) => (frames.find((f) => f.name === name) || {}).points;

	return differs("frames that changed", [frames.length > 20, same.length > 20, same.filter((f) => f.points)],
		       [true, true, []]) ||
		differs("points", [told("hot_loop"), told("geo::Disc::area()")], [18.04, -11.76]) ||
		(new Set(grown.concat(shrunk).map((f) => String(f.fill))).size < 4
			? "too few kinds: " + JSON.stringify(frames) : undefined) ||
		differs("wrong colours", frames.concat(same).filter(colourIsWrong), []) ||
		differs("stronger, but less so", [unordered(grown, (f) => f.fill[0] - f.fill[2]),
						  unordered(shrunk, (f) => f.fill[2] - f.fill[0])], [false, false]) || quiet(page);
}

async function svgWorks(browser) {
	const page = await browser.open(url("stacks.svg"));
	const of = (name) => `Array.from(document.querySelectorAll(".f")).find((g) => ` +
		`g.querySelector("title").textContent.startsWith(${JSON.stringify(name)}))`;
	const width = (name) => `Number(${of(name)}.querySelector("rect").getAttribute("width"))`;

	await page.click(...await middle(page, of("helper") + `.querySelector("rect")`));
	const drawn = Number(fs.readFileSync(path.join(folder, "stacks.svg"), "utf8")
		.match(/<title>helper\n[^]*?<rect x="[^"]*" y="[^"]*" width="([^"]*)"/)[1]);
	const zoomed = await page.value(width("helper"));
	const away = await page.value(`${of("do_idle")}.classList.contains("away")`);
	await page.value(`document.querySelector("button").click()`);
	const reset = await page.value(width("helper"));
	await page.value(`(() => { const i = document.querySelector("input"); i.value = "lib_f"; i.dispatchEvent(new Event("input")); })()`);
	return differs("zoom", [zoomed, away], [1380, true]) ||
		differs("reset", reset, Number((drawn * 1380 / 1180).toFixed(2))) ||
		differs("found", await page.value(`document.querySelectorAll(".hit").length`), 3) || quiet(page);
}

async function evilSvgIsText(browser) {
	const page = await browser.open(url("evil.svg"));

	return differs("hacked", await page.value("typeof hacked"), "undefined") ||
		differs("scripts", await page.value(`document.querySelectorAll("script").length`), 1) || quiet(page);
}

/* --- the time axis --- */

const shown = `Array.from(document.querySelectorAll("#table tbody tr")).map((tr) => ` +
	`[tr.cells[4].firstChild.title, tr.cells[0].textContent, tr.cells[2].textContent]).sort()`;
const range = text("time-range");

/* A part that is selected has the samples of a page of that time alone. */
async function timeIsSelected(browser) {
	const page = await browser.open(url("times.html"));
	const alone = await browser.open(url("minutes.html"));
	const whole = await page.value(total), before = await page.value(shown);

	await page.value(set("time-from", "6", "input"));
	await page.value(set("time-to", "8", "input"));
	const wrong = differs("the whole time", whole, [1650]) ||
		differs("range", await page.value(range), "23:04:00 to 23:06:00 UTC") ||
		differs("functions", await page.value(shown), await alone.value(shown)) ||
		differs("total", await page.value(total), await alone.value(total)) ||
		differs("total", await page.value(total), [230]);
	await page.value(`document.getElementById("time-all").click()`);
	return wrong || differs("whole again", await page.value(shown), before) || quiet(page);
}

/* Bars are as high as there are samples; those without history are marked. */
async function barsAreDrawn(browser) {
	const page = await browser.open(url("times.html"));
	const bars = await page.value(`Array.from(document.querySelectorAll("#time-bars i"), (e) => ` +
		`e.classList.contains("none") ? -1 : Math.round(1.9 * parseFloat(e.firstChild.style.height)))`);

	return differs("bars", bars, [100, 100, 100, -1, -1, -1, 110, 120, 130, 140, 150, 160, 170, 180, 190]);
}

/* opserve's page asks for another time, and for one to compare it with, and says which it shows. */
async function rangesAreAsked(browser) {
	const fields = `["range", "since", "until", "before"].map((name, i) => i ? ` +
		`document.getElementById("range-" + name).value : document.getElementById(name).hidden)`;
	const page = await browser.open(url("served.html?since=-2h"));
	const wrong = differs("fields", await page.value(fields), [false, "-2h", "", ""]) ||
		differs("of a file", (await (await browser.open(url("times.html"))).value(fields))[0], true);

	await page.value(`document.getElementById("range-before").focus()`);
	await page.type("-26h..-24h");
	const again = new Promise((resolve, reject) => {
		page.loaded = resolve;
		setTimeout(() => reject(new Error("no other page")), 60000).unref();
	});
	await page.key("Enter");
	await again;
	return wrong || differs("fields", await page.value(fields), [false, "-2h", "", "-26h..-24h"]) ||
		differs("requests and complaints", [page.requests, page.complaints],
			[[url("served.html?since=-2h&before=-26h..-24h")], []]);
}

async function timeByMouseAndKeys(browser) {
	const page = await browser.open(url("times.html"));

	await page.click(...await middle(page, `document.querySelectorAll("#time-bars i")[1]`));
	const clicked = await page.value(range), part = await page.value(total);
	await page.value(`document.getElementById("time-to").focus()`);
	await page.key("ArrowRight", "ArrowRight");
	return differs("clicked", [clicked, part], ["22:59:00 to 23:00:00 UTC", [100]]) ||
		differs("by keys", [await page.value(range), await page.value(total)],
			["22:59:00 to 23:01:00 UTC", [200]]) ||
		differs("in words", await page.value(`document.activeElement.getAttribute("aria-valuetext")`), "23:01:00") ||
		differs("without a history", await (await browser.open(url("stacks.html")))
			.value(`document.getElementById("time").hidden`), true) || quiet(page);
}

/* The same 15 minutes as cells, three in a column; a cell and a range have the samples of their time. */
async function heatMapIsSelected(browser) {
	const page = await browser.open(url("heat.html"));
	const cells = `document.querySelectorAll("#time-bars i")`;
	const places = await page.value(`Array.from(${cells}, (e) => e.getBoundingClientRect()).map((r) => ` +
		`[Math.round(r.left), Math.round(r.top)])`);
	const heat = await page.value(`Array.from(${cells}, (e) => e.classList.contains("none") ? -1 : ` +
		`Math.round(190 * (e.firstChild.style.opacity - 0.06) / 0.94))`);
	const columns = new Set(places.map((p) => p[0])).size, rows = new Set(places.map((p) => p[1])).size;

	await page.click(...await middle(page, `${cells}[7]`));
	const clicked = [await page.value(range), await page.value(total)];
	await page.value(set("time-to", "9", "input"));
	return differs("heat", heat, [100, 100, 100, -1, -1, -1, 110, 120, 130, 140, 150, 160, 170, 180, 190]) ||
		differs("columns and rows", [columns, rows], [5, 3]) ||
		differs("column by column", [places[0][0] === places[2][0], places[1][1] === places[4][1]], [true, true]) ||
		differs("clicked", clicked, ["23:05:00 to 23:06:00 UTC", [120]]) ||
		differs("range", [await page.value(range), await page.value(total)],
			["23:05:00 to 23:07:00 UTC", [250]]) || quiet(page);
}

(async () => {
	const browser = await chromium.start();

	await checkPage(browser);
	await check("two profiles: colours and widths", () => diffWorks(browser));
	await check("no stacks: images and functions", () => flatWorks(browser));
	await check("by control group", () => controlGroupsWork(browser));
	await check("hostile names are text", () => evilIsText(browser));
	await check("the policy lets nothing else run", () => policyHolds(browser));
	await check("a large tree is bounded, its samples are all there", () => largeIsBounded(browser));
	await check("source: lines and samples are opannotate's", () => sourceWorks(browser));
	await check("the window: nothing is too wide, the outermost frame is in sight", async () =>
		await fits(browser, "wide.html") || await fits(browser, "stacks.html") || await fits(browser, "evil.html") ||
		await fits(browser, "diff.html") || await fits(browser, "source.html") ||
		await fits(browser, "times.html") || await fits(browser, "heat.html") || fits(browser, "large.html"));
	await check("the window: what was zoomed to is in sight", () => deepIsInSight(browser));
	await check("names: brief, whole when hovered and copied", () => namesAreWhole(browser));
	await check("names: without scopes where they have no room", () => namesKeepTheirEnd(browser));
	await check("titles: the command", () => titlesTell(browser));
	await check("time: a part has the samples of its own page", () => timeIsSelected(browser));
	await check("time: bars", () => barsAreDrawn(browser));
	await check("time: heat map", () => heatMapIsSelected(browser));
	await check("time: mouse and keys", () => timeByMouseAndKeys(browser));
	await check("time: another is asked for, and one to compare with", () => rangesAreAsked(browser));
	await check("SVG: scales with the window and as an image", () => svgScales(browser));
	await check("SVG: colours of two profiles, light and dark", async () =>
		await svgColoursAre(browser, false) || svgColoursAre(browser, true));
	await check("SVG: zoom and search", () => svgWorks(browser));
	await check("SVG: hostile names are text", () => evilSvgIsText(browser));
	await browser.stop();
	console.log("1.." + number);
	process.exit(failed);
})().catch((e) => {
	console.log("# " + e.stack);
	console.log("not ok " + (number + 1) + " - the browser runs");
	process.exit(1);
});
