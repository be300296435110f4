'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const $ = (id) => document.getElementById(id);
const root = document.documentElement;
const SPAN = Math.max(1, data.span_ns);
const LONG = 1e8; // ns: people notice
const SVG = 'http://www.w3.org/2000/svg';
const PHASE = { timers: 38, pending: 320, idle: 70, prepare: 180,
  events: 212, check: 140, closing: 5 };

// ---- text and elements; text from the trace is never markup ----

function time(ns) {
  const units = [[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s'], [1, 'ns']];
  const [size, name] = units.find((u) => ns >= u[0] * 0.9995) || units[3];
  const value = ns / size;
  const digits = size === 1 ? 0 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return value.toFixed(digits) + ' ' + name;
}
function count(n) {
  return n.toLocaleString('en-US');
}
function percent(part, whole) {
  return (whole > 0 ? 100 * part / whole : 0).toFixed(1) + ' %';
}
function element(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key in e) e[key] = value;
    else e.setAttribute(key, value);
  }
  e.append(...children);
  return e;
}
function shape(tag, attributes, text) {
  const e = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes))
    e.setAttribute(key, value);
  if (text !== undefined) e.textContent = text;
  return e;
}
function color(name) {
  return getComputedStyle(root).getPropertyValue('--' + name).trim();
}
let palette = {};
function readPalette() {
  for (const name of ['panel', 'text', 'soft', 'line', 'accent', 'poll', 'lag',
    'busy', 'queue', 'slice-text', 'light', 'strong', 'bg', 'accent-soft'])
    palette[name] = color(name);
  hues.clear();
}
const hues = new Map();
function hue(name, isPhase) {
  const key = isPhase + name;
  let found = hues.get(key);
  if (found !== undefined) return found;
  if (isPhase && name === 'poll') {
    found = palette.poll;
  } else if (isPhase && name in PHASE) {
    found = 'hsl(' + PHASE[name] + ' 42% ' + palette.strong + ')';
  } else {
    let h = 7;
    for (const c of name) h = (h * 31 + c.codePointAt(0)) >>> 0;
    found = 'hsl(' + h % 360 + ' ' + (52 + (h >> 9) % 24) + '% ' +
      palette.light + ')';
  }
  hues.set(key, found);
  return found;
}
// A canvas of the size it has on the page, in the screen's pixels.
function prepare(canvas, height) {
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  canvas.style.height = height + 'px';
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = '12px system-ui, sans-serif';
  context.textBaseline = 'middle';
  return [context, width];
}
function fit(context, text, width) {
  if (width < 24) return '';
  if (context.measureText(text).width <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(text.slice(0, middle) + '\u2026').width <= width)
      low = middle;
    else
      high = middle - 1;
  }
  return low < 2 ? '' : text.slice(0, low) + '\u2026';
}
// A C++ name without its parameters and template arguments.
function short(name) {
  let out = '';
  let depth = 0;
  for (const c of name) {
    if (c === '(' && depth === 0 && out !== '' && !out.endsWith('::')) break;
    if (c === '<') depth++;
    else if (c === '>') depth = Math.max(0, depth - 1);
    else if (depth === 0) out += c;
  }
  return out || name;
}
const labels = new Map();
// As much of a name as says something in this width.
function label(context, name, width) {
  if (width < 24) return '';
  if (!labels.has(name)) {
    const brief = short(name);
    labels.set(name, [name, brief, brief.slice(brief.lastIndexOf('::') + 1)
      .replace(/^:/, '')]);
  }
  const all = labels.get(name);
  return all.find((text) => context.measureText(text).width <= width) ||
    fit(context, all[2], width);
}
function showTip(event, title, ...lines) {
  const tip = $('tip');
  tip.replaceChildren(element('b', {}, title),
    ...lines.filter(Boolean).map((line) => element('span', {}, line)));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const x = Math.min(event.clientX + 14, innerWidth - box.width - 8);
  let y = event.clientY + 16;
  if (y + box.height > innerHeight - 8) y = event.clientY - box.height - 12;
  tip.style.left = Math.max(8, x) + 'px';
  tip.style.top = Math.max(8, y) + 'px';
}
function hideTip() {
  $('tip').hidden = true;
}

// ---- summary ----

const busiest = data.callbacks[0];
const lags = data.loops.map((loop) => loop.lag);
const worstLag = Math.max(0, ...lags.map((lag) => lag.max));

function summary() {
  $('title').textContent = data.program || data.file;
  $('subtitle').textContent = ['process ' + data.pid, time(data.span_ns),
    count(data.events) + ' events', data.library, data.file]
    .filter(Boolean).join(' \u00b7 ');
  const warnings = [];
  if (data.dropped > 0)
    warnings.push(count(data.dropped) + ' events were dropped because a ' +
      'buffer was full: counts are too low.');
  if (data.crash !== null)
    warnings.push('Signal ' + data.crash.signum + ' on thread ' +
      data.crash.tid + (data.crash.name !== 0 ?
        ', in ' + data.names[data.crash.name] : ', in no callback') +
      ', ' + time(data.crash.at) + ' after the beginning.');
  if (data.is_torn)
    warnings.push('The end of the trace is missing: the process was killed, ' +
      'was still running, or the disk was full.');
  if (data.bad > 0)
    warnings.push(count(data.bad) + ' lines that are no events were skipped.');
  $('warnings').replaceChildren(
    ...warnings.map((text) => element('p', {}, text)));

  const cards = [];
  const card = (value, text, isBad, panel) => {
    const box = element(panel ? 'button' : 'div',
      { className: isBad ? 'card bad' : 'card' },
      element('b', {}, value), element('span', {}, text));
    if (panel) box.onclick = () => $(panel).scrollIntoView();
    cards.push(box);
  };
  let span = 0;
  let idle = 0;
  let polls = 0;
  for (const loop of data.loops) {
    span += loop.span_ns;
    polls += loop.polls;
    for (const [name, ns] of loop.phases) if (name === 'poll') idle += ns;
  }
  if (data.loops.length > 0) {
    const p99 = lags[0].p99; // of the busiest loop
    card(time(worstLag), 'longest lag', worstLag >= LONG, 'lag-panel');
    card(time(p99), 'lag, 99th percentile', p99 >= LONG / 2, 'lag-panel');
    card(percent(span - idle, span), data.loops.length > 1 ?
      'busy, ' + data.loops.length + ' loops' : 'of the time the loop is busy',
      false, 'phase-panel');
    card((polls / (SPAN / 1e9)).toFixed(1), 'wake-ups a second');
  }
  if (busiest)
    card(time(busiest.time.sum), 'in ' + short(data.names[busiest.name])
      .replace(/::/g, '::\u200b'), // where a line may break
    false, 'callback-panel');
  if (data.classes.length > 0)
    card(count(data.starved.total), 'starved requests',
      data.starved.total > 0, 'pool-panel');
  $('cards').replaceChildren(...cards);
}

// ---- the timeline's data: rows of slices, each in order of time ----

const FIELDS = 8;
const tracks = data.tracks.map((track) => ({
  name: track.name || 'thread ' + track.tid, tid: track.tid, kind: track.kind,
  rows: [], sends: [] }));
const byFlow = new Map();
const submits = new Map();
const sends = new Map(); // by handle, in order of time

function readSlices() {
  const list = data.slices;
  for (let i = 0; i < list.length; i += FIELDS) {
    const track = tracks[list[i]];
    const depth = list[i + 4];
    while (track.rows.length <= depth) track.rows.push([]);
    track.rows[depth].push(i);
    const flow = list[i + 7];
    if (flow > 0) {
      if (!byFlow.has(flow)) byFlow.set(flow, []);
      byFlow.get(flow).push(i);
    }
  }
  for (const track of tracks)
    for (const row of track.rows)
      row.sort((a, b) => list[a + 1] - list[b + 1]);
  for (let i = 0; i < data.submits.length; i += 3) {
    const [id, at, track] = data.submits.slice(i, i + 3);
    if (id > 0) {
      submits.set(id, { at, track });
      continue;
    }
    if (!sends.has(id)) sends.set(id, []);
    sends.get(id).push({ at, track });
    tracks[track].sends.push(at);
  }
  for (const list of sends.values()) list.sort((a, b) => a.at - b.at);
}
// Where the way of a slice's request, or of its async handle, began.
function originOf(part) {
  if (part.flow > 0) return submits.get(part.flow);
  return (sends.get(part.flow) || []).filter((s) => s.at <= part.begin).at(-1);
}
const slice = (i) => ({ i, track: tracks[data.slices[i]],
  begin: data.slices[i + 1], ns: data.slices[i + 2],
  name: data.names[data.slices[i + 3]], depth: data.slices[i + 4],
  kind: data.slices[i + 5], detail: data.details[data.slices[i + 6]],
  flow: data.slices[i + 7] });

// ---- the timeline ----

const ROW = 19;
const LABEL = 20;
const AXIS = 24;
const view = { from: 0, to: SPAN };
const shown = [];
let wanted = '';
let hits = []; // slices that were found, in order of time
let isHitName = [];
let isHitDetail = [];
let selected = null;
let frame = 0;

function layout() {
  shown.length = 0;
  const order = tracks.filter((track) => track.kind !== 0);
  const rank = (track) => data.loops.findIndex((l) => l.tid === track.tid);
  const group = ({ kind }) => (kind & 2 ? 0 : kind & 1 ? 1 : 2);
  order.sort((a, b) => group(a) - group(b) || rank(a) - rank(b) ||
    a.name.localeCompare(b.name, 'en', { numeric: true }));
  let y = AXIS;
  for (const track of order) {
    track.y = y + LABEL;
    y += LABEL + Math.max(1, track.rows.length) * ROW + 8;
    shown.push(track);
  }
  layout.height = Math.max(120, y + 4);
}
function redraw() {
  if (frame === 0)
    frame = requestAnimationFrame(() => {
      frame = 0;
      drawTimeline();
      drawOverview();
    });
}
function clampView() {
  const least = Math.min(SPAN, 200);
  let width = Math.min(SPAN, Math.max(least, view.to - view.from));
  let from = Math.min(Math.max(0, view.from), SPAN - width);
  view.from = from;
  view.to = from + width;
}
function setView(from, to) {
  view.from = from;
  view.to = to;
  clampView();
  redraw();
}
function zoom(factor, at) {
  const center = at === undefined ? (view.from + view.to) / 2 : at;
  setView(center - (center - view.from) * factor,
    center + (view.to - center) * factor);
}
function tickStep(width, pixels) {
  const rough = width / Math.max(2, pixels / 110);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].find((n) => n * power >= rough) * power;
}
function drawAxis(context, width, height, x) {
  const step = tickStep(view.to - view.from, width);
  context.fillStyle = palette.soft;
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
    const at = Math.round(x(t)) + 0.5;
    context.beginPath();
    context.moveTo(at, AXIS - 6);
    context.lineTo(at, height);
    context.stroke();
    const text = t === 0 ? '0' : timeTick(t, step);
    if (at + context.measureText(text).width + 4 < width)
      context.fillText(text, at + 4, 10);
  }
}
// As many decimals as tell two ticks apart.
function timeTick(t, step) {
  const [size, name] = t >= 1e9 ? [1e9, 's'] : t >= 1e6 ? [1e6, 'ms'] :
    t >= 1e3 ? [1e3, '\u00b5s'] : [1, 'ns'];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return (t / size).toFixed(Math.min(9, digits)) + ' ' + name;
}
// The first slice of a row that ends after `ns`.
function firstAfter(row, ns) {
  let low = 0;
  let high = row.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const i = row[middle];
    if (data.slices[i + 1] + data.slices[i + 2] < ns) low = middle + 1;
    else high = middle;
  }
  return low;
}
// By its name, or by what it is about.
function matches(i) {
  return wanted !== '' && (isHitName[data.slices[i + 3]] ||
    isHitDetail[data.slices[i + 6]]);
}
// Waiting first, so that it does not cover what is narrow beside it.
function drawRow(context, row, y, width, x) {
  drawSlices(context, row, y, width, x, true);
  drawSlices(context, row, y, width, x, false);
}
function drawSlices(context, row, y, width, x, waiting) {
  const list = data.slices;
  let free = -1; // what is left of it is drawn
  for (let k = firstAfter(row, view.from); k < row.length; k++) {
    const i = row[k];
    if (list[i + 1] > view.to) break;
    const left = Math.max(-2, x(list[i + 1]));
    const right = Math.min(width + 2, x(list[i + 1] + list[i + 2]));
    const name = data.names[list[i + 3]];
    if ((list[i + 5] === 0 && name === 'poll') !== waiting) continue;
    const isFound = matches(i);
    if (right - left < 1 && right < free && !isFound) continue;
    const isPhase = list[i + 5] === 0;
    context.globalAlpha = wanted === '' || isFound ||
      (isPhase && name === 'poll') ? 1 : 0.18;
    context.fillStyle = hue(name, isPhase);
    const wide = Math.max(1, right - left - (right - left > 3 ? 1 : 0));
    context.fillRect(left, y, wide, ROW - 2);
    free = left + 1;
    if (wide > 28) {
      const isPoll = isPhase && name === 'poll';
      context.fillStyle = isPoll ? palette.soft : palette['slice-text'];
      const start = Math.max(left, 0);
      context.fillText(label(context, name, right - start - 8), start + 4,
        y + ROW / 2 - 1);
    }
    if (isFound && wanted !== '') {
      context.strokeStyle = palette.text;
      context.strokeRect(left + 0.5, y + 0.5, Math.max(1, wide - 1), ROW - 3);
    }
  }
  context.globalAlpha = 1;
}
// A thread that does nothing else with a loop: a mark for each send.
function drawSends(context, track, x) {
  context.fillStyle = palette.soft;
  for (const at of track.sends)
    if (at >= view.from && at <= view.to)
      context.fillRect(x(at) - 1, track.y, 2, ROW - 2);
}
function drawTimeline() {
  const [context, width] = prepare($('timeline'), layout.height);
  const scale = width / (view.to - view.from);
  const x = (ns) => (ns - view.from) * scale;
  drawAxis(context, width, layout.height, x);
  for (const track of shown) {
    track.rows.forEach((row, depth) =>
      drawRow(context, row, track.y + depth * ROW, width, x));
    if (track.rows.length === 0) drawSends(context, track, x);
    context.font = '600 12px system-ui, sans-serif';
    const label = track.name + ' (thread ' + track.tid + ')';
    context.fillStyle = palette.panel;
    context.fillRect(0, track.y - LABEL + 3,
      context.measureText(label).width + 6, LABEL - 6);
    context.fillStyle = palette.soft;
    context.fillText(label, 0, track.y - LABEL / 2);
    context.font = '12px system-ui, sans-serif';
  }
  if (selected !== null) drawSelected(context, x);
}
function middleOf(part) {
  return part.track.y + part.depth * ROW + ROW / 2 - 1;
}
// The slice's frame, and the way to it: of its request from submit to callback,
// or from uv_async_send().
function drawSelected(context, x) {
  context.strokeStyle = palette.text;
  context.lineWidth = 2;
  const left = x(selected.begin);
  context.strokeRect(left, selected.track.y + selected.depth * ROW,
    Math.max(2, x(selected.begin + selected.ns) - left), ROW - 2);
  if (selected.flow === 0) return;
  const points = [];
  const from = originOf(selected);
  if (from && tracks[from.track].y !== undefined)
    points.push([x(from.at), tracks[from.track].y + ROW / 2]);
  const parts = selected.flow > 0 ? byFlow.get(selected.flow).map(slice)
    : [selected];
  parts.sort((a, b) => a.begin - b.begin);
  for (const part of parts) points.push([x(part.begin), middleOf(part)]);
  context.strokeStyle = palette.accent;
  context.fillStyle = palette.accent;
  points.forEach(([px, py], k) => {
    if (k > 0) {
      const [qx, qy] = points[k - 1];
      const bend = Math.max(18, Math.abs(px - qx) / 3);
      context.beginPath();
      context.moveTo(qx, qy);
      context.bezierCurveTo(qx + bend, qy, px - bend, py, px, py);
      context.stroke();
    }
    context.beginPath();
    context.arc(px, py, 4, 0, 7);
    context.fill();
  });
}
function sliceAt(event) {
  const box = $('timeline').getBoundingClientRect();
  const px = event.clientX - box.left;
  const py = event.clientY - box.top;
  const perPixel = (view.to - view.from) / box.width;
  const at = view.from + px * perPixel;
  for (const track of shown) {
    const depth = Math.floor((py - track.y) / ROW);
    if (depth < 0 || depth >= track.rows.length) continue;
    const row = track.rows[depth];
    let best = null;
    let distance = 3 * perPixel; // narrow ones are hard to hit
    for (let k = firstAfter(row, at - distance); k < row.length; k++) {
      const begin = data.slices[row[k] + 1];
      if (begin > at + distance) break;
      const end = begin + data.slices[row[k] + 2];
      const d = at < begin ? begin - at : at > end ? at - end : 0;
      if (d <= distance) {
        best = row[k];
        distance = d;
        if (d === 0) break;
      }
    }
    if (best !== null) return slice(best);
  }
  return null;
}
function select(part) {
  selected = part;
  const box = $('selected');
  box.hidden = part === null;
  if (part !== null) {
    const zoomTo = element('button', { type: 'button' }, 'Zoom to it');
    zoomTo.onclick = () => focus(part.begin, part.ns);
    const find = element('button', { type: 'button' }, 'Find all of them');
    find.onclick = () => search(part.name);
    const close = element('button', { type: 'button' }, 'Close');
    close.onclick = () => select(null);
    box.replaceChildren(element('b', {}, part.name), ' ', time(part.ns),
      element('div', { className: 'hint' }, 'at ' + time(part.begin) + ' on ' +
        part.track.name + (part.detail ? ' \u00b7 ' + part.detail : '')),
      zoomTo, find, close);
  }
  showFound();
  redraw();
}
function focus(begin, ns) {
  const around = Math.max(ns * 1.5, 20000);
  setView(begin - around, begin + ns + around);
}
// Zooms to a time and selects the slice that begins there.
function show(begin, ns, name) {
  focus(begin, ns);
  const list = data.slices;
  for (let i = 0; i < list.length; i += FIELDS)
    if (list[i + 1] === begin && data.names[list[i + 3]] === name)
      select(slice(i));
  $('timeline-panel').scrollIntoView({ block: 'start' });
}
function search(text) {
  $('search').value = text;
  wanted = text.trim().toLowerCase();
  const has = (name) => wanted !== '' && name.toLowerCase().includes(wanted);
  isHitName = data.names.map(has);
  isHitDetail = data.details.map(has);
  hits = [];
  for (let i = 0; i < data.slices.length; i += FIELDS)
    if (matches(i)) hits.push(i);
  hits.sort((a, b) => data.slices[a + 1] - data.slices[b + 1]);
  showFound();
  redraw();
}
// How many there are, and which of them is selected.
function showFound() {
  const at = selected === null ? -1 : hits.indexOf(selected.i);
  const all = count(hits.length);
  $('found').textContent = wanted === '' ? '' : hits.length === 0 ? 'none' :
    at < 0 ? all + ' found' : count(at + 1) + ' of ' + all;
  $('find-next').disabled = $('find-previous').disabled = hits.length === 0;
}
// Selects the next one after the selected one, or else in the view; or that
// before it. After the last comes the first.
function step(by) {
  if (hits.length === 0) return;
  let at = selected === null ? -1 : hits.indexOf(selected.i);
  if (at >= 0) {
    at += by;
  } else {
    const from = selected === null ? view.from : selected.begin;
    at = hits.findIndex((i) => data.slices[i + 1] >= from);
    if (at < 0) at = hits.length;
    if (by < 0) at--;
  }
  const part = slice(hits[(at + hits.length) % hits.length]);
  select(part);
  focus(part.begin, part.ns);
}

function listenTimeline() {
  const canvas = $('timeline');
  const pointers = new Map();
  let moved = 0;
  const timeAt = (clientX) => {
    const box = canvas.getBoundingClientRect();
    return view.from + (clientX - box.left) / box.width * (view.to - view.from);
  };
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const width = view.to - view.from;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
      const by = (event.deltaX || event.deltaY) / canvas.clientWidth * width;
      setView(view.from + by, view.to + by);
    } else {
      zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 200),
        timeAt(event.clientX));
    }
  }, { passive: false });
  canvas.addEventListener('pointerdown', (event) => {
    pointers.set(event.pointerId, event.clientX);
    canvas.setPointerCapture(event.pointerId);
    moved = 0;
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) {
      const part = sliceAt(event);
      if (part === null) hideTip();
      else showTip(event, part.name, time(part.ns) + ', at ' +
        time(part.begin), part.detail);
      return;
    }
    hideTip();
    canvas.classList.add('dragging');
    moved += Math.abs(event.clientX - before);
    const perPixel = (view.to - view.from) / canvas.clientWidth;
    if (pointers.size === 1) {
      const by = (before - event.clientX) * perPixel;
      setView(view.from + by, view.to + by);
    } else {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const was = Math.max(10, Math.abs(before - other));
      const is = Math.max(10, Math.abs(event.clientX - other));
      zoom(was / is, timeAt((event.clientX + other) / 2));
    }
    pointers.set(event.pointerId, event.clientX);
  });
  const up = (event) => {
    const had = pointers.delete(event.pointerId);
    canvas.classList.remove('dragging');
    if (had && event.type === 'pointerup' && moved < 5) select(sliceAt(event));
  };
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointercancel', up);
  canvas.addEventListener('pointerleave', hideTip);
  canvas.addEventListener('keydown', (event) => {
    const by = (view.to - view.from) / 5;
    const keys = {
      ArrowLeft: () => setView(view.from - by, view.to - by),
      ArrowRight: () => setView(view.from + by, view.to + by),
      '+': () => zoom(0.6), '=': () => zoom(0.6), '-': () => zoom(1 / 0.6),
      0: () => setView(0, SPAN), Escape: () => select(null),
    };
    if (keys[event.key]) {
      keys[event.key]();
      event.preventDefault();
    }
  });
  $('zoom-in').onclick = () => zoom(0.5);
  $('zoom-out').onclick = () => zoom(2);
  $('zoom-fit').onclick = () => setView(0, SPAN);
  $('search').oninput = (event) => search(event.target.value);
  $('search').onkeydown = (event) => {
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
  };
  $('find-next').onclick = () => step(1);
  $('find-previous').onclick = () => step(-1);
  let hint = 'Drag to move, wheel or pinch to zoom, click for details.';
  if (data.not_drawn > 0)
    hint += ' ' + count(data.not_drawn) + ' slices shorter than ' +
      time(data.min_ns) + ' are not drawn (uv-trace html --slices N).';
  $('timeline-hint').textContent = hint;
}

// ---- the overview: all of the time, and the part that is shown ----

function drawOverview() {
  const height = 64;
  const [context, width] = prepare($('overview'), height);
  const bins = data.bins;
  const each = width / bins.length;
  const maxLag = Math.max(1, ...bins.map((bin) => bin[0]));
  const maxQueue = Math.max(1, ...bins.map((bin) => bin[2]));
  const loops = Math.max(1, data.loops.length);
  context.fillStyle = palette.bg;
  context.fillRect(0, 0, width, height);
  bins.forEach(([lag, busy, queued], i) => {
    const share = Math.min(1, busy / (data.bin_ns * loops));
    context.fillStyle = palette.busy;
    context.fillRect(i * each, height * (1 - share), Math.max(1, each),
      height * share);
    if (queued > 0) {
      const h = (height - 6) * queued / maxQueue;
      context.fillStyle = palette.queue;
      context.fillRect(i * each, height - h - 2, Math.max(1, each), 2);
    }
    const h = (height - 4) * Math.sqrt(lag / maxLag);
    context.fillStyle = palette.lag;
    context.fillRect(i * each, height - h, Math.max(1, each), 2);
  });
  if (view.to - view.from >= SPAN * 0.999) return;
  const x = (ns) => ns / SPAN * width;
  context.fillStyle = palette['accent-soft'];
  context.fillRect(x(view.from), 0, x(view.to - view.from), height);
  context.strokeStyle = palette.accent;
  context.lineWidth = 1.5;
  context.strokeRect(x(view.from) + 0.75, 0.75,
    Math.max(2, x(view.to - view.from) - 1.5), height - 1.5);
}
function listenOverview() {
  const canvas = $('overview');
  let from = null;
  const timeAt = (event) => {
    const box = canvas.getBoundingClientRect();
    return (event.clientX - box.left) / box.width * SPAN;
  };
  canvas.addEventListener('pointerdown', (event) => {
    from = timeAt(event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    const at = timeAt(event);
    if (from !== null) {
      if (Math.abs(at - from) > SPAN / 300)
        setView(Math.min(from, at), Math.max(from, at));
      return;
    }
    const bin = data.bins[Math.max(0, Math.min(data.bins.length - 1,
      Math.floor(at / data.bin_ns)))];
    showTip(event, 'at ' + time(at), 'lag up to ' + time(bin[0]),
      data.classes.length > 0 ? 'pool: up to ' + bin[2] + ' queued, ' +
        bin[3] + ' running' : '');
  });
  canvas.addEventListener('pointerup', (event) => {
    const at = timeAt(event);
    if (from !== null && Math.abs(at - from) <= SPAN / 300) {
      const half = (view.to - view.from) / 2;
      setView(at - half, at + half);
    }
    from = null;
  });
  canvas.addEventListener('pointerleave', hideTip);
  const key = (name, text) => element('span', {}, element('i',
    { style: 'background:var(--' + name + ')' }), text);
  const keys = [key('busy', 'share of the time that is busy'),
    key('lag', 'longest lag, up to ' + time(worstLag))];
  const queued = Math.max(0, ...data.bins.map((bin) => bin[2]));
  if (queued > 0)
    keys.push(key('queue', 'queued for the pool, up to ' + queued));
  $('overview-key').replaceChildren(...keys);
}

// ---- the flame graph ----

const flame = data.flame.map(([parent, name, ns, n], i) => ({ id: i + 1,
  parent, name: data.names[name], ns, count: n, children: [] }));
let flamePart = null;
let flameTop = null;
let flameBoxes = [];

function readFlame() {
  const parts = [];
  for (const node of flame) {
    if (node.parent === 0) parts.push(node);
    else flame[node.parent - 1].children.push(node);
  }
  for (const node of flame) node.children.sort((a, b) => b.ns - a.ns);
  for (const part of parts)
    part.ns = part.children.reduce((sum, node) => sum + node.ns, 0);
  const filled = parts.filter((part) => part.children.length > 0);
  $('flame-parts').replaceChildren(...filled.map((part) => {
    const button = element('button', { type: 'button' }, part.name);
    button.onclick = () => chooseFlame(part, button);
    part.button = button;
    return button;
  }));
  if (filled.length > 0) chooseFlame(filled[0], filled[0].button);
  else $('flame-panel').hidden = true;
}
function chooseFlame(part, button) {
  for (const other of $('flame-parts').children)
    other.classList.toggle('on', other === button);
  flamePart = flameTop = part;
  drawFlame();
}
function flameDepth(node) {
  let depth = 0;
  let level = [node];
  while (level.length > 0 && depth < 40) {
    level = level.flatMap((one) => one.children);
    depth++;
  }
  return depth;
}
function drawFlame() {
  if (flameTop === null) return;
  const high = 22;
  const [context, width] = prepare($('flame'), flameDepth(flameTop) * high);
  flameBoxes = [];
  let level = [[flameTop, 0, width]];
  for (let y = 0; level.length > 0; y += high) {
    const below = [];
    for (const [node, left, wide] of level) {
      if (wide < 0.5) continue;
      context.fillStyle = node.parent === 0 ? palette.line :
        hue(node.name, node.name in PHASE);
      context.fillRect(left, y, Math.max(0.5, wide - 1), high - 1);
      context.fillStyle = node.parent === 0 ? palette.text :
        palette['slice-text'];
      const full = short(node.name) + '  ' + time(node.ns);
      context.fillText(context.measureText(full).width < wide - 10 ? full :
        label(context, node.name, wide - 10), left + 5, y + high / 2);
      flameBoxes.push([node, left, wide, y]);
      let at = left;
      const scale = wide / Math.max(1, node.ns);
      for (const child of node.children) {
        below.push([child, at, child.ns * scale]);
        at += child.ns * scale;
      }
    }
    level = below;
  }
}
function flameAt(event) {
  const box = $('flame').getBoundingClientRect();
  const px = event.clientX - box.left;
  const py = event.clientY - box.top;
  const found = flameBoxes.find(([, left, wide, y]) =>
    px >= left && px < left + wide && py >= y && py < y + 22);
  return found ? found[0] : null;
}
function listenFlame() {
  const canvas = $('flame');
  canvas.addEventListener('click', (event) => {
    const node = flameAt(event);
    if (node === null) return;
    if (node === flameTop)
      flameTop = node.parent === 0 ? node : flame[node.parent - 1];
    else
      flameTop = node;
    drawFlame();
  });
  canvas.addEventListener('pointermove', (event) => {
    const node = flameAt(event);
    if (node === null) hideTip();
    else showTip(event, node.name, time(node.ns) + ', ' +
      percent(node.ns, flamePart.ns), node.parent === 0 ? '' :
      count(node.count) + ' times, ' + time(node.ns / node.count) + ' each');
  });
  canvas.addEventListener('pointerleave', hideTip);
}

// ---- the lag histogram ----

function lagHistogram() {
  const sums = new Map();
  for (const loop of data.loops)
    for (const [low, n] of loop.lag_buckets)
      sums.set(low, (sums.get(low) || 0) + n);
  const lows = [...sums.keys()].sort((a, b) => a - b);
  if (lows.length === 0) {
    $('lag-panel').hidden = true;
    return;
  }
  const W = Math.max(280, Math.min(700, $('lag').clientWidth));
  const H = 220;
  const [left, bottom] = [44, 24];
  const log = (ns) => Math.log10(Math.max(100, ns));
  const first = Math.floor(log(lows[0]));
  const last = Math.max(first + 1, Math.ceil(log(lows[lows.length - 1] * 1.25)));
  const top = Math.max(...sums.values());
  const topLog = Math.log10(top) + 0.3;
  const x = (ns) => left + (log(ns) - first) / (last - first) * (W - left - 8);
  const y = (n) => H - bottom - (Math.log10(n) + 0.3) / topLog *
    (H - bottom - 22);
  const svg = shape('svg', { viewBox: '0 0 ' + W + ' ' + H, role: 'img',
    'aria-label': 'Histogram of loop lag' });
  for (let power = first; power <= last; power++) {
    const at = x(10 ** power);
    svg.append(shape('line', { class: 'axis', x1: at, x2: at, y1: 16,
      y2: H - bottom }));
    svg.append(shape('text', { x: at, y: H - 8, 'text-anchor':
      power === last ? 'end' : 'middle' }, time(10 ** power)
      .replace(/\.0+ /, ' ')));
  }
  for (let n = 1; n <= top; n *= 10) {
    svg.append(shape('line', { class: 'axis', x1: left, x2: W - 8, y1: y(n),
      y2: y(n) }));
    svg.append(shape('text', { x: left - 6, y: y(n) + 4, 'text-anchor': 'end' },
      n >= 1e6 ? n / 1e6 + ' M' : n >= 1e4 ? n / 1e3 + ' k' : n));
  }
  for (const low of lows) {
    // Four buckets for each power of two.
    const high = low + 2 ** Math.max(0, Math.floor(Math.log2(low || 1)) - 2);
    const bar = shape('rect', { x: x(low), y: y(sums.get(low)),
      width: Math.max(2, x(high) - x(low) - 1),
      height: Math.max(1, H - bottom - y(sums.get(low))) });
    bar.append(shape('title', {}, time(low) + ' to ' + time(high) + ': ' +
      count(sums.get(low))));
    svg.append(bar);
  }
  for (const [name, ns] of [['p50', lags[0].p50], ['p99', lags[0].p99],
    ['max', worstLag]]) {
    const at = Math.min(W - 9, x(ns));
    const isEnd = at > W - 90 || (name === 'p50' && at > 130) || (name === 'p99' && x(worstLag) - at < 90);
    svg.append(shape('line', { class: 'mark', x1: at, x2: at,
      y1: name === 'p99' ? 28 : 16, y2: H - bottom }));
    svg.append(shape('text', { x: isEnd ? at - 4 : at + 4,
      y: name === 'p99' ? 32 : 14, 'text-anchor': isEnd ? 'end' : 'start' },
      name + ' ' + time(ns)));
  }
  $('lag').replaceChildren(svg);
}
function lagTable() {
  const head = ['loop', 'p50', 'p90', 'p99', 'p99.9', 'max', 'polls/s'];
  const rows = data.loops.map((loop) => [loop.address,
    time(loop.lag.p50), time(loop.lag.p90), time(loop.lag.p99),
    time(loop.lag.p999), time(loop.lag.max),
    (loop.polls / (SPAN / 1e9)).toFixed(1)]);
  fillTable($('lag-table'), head, rows);
}

// ---- phases ----

function phases() {
  const parts = data.loops.map((loop) => {
    const known = loop.phases.reduce((sum, phase) => sum + phase[1], 0);
    const all = [...loop.phases];
    if (loop.span_ns > known)
      all.push(['outside', loop.span_ns - known, 0, 0]);
    const whole = Math.max(loop.span_ns, known, 1);
    const shade = (name) => (name === 'outside' ? palette.line :
      hue(name, true));
    const stack = element('div', { className: 'stack' });
    for (const [name, ns] of all)
      stack.append(element('div', { title: name + ' ' + time(ns) + ', ' +
        percent(ns, whole), style: 'width:' + 100 * ns / whole +
        '%;background:' + shade(name) }));
    const table = element('table');
    fillTable(table, ['phase', 'time', 'share', 'count', 'longest'],
      all.map(([name, ns, n, max]) => [element('span', {}, element('i',
        { className: 'swatch', style: 'background:' + shade(name) }), name),
      time(ns), percent(ns, whole), n > 0 ? count(n) : '',
      n > 0 ? time(max) : '']));
    return element('div', { className: 'phase' }, element('p', {}, 'loop ' +
      loop.address + ': ' + count(loop.iterations) + ' iterations'), stack,
      element('div', { className: 'scroll' }, table));
  });
  $('phases').replaceChildren(...parts);
  if (parts.length === 0) $('phase-panel').hidden = true;
}

// ---- tables ----

// A row that shows something: by mouse, and by keyboard.
function follow(line, onclick) {
  line.className = 'link';
  line.tabIndex = 0;
  line.onclick = onclick;
  line.onkeydown = (event) => {
    if (event.key === 'Enter') onclick();
  };
}
function fillTable(table, head, rows, onclick) {
  const body = element('tbody');
  rows.forEach((row, i) => {
    const line = element('tr', {}, ...row.map((cell) =>
      element('td', { title: typeof cell === 'string' ? cell : '' }, cell)));
    if (onclick) follow(line, () => onclick(i));
    body.append(line);
  });
  table.replaceChildren(element('thead', {}, element('tr', {},
    ...head.map((text) => element('th', {}, text)))), body);
}

const COLUMNS = [
  ['name', (c) => data.names[c.name]],
  ['kind', (c) => kind(c)],
  ['count', (c) => c.time.count, count],
  ['total', (c) => c.time.sum, time],
  ['mean', (c) => c.time.sum / c.time.count, time],
  ['p99', (c) => c.time.p99, time],
  ['max', (c) => c.time.max, time],
  ['bytes', (c) => c.bytes, count],
  ['errors', (c) => c.errors, count],
];
let sortColumn = 3;
let sortDown = true;
let rowsMax = 50;

function kind(c) {
  const type = data.names[c.type];
  const call = data.names[c.call];
  return type === call ? type : type + ' ' + call;
}
function callbackTable() {
  const value = COLUMNS[sortColumn][1];
  const sorted = [...data.callbacks].sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    const order = typeof x === 'string' ? x.localeCompare(y) : x - y;
    return sortDown ? -order : order;
  });
  const most = Math.max(1, ...data.callbacks.map((c) => c.time.sum));
  const head = element('tr', {}, ...COLUMNS.map(([name], i) => {
    const button = element('button', { type: 'button' }, name +
      (i === sortColumn ? sortDown ? ' \u25be' : ' \u25b4' : ''));
    button.onclick = () => {
      sortDown = i === sortColumn ? !sortDown : i > 1;
      sortColumn = i;
      callbackTable();
    };
    const cell = element('th', { className: i === 1 ? 'minor' : '' }, button);
    if (i === sortColumn)
      cell.setAttribute('aria-sort', sortDown ? 'descending' : 'ascending');
    return cell;
  }));
  const body = element('tbody', {}, ...sorted.slice(0, rowsMax).map((c) => {
    const row = element('tr', {}, ...COLUMNS.map(
      ([name, get, format], i) => {
        const cell = element('td', { className: i === 1 ? 'minor' : '' },
          format ? get(c) === 0 ? '' : format(get(c)) : get(c));
        if (i === 0) cell.title = get(c);
        if (name === 'total')
          cell.append(element('span', { className: 'share', style: 'width:' +
            60 * c.time.sum / most + 'px;margin-right:' +
            60 * (1 - c.time.sum / most) + 'px' }));
        return cell;
      }));
    follow(row, () => {
      search(data.names[c.name]);
      show(c.at, c.time.max, data.names[c.name]);
    });
    return row;
  }));
  $('callbacks').replaceChildren(element('thead', {}, head), body);
  const more = $('all-callbacks');
  more.hidden = sorted.length <= rowsMax;
  more.textContent = 'Show all ' + count(sorted.length);
  more.onclick = () => {
    rowsMax = Infinity;
    callbackTable();
  };
  if (sorted.length === 0) $('callback-panel').hidden = true;
}

// A path, a host.
const aboutText = (about) => (about === 0 ? '' :
  ' \u00b7 ' + data.names[about]);
// The first of them are what a person is looking for.
let slowestMax = 5;
function slowest() {
  const { rows } = data.slowest;
  if (rows.length === 0) return;
  $('slowest-panel').hidden = false;
  fillTable($('slowest'), ['callback', 'call', 'took', '', 'at'],
    rows.slice(0, slowestMax).map(([ns, ts, , name, call, about]) => [
      short(data.names[name]) + aboutText(about), data.names[call],
      element('b', { className: ns >= LONG ? 'bad' : '' }, time(ns)),
      element('span', { className: ns >= LONG ? 'share bad' : 'share',
        style: 'width:' + 160 * ns / rows[0][0] + 'px' }), time(ts)]),
    (i) => show(rows[i][1], rows[i][0], data.names[rows[i][3]]));
  $('slowest').querySelectorAll('tbody tr').forEach((line, i) => {
    line.firstChild.title = data.names[rows[i][3]];
  });
  const more = $('all-slowest');
  more.hidden = rows.length <= slowestMax;
  more.textContent = 'Show ' + rows.length;
  more.onclick = () => {
    slowestMax = rows.length;
    slowest();
  };
}
function pool() {
  if (data.classes.length === 0) return;
  $('pool-panel').hidden = false;
  const row = (work, indent) => [indent + data.names[work.name],
    count(work.ran.count), time(work.queued.p50), time(work.queued.p99),
    time(work.queued.max), time(work.ran.p50), time(work.ran.p99),
    time(work.ran.max), count(work.starved)];
  const rows = data.classes.map((work) => row(work, ''));
  rows.push(...data.works.slice(0, 30).map((work) => row(work, '\u2003')));
  fillTable($('pool'), ['class and kind', 'count', 'waited p50', 'p99', 'max',
    'ran p50', 'p99', 'max', 'starved'], rows);
  const list = data.starved;
  if (list.total === 0) return;
  $('starved-part').hidden = false;
  $('starved-title').textContent = count(list.total) + ' starved requests';
  fillTable($('starved'), ['request', 'waited', 'ran', 'queued at'],
    list.rows.map(([ns, ts, ran, name, group, about]) => [data.names[name] +
      ' (' + data.names[group] + ')' + aboutText(about), time(ns), time(ran), time(ts)]), (i) => {
      const [ns, ts, ran, name] = list.rows[i];
      show(ts + ns, ran, data.names[name]);
      setView(ts - ns / 10, ts + ns * 1.1 + ran);
    });
}
function blocked() {
  if (data.blocked.total === 0) return;
  $('blocked-panel').hidden = false;
  fillTable($('blocked'), ['callback', 'for', 'seen at', 'phase'],
    data.blocked.rows.map(([ns, ts, , name, phase]) => [data.names[name],
      time(ns), time(ts), data.names[phase]]),
    (i) => setView(data.blocked.rows[i][1] - data.blocked.rows[i][0] * 1.2,
      data.blocked.rows[i][1] + data.blocked.rows[i][0]));
}

// ---- everything ----

function drawAll() {
  readPalette();
  layout();
  drawTimeline();
  drawOverview();
  drawFlame();
  lagHistogram();
  phases();
}
function setTheme(name) {
  root.dataset.theme = name;
  drawAll();
}
// #theme=dark&from=10&to=20&find=NAME&next=2: times in milliseconds.
function readHash() {
  const hash = new URLSearchParams(location.hash.slice(1));
  if (hash.get('theme')) root.dataset.theme = hash.get('theme');
  if (hash.get('find')) search(hash.get('find'));
  if (hash.get('to'))
    setView(Number(hash.get('from')) * 1e6, Number(hash.get('to')) * 1e6);
  if (hash.get('select')) {
    const [name, nth] = hash.get('select').split(',');
    let left = Number(nth || 0);
    for (let i = 0; i < data.slices.length; i += FIELDS)
      if (data.names[data.slices[i + 3]] === name && left-- === 0)
        select(slice(i));
  }
  for (let n = Number(hash.get('next') || 0); n > 0; n--) step(1);
}

summary();
readSlices();
readPalette();
readHash();
readFlame();
lagTable();
callbackTable();
slowest();
pool();
blocked();
listenTimeline();
listenOverview();
listenFlame();
drawAll();
// Drawing sets heights, which must not be observed while they are reported.
let drawnWidth = document.querySelector('main').clientWidth;
new ResizeObserver(([entry]) => {
  const width = entry.target.clientWidth;
  if (width === drawnWidth) return;
  drawnWidth = width;
  requestAnimationFrame(drawAll);
}).observe(document.querySelector('main'));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
$('theme').onclick = () => {
  const isDark = root.dataset.theme ? root.dataset.theme === 'dark' :
    matchMedia('(prefers-color-scheme: dark)').matches;
  setTheme(isDark ? 'light' : 'dark');
};
document.body.dataset.ready = data.slices.length / FIELDS;
