#include "app/pages/lessons/parts/choice_order.hpp"

#include <numeric>
#include <utility>

namespace attnscope {
namespace {

/// SplitMix64: the next number of a stream.
std::uint64_t next_of_order(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// FNV-1a.
std::uint64_t hash_of_name(std::string_view name) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

std::vector<std::size_t> shuffled_places(std::uint64_t state, std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(next_of_order(state) % i)]);
  return order;
}

}  // namespace

std::vector<std::size_t> choice_order(const ChoicesOf& of, std::size_t count) {
  std::string_view lesson = of.lesson;
  if (const std::size_t slash = lesson.rfind('/'); slash != lesson.npos) lesson.remove_prefix(slash + 1);
  lesson = lesson.substr(0, lesson.find('.'));
  std::vector<std::size_t> order =
      shuffled_places(hash_of_name(lesson) + static_cast<std::uint64_t>(of.step), count);
  if (of.order == 0) return order;
  std::vector<std::size_t> moved;
  for (const std::size_t place : shuffled_places(static_cast<std::uint64_t>(of.order), count))
    moved.push_back(order[place]);
  return moved;
}

}  // namespace attnscope
