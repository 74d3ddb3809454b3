// core/base: sets of enumerators as bits. They hold any number of members, compare by value and can be used
// at compile time.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace attnscope {

/// A set of the enumerators 0 … count − 1 of E, one bit each.
template <class E, std::size_t count>
class BitSet {
 public:
  constexpr BitSet() = default;
  constexpr BitSet(std::initializer_list<E> members) {
    for (const E member : members) insert(member);
  }
  static constexpr BitSet all() {
    BitSet every;
    for (std::size_t i = 0; i < count; ++i) every.insert(static_cast<E>(i));
    return every;
  }

  constexpr void insert(E member) { words_[word_of(member)] |= bit_of(member); }
  constexpr bool has(E member) const { return (words_[word_of(member)] & bit_of(member)) != 0; }
  /// Whether it contains every member of the other.
  constexpr bool contains(const BitSet& other) const { return (other - *this).empty(); }
  constexpr bool intersects(const BitSet& other) const { return !(*this & other).empty(); }
  constexpr bool empty() const { return *this == BitSet(); }
  /// The number of members.
  constexpr int size() const {
    int members = 0;
    for (const Word word : words_) members += std::popcount(word);
    return members;
  }

  constexpr BitSet& operator|=(const BitSet& other) {
    for (std::size_t i = 0; i < words; ++i) words_[i] |= other.words_[i];
    return *this;
  }
  constexpr BitSet& operator&=(const BitSet& other) {
    for (std::size_t i = 0; i < words; ++i) words_[i] &= other.words_[i];
    return *this;
  }
  constexpr BitSet& operator-=(const BitSet& other) {
    for (std::size_t i = 0; i < words; ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  /// Union, intersection, and the members of `a` that `b` lacks.
  friend constexpr BitSet operator|(BitSet a, const BitSet& b) { return a |= b; }
  friend constexpr BitSet operator&(BitSet a, const BitSet& b) { return a &= b; }
  friend constexpr BitSet operator-(BitSet a, const BitSet& b) { return a -= b; }
  constexpr bool operator==(const BitSet&) const = default;

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t word_bits = 64;
  static constexpr std::size_t words = (count + word_bits - 1) / word_bits;
  static constexpr std::size_t word_of(E member) { return static_cast<std::size_t>(member) / word_bits; }
  static constexpr Word bit_of(E member) { return Word{1} << (static_cast<std::size_t>(member) % word_bits); }

  std::array<Word, words> words_{};
};

}  // namespace attnscope
