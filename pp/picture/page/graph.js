/*
 * graph.js - search and zoom in the SVG flame graph
 *
 * The graph is complete without it. Names are read from the frames' titles and become only text.
 */
"use strict";
(function () {

var SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
var LEFT = 10, WIDTH = 1180, CHAR = 6.7;
var svg = document.documentElement;
var group = document.getElementById("frames");
var details = document.getElementById("details");
var frames = Array.prototype.map.call(group.querySelectorAll(".f"), function (g) {
	var rect = g.querySelector("rect"), lines = g.querySelector("title").textContent.split("\n");
	return {
		g: g, rect: rect, text: g.querySelector("text"), name: lines[0], description: lines.join("   "),
		x: Number(rect.getAttribute("x")), y: Number(rect.getAttribute("y")),
		width: Number(rect.getAttribute("width"))
	};
});
var zoomed = frames[0], focused = frames[0];

/* As much of the name as fits. */
function label(frame, width) {
	var room = Math.floor((width - 6) / CHAR), chars = Array.from(frame.name);
	if (chars.length <= room)
		return frame.name;
	return room < 3 ? "" : chars.slice(0, room - 1).join("") + "…";
}

function place(frame, x, width) {
	frame.rect.setAttribute("x", x.toFixed(2));
	frame.rect.setAttribute("width", Math.max(width, 0.1).toFixed(2));
	frame.text.setAttribute("x", (x + 3).toFixed(2));
	frame.text.textContent = label(frame, width);
}

function isWithin(frame, outer) {
	return frame.x >= outer.x - 0.01 && frame.x + frame.width <= outer.x + outer.width + 0.6;
}

function zoom(to) {
	var scale = WIDTH / to.width;
	zoomed = to;
	frames.forEach(function (f) {
		var above = f.y > to.y && isWithin(to, f);
		var away = !above && (f.y > to.y || !isWithin(f, to));
		f.g.classList.toggle("away", away);
		f.g.classList.toggle("above", above && f !== to);
		if (above || f === to)
			place(f, LEFT, WIDTH);
		else if (!away)
			place(f, LEFT + (f.x - to.x) * scale, f.width * scale - 0.3);
	});
	if (to === frames[0])
		frames.forEach(function (f) { place(f, f.x, f.width); });
	reset.style.visibility = to === frames[0] ? "hidden" : "visible";
}

function search(text) {
	text = text.trim().toLowerCase();
	svg.classList.toggle("searched", text !== "");
	frames.forEach(function (f) {
		f.g.classList.toggle("hit", text !== "" && f.description.toLowerCase().indexOf(text) >= 0);
	});
}

function focus(frame) {
	focused.g.setAttribute("tabindex", "-1");
	focused = frame;
	frame.g.setAttribute("tabindex", "0");
	frame.g.focus();
}

/* The nearest visible frame in the direction of the key. */
function next(key) {
	var seen = frames.filter(function (f) { return !f.g.classList.contains("away"); });
	if (key === "ArrowUp")
		return seen.find(function (f) { return f.y < focused.y && f.y >= focused.y - 19 && isWithin(f, focused); });
	if (key === "ArrowDown")
		return seen.find(function (f) { return f.y > focused.y && f.y <= focused.y + 19 && isWithin(focused, f); });
	seen = seen.filter(function (f) { return f.y === focused.y; });
	return seen[seen.indexOf(focused) + (key === "ArrowRight" ? 1 : -1)];
}

function html(tag, x, y, width) {
	var box = document.createElementNS(SVG, "foreignObject"), e = document.createElementNS(HTML, tag);
	box.setAttribute("x", x);
	box.setAttribute("y", y);
	box.setAttribute("width", width);
	box.setAttribute("height", 28);
	box.appendChild(e);
	svg.appendChild(box);
	return e;
}

var input = html("input", 950, 10, 240), reset = html("button", 850, 10, 95);
input.setAttribute("type", "search");
input.setAttribute("placeholder", "Search");
input.setAttribute("aria-label", "Search functions and images");
input.style.width = "222px";
input.addEventListener("input", function () { search(input.value); });
reset.setAttribute("type", "button");
reset.textContent = "Reset zoom";
reset.style.visibility = "hidden";
reset.addEventListener("click", function () { zoom(frames[0]); });

group.setAttribute("role", "tree");
group.setAttribute("aria-label", "Flame graph");
frames.forEach(function (f) {
	f.g.setAttribute("role", "treeitem");
	f.g.setAttribute("tabindex", f === focused ? "0" : "-1");
	f.g.setAttribute("aria-label", f.description);
	f.g.addEventListener("click", function () { zoom(f); });
	f.g.addEventListener("mouseenter", function () { details.textContent = f.description; });
	f.g.addEventListener("mouseleave", function () { details.textContent = ""; });
	f.g.addEventListener("focus", function () { details.textContent = f.description; });
	f.g.addEventListener("keydown", function (e) {
		var to;
		if (e.key === "Enter" || e.key === " ")
			zoom(f);
		else if (e.key === "Escape")
			zoom(frames[0]);
		else if (e.key.indexOf("Arrow") === 0)
			to = next(e.key);
		else
			return;
		e.preventDefault();
		if (to)
			focus(to);
	});
});
document.addEventListener("keydown", function (e) {
	if (e.key === "/" && e.target !== input) {
		e.preventDefault();
		input.focus();
	}
});

})();
