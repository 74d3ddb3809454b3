// core/document: the part of check() that limits the memory for scores and vectors.
#include <cmath>
#include <unistd.h>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/document/settings_check.hpp"

namespace attnscope {
namespace {

/// In floating point, since the product of sizes from a file may not fit into 64 bits.
double scores(const Dimensions& size) {
  return static_cast<double>(size.batch) * static_cast<double>(size.heads) *
         static_cast<double>(size.queries) * static_cast<double>(size.keys);
}

/// 1234567 -> "1,234,567"
std::string grouped(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}
/// The number of floats that a long Document keeps: token vectors, queries, keys and values before and after
/// rotation, and the output of every head.
double numbers_kept(const Dimensions& size) {
  const auto count = [](std::int64_t n) { return static_cast<double>(n); };
  const double batch = count(size.batch), queries = count(size.queries), keys = count(size.keys);
  return batch * (queries * (3 * count(size.d_model) +
                             count(size.heads) * (2 * count(size.d_k) + 2 * count(size.d_v))) +
                  keys * count(size.kv_heads) * (2 * count(size.d_k) + count(size.d_v)));
}

}  // namespace

bool is_long(const Dimensions& size) { return scores(size) > static_cast<double>(max_cells); }

void check_cells(const Dimensions& size) {
  const double rows = static_cast<double>(size.batch) * static_cast<double>(size.heads);
  const double cells = scores(size);
  if (!is_long(size)) return;
  const auto count = [](std::int64_t n) { return grouped(static_cast<double>(n)); };
  throw Error(
      fmt::format("{} queries x {} keys in {} head{}{} are {} scores, more than the {} that can be kept at "
                  "once; {} tokens would fit.",
                  count(size.queries), count(size.keys), count(size.heads), size.heads == 1 ? "" : "s",
                  size.batch > 1 ? " of " + count(size.batch) + " sentences" : "", grouped(cells),
                  count(max_cells), grouped(std::floor(std::sqrt(static_cast<double>(max_cells) / rows)))));
}

void check_memory(const Dimensions& size, bool keeps_weights) {
  const double needed = 4 * (numbers_kept(size) + (keeps_weights ? scores(size) : 0));
  // Read once: every stage of a run calls this, and the system reads a file to answer.
  static const double there =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (needed <= there / 2) return;
  throw Error(fmt::format(
      "{} queries and {} keys in {} head{} would take {:.1f} GiB for their {}; this machine has {:.1f} GiB, "
      "half of which may be used.",
      grouped(static_cast<double>(size.queries)), grouped(static_cast<double>(size.keys)), size.heads,
      size.heads == 1 ? "" : "s", needed / (1 << 30), keeps_weights ? "weights" : "vectors alone",
      there / (1 << 30)));
}

}  // namespace attnscope
