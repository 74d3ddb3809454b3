#include "core/engine/model/model_lens.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <utility>

#include "core/readouts/unembed.hpp"

namespace attnscope {
namespace {

constexpr std::int64_t most_tokens = 5;  // per cell
constexpr std::int64_t logit_rows = 64;  // in memory at once
constexpr double step_seconds = 0.025;

/// The number of leading rows whose residual stream has the same bits at every block.
std::int64_t common_rows(const StackRun& a, const StackRun& b) {
  std::int64_t rows = std::min(a.hidden[0].rows(), b.hidden[0].rows());
  for (std::size_t i = 0; i < a.hidden.size(); ++i) {
    const std::size_t bytes = static_cast<std::size_t>(a.hidden[i].width) * sizeof(float);
    std::int64_t same = 0;
    while (same < rows && std::memcmp(a.hidden[i].row(same), b.hidden[i].row(same), bytes) == 0) ++same;
    rows = same;
  }
  return rows;
}

/// The first block of the output stack with a change in one of the two runs; 0 for changes elsewhere in the
/// model, a large number without changes.
int first_changed(const ModelSpec& spec, const ModelChanges& a, const ModelChanges& b) {
  int first = std::numeric_limits<int>::max();
  const auto see = [&](AttentionOf of, int block) {
    first = std::min(first, spec.decoder && of == AttentionOf::Encoder ? 0 : block);
  };
  for (const ModelChanges* changes : {&a, &b}) {
    for (const HeadChange& change : changes->heads) see(change.of, change.block);
    for (const BlockChange& change : changes->blocks) see(change.of, change.block);
  }
  return first;
}

/// Whether rows depend on earlier rows only.
bool looks_back_only(const ModelSpec& spec, const ModelChanges& changes) {
  return spec.decoder && !spec.encoder && spec.decoder->causal() && !looks_ahead(changes);
}

}  // namespace

bool ModelLens::exists(const ModelSpec& spec) {
  return spec.head.kind == HeadKind::NextToken || spec.head.kind == HeadKind::MaskedToken;
}

void ModelLens::begin(const Model& model, ModelRunPtr run) {
  if (run_ == run) return;
  const StackRun& stack = run->last(model);
  LensReading made;
  made.places = lens_places(model.spec);
  made.rows = stack.hidden[0].rows();
  made.cells.resize(static_cast<std::size_t>(made.rows) * made.places.size());
  if (run_) {
    std::int64_t rows = 0;
    int before_block = std::numeric_limits<int>::max();  // cells of places before this block are kept
    if (run_->input == run->input) {
      rows = made.rows;
      if (run_->changes != run->changes)
        before_block = first_changed(model.spec, run_->changes, run->changes);
    } else if (run_->changes == run->changes && looks_back_only(model.spec, run->changes)) {
      rows = common_rows(run_->last(model), stack);
    }
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::size_t place = 0; place < made.places.size(); ++place)
        if (made.places[place].block < before_block) {
          const std::size_t at = static_cast<std::size_t>(row) * made.places.size() + place;
          made.cells[at] = std::move(known_.cells[at]);
        }
  }
  known_ = std::move(made);
  given_.reset();
  run_ = std::move(run);
  open_rows_ = known_.rows;
  is_inside_ = false;
  skip_known();
}

void ModelLens::skip_known() {
  while (open_rows_ > 0 && is_known(open_rows_ - 1)) --open_rows_;
  if (open_rows_ > 0 || is_inside_) return;
  is_inside_ = true;
  open_rows_ = known_.rows;
  skip_known();
}

bool ModelLens::is_known(std::int64_t row) const {
  for (std::size_t place = 0; place < known_.places.size(); ++place)
    if (is_meant(place) && known_.at(row, place).top.empty()) return false;
  return true;
}

double ModelLens::share() const {
  if (known_.rows == 0) return 0;
  return (is_inside_ ? 1 : 0.5) - static_cast<double>(open_rows_) / static_cast<double>(2 * known_.rows);
}

std::shared_ptr<const LensReading> ModelLens::reading() {
  if (!given_) given_ = std::make_shared<const LensReading>(known_);
  return given_;
}

void ModelLens::step(const Model& model, const Work& work) {
  if (is_done()) return;
  const double wanted = seconds_per_row_ > 0 ? step_seconds / seconds_per_row_ : 1;
  const auto count = static_cast<std::int64_t>(std::clamp(wanted, 1.0, 64.0));
  std::int64_t begin = open_rows_ - 1;
  while (begin > 0 && open_rows_ - begin < count && !is_known(begin - 1)) --begin;
  const auto started = std::chrono::steady_clock::now();
  fill(model, begin, open_rows_, work);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  seconds_per_row_ = took.count() / static_cast<double>(open_rows_ - begin);
  open_rows_ = begin;
  skip_known();
}

void ModelLens::fill(const Model& model, std::int64_t begin, std::int64_t end, const Work& work) {
  given_.reset();
  const std::int64_t d = model.spec.d_model, rows = end - begin;
  // Rows of all places are gathered, so that the unembedding matrix is read once for many rows.
  std::vector<float> stream;
  std::vector<LensCell*> cells;
  for (std::size_t place = 0; place < known_.places.size(); ++place) {
    const auto cell = [&](std::int64_t row) {
      return &known_.cells[static_cast<std::size_t>(row) * known_.places.size() + place];
    };
    bool open = false;
    for (std::int64_t row = begin; row < end && is_meant(place); ++row) open = open || cell(row)->top.empty();
    if (!open) continue;
    const Tensor at = stream_at(model, *run_, known_.places[place], begin, end, work);
    stream.insert(stream.end(), at.data(), at.data() + rows * d);
    for (std::int64_t row = begin; row < end; ++row) cells.push_back(cell(row));
  }
  for (std::int64_t first = 0; first < std::ssize(cells); first += logit_rows) {
    const Tensor logits =
        unembed(model, stream.data() + first * d, std::min(logit_rows, std::ssize(cells) - first), work);
    const std::int64_t width = logits.shape()[1];
    work.for_each(logits.shape()[0], static_cast<double>(width) * 6, [&](std::int64_t i) {
      const std::span row(logits.data() + i * width, static_cast<std::size_t>(width));
      cells[static_cast<std::size_t>(first + i)]->top = likeliest(row, most_tokens);
    });
  }
}

}  // namespace attnscope
