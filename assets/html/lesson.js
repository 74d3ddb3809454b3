(() => {
'use strict';
const $ = id => document.getElementById(id), W = JSON.parse($('attnscope-data').textContent), root = document.documentElement;
const steps = [...document.querySelectorAll('.step')], links = [...document.querySelectorAll('#steps li')];
const media = matchMedia('(prefers-color-scheme: dark)');
let theme = null, now = -1;
const fixed = (v, places) => v.toFixed(places).replace('-', '−').replace('.', W.decimal);

// ---- what is packed
const unpacked = async text => new TextDecoder().decode(await unpack(text));
const failed = () => { $('said').textContent = W.old; };

// ---- maps: a page of their own in a frame each
const is_dark = () => theme ? theme === 'dark' : media.matches;
function colour(frame) {
  const page = frame.contentDocument, button = page && page.querySelector(`#theme [data-t=${is_dark() ? 'dark' : 'light'}]`);
  if (button) button.click();
}
function fit(frame) {
  const page = frame.contentDocument;
  if (page && page.body) frame.style.height = Math.ceil(page.body.getBoundingClientRect().height) + 'px';
}
function show_map(side, html) {
  const frame = document.createElement('iframe'), title = side.querySelector('h3');
  frame.title = title ? title.textContent : side.closest('.step').querySelector('h2').textContent;
  frame.onload = () => {
    const page = frame.contentDocument;
    if (!page || !page.body) return;
    new ResizeObserver(() => fit(frame)).observe(page.body);
    page.addEventListener('keydown', e => { if (!e.target.closest('canvas,button,summary')) on_key(e); });
    (function wait() {
      if (!page.documentElement.dataset.ready) return setTimeout(wait, 10);
      colour(frame); fit(frame); root.dataset.maps = document.querySelectorAll('iframe').length;
    })();
  };
  frame.srcdoc = html.replace('/*colours*/', () => $('colours').textContent).replace('/*css*/', () => $('map-css').textContent)
    .replace('/*js*/', () => $('map-js').textContent);
  const lid = side.querySelector('.lid');
  if (lid) lid.replaceWith(frame); else side.append(frame);
}
function open_maps(step) {
  for (const side of step.querySelectorAll('.side')) {
    const packed = side.querySelector('script.map');
    if (!packed || side.querySelector('iframe') || packed.dataset.due) continue;
    packed.dataset.due = 1;
    unpacked(packed.textContent).then(html => show_map(side, html), failed);
  }
}

// ---- steps
function go(to, quietly) {
  to = Math.max(0, Math.min(steps.length - 1, to));
  if (to === now) return;
  now = to;
  steps.forEach((s, i) => s.classList.toggle('on', i === now));
  links.forEach((l, i) => {
    l.className = i < now ? 'done' : i === now ? 'on' : '';
    if (i === now) l.firstElementChild.setAttribute('aria-current', 'step'); else l.firstElementChild.removeAttribute('aria-current');
  });
  $('back').disabled = now === 0; $('next').disabled = now === steps.length - 1;
  open_maps(steps[now]);
  if (quietly) return;
  try { history.replaceState(null, '', '#' + steps[now].id); } catch (e) { /* in a frame it may not */ }
  steps[now].querySelector('h2').focus({preventScroll: true});
  scrollTo(0, 0);
}
$('back').onclick = () => go(now - 1);
$('next').onclick = () => go(now + 1);
links.forEach((l, i) => { l.firstElementChild.onclick = e => { e.preventDefault(); go(i); }; l.title = l.querySelector('em').textContent; });
const asked_for = () => steps.findIndex(s => '#' + s.id === location.hash);
addEventListener('load', () => scrollTo(0, 0));  // not to where the address points: the step is shown alone
addEventListener('hashchange', () => { if (asked_for() >= 0) go(asked_for()); });

// ---- questions
for (const step of steps) {
  const card = step.querySelector('.ask');
  if (!card) continue;
  const state = card.querySelector('.state'), buttons = [...card.querySelectorAll('.choice button')], slider = card.querySelector('input');
  step.choose = i => {
    if (card.classList.contains('told') || !buttons[i]) return;
    buttons.forEach((b, j) => b.setAttribute('aria-pressed', i === j));
    state.textContent = W.chosen;
  };
  buttons.forEach((b, i) => { b.onclick = () => step.choose(i); });
  if (slider) slider.oninput = () => {
    step.guess = +slider.value;
    card.querySelector('output').textContent = fixed(step.guess, 2);
    state.textContent = W.chosen;
  };
  step.reveal = async () => {
    if (card.classList.contains('told')) return;
    let told;
    try { told = JSON.parse(await unpacked(step.querySelector('script.hidden').textContent)); } catch (e) { return failed(); }
    if (card.classList.contains('told')) return;
    card.classList.add('told');
    state.textContent = W.revealed;
    card.querySelector('.foot').hidden = true;
    buttons.forEach((b, i) => {
      const chosen = b.getAttribute('aria-pressed') === 'true', why = b.nextElementSibling;
      b.disabled = true;
      if (told.right[i]) b.classList.add('right');
      if (told.right[i] || chosen) {
        b.firstElementChild.textContent = told.right[i] ? '✓' : '×';
        b.firstElementChild.setAttribute('role', 'img');
        b.firstElementChild.setAttribute('aria-label', told.right[i] ? W.right : W.wrong);
      }
      if (chosen && !told.right[i] && told.why[i]) { why.innerHTML = told.why[i]; why.hidden = false; }
    });
    if (slider) {
      slider.disabled = true;
      if (told.is !== undefined) {
        const near = step.guess !== undefined && Math.abs(step.guess - told.is) <= told.tolerance, truth = card.querySelector('.truth');
        truth.innerHTML = near ? told.near : told.far;
        truth.classList.toggle('near', near);
        truth.hidden = false;
      }
    }
    const answer = card.querySelector('.answer');
    if (told.answer) { answer.innerHTML = told.answer; answer.hidden = false; }
    if (told.picture) step.querySelector('.pic').innerHTML = told.picture;
    step.querySelectorAll('.code td').forEach((td, i) => { td.innerHTML = told.code[i]; });
    step.querySelectorAll('.side').forEach((side, i) => { if (told.maps[i]) show_map(side, told.maps[i]); });
    $('live').textContent = answer.textContent;
    step.dataset.told = 1;
  };
  card.querySelector('.reveal').onclick = () => step.reveal();
}

// ---- keys and colours
function on_key(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === 'INPUT') return;
  const step = steps[now];
  if (e.key === 'ArrowRight') go(now + 1);
  else if (e.key === 'ArrowLeft') go(now - 1);
  else if (e.key === 'Home') go(0);
  else if (/^[1-9]$/.test(e.key) && step.choose) step.choose(e.key - 1);
  else if (e.key.toLowerCase() === 'r' && step.reveal) step.reveal();
  else return;
  e.preventDefault();
}
addEventListener('keydown', on_key);
function press() { for (const b of $('theme').children) b.setAttribute('aria-pressed', (b.dataset.t === 'dark') === is_dark()); }
function recolour() { press(); document.querySelectorAll('iframe').forEach(colour); }
$('theme').onclick = e => { const b = e.target.closest('button'); if (b) { theme = root.dataset.t = b.dataset.t; recolour(); } };
media.addEventListener('change', () => { if (!theme) recolour(); });

root.classList.add('js');
press();
go(Math.max(0, asked_for()), true);
root.dataset.ready = '1';
})();
