(async () => {
'use strict';
const $ = id => document.getElementById(id), D = JSON.parse($('attnscope-data').textContent), W = D.words;
const say = (key, ...args) => W[key].replace(/%(\d)/g, (_, i) => args[i - 1]);
const el = (tag, text, cls) => {
  const made = document.createElement(tag);
  if (text != null) made.textContent = text;
  if (cls) made.className = cls;
  return made;
};
const own = text => '\u2068' + text + '\u2069';
const fixed = (v, places) => v === null || v !== v ? 'NaN' : !isFinite(v) ? (v < 0 ? '−∞' : '∞')
  : v.toFixed(places).replace('-', '−').replace('.', D.decimal);
const brief = v => v >= .995 ? fixed(1, 1) : fixed(v, 2).replace(/^(−?)0/, '$1');
const named = v => v !== 0 && Math.abs(v) < .00005 && isFinite(v) ? v.toExponential(1).replace('-', '−').replace('.', D.decimal) : fixed(v, 4);

// ---- numbers: a plane of high bytes a head, then one of low bytes a head; then some heads as float32
const bytes = await unpack($('attnscope-tiles').textContent).catch(() => null);
if (!bytes) { $('said').textContent = W.old; return; }
const parts = D.parts, heads = D.heads.map(([part, layer, head, flag, name], index) => ({part, layer, head, flag, name, index}));
let at = 0;
for (const h of heads) {
  h.P = parts[h.part]; h.nq = h.P.q.length; h.nk = h.P.k.length;
  h.at = at; at += h.nq * h.nk;
}
for (const h of heads) {
  const end = h.at + h.nq * h.nk;
  h.hi = bytes.subarray(h.at, end); h.lo = bytes.subarray(at + h.at, at + end);
}
at *= 2;
for (const i of D.exact) {
  const h = heads[i], size = 4 * h.nq * h.nk;
  h.exact = new DataView(bytes.buffer, bytes.byteOffset + at, size);
  at += size;
}
const special = [undefined, NaN, Infinity, -Infinity], most = 255 * 256 - 1, {lo: least, hi: high, root} = D.code;
const decoded = (hi, lo) => {
  if (hi === 255) return special[lo];
  const share = (hi * 256 + lo) / most;
  return least + (high - least) * (root ? share * share : share);
};
/** A weight; undefined where the mask hides the key. */
const value = (h, q, k) => {
  const i = q * h.nk + k;
  return h.hi[i] === 255 ? special[h.lo[i]] : h.exact ? h.exact.getFloat32(4 * i, true) : decoded(h.hi[i], h.lo[i]);
};

// Who made the page may name the heads that are shown, by their numbers, and where a second sentence begins.
const shown = D.shown ? heads.filter(h => D.shown.includes(h.head)) : heads;
const border = P => P.self && D.second > 0 && D.second < P.q.length ? D.second : 0;

// ---- what is looked at
const home = {h: D.at[0], q: D.at[1], k: D.at[2], way: 0};
let now = {...home}, hover = null, log = D.log;
const root_ = document.documentElement, media = matchMedia('(prefers-color-scheme: dark)');
let chosen_theme = D.theme || null;
if (chosen_theme) root_.dataset.t = chosen_theme;
const is_dark = () => chosen_theme ? chosen_theme === 'dark' : media.matches && !matchMedia('print').matches;
const head = () => heads[now.h], cell = () => hover || now;
const colours = {};
let C;
function take_colours() {
  const name = is_dark() ? 'dark' : 'light';
  const style = getComputedStyle(root_);
  C = colours[name] || (colours[name] = {map: D.maps[name].match(/.{6}/g).map(x => [0, 2, 4].map(i => parseInt(x.substr(i, 2), 16)))});
  for (const key of ['text1', 'text2', 'text3', 'query', 'key', 'hairline', 'hatch', 'hatchline', 'barground', 'barfill', 'small', 'nan', 'picture']) C[key] = style.getPropertyValue('--' + key).trim();
  C.table = null;
}
const low = D.low, top_ = D.top;
const place = v => {
  const share = log ? (v <= low ? 0 : Math.log(v / low) / Math.log(top_ / low)) : v / top_;
  return Math.max(0, Math.min(255, Math.round(255 * share)));
};
const rgb = v => v !== v || v === Infinity ? [255, 0, 212] : C.map[place(v)];
const css = v => 'rgb(' + rgb(v) + ')';
const ink = ([r, g, b]) => {
  const lin = c => (c /= 255) <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
  return .2126 * lin(r) + .7152 * lin(g) + .0722 * lin(b) > .19 ? '#101318' : '#f4f6f9';
};
/** A head as pixels, [0, 0, 0, 0] where it is masked; the largest of what falls into one. */
function picture(h, canvas, side) {
  const w = Math.min(h.nk, side), t = Math.min(h.nq, side);
  canvas.width = w; canvas.height = t;
  if (!w || !t) return;
  // By the high byte, at the middle of its low ones.
  if (!C.table || C.log !== log) {
    C.table = Array.from({length: 255}, (_, i) => rgb(i ? decoded(i, 128) : least));
    C.log = log;
  }
  const ctx = canvas.getContext('2d'), image = ctx.createImageData(w, t), to = image.data;
  const best = new Int16Array(w * t).fill(-1);
  for (let q = 0; q < h.nq; ++q) {
    const y = t === h.nq ? q : Math.floor(q * t / h.nq);
    for (let k = 0; k < h.nk; ++k) {
      const i = q * h.nk + k, hi = h.hi[i] < 255 ? h.hi[i] : h.lo[i] === 0 ? -1 : h.lo[i] === 3 ? 0 : 255;
      const p = y * w + (w === h.nk ? k : Math.floor(k * w / h.nk));
      if (hi > best[p]) best[p] = hi;
    }
  }
  for (let p = 0; p < w * t; ++p) {
    if (best[p] < 0) continue;
    const c = best[p] > 254 ? [255, 0, 212] : C.table[best[p]];
    to[4 * p] = c[0]; to[4 * p + 1] = c[1]; to[4 * p + 2] = c[2]; to[4 * p + 3] = 255;
  }
  ctx.putImageData(image, 0, 0);
}

// ---- a row or a column, and its entropy
const row_of = (h, q) => Array.from({length: h.nk}, (_, k) => value(h, q, k));
const column_of = (h, k) => Array.from({length: h.nq}, (_, q) => value(h, q, k));
function allowed(h, q) {
  if (!h.allowed) {
    h.allowed = new Int32Array(h.nq);
    for (let i = 0; i < h.nq * h.nk; ++i) if (h.hi[i] !== 255 || h.lo[i]) ++h.allowed[Math.floor(i / h.nk)];
  }
  return h.allowed[q];
}
const entropy = (h, q) => (D.entropy[h.index] || [])[q];
const nats = v => v == null ? 'n/a' : fixed(v, 2);
function received(h, k) {
  let sum = 0, even = 0;
  for (let q = 0; q < h.nq; ++q) {
    const v = value(h, q, k);
    if (v === undefined) continue;
    sum += v; even += 1 / allowed(h, q);
  }
  return [sum, even];
}

// ---- the strip of tokens
const strips = [];
function make_strips() {
  const P = head().P;
  if (strips.P === P) return;
  strips.P = P; strips.length = 0;
  $('strips').replaceChildren();
  const add = (labels, kind) => {
    const box = el('div'), list = labels.map((label, i) => {
      if (border(P) && (i === 0 || i === border(P))) box.append(el('strong', i ? W.sentence_b : W.sentence_a));
      const b = el('button'), name = el('b', label);
      b.type = 'button'; name.dir = 'auto';
      b.append(el('i', i), name, el('span', ''));
      b.tabIndex = -1;
      b.onclick = () => choose(kind === 'k' || (P.self && now.way) ? {k: i} : {q: i});
      b.onpointerenter = e => e.pointerType === 'mouse' && preview(kind === 'k' || (P.self && now.way) ? {q: now.q, k: i} : {q: i, k: now.k});
      b.onpointerleave = () => preview(null);
      box.append(b);
      return b;
    });
    walk(box, list, () => 1, i => list[i].click());
    box.setAttribute('role', 'group');
    box.setAttribute('aria-label', kind === 'k' ? W.key : kind === 'q' ? W.query : W.tokens);
    $('strips').append(box);
    strips.push({list, kind});
  };
  if (P.self) add(P.q, 'both'); else { add(P.q, 'q'); add(P.k, 'k'); }
}
function draw_strips() {
  const h = head(), c = cell(), row = row_of(h, c.q), column = now.way ? column_of(h, c.k) : null;
  for (const {list, kind} of strips) {
    const shown = kind === 'q' ? now.way ? column : null : kind === 'k' ? now.way ? null : row : now.way ? column : row;
    list.forEach((b, i) => {
      const v = shown && shown[i], masked = shown && v === undefined;
      const q = kind !== 'k' && i === c.q, k = kind !== 'q' && i === c.k;
      b.className = (q ? 'q ' : '') + (k ? 'k ' : '') + (masked ? 'm' : '');
      b.children[1].style.background = shown && !masked ? css(v) : '';
      b.children[1].style.color = shown && !masked ? ink(rgb(v)) : '';
      b.children[2].textContent = !shown ? '' : masked ? W.masked : brief(v);
      b.setAttribute('aria-pressed', q || k);
      b.tabIndex = (kind === 'k' ? k : q) ? 0 : -1;
    });
  }
}
/** Arrows among buttons of which one can be reached by Tab. */
function walk(box, list, across, enter) {
  box.addEventListener('keydown', e => {
    const i = list.indexOf(e.target.closest('button'));
    const step = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: across(), ArrowUp: -across()}[e.key];
    if (i < 0) return;
    const j = e.key === 'Home' ? 0 : e.key === 'End' ? list.length - 1 : step ? i + step : -1;
    if (j < 0 || j >= list.length) return;
    e.preventDefault();
    list[i].tabIndex = -1; list[j].tabIndex = 0; list[j].focus();
    if (enter) enter(j);
  });
}

// ---- the map
const map = $('map'), heat = document.createElement('canvas');
let L = {}, hatch = null;
const font = (size, weight) => `${weight || 400} ${size}px Inter,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif`;
function cut(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return text;
  const letters = [...text];
  while (letters.length && ctx.measureText(letters.join('') + '…').width > width) letters.pop();
  return letters.join('') + '…';
}
function lay_out() {
  const h = head(), ctx = map.getContext('2d'), width = map.clientWidth || 400;
  ctx.font = font(13);
  const widest = (list, limit) => { let w = 0; for (const t of list) { w = Math.max(w, ctx.measureText(t).width); if (w > limit) return limit; } return w; };
  const narrow = width < 380;
  ctx.font = font(13, 600);
  const corner = Math.ceil(Math.max(ctx.measureText(W.key + ' →').width, ctx.measureText(W.query + ' ↓').width)) + 12;
  L = {left: Math.max(corner, widest(h.P.q, narrow ? 66 : 110) + 14), over: Math.max(46, widest(h.P.k, narrow ? 58 : 80) + 12), right: narrow ? 34 : 58, narrow};
  const room = width - L.left - L.right;
  L.cell = Math.min(44, room / h.nk, Math.max(1, 560 / h.nq));
  if (L.cell >= 5) L.cell = Math.floor(L.cell);
  L.w = L.cell * h.nk; L.h = L.cell * h.nq;
  const ratio = devicePixelRatio || 1;
  L.ratio = ratio; L.width = width; L.height = Math.ceil(L.over + L.h + 4);
  map.style.height = L.height + 'px';
  map.width = Math.round(width * ratio); map.height = Math.round(L.height * ratio);
  const tile = document.createElement('canvas'), t = tile.getContext('2d');
  tile.width = tile.height = 6;
  t.fillStyle = C.hatch; t.fillRect(0, 0, 6, 6);
  t.strokeStyle = C.hatchline; t.beginPath(); t.moveTo(-1, 7); t.lineTo(7, -1); t.moveTo(-1, 1); t.lineTo(1, -1); t.moveTo(5, 7); t.lineTo(7, 5); t.stroke();
  hatch = ctx.createPattern(tile, 'repeat');
  picture(h, heat, Math.max(1, Math.floor(Math.max(L.w, L.h) * ratio)));
}
function draw_map() {
  const h = head(), c = cell(), ctx = map.getContext('2d'), s = L.cell, x0 = L.left, y0 = L.over;
  ctx.setTransform(L.ratio, 0, 0, L.ratio, 0, 0);
  ctx.clearRect(0, 0, L.width, L.height);
  ctx.fillStyle = hatch; ctx.fillRect(x0, y0, L.w, L.h);
  ctx.imageSmoothingEnabled = false;
  ctx.globalAlpha = h.flag & 1 ? .22 : 1;
  ctx.drawImage(heat, x0, y0, L.w, L.h);
  ctx.globalAlpha = 1;
  if (s >= 7) {
    ctx.fillStyle = C.hairline;
    for (let k = 0; k <= h.nk; ++k) ctx.fillRect(x0 + k * s - .5, y0, 1, L.h);
    for (let q = 0; q <= h.nq; ++q) ctx.fillRect(x0, y0 + q * s - .5, L.w, 1);
  }
  ctx.textBaseline = 'middle';
  if (s >= 20) {
    ctx.textAlign = 'center'; ctx.font = font(s >= 30 ? 13 : s >= 26 ? 12 : 11);
    for (let q = 0; q < h.nq; ++q) for (let k = 0; k < h.nk; ++k) {
      const v = value(h, q, k);
      if (v === undefined || (v < .045 && v > -.045 && s < 34)) continue;
      const dim = v < .1 && (v < .05 || log === false);
      ctx.fillStyle = dim && s >= 34 && v < .05 ? C.small : ink(rgb(v));
      ctx.fillText(brief(v), x0 + (k + .5) * s, y0 + (q + .5) * s + .5);
    }
  }
  // Labels as far apart as their lines are high; the marked one always.
  const step = Math.max(1, Math.ceil(14 / s)), seen = (i, marked) => i === marked || (i % step === 0 && Math.abs(i - marked) >= step);
  ctx.textAlign = 'right';
  for (let q = 0; q < h.nq; ++q) if (seen(q, c.q)) {
    ctx.font = font(13, q === c.q ? 600 : 400); ctx.fillStyle = q === c.q ? C.query : C.text2;
    ctx.fillText(cut(ctx, h.P.q[q], x0 - 12), x0 - 9, y0 + (q + .5) * s);
  }
  ctx.textAlign = 'left';
  for (let k = 0; k < h.nk; ++k) if (seen(k, c.k)) {
    ctx.save(); ctx.translate(x0 + (k + .5) * s, y0 - 8); ctx.rotate(-Math.PI / 2);
    ctx.font = font(13, k === c.k ? 600 : 400); ctx.fillStyle = k === c.k ? C.key : C.text2;
    ctx.fillText(cut(ctx, h.P.k[k], y0 - 10), 0, 0); ctx.restore();
  }
  ctx.textAlign = 'right'; ctx.font = font(13, 600);
  ctx.fillStyle = C.key; ctx.fillText(W.key + ' →', x0 - 9, y0 - 33);
  ctx.fillStyle = C.query; ctx.fillText(W.query + ' ↓', x0 - 9, y0 - 15);
  if (border(h.P)) {
    ctx.fillStyle = C.text1;
    ctx.fillRect(x0 - 8, y0 + border(h.P) * s - 1, L.w + 8, 2); ctx.fillRect(x0 + border(h.P) * s - 1, y0 - 8, 2, L.h + 8);
  }
  // Entropy: the track is ln(allowed), what uniform attention would have.
  const right = x0 + L.w + 8, room = L.right - 10, thick = Math.max(1, Math.min(6, s - 1)), longest = Math.log(h.nk) || 1;
  ctx.font = font(13); ctx.textAlign = 'left'; ctx.fillStyle = C.text3; ctx.fillText(L.narrow ? 'H' : W.entropy, right, y0 - 10);
  for (let q = 0; q < h.nq; ++q) {
    const H = entropy(h, q), even = Math.log(allowed(h, q)), y = y0 + (q + .5) * s - thick / 2;
    if (H == null || !(even > 0)) continue;
    ctx.fillStyle = C.barground; ctx.fillRect(right, y, Math.max(1, room * even / longest), thick);
    ctx.fillStyle = q === c.q ? C.query : C.barfill; ctx.fillRect(right, y, room * Math.min(H, even) / longest, thick);
  }
  // Marks
  const x = x0 + c.k * s, y = y0 + c.q * s, m = Math.max(s, 3);
  ctx.fillStyle = C.query; ctx.fillRect(x0 - 5, y, 3, m);
  ctx.fillStyle = C.key; ctx.fillRect(x, y0 - 5, m, 3);
  if (now.way) { ctx.strokeStyle = C.key; ctx.lineWidth = 1.5; ctx.strokeRect(x - .5, y0 - .5, m + 1, L.h + 1); }
  else { ctx.strokeStyle = C.query; ctx.lineWidth = 1.5; ctx.strokeRect(x0 - .5, y - .5, L.w + 1, m + 1); }
  ctx.strokeStyle = C.picture; ctx.lineWidth = 4.5; ctx.strokeRect(x - 1, y - 1, m + 2, m + 2);
  ctx.strokeStyle = C.query; ctx.lineWidth = 2; ctx.strokeRect(x - 1, y - 1, m + 2, m + 2);
}
function cell_at(e) {
  const h = head(), box = map.getBoundingClientRect();
  const k = Math.floor((e.clientX - box.left - L.left) / L.cell), q = Math.floor((e.clientY - box.top - L.over) / L.cell);
  const in_k = k >= 0 && k < h.nk, in_q = q >= 0 && q < h.nq;
  if (in_k && in_q) return {q, k};
  if (in_q && k < 0) return {q, k: now.k};
  if (in_k && q < 0) return {q: now.q, k};
  return null;
}

// ---- the read-out and its table
const head_name = h => (h.P.name ? h.P.name + ' · ' : '') + (h.P.layers ? say('layer_head', h.layer, h.head) : say('head', h.head) + (h.name ? ' · ' + h.name : ''));
function draw_read() {
  const h = head(), c = cell(), v = value(h, c.q, c.k), back = now.way === 1;
  const list = (back ? column_of(h, c.k) : row_of(h, c.q)).map((w, i) => ({w, i})), labels = back ? h.P.q : h.P.k;
  $('value').textContent = v === undefined ? W.masked : named(v);
  $('from').textContent = h.P.q[c.q]; $('to').textContent = h.P.k[c.k];
  const which = own(back ? h.P.k[c.k] : h.P.q[c.q]);
  $('note').textContent = (h.exact ? say(back ? 'column_exact' : 'row_exact', which) : say(back ? 'column_close' : 'row_close', which))
    + ' ' + (back ? say('received', ...received(h, c.k).map(x => fixed(x, 2))) : row_words(h, c.q));
  const seen = list.filter(e => e.w !== undefined).sort((a, b) => b.w - a.w || a.i - b.i);
  const limit = innerWidth <= 700 ? 6 : 14, mark = back ? c.q : c.k, kept = seen.slice(0, limit);
  const chosen = seen.find(e => e.i === mark);
  if (chosen && !kept.includes(chosen)) kept[kept.length - 1] = chosen;
  const body = $('row').tBodies[0], rows = kept.map(({w, i}) => {
    const tr = el('tr', null, i === mark ? 'on' : ''), th = el('th'), name = el('bdi', labels[i]), bar = el('td'), track = el('i'), fill = el('b');
    th.scope = 'row'; th.append(name, el('small', i)); th.title = labels[i];
    th.onclick = () => choose(back ? {q: i} : {k: i});
    fill.style.width = Math.max(0, Math.min(100, 100 * w / top_)) + '%';
    track.append(fill); bar.append(track); bar.setAttribute('aria-hidden', 'true');
    tr.append(th, bar, el('td', named(w)));
    return tr;
  });
  body.replaceChildren(...rows);
  const head_row = $('row').tHead.rows[0];
  head_row.cells[0].textContent = back ? W.query : W.key;
  $('row').caption.textContent = say(back ? 'column_caption' : 'caption', which, head_name(h));
  const left = seen.filter(e => !kept.includes(e)), masked = list.length - seen.length;
  $('more').textContent = (left.length ? say(back ? 'more_queries' : 'more_keys', left.length, fixed(left.reduce((s, e) => s + e.w, 0), 4)) + ' ' : '')
    + (masked ? say('hidden', masked) : '');
  $('arrow').textContent = back ? '←' : '→';
  $('from').parentNode.insertBefore(back ? $('to') : $('from'), $('arrow'));
  $('arrow').after(back ? $('from') : $('to'));
}
function row_words(h, q) {
  const n = allowed(h, q), H = entropy(h, q);
  return n === 0 ? W.no_key : n === 1 ? W.one_key : H == null ? '' : say('entropy_row', nats(H), nats(Math.log(n)));
}

// ---- all heads
const grids = [];
function make_heads() {
  const box = $('heads'), is_model = parts.some(P => P.layers);
  box.querySelectorAll('.grid,.flat,h3').forEach(e => e.remove());
  grids.length = 0;
  const narrow = innerWidth <= 700;
  parts.forEach((P, p) => {
    const list = shown.filter(h => h.part === p);
    if (!list.length) return;
    if (parts.length > 1) box.append(el('h3', P.name));
    const grid = el('div', null, is_model ? 'grid' : 'grid flat');
    grid.style.setProperty('--ar', P.k.length / Math.max(1, P.q.length));
    if (P.k.length > 40) grid.classList.add('fine');
    const layers = [...new Set(list.map(h => h.layer))], count = Math.max(...list.map(h => h.head)) + 1;
    const across = narrow || layers.length < count ? 'heads' : 'layers', columns = across === 'heads' ? count : layers.length;
    const label = (text, on) => { const s = el('span', text); s.dataset.on = on; s.setAttribute('aria-hidden', 'true'); return s; };
    const buttons = [];
    const add = h => {
      const b = el('button', null, (h.flag & 1 ? 'off ' : '') + (h.flag & 2 ? 'ch' : '')), canvas = el('canvas');
      b.type = 'button';
      const H = (D.entropy[h.index] || []).filter((x, q) => x != null && allowed(h, q) > 1);
      const even = Array.from({length: h.nq}, (_, q) => allowed(h, q)).filter(n => n > 1).map(Math.log);
      const mean = a => a.length ? fixed(a.reduce((s, x) => s + x, 0) / a.length, 2) : 'n/a';
      b.title = head_name(h) + (h.flag & 1 ? ' · ' + W.off : h.flag & 2 ? ' · ' + W.changed : '') + '\n' + say('entropy_head', mean(H), mean(even));
      b.setAttribute('aria-label', b.title.replace('\n', '. '));
      if (!is_model) b.append(el('em', h.name || say('head', h.head)));
      b.append(canvas);
      b.onclick = () => choose({h: h.index});
      h.button = b; h.canvas = canvas;
      buttons.push(b); grid.append(b);
    };
    if (!is_model) list.forEach(add);
    else {
      grid.style.gridTemplateColumns = `max-content repeat(${columns},minmax(${narrow ? 26 : 18}px,${narrow ? 60 : 72}px))`;
      grid.append(label('', -1));
      grid.lastChild.className = 'top';
      for (let c = 0; c < columns; ++c) {
        const n = across === 'heads' ? c : layers[c];
        grid.append(label(n, across[0] + n));
        grid.lastChild.className = 'top';
      }
      const find = (l, n) => list.find(h => h.layer === l && h.head === n);
      for (let r = 0; r < (across === 'heads' ? layers.length : count); ++r) {
        const n = across === 'heads' ? layers[r] : r;
        grid.append(label(n, (across === 'heads' ? 'l' : 'h') + n));
        for (let c = 0; c < columns; ++c) {
          const h = across === 'heads' ? find(layers[r], c) : find(layers[c], r);
          if (h) add(h); else grid.append(el('span'));
        }
      }
      $('heads').querySelector('.hint').textContent = across === 'heads' ? W.heads_across : W.layers_across;
    }
    if (!is_model) $('heads').querySelector('.hint').textContent = W.click_opens;
    walk(grid, buttons, () => {  // as many as stand in a line
      const y = buttons[0].offsetTop;
      return Math.max(1, buttons.filter(b => b.offsetTop === y).length);
    });
    grids.push(grid);
    box.append(grid);
  });
  $('heads').hidden = shown.length < 2;
  make_heads.narrow = narrow;
}
const draw_heads = () => shown.forEach(h => picture(h, h.canvas, 64));
function mark_head() {
  const h = head();
  shown.forEach(o => { o.button.setAttribute('aria-current', o === h); o.button.tabIndex = o === h ? 0 : -1; });
  grids.forEach(g => g.querySelectorAll('span[data-on]').forEach(s => s.classList.toggle('on', g.contains(h.button) && (s.dataset.on === 'l' + h.layer || s.dataset.on === 'h' + h.head))));
  const title = $('head');
  title.replaceChildren(el('i', h.head), document.createTextNode(head_name(h)));
  title.firstChild.style.background = `var(--head${h.head % 8})`;
  const box = h.button.parentNode;
  if (box.scrollHeight > box.clientHeight && (h.button.offsetTop < box.scrollTop || h.button.offsetTop > box.scrollTop + box.clientHeight - 40)) box.scrollTop = h.button.offsetTop - box.clientHeight / 2;
  map.setAttribute('aria-label', say('map', head_name(h), h.nq, h.nk));
}

// ---- following
let due = 0;
function preview(c) {
  hover = c;
  if (!due) due = requestAnimationFrame(() => { due = 0; draw(); });
}
function draw() { draw_map(); draw_strips(); draw_read(); }
function choose(next, spoken) {
  const before = now.h, old = head().P;
  now = {...now, ...next}; hover = null;
  const h = head();
  now.q = Math.max(0, Math.min(h.nq - 1, now.q)); now.k = Math.max(0, Math.min(h.nk - 1, now.k));
  if (before !== now.h) { make_strips(); lay_out(); mark_head(); if ($('whole').open) fill_whole(); }
  draw();
  if (spoken || before !== now.h || old !== h.P) {
    const v = value(h, now.q, now.k);
    $('live').textContent = (before !== now.h ? head_name(h) + '. ' : '') + say('spoken', own(h.P.q[now.q]), own(h.P.k[now.k]), v === undefined ? W.masked : named(v));
  }
}
/** The number of the head that is shown before or after this one. */
const beside = step => (shown[shown.indexOf(head()) + step] || head()).index;
function fill_whole() {
  const h = head(), most_cells = 96, nq = Math.min(h.nq, most_cells), nk = Math.min(h.nk, most_cells);
  const table = el('table'), first = table.createTHead().insertRow(), body = table.createTBody();
  table.append(el('caption', say('whole', head_name(h))));
  first.append(el('td'));
  const th = (text, scope) => { const t = el('th'); t.scope = scope; t.append(el('bdi', text)); return t; };
  for (let k = 0; k < nk; ++k) first.append(th(h.P.k[k], 'col'));
  for (let q = 0; q < nq; ++q) {
    const tr = body.insertRow();
    tr.append(th(h.P.q[q], 'row'));
    for (let k = 0; k < nk; ++k) { const v = value(h, q, k); tr.append(el('td', v === undefined ? '–' : named(v))); }
  }
  $('whole').lastElementChild.replaceChildren(table);
  if (nq < h.nq || nk < h.nk) $('whole').lastElementChild.prepend(el('p', say('first_cells', nq, nk), 'note'));
}
function press(group, key, on) { for (const b of $(group).children) b.setAttribute('aria-pressed', b.dataset[key] === String(on)); }
function draw_ramp() {
  const ramp = document.querySelector('.ramp'), stops = [];
  for (let i = 0; i <= 16; ++i) stops.push('#' + C.map[Math.round(i * 255 / 16)].map(c => c.toString(16).padStart(2, '0')).join(''));
  ramp.querySelector('i').style.background = `linear-gradient(to right,${stops})`;
  const ends = ramp.querySelectorAll('span');
  ends[1].textContent = log ? '≤ ' + String(low).replace('.', D.decimal) : '0';
  ends[2].textContent = String(Math.round(top_ * 1e4) / 1e4).replace('.', D.decimal) + (log ? ' · ' + W.log : '');
}
function recolour() {
  take_colours(); draw_ramp(); draw_heads(); lay_out(); draw();
  press('theme', 't', is_dark() ? 'dark' : 'light'); press('way', 'd', now.way); press('scale', 'l', log ? 1 : 0);
}
map.addEventListener('pointermove', e => { if (e.pointerType !== 'touch') preview(cell_at(e)); });
map.addEventListener('pointerleave', () => preview(null));
map.addEventListener('click', e => { const c = cell_at(e); if (c) choose(c); });
map.addEventListener('keydown', e => {
  const h = head(), many = e.ctrlKey || e.shiftKey ? 10 : 1;
  const next = {ArrowLeft: {k: now.k - many}, ArrowRight: {k: now.k + many}, ArrowUp: {q: now.q - many}, ArrowDown: {q: now.q + many},
    Home: {k: 0}, End: {k: h.nk - 1}, PageUp: {h: beside(-1)}, PageDown: {h: beside(1)}}[e.key];
  if (!next) return;
  e.preventDefault(); choose(next, true);
});
addEventListener('keydown', e => { if (e.key === 'Escape') { const way = now.way; choose({...home}, true); if (way !== now.way) press('way', 'd', now.way); } });
$('way').onclick = e => { const b = e.target.closest('button'); if (b) { now.way = +b.dataset.d; press('way', 'd', now.way); draw(); } };
$('scale').onclick = e => { const b = e.target.closest('button'); if (b) { log = b.dataset.l === '1'; recolour(); } };
$('theme').onclick = e => { const b = e.target.closest('button'); if (b) { chosen_theme = b.dataset.t; root_.dataset.t = chosen_theme; recolour(); } };
$('whole').ontoggle = () => { if ($('whole').open) fill_whole(); };
const tell = text => { $('said').textContent = text; setTimeout(() => { $('said').textContent = ''; }, 4000); };
$('png').onclick = () => map.toBlob(blob => {
  const a = el('a'); a.href = URL.createObjectURL(blob); a.download = 'attention.png'; a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
  tell(W.saved);
});
$('cite').onclick = () => (navigator.clipboard ? navigator.clipboard.writeText(D.citation) : Promise.reject()).then(() => tell(W.copied), () => tell(D.citation));
media.addEventListener('change', () => { if (!chosen_theme) recolour(); });
let print_theme = null;
addEventListener('beforeprint', () => { print_theme = chosen_theme; chosen_theme = root_.dataset.t = 'light'; recolour(); });
addEventListener('afterprint', () => { chosen_theme = print_theme; if (chosen_theme) root_.dataset.t = chosen_theme; else delete root_.dataset.t; recolour(); });
let width = innerWidth;
addEventListener('resize', () => {
  if (innerWidth === width) return;
  width = innerWidth;
  if (make_heads.narrow !== (innerWidth <= 700)) { make_heads(); mark_head(); draw_heads(); }
  lay_out(); draw();
});
if (D.shown) $('all').textContent = W.shown_heads;
take_colours(); make_strips(); make_heads(); mark_head(); recolour();
if (matchMedia('(pointer: coarse)').matches) document.querySelector('.bar .hint').textContent = W.hint_touch;
root_.dataset.ready = '1';
})();
