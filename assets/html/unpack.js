/** What stands as base64 of deflated bytes. Browsers that have no stream for it (before 2023) do it here. */
async function unpack(text) {
  'use strict';
  const packed = Uint8Array.from(atob(text.trim()), c => c.charCodeAt(0));
  if (self.DecompressionStream) {
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }
  let at = 2, bits = 0, held = 0, size = 0, to = new Uint8Array(4 * packed.length);  // behind the header of zlib
  const take = count => {
    for (; held < count; held += 8) {
      if (at >= packed.length) throw Error('cut short');
      bits |= packed[at++] << held;
    }
    const value = bits & ((1 << count) - 1);
    bits >>>= count; held -= count;
    return value;
  };
  const room = more => {
    if (size + more <= to.length) return;
    const larger = new Uint8Array(2 * to.length + more);
    larger.set(to); to = larger;
  };
  // Symbols by the number of their bits, which follow each other.
  const code_of = lengths => {
    const count = new Uint16Array(16), next = new Uint16Array(17), symbols = new Uint16Array(lengths.length);
    lengths.forEach(n => { if (n) ++count[n]; });
    for (let n = 1; n < 16; ++n) next[n + 1] = next[n] + count[n];
    lengths.forEach((n, i) => { if (n) symbols[next[n]++] = i; });
    return {count, symbols};
  };
  const symbol = ({count, symbols}) => {
    for (let n = 1, code = 0, first = 0, index = 0; n < 16; ++n) {
      code = code << 1 | take(1);
      first <<= 1;
      if (code < first + count[n]) return symbols[index + code - first];
      index += count[n]; first += count[n];
    }
    throw Error('no such code');
  };
  const block = (literals, distances) => {
    for (let s; (s = symbol(literals)) !== 256;) {
      room(258);
      if (s < 256) { to[size++] = s; continue; }
      const extra = s < 265 || s === 285 ? 0 : (s - 261) >> 2;
      const length = s === 285 ? 258 : 3 + (s < 265 ? s - 257 : ((4 + ((s - 261) & 3)) << extra) + take(extra));
      const d = symbol(distances), more = d < 4 ? 0 : (d >> 1) - 1;
      const back = 1 + (d < 4 ? d : ((2 + (d & 1)) << more) + take(more));
      for (let i = 0; i < length; ++i, ++size) to[size] = to[size - back];
    }
  };
  const told = () => {
    const literals = take(5) + 257, distances = take(5) + 1, given = take(4) + 4, lengths = new Array(19).fill(0), all = [];
    for (let i = 0; i < given; ++i) lengths['16,17,18,0,8,7,9,6,10,5,11,4,12,3,13,2,14,1,15'.split(',')[i]] = take(3);
    const code = code_of(lengths);
    while (all.length < literals + distances) {
      const s = symbol(code), value = s < 16 ? s : s === 16 ? all[all.length - 1] : 0;
      for (let n = s < 16 ? 1 : s === 16 ? 3 + take(2) : s === 17 ? 3 + take(3) : 11 + take(7); n > 0; --n) all.push(value);
    }
    block(code_of(all.slice(0, literals)), code_of(all.slice(literals)));
  };
  for (let last = 0; !last;) {
    last = take(1);
    const kind = take(2);
    if (kind === 2) told();
    else if (kind === 1) block(code_of(Array.from({length: 288}, (_, i) => i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8)), code_of(new Array(30).fill(5)));
    else {
      bits = held = 0;
      const length = packed[at] | packed[at + 1] << 8;
      room(length);
      to.set(packed.subarray(at + 4, at + 4 + length), size);
      at += 4 + length; size += length;
    }
  }
  return to.subarray(0, size);
}
