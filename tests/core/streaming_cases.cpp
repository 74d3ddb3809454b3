#include "core/streaming_cases.hpp"

#include <cmath>
#include <limits>

namespace attnscope::streaming_cases {

namespace {

using samples::Random;

std::vector<float> normal_numbers(Random& random, std::int64_t count) {
  std::vector<float> made;
  for (std::int64_t i = 0; i < count; ++i) made.push_back(static_cast<float>(random.normal()));
  return made;
}

std::vector<float> with_gaps(const std::vector<float>& dense, std::int64_t columns, std::int64_t gap) {
  std::vector<float> made;
  for (std::size_t i = 0; i < dense.size(); ++i) {
    made.push_back(dense[i]);
    if (static_cast<std::int64_t>(i + 1) % columns == 0)
      made.insert(made.end(), static_cast<std::size_t>(gap), std::numeric_limits<float>::quiet_NaN());
  }
  return made;
}

oracle::Numbers without_gaps(const HeadRows& rows, std::int64_t heads, std::int64_t count,
                             std::int64_t columns) {
  oracle::Numbers made;
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t d = 0; d < columns; ++d) made.push_back(static_cast<double>(rows.row(h, i)[d]));
  return made;
}

void add_masks(Random& random, Case& c) {
  AttentionProblem& p = c.problem;
  const auto cells = [&](std::int64_t heads) { return heads * p.queries * p.keys; };
  p.causal = random.coin();
  if (random.coin()) p.offset = random.between(-3, p.keys);
  if (random.between(0, 2) == 0) p.left = random.between(0, p.keys);
  if (random.between(0, 3) == 0) p.right = random.between(0, p.keys);
  if (random.between(0, 2) == 0) p.real_keys = random.between(0, p.keys);
  if (random.between(0, 2) == 0) p.real_queries = random.between(0, p.queries);
  if (random.between(0, 3) == 0)
    for (std::int64_t h = 0; h < p.heads; ++h) p.patterned.push_back(random.coin() ? 1 : 0);
  if (random.between(0, 3) == 0) {
    p.allowed.heads = random.coin() ? 1 : p.heads;
    for (std::int64_t i = 0; i < cells(p.allowed.heads); ++i)
      c.allowed.push_back(random.between(0, 3) == 0 ? 0 : 1);
  }
  if (random.between(0, 3) == 0) {
    p.additive.heads = random.coin() ? 1 : p.heads;
    c.additive = normal_numbers(random, cells(p.additive.heads));
    for (float& x : c.additive)
      if (random.between(0, 5) == 0) x = -std::numeric_limits<float>::infinity();
  }
  if (random.between(0, 3) == 0)
    c.distance_bias = normal_numbers(random, (random.coin() ? 1 : p.heads) * (p.queries + p.keys - 1));
}

}  // namespace

void Case::connect(std::int64_t gap) {
  AttentionProblem& p = problem;
  q = with_gaps(q, p.d_k, gap);
  k = with_gaps(k, p.d_k, gap);
  v = with_gaps(v, p.d_v, gap);
  p.query = {q.data(), p.queries * (p.d_k + gap), p.d_k + gap};
  p.key = {k.data(), p.keys * (p.d_k + gap), p.d_k + gap};
  p.value = {v.data(), p.keys * (p.d_v + gap), p.d_v + gap};
  p.allowed.values = allowed;
  p.additive.values = additive;
  p.distance_bias = distance_bias;
}

oracle::RowProblem Case::in_oracle() const {
  const AttentionProblem& p = problem;
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  oracle::RowProblem o;
  o.heads = size(p.heads), o.kv_heads = size(p.kv_heads), o.queries = size(p.queries), o.keys = size(p.keys);
  o.d_k = size(p.d_k), o.d_v = size(p.d_v);
  o.q = without_gaps(p.query, p.heads, p.queries, p.d_k);
  o.k = without_gaps(p.key, p.kv_heads, p.keys, p.d_k);
  o.v = without_gaps(p.value, p.kv_heads, p.keys, p.d_v);
  o.sinks.assign(p.sinks.begin(), p.sinks.end());
  o.scale = p.scale, o.soft_cap = p.soft_cap, o.temperature = p.temperature;
  const auto cell = [this](std::int64_t heads, std::size_t h, std::size_t i, std::size_t j) {
    const auto block = heads == 1 ? 0 : h;
    return (block * static_cast<std::size_t>(problem.queries) + i) * static_cast<std::size_t>(problem.keys) +
           j;
  };
  o.sees = [this, cell](std::size_t h, std::size_t i, std::size_t j) {
    const AttentionProblem& at = problem;
    const auto key = static_cast<std::int64_t>(j), position = at.offset + static_cast<std::int64_t>(i);
    if (at.real_keys >= 0 && key >= at.real_keys) return false;
    if (at.patterned.empty() || at.patterned[h] != 0) {
      if (at.causal && key > position) return false;
      if (at.left >= 0 && key < position - at.left) return false;
      if (at.right >= 0 && key > position + at.right) return false;
    }
    if (!allowed.empty() && allowed[cell(at.allowed.heads, h, i, j)] == 0) return false;
    return additive.empty() || !std::isinf(additive[cell(at.additive.heads, h, i, j)]);
  };
  o.added = [this, cell](std::size_t h, std::size_t i, std::size_t j) {
    double x = additive.empty() ? 0 : static_cast<double>(additive[cell(problem.additive.heads, h, i, j)]);
    if (distance_bias.empty()) return x;
    const auto distances = static_cast<std::size_t>(problem.queries + problem.keys - 1);
    const std::size_t block = distance_bias.size() == distances ? 0 : h;
    x += static_cast<double>(
        distance_bias[block * distances + j + static_cast<std::size_t>(problem.queries) - 1 - i]);
    return x;
  };
  return o;
}

std::string Case::description() const {
  const AttentionProblem& p = problem;
  return fmt::format(
      "heads {}/{}, queries {}, keys {}, d_k {}, d_v {}, scale {}, cap {}, temperature {}, offset {}, causal "
      "{}, window "
      "{} {}, real keys {}, real queries {}, patterned {}, allowed {}, additive {}, distance {}",
      p.heads, p.kv_heads, p.queries, p.keys, p.d_k, p.d_v, p.scale, p.soft_cap, p.temperature, p.offset,
      p.causal, p.left, p.right, p.real_keys, p.real_queries, p.patterned.size(), p.allowed.values.size(),
      p.additive.values.size(), p.distance_bias.size());
}

std::unique_ptr<Case> plain_case(Random& random, const Sizes& sizes, std::int64_t gap) {
  auto made = std::make_unique<Case>();
  AttentionProblem& p = made->problem;
  p.heads = sizes.heads, p.kv_heads = sizes.kv_heads, p.queries = sizes.queries, p.keys = sizes.keys;
  p.d_k = sizes.d_k, p.d_v = sizes.d_v;
  p.scale = 1 / std::sqrt(static_cast<double>(sizes.d_k));
  made->q = normal_numbers(random, p.heads * p.queries * p.d_k);
  made->k = normal_numbers(random, p.kv_heads * p.keys * p.d_k);
  made->v = normal_numbers(random, p.kv_heads * p.keys * p.d_v);
  made->connect(gap);
  return made;
}

std::unique_ptr<Case> any_case(Random& random, std::int64_t most) {
  constexpr std::int64_t widths[] = {1, 3, 8, 16, 31, 64, 80, 128};
  Sizes sizes;
  sizes.kv_heads = random.between(1, 2);
  sizes.heads = sizes.kv_heads * random.between(1, 3);
  sizes.queries = random.between(1, most);
  sizes.keys = random.coin() ? sizes.queries : random.between(1, most);
  sizes.d_k = widths[random.between(0, 7)];
  sizes.d_v = random.coin() ? sizes.d_k : widths[random.between(0, 7)];
  std::unique_ptr<Case> made = plain_case(random, sizes);
  AttentionProblem& p = made->problem;
  add_masks(random, *made);
  if (random.between(0, 3) == 0) p.soft_cap = 0.5 + static_cast<double>(random.between(0, 20));
  if (random.between(0, 3) == 0) p.temperature = 0.25 * static_cast<double>(random.between(1, 12));
  if (random.between(0, 5) == 0) p.scale = -p.scale;
  made->connect(random.coin() ? random.between(1, 5) : 0);
  return made;
}

std::unique_ptr<Case> interval_case(Random& random, std::int64_t most) {
  constexpr std::int64_t widths[] = {64, 40, 128, 100};
  const auto any = any_case(random, most);
  const AttentionProblem& from = any->problem;
  Sizes sizes{from.heads, from.kv_heads, from.queries, from.keys, widths[random.between(0, 3)], 1};
  sizes.d_v = random.coin() ? sizes.d_k : random.between(1, sizes.d_k);
  auto made = plain_case(random, sizes, random.coin() ? 3 : 0);
  AttentionProblem& p = made->problem;
  p.causal = from.causal, p.offset = from.offset, p.left = from.left, p.right = from.right;
  p.real_keys = from.real_keys, p.real_queries = from.real_queries, p.patterned = from.patterned;
  p.temperature = from.temperature;
  return made;
}

void add_sinks(Random& random, Case& c) {
  for (std::int64_t h = 0; h < c.problem.heads; ++h)
    c.sinks.push_back(3 * static_cast<float>(random.normal()));
  c.problem.sinks = c.sinks;
}

}  // namespace attnscope::streaming_cases
