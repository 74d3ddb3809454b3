#include "core/engine/model/model_work.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/models/block_math.hpp"
#include "core/models/model_head.hpp"
#include "core/models/opened/layer_changes.hpp"
#include "core/readouts/text/not_finite.hpp"

namespace attnscope {
namespace {

constexpr std::size_t blocks_kept = 8;  // blocks whose weights are kept as floats
constexpr std::int64_t likeliest_shown = 10;

std::int64_t rows_of(const OpenedModel& opened, const ModelTokens& tokens) {
  return std::ssize(tokens.queries_of(output_attention(opened.model->spec)).tokens);
}

}  // namespace

std::optional<std::int64_t> prediction_row(const OpenedModel& opened, const ModelTokens& tokens,
                                           std::optional<std::int64_t> wanted) {
  const ModelSpec& spec = opened.model->spec;
  if (!predicts(spec)) return std::nullopt;
  if (spec.head.input != HeadInput::EveryRow) return head_row(spec.head, tokens.input.ids);
  const std::int64_t rows = rows_of(opened, tokens);
  if (wanted && *wanted >= 0 && *wanted < rows) return wanted;
  if (spec.decoder) return rows - 1;
  const std::vector<Token>& labels = tokens.tokens.tokens;
  const std::int64_t mask = mask_token(opened);
  const auto found = spec.head.kind == HeadKind::MaskedToken
                         ? std::ranges::find(tokens.input.ids, mask) - tokens.input.ids.begin()
                         : std::ranges::find(labels, false, &Token::special) - labels.begin();
  return found < rows ? std::optional<std::int64_t>(found) : std::nullopt;
}

std::shared_ptr<const ModelTokens> ModelWork::tokens_of_text(const ModelText& text) {
  if (!tokens_ || within_.input != text)
    tokens_ = std::make_shared<const ModelTokens>(tokens_of(*opened_, text));
  return tokens_;
}

std::shared_ptr<const BlockTensors> ModelWork::block(AttentionOf of, int block) {
  const auto known =
      std::ranges::find_if(blocks_, [&](const auto& kept) { return kept->of == of && kept->block == block; });
  if (known != blocks_.end()) {
    blocks_.splice(blocks_.begin(), blocks_, known);
  } else {
    blocks_.push_front(std::make_shared<const BlockTensors>(block_tensors(*opened_->model, of, block)));
    if (blocks_.size() > blocks_kept) blocks_.pop_back();
  }
  return blocks_.front();
}

void ModelWork::look_at_block(ModelReading& reading) {
  const AttentionOf of = within_.of;
  try {
    reading.block = block(of, within_.block);
    reading.layer =
        layer_document(*opened_->model, *run_, *reading.block, tokens_->queries_of(of), tokens_->keys_of(of));
    reading.layer.within = SharedValue<ModelContext>(within_);
    reading.left_out = left_out(*reading.block, within_.changes);
  } catch (const Error& error) {
    reading.block = nullptr;
    reading.layer_problem = error.what();
  }
}

std::shared_ptr<const ModelPrediction> ModelWork::predict(const Work& work) const {
  auto made = std::make_shared<ModelPrediction>();
  if (!row_) return made;
  made->row = *row_;
  made->before = predicted_logits(*opened_->model, *clean_, *row_, work);
  made->top_before = likeliest(made->before, likeliest_shown);
  made->after = run_ == clean_ ? made->before : predicted_logits(*opened_->model, *run_, *row_, work);
  made->top_after = run_ == clean_ ? made->top_before : likeliest(made->after, likeliest_shown);
  made->divergence = run_ == clean_ ? 0 : divergence(made->before, made->after);
  made->log_sum_before = log_sum_exp(made->before);
  made->log_sum_after = run_ == clean_ ? made->log_sum_before : log_sum_exp(made->after);
  return made;
}

std::shared_ptr<const NextToken> ModelWork::next_token() const {
  if (!wants_.sampling || prediction_->after.empty()) return nullptr;
  if (next_ && next_->settings == *wants_.sampling) return next_;
  auto made = std::make_shared<NextToken>(NextToken{*wants_.sampling, prediction_->row, not_a_token});
  try {
    made->id = sample(prediction_->after, made->settings, static_cast<std::uint64_t>(made->row + 1));
  } catch (const Error&) {  // all logits are NaN
  }
  return made;
}

/// Reuses the numbers of the previous runs if `run` is one of them.
ModelWork::Counted ModelWork::count(const ModelRunPtr& run, const Work& work) const {
  for (const Counted* const known : {&counted_, &clean_counted_})
    if (known->run == run) return *known;
  return {run, std::make_shared<const RunNumbers>(run_numbers(*opened_->model, *run, work))};
}

void ModelWork::compute_with(const MakeRowOperators& make) {
  backend_note_.clear();
  operators_ = nullptr;
  runs_ = {};
  if (!make) return;
  if (const std::string why = why_on_cpu(*opened_->model); !why.empty()) return give_up_operators(why);
  try {
    operators_ = make(count_weights(*opened_->model), backend_note_);
  } catch (const Error& error) {  // an error of the backend, not of the model
    give_up_operators(error.what());
  }
}

void ModelWork::give_up_operators(const std::string& why) {
  operators_.reset();
  backend_note_ = why + " The CPU runs the model.";
}

ModelReading ModelWork::first(const ModelContext& within, const ModelWants& wants, const Work& work) {
  if (!operators_) return first_by(within, wants, work);
  try {
    return first_by(within, wants, with_operators(work));
  } catch (const Error& error) {
    ModelReading reading = first_by(within, wants, work);  // throws if the input is at fault
    give_up_operators(error.what());
    reading.backend.clear();
    reading.backend_note = backend_note_;
    return reading;
  }
}

ModelReading ModelWork::first_by(const ModelContext& within, const ModelWants& wants, const Work& work) {
  const Model& model = *opened_->model;
  stage_ = Stage::Done;
  // Members are set only after this succeeds: the text may be rejected.
  const std::shared_ptr<const ModelTokens> tokens = tokens_of_text(within.input);
  within_ = within;
  wants_ = wants;
  // Logits of every row cost as much as the blocks; those of single rows are computed on demand.
  RunRequest request{.logits = LogitRows::Last, .entropy = true, .received = true};
  request.picture_side = std::max(wants.picture_side, 1);
  request.changes = within.changes;
  ModelRunPtr run = runs_.get(model, tokens->input, request, work);
  request.changes = {};
  ModelRunPtr clean = within.changes.empty() ? run : runs_.get(model, tokens->input, request, work);
  Counted counted = count(run, work), clean_counted = clean == run ? counted : count(clean, work);
  pieces_ = 0;
  const std::optional<std::int64_t> row = prediction_row(*opened_, *tokens, wants.row);
  const bool is_new = run != run_ || clean != clean_ || row != row_ || !prediction_;
  run_ = std::move(run);
  clean_ = std::move(clean);
  counted_ = std::move(counted);
  clean_counted_ = std::move(clean_counted);
  row_ = row;
  if (is_new) {
    prediction_.reset();  // stays null if predict() is stopped
    next_.reset();
    prediction_ = predict(work);
    not_finite_ = not_finite_sentence(model, *run_);
  }
  next_ = next_token();
  ModelReading reading;
  reading.within = within;
  reading.tokens = tokens;
  reading.run = run_;
  reading.clean = clean_;
  reading.numbers = counted_.numbers;
  reading.clean_numbers = clean_counted_.numbers;
  reading.prediction = prediction_;
  reading.next = next_;
  reading.not_finite = not_finite_;
  if (work.device != nullptr) {
    reading.backend = work.device->name();
    reading.backend_note = work.device->remark();
  } else {
    reading.backend_note = backend_note_;
  }
  look_at_block(reading);
  if (wants_generation()) generation_.begin(model, run_, std::ssize(within.input.continued), row_);
  if (wants.lens && ModelLens::exists(model.spec)) lens_.begin(model, run_);
  values_.begin(run_);
  rollout_.begin(model, run_);
  if (row_) {
    alone_.begin({tokens_, *row_}, within.changes);
    effects_.begin(model, {tokens_, *row_});
    if (wants.corrupted) patching_.begin(*opened_, tokens_, clean_, *row_, wants);
  }
  stage_ = Stage::Why;
  stage_ = skip_done();
  fill(reading);
  return reading;
}

bool ModelWork::is_done(Stage stage) const {
  const ModelSpec& spec = opened_->model->spec;
  switch (stage) {
    case Stage::Why: return !wants_.why || why_.is_known(*wants_.why, run_, row_);
    case Stage::Path: return !wants_.why || why_.has_path();
    case Stage::Generation: return !wants_generation() || generation_.is_done();
    case Stage::Rollout: return !wants_.rollout || rollout_.is_done();
    case Stage::Lens: return !wants_.lens || !ModelLens::exists(spec) || lens_.is_done();
    case Stage::Values: return !wants_.contributions || values_.is_done(run_);
    case Stage::Scores:
      return !wants_.scores || spec.image || within_.of == AttentionOf::Cross ||
             !has_attention(spec, within_.of) || (scored_ == run_ && scored_of_ == within_.of);
    case Stage::Alone: return !row_ || alone_.is_done();
    case Stage::Patching: return !wants_.corrupted || !row_ || patching_.is_done();
    case Stage::Battery: return !wants_.scores || has_battery_;
    case Stage::Effects: return !(wants_.effects || wants_.pruning) || !row_ || effects_.is_done();
    case Stage::Pruning: return !wants_.pruning || !row_ || has_pruning();
    case Stage::Done: return false;
  }
  return false;
}

bool ModelWork::wants_generation() const {
  return wants_.generation && row_ && ModelGeneration::exists(opened_->model->spec);
}

bool ModelWork::has_pruning() const { return pruning_.has_begun({tokens_, *row_}) && pruning_.is_done(); }

ModelWork::Stage ModelWork::skip_done() {
  while (stage_ != Stage::Done && is_done(stage_)) stage_ = static_cast<Stage>(static_cast<int>(stage_) + 1);
  return stage_;
}

void ModelWork::step(const Work& work) {
  const Model& model = *opened_->model;
  switch (stage_) {
    case Stage::Why: {
      const bool predicts = row_ && !prediction_->top_after.empty();
      why_.split(model, run_, *wants_.why, row_, predicts ? prediction_->top_after[0].id : -1, work);
      return;
    }
    case Stage::Path: why_.find_path(model, work); return;
    case Stage::Generation: generation_.step(model, work); return;
    case Stage::Rollout: rollout_.step(model, work); return;
    case Stage::Lens: lens_.step(model, work); return;
    case Stage::Values: values_.step(model, work); return;
    case Stage::Scores:
      scores_ = std::make_shared<const std::vector<std::vector<HeadScores>>>(
          head_scores(model, *run_, within_.of, opened_->special, work));
      scored_ = run_;
      scored_of_ = within_.of;
      return;
    case Stage::Alone: alone_.step(model, *clean_, prediction_->before, work); return;
    case Stage::Battery:
      try {
        battery_ = std::make_shared<const std::vector<std::vector<HeadScores>>>(
            battery_scores(model, opened_->special, {}, work));
      } catch (const Error&) {
        // No battery: a model of images or of two stacks, or too few tokens or positions.
      }
      has_battery_ = true;
      return;
    case Stage::Patching: patching_.step(*opened_, work); return;
    case Stage::Effects: effects_.step(model, *clean_, work); return;
    case Stage::Pruning:
      pruning_.begin({tokens_, *row_}, *effects_.reading());
      pruning_.step(model, *clean_, work);
      return;
    case Stage::Done: return;
  }
}

ModelWork::Stage ModelWork::more(const Work& work) {
  // After the first piece, which the user waits for.
  if (pieces_++ == 1) runs_.make_spares();
  try {
    step(with_operators(work));
  } catch (const Error& error) {
    if (!operators_) throw;
    give_up_operators(error.what());  // the piece is computed again on the CPU
  }
  if (skip_done() == Stage::Done && pieces_ == 1) runs_.make_spares();
  return stage_;
}

double ModelWork::share() const {
  switch (stage_) {
    case Stage::Rollout: return rollout_.share();
    case Stage::Lens: return lens_.share();
    case Stage::Alone: return alone_.share();
    case Stage::Patching: return patching_.share();
    case Stage::Effects: return effects_.share();
    case Stage::Pruning: return pruning_.has_begun({tokens_, *row_}) ? pruning_.share() : 0;
    default: return 0;
  }
}

void ModelWork::fill(ModelReading& reading) {
  reading.why = nullptr;
  if (wants_.why && why_.is_known(*wants_.why, run_, row_)) reading.why = why_.reading();
  if (wants_generation()) reading.generation = generation_.reading();
  if (wants_.lens && ModelLens::exists(opened_->model->spec)) reading.lens = lens_.reading();
  if (values_.is_done(run_)) {
    reading.value_norms = values_.reading();
    reading.usual_contribution = values_.usual();
  }
  if (rollout_.is_done()) reading.rollout = rollout_.reading();
  if (scored_ == run_ && scored_of_ == within_.of) {
    reading.scores = scores_;
    reading.scores_of = scored_of_;
  }
  reading.battery = battery_;
  if (row_) {
    reading.alone = alone_.reading();
    reading.effects = effects_.reading();
    // Partial results that are no longer wanted are kept.
    if (pruning_.has_begun({tokens_, *row_})) reading.pruning = pruning_.reading();
    if (patching_.has_begun({tokens_, *row_})) reading.patching = patching_.reading();
  }
  reading.is_complete = stage_ == Stage::Done;
}

const char* words_of(ModelWork::Stage stage) {
  switch (stage) {
    case ModelWork::Stage::Why: return "parts of the score";
    case ModelWork::Stage::Path: return "strongest path";
    case ModelWork::Stage::Generation: return "generated tokens";
    case ModelWork::Stage::Rollout: return "attention rollout";
    case ModelWork::Stage::Lens: return "logit lens";
    case ModelWork::Stage::Values: return "lengths of values";
    case ModelWork::Stage::Scores: return "scores of heads";
    case ModelWork::Stage::Alone: return "effect of each change";
    case ModelWork::Stage::Battery: return "scores on repeated random tokens";
    case ModelWork::Stage::Patching: return "activation patching";
    case ModelWork::Stage::Effects: return "effects of heads";
    case ModelWork::Stage::Pruning: return "pruning curve";
    case ModelWork::Stage::Done: break;
  }
  return "";
}

}  // namespace attnscope
