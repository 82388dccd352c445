// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * speedscope-page.js - what speedscope's page shows of a file, whatever its format
 *
 *	node speedscope-page.js PACKAGE FILE...
 *
 * For each file a line "FILE: TITLE", then a line "SELF TOTAL NAME" for each function of the first
 * profile, as the page's table has them. PACKAGE is the folder that "fetch npm speedscope@..." prints.
 */
"use strict";

const fs = require("fs");
const path = require("path");
const chromium = require("./chromium.js");

/* Rows of the table, of which the page holds no more than fit: so its window is a high one. */
const ROWS = `Array.from(document.querySelectorAll("tr"), (tr) => Array.from(tr.children, (td) => td.textContent))`;

async function show(browser, index, file, folder) {
	const script = path.join(folder, "profile.js");

	fs.writeFileSync(script, "speedscope.loadFileFromBase64(" + JSON.stringify(path.basename(file)) +
		", " + JSON.stringify(fs.readFileSync(file).toString("base64")) + ")");
	const page = await browser.open("file://" + index + "#localProfilePath=" + script, { height: 4000 });
	if (!await page.becomes(`document.title.endsWith(" - speedscope")`))
		throw new Error(file + ": not shown: " + await page.value("document.body.innerText"));
	console.log(path.basename(file) + ": " + (await page.value("document.title")).replace(/ - speedscope$/, ""));
	await page.key("3", "Digit3", "3");
	if (!await page.becomes(ROWS + ".length > 1"))
		throw new Error(file + ": no table");
	for (const [total, self, name] of (await page.value(ROWS)).slice(1))
		console.log(parseFloat(self.replace(/,/g, "")) + " " + parseFloat(total.replace(/,/g, "")) + " " + name);
	for (const complaint of page.complaints)
		throw new Error(file + ": " + complaint);
}

(async () => {
	const [pack, ...files] = process.argv.slice(2);
	const browser = await chromium.start();

	for (const file of files)
		await show(browser, path.resolve(pack, "dist/release/index.html"), path.resolve(file), browser.folder);
	await browser.stop();
})().catch((e) => {
	console.error(e.message);
	process.exit(1);
});
