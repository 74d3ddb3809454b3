#include "core/readouts/part_groups.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace attnscope {
namespace {

/// The kind of group that the part joins if it is not shown alone.
PartGroup::Kind rest_of(const StreamPart& part) {
  using enum StreamPart::Kind;
  switch (part.kind) {
    case Head:
    case CrossHead: return PartGroup::Kind::Heads;
    case Mlp: return PartGroup::Kind::Mlps;
    default: return PartGroup::Kind::Rest;
  }
}

/// Whether the part is a bias or norm that the model lacks: it adds exactly 0.
bool is_absent(const StreamPart& part, double value) {
  return value == 0 && rest_of(part) == PartGroup::Kind::Rest;
}

std::size_t kinds_left(std::span<const StreamPart> parts, std::span<const double> values,
                       const std::vector<bool>& alone) {
  std::array<bool, 4> there{};
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!alone[i] && !is_absent(parts[i], values[i]))
      there[static_cast<std::size_t>(rest_of(parts[i]))] = true;
  return static_cast<std::size_t>(std::ranges::count(there, true));
}

/// Which parts are shown alone.
std::vector<bool> parts_alone(std::span<const StreamPart> parts, std::span<const double> values,
                              std::size_t most) {
  std::vector<bool> alone(parts.size());
  std::size_t count = 0;
  if (!parts.empty() && parts[0].kind == StreamPart::Kind::Embedding) {
    alone[0] = true;
    count = 1;
  }
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return std::abs(values[a]) > std::abs(values[b]); });
  for (const std::size_t part : order) {
    if (alone[part] || is_absent(parts[part], values[part])) continue;
    alone[part] = true;
    if (count + 1 + kinds_left(parts, values, alone) > most) {
      alone[part] = false;
      break;
    }
    ++count;
  }
  return alone;
}

}  // namespace

std::vector<PartGroup> group_parts(std::span<const StreamPart> parts, std::span<const double> values,
                                   std::size_t most) {
  const std::vector<bool> alone = parts_alone(parts, values, std::max<std::size_t>(most, 4));
  std::vector<PartGroup> groups;
  using enum PartGroup::Kind;
  // Order: the embedding (with all parts that are neither head nor MLP), heads, MLPs.
  for (const PartGroup::Kind kind : {Rest, Heads, Mlps})
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (alone[i] && rest_of(parts[i]) == kind) groups.push_back({Single, {i}, values[i]});
  for (const PartGroup::Kind kind : {Heads, Mlps, Rest}) {
    PartGroup group{.kind = kind};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (alone[i] || rest_of(parts[i]) != kind || is_absent(parts[i], values[i])) continue;
      group.members.push_back(i);
      group.sum += values[i];
    }
    if (!group.members.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<double> query_sums(const ScoreSplit& split) {
  const Eigen::VectorXd sums = split.cells.matrix().rowwise().sum();
  return {sums.begin(), sums.end()};
}

std::vector<double> key_sums(const ScoreSplit& split) {
  const Eigen::VectorXd sums = split.cells.matrix().colwise().sum();
  return {sums.begin(), sums.end()};
}

TensorOf<double> grouped_cells(const ScoreSplit& split, std::span<const PartGroup> queries,
                               std::span<const PartGroup> keys) {
  TensorOf<double> cells(Shape{std::ssize(queries), std::ssize(keys)});
  std::vector<double> row(static_cast<std::size_t>(split.cells.shape()[1]));
  for (std::size_t a = 0; a < queries.size(); ++a) {
    std::ranges::fill(row, 0.0);
    for (const std::size_t member : queries[a].members)
      for (std::size_t j = 0; j < row.size(); ++j)
        row[j] += split.cells.matrix()(static_cast<Eigen::Index>(member), static_cast<Eigen::Index>(j));
    for (std::size_t b = 0; b < keys.size(); ++b) {
      double sum = 0;
      for (const std::size_t member : keys[b].members) sum += row[member];
      cells.matrix()(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) = sum;
    }
  }
  return cells;
}

}  // namespace attnscope
