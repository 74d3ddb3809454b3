// core/base/coded: the codebooks of the IQ types of GGUF, data of the format, and masks of signs.
#pragma once

#include <stdint.h>

namespace attnscope {

/// An array that crosses into code of any instruction set: plain data.
template <class Word, int N>
struct Words {
  Word of[N];
};

/// Eight values of a byte each, the first in the lowest byte. Of IQ2: 8, 25 or 43; of IQ1, as signed bytes:
/// -8, 0 or 8, eight times the value.
extern const Words<uint64_t, 256> iq2_xxs_words;
extern const Words<uint64_t, 512> iq2_xs_words;
extern const Words<uint64_t, 1024> iq2_s_words;
extern const Words<uint64_t, 2048> iq1_words;
/// Four values of a byte each: 4 to 62, and odd numbers up to 15.
extern const Words<uint32_t, 256> iq3_xxs_words;
extern const Words<uint32_t, 512> iq3_s_words;

/// Byte i is 255 where bit i of the index is set.
extern const Words<uint64_t, 256> sign_masks;
/// The same for seven bits and an eighth that makes the number of set bits even.
extern const Words<uint64_t, 128> even_sign_masks;

}  // namespace attnscope
