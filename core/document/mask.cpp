#include "core/document/mask.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/document/precision.hpp"

namespace attnscope {

namespace {

/// Row and column of a patch's window; 0 before the first whole window.
std::pair<std::int64_t, std::int64_t> window_of(const Sparsity& of, std::int64_t patch) {
  const auto window = [&](std::int64_t at) { return (at - of.shift + of.side) / of.side; };
  return {window(patch / of.grid), window(patch % of.grid)};
}

/// Masking::Hidden as a number.
double hidden_value_of(const Document& document) {
  switch (document.layer().masking.hidden) {
    case Masking::Hidden::MinusInfinity: break;
    case Masking::Hidden::MinusBillion:
    case Masking::Hidden::AddedMinusBillion: return -1e9;
    case Masking::Hidden::LeastFinite: return -largest_finite(document.precision);
  }
  return -std::numeric_limits<double>::infinity();
}

}  // namespace

MaskRule::MaskRule(const Document& document)
    : size_(check_any_length(document)),
      causal_(document.layer().masking.causal),
      padding_(document.layer().masking.padding),
      window_(document.layer().masking.window),
      sparsity_(document.layer().masking.sparsity),
      heads_(document.layer().masking.heads),
      mistake_(document.layer().masking.mistake),
      hidden_value_(hidden_value_of(document)),
      adds_hidden_value_(document.layer().masking.hidden == Masking::Hidden::AddedMinusBillion),
      additive_(document.layer().masking.additive) {
  for (std::int64_t b = 0; b < size_.batch; ++b) {
    lengths_.push_back(key_length(document, b));
    offsets_.push_back(query_offset(document, size_, b));
  }
}

template <class T>
MaskRule::MaskRule(const Document& document, const TraceOf<T>& trace) : MaskRule(document) {
  if (sparsity_.kind != Sparsity::Kind::Lsh || !trace[Stage::Bucket]) return;
  for (const T bucket : trace[Stage::Bucket]->values()) buckets_.push_back(static_cast<std::int16_t>(bucket));
}

MaskRule MaskRule::without_sparsity() const {
  MaskRule full = *this;
  full.window_ = {};
  full.sparsity_ = {};
  full.mistake_ = MaskMistake::None;
  full.buckets_.clear();
  return full;
}

bool MaskRule::patterned(std::int64_t h) const {
  return heads_.empty() || std::find(heads_.begin(), heads_.end(), static_cast<int>(h)) != heads_.end();
}

MaskRule::Interval MaskRule::interval(std::int64_t b, bool patterned, std::int64_t position) const {
  Interval seen{0, size_.token_keys()};
  const std::int64_t length = lengths_[static_cast<std::size_t>(b)];
  if (padding_ && mistake_ == MaskMistake::WrongAxis) {
    if (position >= length) seen.end = 0;
  } else if (padding_) {
    seen.end = std::min(seen.end, length);
  }
  if (patterned) {
    std::int64_t left = window_.left,
                 right = window_.right;  // how many keys back and ahead are seen, -1 = all
    if (causal_) right = right < 0 ? 0 : std::min<std::int64_t>(right, 0);
    if (mistake_ == MaskMistake::Transposed) std::swap(left, right);
    if (left >= 0) seen.begin = std::max(seen.begin, position - left);
    if (right >= 0) seen.end = std::min(seen.end, position + right + 1);
  }
  seen.begin = std::min(seen.begin, size_.token_keys());
  seen.end = std::max(seen.end, seen.begin);
  return seen;
}

std::optional<MaskIntervals> MaskRule::intervals() const {
  if (sparsity_.kind != Sparsity::Kind::None || size_.extra != 0 || mistake_ == MaskMistake::DiagonalToo)
    return std::nullopt;
  MaskIntervals made;
  for (std::int64_t b = 0; b < size_.batch; ++b) {
    for (const bool with_pattern : {false, true}) {
      for (std::int64_t query = 0; query < size_.queries; ++query) {
        const Interval seen = interval(b, with_pattern, position(b, query));
        made.begin.push_back(static_cast<std::int32_t>(seen.begin));
        made.end.push_back(static_cast<std::int32_t>(seen.end));
      }
    }
  }
  for (std::int64_t h = 0; h < size_.heads; ++h) made.patterned.push_back(patterned(h) ? 1 : 0);
  return made;
}

bool MaskRule::share_bucket(std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key) const {
  if (buckets_.empty()) return true;
  const std::int64_t columns = size_.queries + size_.token_keys();
  for (std::int64_t round = 0; round < sparsity_.lsh_rounds; ++round) {
    const std::int64_t row = ((b * size_.heads + h) * sparsity_.lsh_rounds + round) * columns;
    if (buckets_[static_cast<std::size_t>(row + query)] ==
        buckets_[static_cast<std::size_t>(row + size_.queries + key)])
      return true;
  }
  return false;
}

bool MaskRule::sparse_allows(std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t position,
                             std::int64_t key) const {
  switch (sparsity_.kind) {
    case Sparsity::Kind::None: return true;
    case Sparsity::Kind::Strided: return (position - key) % sparsity_.stride == 0;
    case Sparsity::Kind::BlocksGlobal:
      // Positions are negative before the first key if the offset is negative; such queries are not global
      // tokens and share no block with a key.
      return key < sparsity_.globals ||
             (position >= 0 &&
              (position < sparsity_.globals || position / sparsity_.block == key / sparsity_.block));
    case Sparsity::Kind::Lsh: return share_bucket(b, h, query, key);
    case Sparsity::Kind::Windows:
      return position >= 0 && window_of(sparsity_, position) == window_of(sparsity_, key);
  }
  return true;
}

template <class T>
void MaskRule::see(std::int64_t b, std::int64_t h, std::int64_t query, std::span<const T> additive,
                   std::span<std::uint8_t> seen) const {
  const bool here = patterned(h);
  const std::int64_t position = offsets_[static_cast<std::size_t>(b)] + query;
  const auto [begin, end] = interval(b, here, position);
  const std::int64_t token_keys = size_.token_keys();
  std::fill_n(seen.begin(), token_keys, std::uint8_t{0});
  std::fill(seen.begin() + begin, seen.begin() + end, std::uint8_t{1});
  std::fill(seen.begin() + token_keys, seen.end(), std::uint8_t{1});
  const auto at = [&](std::int64_t key) -> std::uint8_t& { return seen[static_cast<std::size_t>(key)]; };
  if (here && sparsity_.kind != Sparsity::Kind::None) {
    for (std::int64_t key = begin; key < end; ++key)
      at(key) = sparse_allows(b, h, query, position, key) ? 1 : 0;
  }
  if (here && mistake_ == MaskMistake::DiagonalToo && position >= begin && position < end) at(position) = 0;
  if (additive.empty()) return;
  constexpr T hides = -std::numeric_limits<T>::infinity();
  for (std::int64_t key = begin; key < end; ++key)
    if (additive[static_cast<std::size_t>(key)] == hides) at(key) = 0;
}

bool MaskRule::allows(std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key) const {
  if (key >= size_.token_keys()) return true;
  const bool here = patterned(h);
  const std::int64_t position = offsets_[static_cast<std::size_t>(b)] + query;
  const auto [begin, end] = interval(b, here, position);
  if (key < begin || key >= end) return false;
  if (here && !sparse_allows(b, h, query, position, key)) return false;
  if (here && mistake_ == MaskMistake::DiagonalToo && key == position) return false;
  const std::span<const float> additive = additive_row(additive_, b, h, query);
  return additive.empty() ||
         additive[static_cast<std::size_t>(key)] != -std::numeric_limits<float>::infinity();
}

std::int64_t MaskRule::allowed_keys(std::int64_t b, std::int64_t h, std::int64_t query) const {
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(size_.keys));
  see(b, h, query, seen);
  return std::count(seen.begin(), seen.end(), std::uint8_t{1});
}

template <class T>
std::span<const T> MaskRule::additive_row(const TensorPtrOf<T>& additive, std::int64_t b, std::int64_t h,
                                          std::int64_t query) {
  if (!additive) return {};
  const Shape& shape = additive->shape();
  const std::int64_t block = shape[0] == 1 ? 0 : b;  // one block may serve the whole batch, or all heads
  const std::int64_t head = shape[1] == 1 ? 0 : h;
  const std::int64_t row = (block * shape[1] + head) * shape[2] + query;
  return additive->values().subspan(static_cast<std::size_t>(row * shape[3]),
                                    static_cast<std::size_t>(shape[3]));
}

template MaskRule::MaskRule(const Document&, const TraceOf<float>&);
template MaskRule::MaskRule(const Document&, const TraceOf<double>&);
template void MaskRule::see(std::int64_t, std::int64_t, std::int64_t, std::span<const float>,
                            std::span<std::uint8_t>) const;
template void MaskRule::see(std::int64_t, std::int64_t, std::int64_t, std::span<const double>,
                            std::span<std::uint8_t>) const;
template std::span<const float> MaskRule::additive_row(const TensorPtrOf<float>&, std::int64_t, std::int64_t,
                                                       std::int64_t);
template std::span<const double> MaskRule::additive_row(const TensorPtrOf<double>&, std::int64_t,
                                                        std::int64_t, std::int64_t);

}  // namespace attnscope
