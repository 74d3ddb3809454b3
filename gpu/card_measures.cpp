#include "gpu/card_measures.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/analysis/mask_facts.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/document/mask.hpp"
#include "core/engine/overview.hpp"
#include "gpu/launching.hpp"

namespace attnscope::gpu {

namespace {

/// The passes' data about a Document's queries and keys, sequence after sequence.
struct Tokens {
  std::vector<int> first, real_queries, key_class, query_class;
  std::vector<std::uint8_t> key_marks;

  Tokens(const Document& document, const MaskFacts& facts, const Dimensions& size) {
    const MaskRule rule(document);
    for (std::int64_t b = 0; b < size.batch; ++b) {
      const TokenClasses& tokens = facts.tokens[static_cast<std::size_t>(b)];
      first.push_back(static_cast<int>(rule.position(b, 0)));
      int real = 0;
      while (real < size.queries && !facts.row(b, 0, real).padding) ++real;
      real_queries.push_back(real);
      const std::vector<std::int32_t> classes = tokens.class_of_key();
      key_class.insert(key_class.end(), classes.begin(), classes.end());
      const std::span<const std::int32_t> own = tokens.class_of_query();
      for (std::size_t i = 0; i < static_cast<std::size_t>(size.queries); ++i)
        query_class.push_back(i < own.size() && own[i] >= 0 ? own[i] : -2);
      add_marks(tokens, static_cast<std::size_t>(size.keys));
    }
  }

 private:
  void add_marks(const TokenClasses& tokens, std::size_t keys) {
    const std::size_t at = key_marks.size();
    key_marks.resize(at + keys);
    const auto mark = [&](std::span<const std::int32_t> of, std::uint8_t with) {
      for (const std::int32_t key : of) key_marks[at + static_cast<std::size_t>(key)] |= with;
    };
    mark(tokens.content(), content_word);
    mark(tokens.function_words(), function_word);
    for (std::size_t key = 0; key < keys; ++key)
      if (tokens.special()[key] != 0) key_marks[at + key] |= special_token;
  }
};

/// The intervals of a window on the card.
class Window {
 public:
  Window(CardCopies& copies, const Document& document, const Trace& trace) {
    const MaskRule rule(document);
    if (!rule.is_sparse()) return;
    const MaskIntervals seen = *rule.intervals(), full = *rule.without_sparsity().intervals();
    begin_ = copies.uploaded<std::int32_t>(seen.begin);
    end_ = copies.uploaded<std::int32_t>(seen.end);
    full_begin_ = copies.uploaded<std::int32_t>(full.begin);
    full_end_ = copies.uploaded<std::int32_t>(full.end);
    patterned_ = copies.uploaded<std::uint8_t>(seen.patterned);
    pass_.capped = copies.get(trace[Stage::Cap]);
    if (const TensorPtr& bias = trace[Stage::Bias]) {
      pass_.bias = copies.get(bias);
      pass_.bias_batch = bias->shape()[0] == 1 ? 0 : bias->size() / bias->shape()[0];
    }
    pass_.begin = begin_.data(), pass_.end = end_.data();
    pass_.full_begin = full_begin_.data(), pass_.full_end = full_end_.data();
    pass_.patterned = patterned_.data();
  }
  const WindowOfRows& pass() const { return pass_; }

 private:
  DeviceArray<std::int32_t> begin_, end_, full_begin_, full_end_;
  DeviceArray<std::uint8_t> patterned_;
  WindowOfRows pass_{};
};

template <class T>
std::vector<T> fetched(Device& device, const DeviceArray<T>& array) {
  std::vector<T> values(array.size());
  device.download(values.data(), array.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace

std::optional<Measures> card_measures(const Work& work, Device& device, CardCopies& copies,
                                      const Document& document, const Trace& trace, MaskFactsPtr facts) {
  const TensorPtr &masked = trace[Stage::Mask], &weights = trace[weights_stage(document)];
  if (!sums_suffice(document) || !copies.is_here(*masked) || !copies.is_here(*weights)) return {};
  if (!facts) facts = mask_facts(work, document, trace);
  const Dimensions size = check(document);
  const Tokens tokens(document, *facts, size);
  const auto first = copies.uploaded<int>(tokens.first),
             real_queries = copies.uploaded<int>(tokens.real_queries),
             key_class = copies.uploaded<int>(tokens.key_class),
             query_class = copies.uploaded<int>(tokens.query_class);
  const auto key_marks = copies.uploaded<std::uint8_t>(tokens.key_marks);

  const std::int64_t heads = size.batch * size.heads, rows = heads * size.queries;
  const auto sums = copies.room<SumsOfRow>(rows);
  MeasurePass measure_rows{};
  measure_rows.masked = copies.get(masked);
  measure_rows.weights = copies.get(weights);
  measure_rows.sums = sums.data();
  measure_rows.rows = rows;
  measure_rows.heads = static_cast<int>(size.heads);
  measure_rows.queries = static_cast<int>(size.queries);
  measure_rows.keys = static_cast<int>(size.keys);
  measure_rows.token_keys = static_cast<int>(size.token_keys());
  measure_rows.first = first.data();
  measure_rows.key_class = key_class.data();
  measure_rows.query_class = query_class.data();
  measure_rows.key_marks = key_marks.data();
  measure_rows.temperature = document.layer().temperature;
  measure_rows.cross = has_other_keys(document);
  const Window window(copies, document, trace);
  measure_rows.window = window.pass();
  launch_blocks(device, measure_rows);

  // Several parts, so that few heads still fill the card with threads.
  const std::int64_t parts = std::clamp<std::int64_t>(size.queries / 128, 1, 8);
  const auto received = copies.room<double>(heads * parts * size.keys);
  launch_each(device, ReceivedPass{measure_rows.weights, received.data(), real_queries.data(),
                                   measure_rows.heads, measure_rows.queries, measure_rows.keys,
                                   static_cast<int>(parts), heads * parts * size.keys});
  const std::vector<SumsOfRow> row_sums = fetched(device, sums);
  const std::vector<double> of_parts = fetched(device, received);
  std::vector<double> columns(static_cast<std::size_t>(heads * size.keys));
  for (std::int64_t i = 0; i < heads * parts * size.keys; ++i)
    columns[static_cast<std::size_t>(i / size.keys / parts * size.keys + i % size.keys)] +=
        of_parts[static_cast<std::size_t>(i)];
  if (work.stop.stop_requested()) throw Cancelled();
  return measure(work, document, std::move(facts), {row_sums, columns});
}

TensorPtr card_overview(Device& device, CardCopies& copies, const TensorPtr& weights) {
  if (!copies.is_here(*weights)) return nullptr;
  const Shape &from = weights->shape(), made = overview_shape(from);
  DeviceArray<float> numbers = copies.room<float>(made.count());
  OverviewPass pass{};
  pass.from = copies.get(weights);
  pass.to = numbers.data();
  pass.count = made.count();
  pass.rows = static_cast<int>(from[2]), pass.columns = static_cast<int>(from[3]);
  pass.height = static_cast<int>(made[2]), pass.width = static_cast<int>(made[3]);
  pass.cell = static_cast<int>(overview_cell(from));
  launch_each(device, pass);
  device.wait();
  return std::make_shared<const Tensor>(copies.made(made, std::move(numbers)));
}

}  // namespace attnscope::gpu
