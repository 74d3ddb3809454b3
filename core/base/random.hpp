// core/base: random numbers with the same bits for every run, thread count and machine. Each number is a pure
// function of (seed, stream, index), so the order of the calls does not matter.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace attnscope {

/// 64 well-mixed bits of three words (SplitMix64 finaliser, Steele et al. 2014, applied thrice).
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);

/// A sample of N(0, 1): the inverse distribution function (Wichura 1988, AS 241, relative error 1e-16) at one
/// uniform number. Only + - x / and square roots are used, which IEEE 754 defines to the last bit.
double random_normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);

/// out[i] = sigma * random_normal(seed, stream, i), rounded to float once. About 10 ns per number.
void fill_normal(std::span<float> out, std::uint64_t seed, std::uint64_t stream, double sigma);

/// A stream number from bytes (FNV-1a, 64 bit): gives each distinct token its own stream.
std::uint64_t stream_of(std::string_view bytes);

}  // namespace attnscope
