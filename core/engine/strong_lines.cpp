#include "core/engine/strong_lines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/streaming/tile.hpp"

namespace attnscope {
namespace {

constexpr double least_column_share = 0.01, least_diagonal_share = 0.0002, contrast = 4, peak = 2;
constexpr std::int64_t least_cells = 8, least_rows = 32;
constexpr std::size_t most_strips = 24;     // strips whose exact rows are examined
constexpr std::int64_t sampled_rows = 64;   // exact rows of a strip, to find the distance
constexpr std::int64_t measured_rows = 64;  // rows whose cells on a diagonal are computed at once

/// A stretch of a diagonal of cells: query cells [begin, end) and key cells `down` before them.
struct Strip {
  std::int64_t down, begin, end;
  double brightness;
};

/// Queries [first, last) that attend to the key `distance` back.
struct Run {
  std::int64_t distance, first, last;
};

class Finder {
 public:
  Finder(const Survey& survey, std::int64_t h, const Work& work)
      : known_(survey.known),
        p_(survey.problem()),
        h_(h),
        head_(h - known_.first_head),
        step_(known_.rows.step),
        work_(work) {
    states_.first_head = h;
    states_.rows = known_.rows;
    const auto row = known_.log_sum_exp.matrix().row(head_);
    states_.log_sum_exp = TensorOf<double>(Shape{1, row.size()});
    std::copy(row.begin(), row.end(), states_.log_sum_exp.data());
    for (std::int64_t i = 0; i < p_.queries; i += step_) attention_ += counts(i) ? 1 : 0;
  }

  std::vector<StrongLine> columns() const;
  std::vector<StrongLine> diagonals() const;

 private:
  /// Whether a known query counts: it is not padding and sees a key.
  bool counts(std::int64_t query) const {
    const bool real = p_.real_queries < 0 || query < p_.real_queries;
    return real && known_.log_sum_exp.matrix()(head_, query / step_) > -INFINITY;
  }
  /// The weight of each key under uniform attention.
  double even(std::int64_t query) const {
    const KeyInterval seen = visible(p_, h_, query);
    return seen.end > seen.begin ? 1 / static_cast<double>(seen.end - seen.begin) : 0;
  }
  std::int64_t first_known(std::int64_t query) const { return (query + step_ - 1) / step_ * step_; }
  std::int64_t cell() const { return known_.picture->keys_per_cell; }

  StrongLine column(std::int64_t key) const;
  std::vector<Strip> strips() const;
  void find_in(std::int64_t down, const std::vector<double>& evens, std::vector<Strip>& found) const;
  std::vector<Run> runs(const Strip&) const;
  std::vector<double> weights_on(const Run&) const;
  Run extended(Run, double least) const;
  void add(const Run&, std::vector<StrongLine>& lines) const;

  const Sweep& known_;
  /// The head's row statistics as a sweep, which tiles use unchanged: results are accurate to a hundredth,
  /// and so are rounded statistics.
  Sweep states_;
  const AttentionProblem& p_;
  std::int64_t h_, head_, step_;
  const Work& work_;
  double attention_ = 0;  // R
};

StrongLine Finder::column(std::int64_t key) const {
  StrongLine line{.kind = StrongLine::Kind::Column, .at = key, .first_query = p_.queries};
  std::int64_t see = 0;
  for (std::int64_t i = 0; i < p_.queries; i += step_) {
    const KeyInterval seen = visible(p_, h_, i);
    if (!counts(i) || key < seen.begin || key >= seen.end) continue;
    ++see;
    line.first_query = std::min(line.first_query, i);
    line.last_query = i + 1;
  }
  const auto received = static_cast<double>(known_.received.matrix()(head_, key));
  line.share = received / attention_;
  line.mean = see == 0 ? 0 : received / static_cast<double>(see);
  return line;
}

std::vector<StrongLine> Finder::columns() const {
  // The weight every key receives from uniform attention: first differences, then their prefix sums.
  std::vector<double> steps(static_cast<std::size_t>(p_.keys) + 1);
  for (std::int64_t i = 0; i < p_.queries; i += step_) {
    const KeyInterval seen = visible(p_, h_, i);
    if (!counts(i) || seen.begin >= seen.end) continue;
    steps[static_cast<std::size_t>(seen.begin)] += even(i);
    steps[static_cast<std::size_t>(seen.end)] -= even(i);
  }
  std::vector<std::pair<double, std::int64_t>> bright;
  double expected = 0;
  for (std::int64_t j = 0; j < p_.keys; ++j) {
    expected += steps[static_cast<std::size_t>(j)];
    const auto received = static_cast<double>(known_.received.matrix()(head_, j));
    if (received >= least_column_share * attention_ && received >= contrast * expected)
      bright.emplace_back(-received, j);
  }
  std::sort(bright.begin(), bright.end());
  if (bright.size() > most_strong_lines) bright.resize(most_strong_lines);
  std::vector<StrongLine> lines;
  for (const auto& [received, key] : bright) lines.push_back(column(key));
  return lines;
}

/// The bright stretches of one diagonal of cells.
void Finder::find_in(std::int64_t down, const std::vector<double>& evens, std::vector<Strip>& found) const {
  const auto picture = known_.mean.matrix(head_);
  const auto at = [&](std::int64_t y, std::int64_t x) {
    return x < 0 || x >= picture.cols() ? 0 : static_cast<double>(picture(y, x));
  };
  Strip strip{down, -1, -1, 0};
  const auto close = [&] {
    const std::int64_t cells = strip.end - strip.begin;
    if (strip.begin >= 0 && cells >= least_cells && cells * cell() >= least_rows) found.push_back(strip);
    strip = {down, -1, -1, 0};
  };
  const std::int64_t last = std::min<std::int64_t>(picture.rows(), picture.cols() + down);
  for (std::int64_t y = std::max<std::int64_t>(0, down); y < last; ++y) {
    const double here = at(y, y - down), least = contrast * evens[static_cast<std::size_t>(y)];
    if (!(here >= least && here > 0)) continue;
    std::array<double, 6> beside{};
    for (std::int64_t k = 0; k < 3; ++k) {
      beside[static_cast<std::size_t>(2 * k)] = at(y, y - down - 2 - k);
      beside[static_cast<std::size_t>(2 * k + 1)] = at(y, y - down + 2 + k);
    }
    // The upper median: it ignores a column or another diagonal among the neighbours, but not the edge of a
    // block.
    std::nth_element(beside.begin(), beside.begin() + 3, beside.end());
    if (here < peak * beside[3]) continue;
    if (strip.begin >= 0 && y - strip.end > 1) close();
    if (strip.begin < 0) strip.begin = y;
    strip.end = y + 1;
    strip.brightness += here;
  }
  close();
}

std::vector<Strip> Finder::strips() const {
  const auto picture = known_.mean.matrix(head_);
  std::vector<double> evens(static_cast<std::size_t>(picture.rows()));
  for (std::int64_t y = 0; y < picture.rows(); ++y) {
    double sum = 0, rows = 0;
    const std::int64_t end = std::min(p_.queries, (y + 1) * cell());
    for (std::int64_t i = first_known(y * cell()); i < end; i += step_, ++rows) sum += even(i);
    evens[static_cast<std::size_t>(y)] = rows > 0 ? sum / rows : INFINITY;
  }
  std::vector<Strip> found;
  for (std::int64_t down = 1 - picture.cols(); down < picture.rows(); ++down) find_in(down, evens, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const Strip& a, const Strip& b) { return a.brightness > b.brightness; });
  if (found.size() > most_strips) found.resize(most_strips);
  return found;
}

/// The distances within a strip that stand out from their neighbours, found by exact rows: at most two.
std::vector<Run> Finder::runs(const Strip& strip) const {
  const std::int64_t first = first_known(strip.begin * cell()),
                     last = std::min(p_.queries, strip.end * cell());
  const std::int64_t rows = (last - first + step_ - 1) / step_;
  const std::int64_t by = std::max<std::int64_t>(1, rows / sampled_rows) * step_;
  const std::int64_t middle = p_.offset + strip.down * cell(), reach = cell() - 1;
  std::vector<double> sums(static_cast<std::size_t>(2 * reach + 1));  // index 0 is distance middle - reach
  double evens = 0;
  for (std::int64_t i = first; i < last; i += by) {
    evens += even(i);
    TileRequest request{.head = h_, .rows = {i, i + 1, 1}};
    request.first_key = std::max<std::int64_t>(0, p_.offset + i - middle - reach);
    request.last_key = std::min(p_.keys, p_.offset + i - middle + reach + 1);
    if (request.first_key >= request.last_key) continue;
    const Tensor row = tile(p_, request, &states_, work_);
    for (std::int64_t j = request.first_key; j < request.last_key; ++j)
      sums[static_cast<std::size_t>(p_.offset + i - j - middle + reach)] +=
          static_cast<double>(row.data()[j - request.first_key]);
  }
  std::vector<std::pair<double, std::int64_t>> peaks;
  for (std::size_t d = 0; d < sums.size(); ++d) {
    const bool rises = d == 0 || sums[d] > sums[d - 1],
               falls = d + 1 == sums.size() || sums[d] >= sums[d + 1];
    if (rises && falls && sums[d] >= contrast * evens)
      peaks.emplace_back(-sums[d], middle - reach + static_cast<std::int64_t>(d));
  }
  std::sort(peaks.begin(), peaks.end());
  std::vector<Run> found;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, peaks.size()); ++i)
    found.push_back({peaks[i].second, first, last});
  return found;
}

/// The exact weights of the run's known queries on its diagonal; 0 if the key does not exist.
std::vector<double> Finder::weights_on(const Run& run) const {
  std::vector<double> weights;
  const std::int64_t span = std::max<std::int64_t>(1, measured_rows / step_) * step_;
  for (std::int64_t from = first_known(run.first); from < run.last; from += span) {
    const std::int64_t to = std::min(run.last, from + span);
    TileRequest request{.head = h_, .rows = {from, to, step_}};
    request.first_key = std::clamp<std::int64_t>(p_.offset + from - run.distance, 0, p_.keys);
    request.last_key = std::clamp<std::int64_t>(p_.offset + to - run.distance, 0, p_.keys);
    Tensor cells;
    if (request.first_key < request.last_key) cells = tile(p_, request, &states_, work_);
    for (std::int64_t i = from; i < to; i += step_) {
      const std::int64_t key = p_.offset + i - run.distance;
      const bool there = key >= request.first_key && key < request.last_key && counts(i);
      weights.push_back(
          there ? static_cast<double>(cells.matrix()((i - from) / step_, key - request.first_key)) : 0);
    }
  }
  return weights;
}

/// The run extended beyond its ends while stretches are bright, including the first dim stretch.
Run Finder::extended(Run run, double least) const {
  const std::int64_t stretch = 4 * cell();
  const auto is_bright = [&](std::int64_t first, std::int64_t last) {
    const std::vector<double> weights = weights_on({run.distance, first, last});
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    return !weights.empty() && sum >= least * static_cast<double>(weights.size());
  };
  for (bool goes_on = true; goes_on && run.first > 0;) {
    const std::int64_t first = first_known(std::max<std::int64_t>(0, run.first - stretch));
    goes_on = is_bright(first, run.first);
    run.first = first;
  }
  for (bool goes_on = true; goes_on && run.last < p_.queries;) {
    const std::int64_t last = std::min(p_.queries, run.last + stretch);
    goes_on = is_bright(run.last, last);
    run.last = last;
  }
  return run;
}

/// Measures the run, cuts off dim rows at its ends and lists it if it is bright. Runs come sorted by distance
/// and first query: the previous line may have grown over this run, which must not overlap it.
void Finder::add(const Run& found, std::vector<StrongLine>& lines) const {
  const std::int64_t taken =
      !lines.empty() && lines.back().at == found.distance ? lines.back().last_query : 0;
  if (found.first < taken) return;
  const std::vector<double> inside = weights_on(found);
  double sum = std::accumulate(inside.begin(), inside.end(), 0.0);
  const double least = sum / static_cast<double>(inside.size()) / 2;

  Run run = extended(found, least);
  run.first = std::max(run.first, first_known(taken));
  const std::vector<double> weights = weights_on(run);
  const auto bright = [&](double w) { return w >= least; };
  const auto from = std::find_if(weights.begin(), weights.end(), bright) - weights.begin();
  const auto to = weights.rend() - std::find_if(weights.rbegin(), weights.rend(), bright);
  if (!(least > 0) || from >= to) return;

  double evens = 0;
  sum = 0;
  for (auto row = from; row < to; ++row) {
    sum += weights[static_cast<std::size_t>(row)];
    evens += even(run.first + row * step_);
  }
  StrongLine line{.kind = StrongLine::Kind::Diagonal, .at = run.distance};
  line.first_query = run.first + from * step_;
  line.last_query = run.first + (to - 1) * step_ + 1;
  line.share = sum / attention_;
  line.mean = sum / static_cast<double>(to - from);
  if (line.share >= least_diagonal_share && sum >= contrast * evens) lines.push_back(line);
}

std::vector<StrongLine> Finder::diagonals() const {
  std::vector<Run> all;
  for (const Strip& strip : strips())
    for (const Run& run : runs(strip)) all.push_back(run);
  std::sort(all.begin(), all.end(), [](const Run& a, const Run& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.first < b.first;
  });
  // A line between two diagonals of cells is found in both, and a line with a gap is found twice.
  std::vector<Run> joined;
  for (const Run& run : all) {
    if (!joined.empty() && joined.back().distance == run.distance &&
        run.first - joined.back().last <= least_cells * cell()) {
      joined.back().last = std::max(joined.back().last, run.last);
    } else {
      joined.push_back(run);
    }
  }
  std::vector<StrongLine> lines;
  for (const Run& run : joined) add(run, lines);
  return lines;
}

}  // namespace

std::vector<StrongLine> strong_lines(const Survey& survey, std::int64_t h, const Work& work) {
  if (survey.known.received.size() == 0) return {};
  const Finder finder(survey, h, work);
  std::vector<StrongLine> lines = finder.columns();
  for (const StrongLine& line : finder.diagonals()) lines.push_back(line);
  std::stable_sort(lines.begin(), lines.end(),
                   [](const StrongLine& a, const StrongLine& b) { return a.share > b.share; });
  if (lines.size() > most_strong_lines) lines.resize(most_strong_lines);
  return lines;
}

}  // namespace attnscope
