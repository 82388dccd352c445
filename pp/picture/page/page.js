/*
 * page.js - the page of opreport --html in a browser
 *
 * Names in the data come from binaries and are hostile input: they become only text nodes and
 * attribute values, never markup. The page makes no requests and stores nothing.
 *
 *	data -> tree of the selection (buildTree) -> frames (drawGraph), table (drawTable)
 */
(function () {

var data = JSON.parse(document.getElementById("data").textContent);

/* --- the data, unpacked: doc/pictures.md, "The page's data" --- */

var KIND = { IMAGE: 4, END: 5, SMALL: 6 };
var nrClasses = data.classes.length;
var nrValues = data.totals.length;		/* class c of profile p: p * nrClasses + c */
var isDiff = data.profiles === 2;
var nodeSize = 2 + nrValues;
var rowSize = 2 + 2 * nrValues;

function imageShown(i) { return i < 0 ? "" : data.images[2 * i]; }
function imageFull(i) { return i < 0 ? "" : data.images[2 * i + 1]; }

function hash(text) {
	var h = 0;
	for (var i = 0; i < text.length; i++)
		h = (h * 31 + text.charCodeAt(i)) | 0;
	return h >>> 0;
}

var symbols = [];
for (var i = 0; i < data.symbols.length; i += 3)
	symbols.push({
		name: data.symbols[i], image: data.symbols[i + 1], kind: data.symbols[i + 2],
		brief: data.brief_names[i / 3] || data.symbols[i],
		shade: hash(data.symbols[i] + imageFull(data.symbols[i + 1])) % 6
	});

var groups = [];
for (i = 0; i < data.groups.length; i += 3)
	groups.push({ app: data.groups[i], cgroup: data.groups[i + 1], small: !!data.groups[i + 2] });

function appName(app) { return app < 0 ? "[no application]" : imageShown(app); }
function cgroupName(cgroup) { return cgroup || "[no control group]"; }

/* --- selection --- */

var state = {
	event: 0,		/* class */
	process: "",		/* "", "app:N", "cgroup:N" */
	split: "",		/* "", "app", "cgroup" */
	profile: data.profiles - 1,	/* whose samples determine widths */
	layout: "flame",
	search: "",
	zoom: null, focus: null,	/* nodes of the tree */
	sort: { column: "self", down: true },
	shownRows: 50,
	from: 0, to: data.time ? data.time.covered_ms.length : 0	/* periods, the last one not included */
};

function value() { return state.profile * nrClasses + state.event; }
function valueOf(profile) { return profile * nrClasses + state.event; }

var cgroups = [];
groups.forEach(function (g) {
	if (g.cgroup && cgroups.indexOf(g.cgroup) < 0)
		cgroups.push(g.cgroup);
});

function isSelected(g) {
	if (!state.process)
		return true;
	var n = Number(state.process.split(":")[1]);
	if (state.process.indexOf("app:") === 0)
		return g.app === n && !g.small;
	return g.cgroup === cgroups[n];
}

/* --- formatting --- */

function samples(n) { return count(n) + (n === 1 ? " sample" : " samples"); }

function count(n) { return n.toLocaleString("en-US"); }

function percent(part, total) {
	var p = total ? 100 * part / total : 0;
	if (part && p < 0.01)
		return "< 0.01 %";
	if (part < total && p > 99.99)
		return "> 99.99 %";
	return p.toFixed(2) + " %";
}

function points(change) {
	return (change > 0 ? "+" : change < 0 ? "−" : "") + Math.abs(change).toFixed(2);
}

function element(tag, className, text) {
	var e = document.createElement(tag);
	if (className)
		e.className = className;
	if (text !== undefined)
		e.textContent = text;
	return e;
}

function byId(id) { return document.getElementById(id); }

function clear(e) {
	while (e.firstChild)
		e.removeChild(e.firstChild);
}

/* --- the tree --- */

var tree = null;	/* its root */
var treeNodes = [];	/* parents first */

function newNode(parent, symbol, name, kind) {
	var node = {
		parent: parent, symbol: symbol, name: name, kind: kind, id: treeNodes.length,
		brief: symbol < 0 ? name : symbols[symbol].brief,
		self: new Array(nrValues).fill(0), all: null, children: [],
		depth: parent ? parent.depth + 1 : 0, cgroup: ""
	};
	treeNodes.push(node);
	if (parent)
		parent.children.push(node);
	return node;
}

/* The node that has the samples of group @g below it. */
function rootOf(g, known) {
	var key, node;
	if (!state.split)
		return tree;
	key = g.small ? "[others]" : state.split === "app" ? appName(g.app) + "\n" + g.app
	    : cgroupName(g.cgroup);
	node = known.get(key);
	if (!node) {
		node = newNode(tree, -1, key.split("\n")[0], -1);
		known.set(key, node);
	}
	return node;
}

/* Is only a part of the time selected? */
function isPart() { return !!data.time && state.to - state.from < data.time.covered_ms.length; }

/* Call @add with the node, class, period and number of all samples of the selected time. */
function eachTime(add) {
	var times = data.time.samples;
	for (var i = 0; i < times.length; i += 4)
		if (times[i + 2] >= state.from && times[i + 2] < state.to)
			add(times[i], times[i + 1], times[i + 2], times[i + 3]);
}

/* The data's nodes, with samples of the selected time only. A page with a time has one profile. */
function selectedNodes() {
	var nodes = data.nodes;
	if (!isPart())
		return nodes;
	nodes = nodes.map(function (n, i) { return i % nodeSize < 2 ? n : 0; });
	eachTime(function (node, c, period, n) { nodes[node * nodeSize + 2 + c] += n; });
	return nodes;
}

/* Merge nodes of the data that are the same function with the same callers. */
function buildTree() {
	var nodes = selectedNodes(), nr = nodes.length / nodeSize, at = new Array(nr);
	var known = new Map(), roots = new Map();

	treeNodes = [];
	tree = newNode(null, -1, "all", -1);
	for (var i = 0; i < nr; i++) {
		var base = i * nodeSize, parent = nodes[base], symbol = nodes[base + 1], node;

		if (parent < 0) {
			node = isSelected(groups[symbol]) ? rootOf(groups[symbol], roots) : null;
		} else if (!at[parent]) {
			node = null;
		} else {
			var key = at[parent].id * symbols.length + symbol;

			node = known.get(key);
			if (!node) {
				node = newNode(at[parent], symbol, symbols[symbol].name,
					       symbols[symbol].kind);
				known.set(key, node);
			}
		}
		at[i] = node;
		for (var v = 0; node && v < nrValues; v++)
			node.self[v] += nodes[base + 2 + v];
	}
	sumTree();
}

function sumTree() {
	var i, v;
	treeNodes.forEach(function (n) { n.all = n.self.slice(); });
	for (i = treeNodes.length - 1; i > 0; i--)
		for (v = 0; v < nrValues; v++)
			treeNodes[i].parent.all[v] += treeNodes[i].all[v];
	sortTree();
}

function sortTree() {
	var v = value();
	treeNodes.forEach(function (n) {
		n.children.sort(function (a, b) {
			return (a.kind === KIND.SMALL) - (b.kind === KIND.SMALL) ||
			       b.all[v] - a.all[v] || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
		});
	});
}

/* The node at the path of @old in the current tree, or the last existing one on that path. */
function sameNode(old) {
	var way = [], node = tree;
	for (; old && old.parent; old = old.parent)
		way.push(old);
	while (way.length) {
		var wanted = way.pop();
		var next = node.children.find(function (c) {
			return c.symbol === wanted.symbol && c.name === wanted.name;
		});
		if (!next)
			break;
		node = next;
	}
	return node;
}

/* Share in the second profile minus that in the first, in points. */
function change(all) {
	var first = valueOf(0), second = valueOf(1);
	return (tree.all[second] ? 100 * all[second] / tree.all[second] : 0) -
	       (tree.all[first] ? 100 * all[first] / tree.all[first] : 0);
}

/* --- search --- */

function matchesText(name, brief, image) {
	return name.toLowerCase().indexOf(state.search) >= 0 ||
	       brief.toLowerCase().indexOf(state.search) >= 0 ||
	       imageFull(image).toLowerCase().indexOf(state.search) >= 0;
}

function matches(node) {
	return node.parent !== null && node.kind !== KIND.SMALL &&
	       matchesText(node.name, node.brief, node.symbol < 0 ? -1 : symbols[node.symbol].image);
}

/* Samples of all matching frames, without those that are below another match. */
function searchResult() {
	var sum = 0, names = new Set(), v = value(), stack = [[tree, false]];
	while (stack.length) {
		var top = stack.pop(), node = top[0], hit = matches(node);

		if (hit && !top[1])
			sum += node.all[v];
		if (hit && node.all[v])
			names.add(node.symbol < 0 ? node.name : node.symbol);
		node.children.forEach(function (c) { stack.push([c, top[1] || hit]); });
	}
	return { samples: sum, names: names.size };
}

function showFound() {
	var result;
	byId("graph").classList.toggle("dimmed", !!state.search);
	if (!state.search) {
		byId("found").textContent = "";
		return;
	}
	result = searchResult();
	byId("found").textContent = count(result.names) + (result.names === 1 ? " match, " : " matches, ") +
		samples(result.samples) + ", " + percent(result.samples, tree.all[value()]);
}

/* --- the graph --- */

var ROW = 20, NARROW = 1, THIN = 14, MARGIN = 8, CHAR = 7.3, PADDING = 9;	/* pixels */
var LEAST_ROWS = 12;
var frames = new Map();			/* of a node: its element */

function frameClass(node) {
	var steps = [0.05, 0.5, 2, 8], c, step;
	if (isDiff && node.parent) {
		c = change(node.all);
		step = steps.filter(function (s) { return Math.abs(c) >= s; }).length;
		return "f " + (c < 0 ? "less" : "more") + step;
	}
	if (node.symbol < 0)
		return "f root";
	return "f k" + node.kind + " s" + symbols[node.symbol].shade;
}

function describe(node, name) {
	var v = value(), text = name;
	var image = node.symbol < 0 ? "" : imageShown(symbols[node.symbol].image);
	if (image && image !== name)
		text += ", in " + image;
	text += ", " + samples(node.all[v]) + ", " + percent(node.all[v], tree.all[v]);
	if (node.self[v] && node.self[v] !== node.all[v])
		text += ", self " + count(node.self[v]);
	if (isDiff)
		text += ", " + points(change(node.all)) + " points";
	return text;
}

function label(node, width) {
	return width < THIN ? "" : leaveScopes(node.brief, Math.floor((width - PADDING) / CHAR));
}

function addFrame(into, node, x, width, siblings, place) {
	var e = element("div", frameClass(node), label(node, width));

	e.setAttribute("role", "treeitem");
	e.setAttribute("aria-level", String(node.depth + 1));
	e.setAttribute("aria-setsize", String(siblings));
	e.setAttribute("aria-posinset", String(place));
	e.setAttribute("aria-label", describe(node, node.brief));
	if (node.children.length)
		e.setAttribute("aria-expanded", "true");
	e.tabIndex = -1;
	e.style.left = x + "px";
	e.style.width = width + "px";
	if (width < THIN)
		e.classList.add("thin");
	if (state.search && matches(node))
		e.classList.add("hit");
	e.node = node;
	frames.set(node, e);
	into.appendChild(e);
	return e;
}

function addRest(into, x, width, depth, rows) {
	var e = element("div", "rest");
	e.style.left = x + "px";
	e.style.width = Math.max(width, 0.5) + "px";
	e.setAttribute("aria-hidden", "true");
	rows.push([e, depth]);
	into.appendChild(e);
}

/* Frames below the one zoomed to; those narrower than a pixel become one gray strip. */
function addFrames(into, width, rows) {
	var v = value(), stack = [[state.zoom, 0, width]];
	while (stack.length) {
		var top = stack.pop(), node = top[0], x = top[1], rest = 0, place = 0;
		var scale = node.all[v] ? top[2] / node.all[v] : 0;

		node.children.forEach(function (c) {
			var w = c.all[v] * scale;
			place++;
			if (w < NARROW) {
				rest += w;
				return;
			}
			rows.push([addFrame(into, c, x, w, node.children.length, place), c.depth]);
			stack.push([c, x, w]);
			x += w;
		});
		if (rest >= 0.3)
			addRest(into, x, rest, node.depth + 1, rows);
	}
}

/* As high as fits into the window, with what is above it and the line of details. */
function fitBox() {
	var box = byId("box"), below = byId("details").offsetHeight + 2 * MARGIN;
	var room = window.innerHeight - below - (box.getBoundingClientRect().top + window.scrollY);
	var most = window.innerHeight - below - byId("controls").offsetHeight;
	box.style.maxHeight = Math.max(room, Math.min(most, LEAST_ROWS * ROW)) + "px";
}

/* Scroll to the frame zoomed to, with some of its callers, and to the outermost one at first. */
function showZoomed() {
	var box = byId("box"), top = frames.get(state.zoom).offsetTop, callers = ROW * Math.min(state.zoom.depth, 3);
	box.scrollTop = state.layout === "flame" ? top + ROW + callers - box.clientHeight : top - callers;
}

function drawGraph() {
	var width = byId("graph").clientWidth;
	drawFrames();
	if (byId("graph").clientWidth !== width)	/* there is a scroll bar now, or no longer */
		drawFrames();
}

function drawFrames() {
	var graph = byId("graph"), width = graph.clientWidth || 1000;
	var into = document.createDocumentFragment(), rows = [], node, deepest = 0;

	frames.clear();
	for (node = state.zoom; node; node = node.parent) {
		var e = addFrame(into, node, 0, width, 1, 1);
		if (node !== state.zoom)
			e.classList.add("above");
		rows.push([e, node.depth]);
	}
	addFrames(into, width, rows);
	rows.forEach(function (r) { deepest = Math.max(deepest, r[1]); });
	rows.forEach(function (r) {
		r[0].style.top = ROW * (state.layout === "flame" ? deepest - r[1] : r[1]) + "px";
	});
	clear(graph);
	graph.style.height = ROW * (deepest + 1) + "px";
	graph.appendChild(into);
	if (!frames.has(state.focus))
		state.focus = state.zoom;
	frames.get(state.focus).tabIndex = 0;
	drawPath();
	showDetails(state.focus);
	showFound();
}

function drawPath() {
	var path = byId("path"), way = [], node;
	clear(path);
	if (state.zoom === tree)
		return;
	for (node = state.zoom; node; node = node.parent)
		way.unshift(node);
	way.slice(0, 1).concat(way.slice(1).slice(-8)).forEach(function (n) {
		var b = element("button", "", n === tree ? "Reset zoom" : n.brief);
		b.type = "button";
		b.title = n.name;
		b.addEventListener("click", function () { zoomTo(n); });
		if (n === state.zoom)
			b.setAttribute("aria-current", "true");
		path.appendChild(b);
	});
}

function showDetails(node) {
	var to = byId("details"), v = value(), numbers = element("p"), image;
	clear(to);
	if (!node)
		return;
	image = node.symbol < 0 ? "" : imageFull(symbols[node.symbol].image);
	numbers.appendChild(element("b", "", node.brief));
	numbers.appendChild(element("span", "", samples(node.all[v]) + ", " +
				    percent(node.all[v], tree.all[v])));
	if (node.self[v])
		numbers.appendChild(element("span", "", "self " + count(node.self[v]) + ", " +
					    percent(node.self[v], tree.all[v])));
	if (isDiff)
		numbers.appendChild(element("span", "", percent(node.all[valueOf(0)], tree.all[valueOf(0)]) +
					    " → " + percent(node.all[valueOf(1)], tree.all[valueOf(1)]) + " (" +
					    points(change(node.all)) + " points)"));
	if (image)
		numbers.appendChild(element("span", "", image));
	to.appendChild(numbers);
	if (node.brief !== node.name)
		to.appendChild(element("p", "", node.name));
}

function zoomTo(node) {
	var had = byId("graph").contains(document.activeElement) ||
		  byId("path").contains(document.activeElement);
	state.zoom = node;
	state.focus = node;
	drawGraph();
	showZoomed();
	if (had)
		frames.get(node).focus({ preventScroll: true });
}

function focusOn(node) {
	var old = frames.get(state.focus), e = frames.get(node);
	if (!e)
		return;
	if (old)
		old.tabIndex = -1;
	state.focus = node;
	e.tabIndex = 0;
	e.focus();
}

/* The nearest sibling in that direction that has a frame, or null. */
function beside(node, step) {
	var siblings, i;
	if (!node.parent || node === state.zoom)
		return null;
	siblings = node.parent.children;
	for (i = siblings.indexOf(node) + step; i >= 0 && i < siblings.length; i += step)
		if (frames.has(siblings[i]))
			return siblings[i];
	return null;
}

function inwards(node) {
	return node.children.find(function (c) { return frames.has(c); }) || null;
}

function onGraphKey(event) {
	var e = event.target, node = e.node, to;
	var upIsIn = state.layout === "flame";
	if (!node || event.ctrlKey || event.altKey || event.metaKey)
		return;
	switch (event.key) {
	case "ArrowUp": to = upIsIn ? inwards(node) : node.parent; break;
	case "ArrowDown": to = upIsIn ? node.parent : inwards(node); break;
	case "ArrowLeft": to = beside(node, -1); break;
	case "ArrowRight": to = beside(node, 1); break;
	case "Home": to = tree; break;
	case "Enter": case " ": zoomTo(node); event.preventDefault(); return;
	case "Escape": case "Backspace":
		zoomTo(state.zoom.parent || tree);
		event.preventDefault();
		return;
	default: return;
	}
	event.preventDefault();
	if (to)
		focusOn(to);
}

/* --- the table --- */

var columns = [];

function makeColumns() {
	function number(key, title, of, show) {
		columns.push({ key: key, title: title, of: of, show: show, number: true });
	}
	function of(row, k, profile) { return row.counts[k * nrValues + valueOf(profile)]; }
	function share(k, profile) {
		return function (row) {
			var total = tree.all[valueOf(profile)];
			return total ? of(row, k, profile) / total : 0;
		};
	}
	var last = data.profiles - 1;

	number("self", data.stacks ? "Self" : "Samples", function (r) { return of(r, 0, last); }, count);
	number("selfshare", data.stacks ? "Self %" : "%", share(0, last), "share");
	if (data.stacks) {
		number("all", "Total", function (r) { return of(r, 1, last); }, count);
		number("allshare", "Total %", share(1, last), "share");
	}
	if (isDiff) {
		number("before", "Before %", share(0, 0), "share");
		number("change", "Change", function (r) {
			return 100 * (share(0, 1)(r) - share(0, 0)(r));
		}, "points");
	}
	columns.push({ key: "name", title: "Function", of: function (r) { return r.brief; } });
	columns.push({ key: "image", title: "Image", of: function (r) { return imageShown(r.image); } });
}

function newRow(symbol) {
	return { symbol: symbol, name: symbols[symbol].name, brief: symbols[symbol].brief,
		 image: symbols[symbol].image, counts: new Array(2 * nrValues).fill(0) };
}

/* The rows of a part of the time are those of the frames. A sample goes through a function once. */
function addPartRows(rows) {
	treeNodes.forEach(function (node) {
		var row, above = node.parent;
		if (node.symbol < 0 || node.kind === KIND.SMALL || node.kind === KIND.IMAGE)
			return;
		row = rows.get(node.symbol);
		if (!row) {
			row = newRow(node.symbol);
			rows.set(node.symbol, row);
		}
		while (above && above.symbol !== node.symbol)
			above = above.parent;
		for (var v = 0; v < nrValues; v++) {
			row.counts[v] += node.self[v];
			row.counts[nrValues + v] += above ? 0 : node.all[v];
		}
	});
}

/* The rows of all selected processes, each function once. */
function tableRows() {
	var rows = new Map(), all = isPart() ? [] : data.rows;
	if (isPart())
		addPartRows(rows);
	for (var i = 0; i < all.length; i += rowSize) {
		var symbol = all[i + 1], row;
		if (!isSelected(groups[all[i]]))
			continue;
		row = rows.get(symbol);
		if (!row) {
			row = newRow(symbol);
			rows.set(symbol, row);
		}
		for (var v = 0; v < 2 * nrValues; v++)
			row.counts[v] += all[i + 2 + v];
	}
	return Array.from(rows.values()).filter(function (r) {
		for (var p = 0; p < data.profiles; p++)
			if (r.counts[valueOf(p)] || r.counts[nrValues + valueOf(p)])
				return !state.search || matchesText(r.name, r.brief, r.image);
		return false;
	});
}

function sortRows(rows) {
	var column = columns.find(function (c) { return c.key === state.sort.column; });
	var sign = state.sort.down ? -1 : 1;
	rows.sort(function (a, b) {
		var x = column.of(a), y = column.of(b);
		return x < y ? -sign : x > y ? sign : a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
	});
}

function drawTableHead() {
	var tr = element("tr"), head = byId("table").tHead;
	clear(head);
	columns.forEach(function (c) {
		var th = element("th", c.number ? "number" : ""), b = element("button", "", c.title);
		th.scope = "col";
		th.classList.add(c.key);
		b.type = "button";
		if (c.key === "selfshare")
			b.setAttribute("aria-label", "Self percent");
		if (c.key === "allshare")
			b.setAttribute("aria-label", "Total percent");
		if (c.key === "all" || c.key === "allshare")
			b.title = "with callees";
		if (c.key === state.sort.column)
			th.setAttribute("aria-sort", state.sort.down ? "descending" : "ascending");
		b.addEventListener("click", function () {
			if (state.sort.column === c.key)
				state.sort.down = !state.sort.down;
			else
				state.sort = { column: c.key, down: !!c.number };
			drawTable();
			byId("table").tHead.rows[0].cells[columns.indexOf(c)].firstChild.focus();
		});
		th.appendChild(b);
		tr.appendChild(th);
	});
	head.appendChild(tr);
}

function numberCell(column, row) {
	var n = column.of(row), td = element("td", "number"), bar;
	if (column.show === "share") {
		td.className = "number bar";
		bar = element("i");
		bar.style.width = "calc((100% - 0.7rem) * " + n.toFixed(4) + ")";
		td.appendChild(bar);
		td.appendChild(element("span", "", percent(n, 1)));
	} else if (column.show === "points") {
		td.textContent = points(n);
		td.className = "number" + (n >= 0.05 ? " grew" : n <= -0.05 ? " shrank" : "");
	} else {
		td.textContent = column.show(n);
	}
	td.classList.add(column.key);
	return td;
}

/* The brief name; the whole one on hovering, and when it is copied. */
function nameElement(of) {
	var e = element("span", "", of.brief);
	e.title = of.name;
	e.setAttribute("data-whole", of.name);
	return e;
}

function textCell(column, row) {
	var td = element("td", column.key), source, b;
	if (column.key === "image") {
		td.textContent = imageShown(row.image);
		td.title = imageFull(row.image);
		return td;
	}
	td.appendChild(nameElement(row));
	td.appendChild(element("small", "", imageShown(row.image)));	/* if there is no column for it */
	source = sourceOf.get(row.symbol);
	if (source) {
		b = element("button", "", "source");
		b.type = "button";
		b.setAttribute("aria-label", "Source of " + row.brief);
		b.addEventListener("click", function () { showSource(source); });
		td.appendChild(b);
	}
	return td;
}

function drawTable() {
	var rows = tableRows(), body = byId("table").tBodies[0];
	var into = document.createDocumentFragment();

	sortRows(rows);
	drawTableHead();
	rows.slice(0, state.shownRows).forEach(function (row) {
		var tr = element("tr");
		columns.forEach(function (c) {
			tr.appendChild(c.number ? numberCell(c, row) : textCell(c, row));
		});
		into.appendChild(tr);
	});
	clear(body);
	body.appendChild(into);
	byId("more").hidden = rows.length <= state.shownRows;
	byId("more").textContent = "Show " + count(Math.min(200, rows.length - state.shownRows)) + " more";
	byId("functions-note").textContent = tableNote(rows.length);
}

function tableNote(nr) {
	var text = count(nr) + (nr === 1 ? " function" : " functions") + (state.search ? " found" : "");
	if (isPart())
		return text + " of the selected time, without those of frames too small to be seen.";
	if (data.small_rows && !state.process)
		text += "; " + count(data.small_rows) + " smaller ones with " +
			samples(data.small_row_samples[value()]) + " are omitted";
	return text + ".";
}

/* --- the time axis --- */

/* When a period begins, in UTC as in the facts; with the date if there are several days. */
function timeAt(period) {
	var length = data.time.covered_ms.length * data.time.period_ms;
	var text = new Date(data.time.begin_ms + period * data.time.period_ms).toISOString();
	return (length > 72000000 ? text.slice(0, 10) + " " : "") + text.slice(11, 19);
}

function duration(ms) {
	var units = [["h", 3600000], ["min", 60000], ["s", 1000], ["ms", 1]];
	return units.map(function (unit) {
		var n = Math.floor(ms / unit[1]);
		ms -= n * unit[1];
		return n ? n + " " + unit[0] : "";
	}).filter(Boolean).join(" ");
}

/* Samples per second in each period that has slices, of all processes; else -1. */
function rates() {
	var all = new Array(data.time.covered_ms.length).fill(0), times = data.time.samples;
	for (var i = 0; i < times.length; i += 4)
		if (times[i + 1] === state.event)
			all[times[i + 2]] += times[i + 3];
	return all.map(function (n, i) {
		return data.time.covered_ms[i] ? 1000 * n / data.time.covered_ms[i] : -1;
	});
}

/* A bar for each period, or a cell of the heat map, which is filled column by column. */
function drawTime() {
	var bars = byId("time-bars"), all = rates(), most = Math.max.apply(null, all) || 1;
	clear(bars);
	bars.classList.toggle("map", !!data.time.column);
	bars.style.gridTemplateRows = "repeat(" + (data.time.column || 1) + ", minmax(0, 1fr))";
	all.forEach(function (rate, i) {
		var bar = element("i", rate < 0 ? "none" : ""), inner = element("b");
		bar.title = timeAt(i) + ", " + (rate < 0 ? "no history" : rate.toFixed(1) + " samples/s");
		if (data.time.column)
			inner.style.opacity = String(0.06 + 0.94 * Math.max(rate, 0) / most);
		else
			inner.style.height = 100 * Math.max(rate, 0) / most + "%";
		if (rate >= 0)
			bar.appendChild(inner);
		bars.appendChild(bar);
	});
	markTime();
}

function markTime() {
	var text = timeAt(state.from) + " to " + timeAt(state.to) + " UTC";
	Array.from(byId("time-bars").children).forEach(function (bar, i) {
		bar.classList.toggle("in", i >= state.from && i < state.to);
	});
	byId("time-range").textContent = text;
	byId("time-all").hidden = !isPart();
	byId("time-from").value = String(state.from);
	byId("time-to").value = String(state.to);
	byId("time-from").setAttribute("aria-valuetext", timeAt(state.from));
	byId("time-to").setAttribute("aria-valuetext", timeAt(state.to));
}

function selectTime(from, to) {
	if (from === state.from && to === state.to)
		return;
	state.from = from;
	state.to = to;
	markTime();
	redraw();
}

function periodAt(event) {
	var box = byId("time-bars").getBoundingClientRect(), nr = data.time.covered_ms.length;
	var rows = data.time.column || 1, columns = Math.ceil(nr / rows);
	function part(at, size, n) { return Math.max(0, Math.min(n - 1, Math.floor(at / size * n))); }
	return Math.min(nr - 1, part(event.clientX - box.left, box.width, columns) * rows +
		part(event.clientY - box.top, box.height, rows));
}

function listenTime() {
	var bars = byId("time-bars"), start = -1;

	function drag(event) {
		var at = periodAt(event);
		if (start >= 0)
			selectTime(Math.min(start, at), Math.max(start, at) + 1);
	}
	bars.addEventListener("pointerdown", function (e) {
		if (e.button)
			return;
		bars.setPointerCapture(e.pointerId);
		start = periodAt(e);
		drag(e);
	});
	bars.addEventListener("pointermove", drag);
	bars.addEventListener("pointerup", function () { start = -1; });
	bars.addEventListener("pointercancel", function () { start = -1; });
	byId("time-from").addEventListener("input", function () {
		var from = Math.min(Number(this.value), data.time.covered_ms.length - 1);
		selectTime(from, Math.max(state.to, from + 1));
	});
	byId("time-to").addEventListener("input", function () {
		var to = Math.max(Number(this.value), 1);
		selectTime(Math.min(state.from, to - 1), to);
	});
	byId("time-all").addEventListener("click", function () {
		selectTime(0, data.time.covered_ms.length);
		byId("time-from").focus();
	});
}

function startTime() {
	if (!data.time)
		return;
	byId("time").hidden = false;
	if (data.time.column) {
		byId("time-title").textContent = "Heat map";
		byId("time-how").textContent = "A cell is " + duration(data.time.period_ms) + ", a column " +
			duration(data.time.column * data.time.period_ms) +
			". Drag from one cell to another, or move the sliders, to select the time between;";
	}
	byId("time-from").max = String(data.time.covered_ms.length - 1);
	byId("time-to").max = String(data.time.covered_ms.length);
	listenTime();
	drawTime();
}

/* --- source --- */

var sourceOf = new Map();	/* symbol -> details element */

function codeTable(source) {
	var table = element("table", "code"), head = element("tr"), last = 0;
	var total = data.totals[valueOf(data.profiles - 1)], largest = 0;

	["line", "samples", "%", ""].forEach(function (t) {
		var th = element("th", "", t);
		th.scope = "col";
		head.appendChild(th);
	});
	table.appendChild(head);
	source.lines.forEach(function (l) { largest = Math.max(largest, l[2 + state.event]); });
	source.lines.forEach(function (l) {
		var n = l[2 + state.event], tr = element("tr", n ? "hot" : ""), gap, td;
		if (last && l[0] !== last + 1) {
			gap = element("tr", "gap");
			td = element("td", "", "⋯");
			td.colSpan = 4;
			gap.appendChild(td);
			table.appendChild(gap);
		}
		last = l[0];
		tr.appendChild(element("td", "", String(l[0])));
		tr.appendChild(element("td", "", n ? count(n) : ""));
		tr.appendChild(element("td", "", n ? percent(n, total) : ""));
		tr.appendChild(element("td", "", l[1] === null ? "" : l[1]));
		if (n)
			tr.style.setProperty("--share", (0.07 + 0.38 * n / largest).toFixed(3));
		table.appendChild(tr);
	});
	return table;
}

function sourceNotes(source) {
	var elsewhere = source.elsewhere[state.event], notes = [];
	if (source.why)
		notes.push(source.why);
	if (elsewhere && source.file)
		notes.push(count(elsewhere) + " of its samples are on lines of other files, or on unknown lines");
	if (source.cut)
		notes.push("more lines are not shown");
	return notes.join("; ");
}

function fillSource(details, source) {
	var notes = sourceNotes(source), scroll;
	while (details.childNodes.length > 1)
		details.removeChild(details.lastChild);
	if (notes)
		details.appendChild(element("p", "say small", notes + "."));
	if (!source.lines.length)
		return;
	scroll = element("div", "scroll");
	scroll.tabIndex = 0;
	scroll.setAttribute("role", "region");
	scroll.setAttribute("aria-label", "Source of " + symbols[source.symbol].brief);
	scroll.appendChild(codeTable(source));
	details.appendChild(scroll);
}

function selfOf(source) {
	return source.lines.reduce(function (sum, l) { return sum + l[2 + state.event]; },
				   source.elsewhere[state.event]);
}

function addSource(source, nr) {
	var details = element("details"), summary = element("summary");
	var total = data.totals[valueOf(data.profiles - 1)], symbol = symbols[source.symbol];

	summary.appendChild(element("span", "share", percent(selfOf(source), total)));
	summary.appendChild(nameElement(symbol));
	summary.lastChild.className = "name";
	summary.appendChild(element("span", "small", source.file || imageShown(symbol.image)));
	details.appendChild(summary);
	details.addEventListener("toggle", function () {
		if (details.open)
			fillSource(details, source);
	});
	if (hasText(source) && !sourceOf.has(source.symbol))
		sourceOf.set(source.symbol, details);
	byId("sources").appendChild(details);
	details.open = nr === 0 && hasText(source);
}

function hasText(source) {
	return source.lines.some(function (l) { return l[1] !== null; });
}

/* List the functions without source lines, with the reasons. */
function addOthers(others) {
	var details = element("details"), summary = element("summary"), list = element("ul");
	summary.appendChild(element("span", "small", count(others.length) +
				    (others.length === 1 ? " function" : " functions") + " without source lines"));
	details.appendChild(summary);
	others.forEach(function (s) {
		list.appendChild(element("li", "", symbols[s.symbol].brief + ": " + s.why));
	});
	details.appendChild(list);
	byId("sources").appendChild(details);
}

/* Functions with readable source first. */
function drawSources() {
	var withText = data.sources.filter(hasText);
	var others = data.sources.filter(function (s) { return !s.lines.length; });
	clear(byId("sources"));
	sourceOf.clear();
	byId("source").hidden = !data.sources.length;
	withText.forEach(addSource);
	data.sources.forEach(function (s) {
		if (s.lines.length && !hasText(s))
			addSource(s, -1);
	});
	if (others.length)
		addOthers(others);
	byId("source-note").textContent = withText.length
		? "Lines with samples and a few around them, of all processes."
		: "No source text is available: it requires debug information and the source files.";
}

function showSource(details) {
	details.open = true;
	details.scrollIntoView({ block: "start" });
	details.firstChild.focus({ preventScroll: true });
}

/* --- head and foot --- */

function fact(name, text) {
	var div = element("div");
	div.appendChild(element("dt", "", name));
	div.appendChild(element("dd", "", text));
	div.lastChild.title = text;
	byId("facts").appendChild(div);
}

function when(seconds) {
	return new Date(seconds * 1000).toISOString().replace("T", " ").slice(0, 16) + " UTC";
}

function drawFacts() {
	var v = value(), s = data.sessions[data.profiles - 1][0], whole;
	clear(byId("facts"));
	fact(isDiff ? "Samples after" : "Samples", count(data.samples[v]));
	if (isDiff)
		fact("Samples before", count(data.samples[valueOf(0)]));
	if (data.stacks) {
		fact("With call stacks", percent(data.totals[v], data.samples[v]));
		whole = data.ends.reduce(function (sum, e) { return sum + e[1]; }, 0);
		if (whole)
			fact("Stacks: " + data.ends[0][0], percent(data.ends[0][1], whole));
	}
	if (isPart())
		fact("In the selected time", count(tree.all[v]));
	fact("Event", data.classes[state.event]);
	if (s && s.host && s.profiled)
		fact("Host", s.host);
	if (s && s.start_time)
		fact("Started", when(s.start_time));
	if (s && s.start_time && s.end_time > s.start_time)
		fact("Lasted", count(s.end_time - s.start_time) + " s");
	if (s && s.kernel)
		fact("Kernel", s.kernel);
}

function drawNotices() {
	var texts = data.notices.slice(), box = byId("notices");
	if (!data.stacks)
		texts.unshift("There are no call stacks: the graph shows applications, their images and the functions in these.");
	if (data.small_nodes)
		texts.push(count(data.small_nodes) + " frames too small to be seen, with " +
			   samples(data.small_node_samples[value()]) + ", are merged.");
	box.hidden = !texts.length;
	box.open = !data.stacks && texts.length < 3;
	clear(box.lastElementChild);
	box.firstElementChild.textContent = texts.length === 1 ? "1 note" : texts.length + " notes";
	texts.forEach(function (t) { box.lastElementChild.appendChild(element("li", "", t)); });
}

function drawLegend() {
	var to = byId("legend");
	var kinds = isDiff
		? [["less4", "smaller share than before"], ["more0", "as before"], ["more4", "larger share"]]
		: [["k0", "program"], ["k1", "library"], ["k2", "kernel"], ["k3", "generated at run time"]];
	if (!isDiff && !data.stacks)
		kinds.push(["k4", "image"]);
	if (!isDiff)
		kinds.push(["k5", "other"]);
	kinds = kinds.filter(function (k) {	/* those that occur */
		return isDiff || symbols.some(function (s) { return s.kind === Math.min(Number(k[0][1]), KIND.END); });
	});
	kinds.forEach(function (k) {
		var span = element("span");
		span.appendChild(element("i", k[0]));
		span.appendChild(document.createTextNode(k[1]));
		to.appendChild(span);
	});
}

function option(select, value, text) {
	var o = element("option", "", text);
	o.value = value;
	select.appendChild(o);
}

/* Applications and control groups, those with most samples first. */
function fillProcesses() {
	var apps = new Map(), inCgroup = new Map(), all = buildTotals();
	var select = byId("process"), part;

	groups.forEach(function (g, i) {
		var n = all[i] || 0;
		if (!g.small && g.app >= 0)
			apps.set(g.app, (apps.get(g.app) || 0) + n);
		if (g.cgroup)
			inCgroup.set(g.cgroup, (inCgroup.get(g.cgroup) || 0) + n);
	});
	function add(title, map, value, name) {
		if (map.size < 1)
			return;
		part = element("optgroup");
		part.label = title;
		Array.from(map.entries()).sort(function (a, b) { return b[1] - a[1]; }).forEach(function (e) {
			option(part, value(e[0]), name(e[0]) + " (" + count(e[1]) + ")");
		});
		select.appendChild(part);
	}
	clear(select);
	option(select, "", "all");
	add("Applications", apps, function (a) { return "app:" + a; }, imageShown);
	add("Control groups", inCgroup, function (c) { return "cgroup:" + cgroups.indexOf(c); },
	    function (c) { return c; });
	select.value = state.process;
	byId("process-label").hidden = groups.length < 2;
	byId("split-label").hidden = byId("process-label").hidden;
	byId("split").options[2].hidden = byId("split").options[2].disabled = !inCgroup.size;
	byId("split").options[1].hidden = byId("split").options[1].disabled = !apps.size;
}

/* Samples of each group. */
function buildTotals() {
	var nodes = data.nodes, nr = nodes.length / nodeSize, group = new Array(nr), sums = [];
	for (var i = 0; i < nr; i++) {
		var base = i * nodeSize;
		group[i] = nodes[base] < 0 ? nodes[base + 1] : group[nodes[base]];
		sums[group[i]] = (sums[group[i]] || 0) + nodes[base + 2 + value()];
	}
	return sums;
}

function drawHead() {
	byId("footer").textContent = "Made by opreport " + data.version + (data.command ? ": " + data.command : "") +
		". This page is self-contained: it loads nothing and sends nothing.";
	byId("graph-title").textContent = data.stacks ? "Flame graph" : "Images and functions";
}

/* --- copying --- */

/* What is selected of the table, with whole names, or null. */
function copiedRows(range) {
	var within = range.commonAncestorContainer, rows, name;
	within = within.nodeType === 1 ? within : within.parentNode;
	name = within.closest("[data-whole]");
	if (name)
		return range.toString() === name.textContent ? name.getAttribute("data-whole") : null;
	if (!within.closest("#table"))
		return null;
	rows = range.cloneContents();
	rows.querySelectorAll("td button, td small").forEach(function (e) { e.remove(); });
	rows.querySelectorAll("[data-whole]").forEach(function (e) { e.textContent = e.getAttribute("data-whole"); });
	if (!rows.querySelector("tr"))
		return rows.querySelector("[data-whole]") ? cellTexts(rows) : null;
	return Array.from(rows.querySelectorAll("tr"), cellTexts).join("\n");
}

function cellTexts(row) {
	var cells = Array.from(row.querySelectorAll("th, td"), function (c) { return c.textContent; });
	return cells.length ? cells.join("\t") : row.textContent;
}

/* Brief names are copied whole; without a selection, that of the frame that has the focus. */
function onCopy(event) {
	var selection = document.getSelection(), active = document.activeElement, text = null;
	if (selection.rangeCount && !selection.isCollapsed)
		text = copiedRows(selection.getRangeAt(0));
	else if (active && active.node)
		text = active.node.name;
	if (text === null)
		return;
	event.clipboardData.setData("text/plain", text);
	event.preventDefault();
}

/* --- the whole page --- */

function redraw() {
	var zoom = state.zoom, focus = state.focus;
	buildTree();
	state.zoom = zoom ? sameNode(zoom) : tree;
	state.focus = focus ? sameNode(focus) : tree;
	drawFacts();
	fitBox();
	drawGraph();
	showZoomed();
	drawTable();
}

function onSearch() {
	state.search = byId("search").value.trim().toLowerCase();
	state.shownRows = 50;
	drawGraph();
	drawTable();
}

function listen() {
	var graph = byId("graph"), timer = 0;

	byId("event").addEventListener("change", function () {
		state.event = Number(this.value);
		fillProcesses();
		if (data.time)
			drawTime();
		redraw();
		drawSources();
		drawTable();
	});
	byId("process").addEventListener("change", function () { state.process = this.value; redraw(); });
	byId("split").addEventListener("change", function () { state.split = this.value; redraw(); });
	byId("widths").addEventListener("change", function () { state.profile = Number(this.value); redraw(); });
	document.querySelectorAll("input[name=layout]").forEach(function (r) {
		r.addEventListener("change", function () { state.layout = this.value; drawGraph(); showZoomed(); });
	});
	byId("search").addEventListener("input", function () {
		clearTimeout(timer);
		timer = setTimeout(onSearch, 120);
	});
	byId("more").addEventListener("click", function () { state.shownRows += 200; drawTable(); });
	graph.addEventListener("click", function (e) { if (e.target.node) zoomTo(e.target.node); });
	graph.addEventListener("mouseover", function (e) {
		if (!e.target.node)
			return;
		e.target.title = describe(e.target.node, e.target.node.name);
		showDetails(e.target.node);
	});
	graph.addEventListener("mouseleave", function () { showDetails(state.focus); });
	graph.addEventListener("focusin", function (e) { if (e.target.node) showDetails(e.target.node); });
	graph.addEventListener("keydown", onGraphKey);
	document.addEventListener("keydown", function (e) {
		var tag = e.target.tagName;
		if (e.key === "/" && tag !== "INPUT" && tag !== "SELECT" && !e.ctrlKey && !e.metaKey) {
			e.preventDefault();
			byId("search").focus();
		}
	});
	document.addEventListener("copy", onCopy);
	var drawnWidth = graph.clientWidth;
	window.addEventListener("resize", function () {
		var box = byId("box"), below = box.scrollHeight - box.scrollTop - box.clientHeight;
		fitBox();
		if (graph.clientWidth !== drawnWidth) {
			drawnWidth = graph.clientWidth;
			drawGraph();
		}
		if (state.layout === "flame")
			box.scrollTop = box.scrollHeight - box.clientHeight - below;
	});
}

/* --- opserve: another time --- */

var rangeNames = ["since", "until", "before"];

function askRange() {
	var query = new URLSearchParams();
	rangeNames.forEach(function (name) {
		var value = byId("range-" + name).value.trim();
		if (value)
			query.set(name, value);
	});
	location.search = query.toString();
}

function startRange() {
	var query = new URLSearchParams(location.search);
	byId("range").hidden = !data.served;
	rangeNames.forEach(function (name) {
		byId("range-" + name).value = query.get(name) || "";
		byId("range-" + name).addEventListener("keydown", function (e) {
			if (e.key === "Enter")
				askRange();
		});
	});
	byId("range-show").addEventListener("click", askRange);
}

function start() {
	var last = (data.profiles - 1) * nrClasses;
	while (state.event < nrClasses - 1 && !data.totals[last + state.event])
		state.event++;
	byId("controls").hidden = false;
	data.classes.forEach(function (c, i) { option(byId("event"), String(i), c); });
	byId("event").value = String(state.event);
	byId("event-label").hidden = nrClasses < 2;
	byId("widths-label").hidden = !isDiff;
	if (!data.stacks)
		state.split = "app";
	byId("split").value = state.split;
	byId("table").classList.toggle("diff", isDiff);
	drawHead();
	drawLegend();
	drawNotices();
	makeColumns();
	fillProcesses();
	drawSources();
	listen();
	startTime();
	startRange();
	redraw();
}

start();

})();
