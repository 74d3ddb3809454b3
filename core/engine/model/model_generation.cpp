#include "core/engine/model/model_generation.hpp"

#include <algorithm>
#include <utility>

#include "core/engine/model/model_effects.hpp"
#include "core/models/changes.hpp"
#include "core/models/opened/model_cost.hpp"

namespace attnscope {
namespace {

constexpr std::int64_t candidates = 5;
constexpr int tokens_of_step = 8;

const std::vector<std::int64_t>& decoder_tokens(const ModelSpec& spec, const ModelInput& input) {
  return spec.encoder ? input.decoder_ids : input.ids;
}

/// The number of leading decoder tokens whose rows are the same in both runs.
std::int64_t same_tokens(const ModelSpec& spec, const ModelRun& a, const ModelRun& b) {
  if (a.changes != b.changes || looks_ahead(a.changes) || !spec.decoder->causal() ||
      turns_by_length(*spec.decoder))
    return 0;
  if (spec.encoder && (a.input.ids != b.input.ids || a.input.mask != b.input.mask)) return 0;
  const std::vector<std::int64_t>&x = decoder_tokens(spec, a.input), &y = decoder_tokens(spec, b.input);
  return std::ranges::mismatch(x, y).in1 - x.begin();
}

}  // namespace

bool ModelGeneration::exists(const ModelSpec& spec) {
  return spec.decoder && spec.decoder->causal() && spec.head.kind == HeadKind::NextToken;
}

void ModelGeneration::begin(const Model& model, ModelRunPtr run, std::int64_t continued,
                            std::optional<std::int64_t> row) {
  const StackSpec& stack = *model.spec.decoder;
  const std::vector<std::int64_t>& ids = decoder_tokens(model.spec, run->input);
  GenerationReading made;
  made.rows = std::ssize(ids);
  made.first = std::max<std::int64_t>(0, made.rows - continued);
  made.row = row.value_or(made.rows - 1);
  made.cached_numbers = cached_numbers(stack);
  made.cross_numbers = cached_cross_numbers(stack);
  const std::int64_t encoder_rows = model.spec.encoder ? std::ssize(run->input.ids) : 0;
  made.encoder_rows = encoder_rows;
  made.row_work = multiply_adds(stack, model.decoder, {made.row, made.row + 1, encoder_rows});
  made.all_work = multiply_adds(stack, model.decoder, {0, made.row + 1, encoder_rows});
  made.tokens.resize(static_cast<std::size_t>(made.rows - made.first));
  if (run_) {
    const std::int64_t same = same_tokens(model.spec, *run_, *run);
    for (GeneratedToken& token : known_.tokens) {
      const std::int64_t at = token.row + 1;
      if (token.rank > 0 && at >= made.first && at < same)
        made.tokens[static_cast<std::size_t>(at - made.first)] = std::move(token);
    }
  }
  has_reads_ = run_ == run && known_.row == made.row;
  if (has_reads_) made.reads = std::move(known_.reads);
  known_ = std::move(made);
  run_ = std::move(run);
  given_.reset();
  for (next_ = 0; next_ < std::ssize(known_.tokens); ++next_)
    if (known_.tokens[static_cast<std::size_t>(next_)].rank == 0) break;
}

void ModelGeneration::step(const Model& model, const Work& work) {
  given_.reset();
  if (!has_reads_) {
    known_.reads = cache_reads(model, *run_, known_.row, work);
    has_reads_ = true;
    return;
  }
  const std::vector<std::int64_t>& ids = decoder_tokens(model.spec, run_->input);
  for (int i = 0; i < tokens_of_step && next_ < std::ssize(known_.tokens); ++i, ++next_) {
    GeneratedToken& token = known_.tokens[static_cast<std::size_t>(next_)];
    const std::int64_t row = known_.first + next_ - 1;
    if (token.rank > 0) continue;
    token.row = row;
    token.id = ids[static_cast<std::size_t>(row + 1)];
    // No prediction comes before the first token.
    if (row >= 0)
      token = generated_token(predicted_logits(model, *run_, row, work), row, token.id, candidates);
  }
}

std::shared_ptr<const GenerationReading> ModelGeneration::reading() {
  if (!given_) given_ = std::make_shared<const GenerationReading>(known_);
  return given_;
}

}  // namespace attnscope
