#include "app/cli/models/atlas.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/cli/over_texts/progress_line.hpp"
#include "app/cli/parts/model_note.hpp"
#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/readouts/text/not_finite.hpp"
#include "core/tokenizers/tokenizer.hpp"

namespace attnscope {
namespace {

std::string number_or_nothing(double value) {
  return std::isnan(value) ? std::string() : fmt::format("{}", value);
}

std::string table_of(const std::vector<AtlasEntry>& atlas) {
  std::string table = "block,head,kl,top_logit_change,top_token,mean_kl,nll_change\n";
  for (const auto& [head, effect] : atlas)
    table += fmt::format("{},{},{},{},{},{},{}\n", head.block, head.head, effect.divergence,
                         effect.top_logit_change, effect.top_token, number_or_nothing(effect.mean_divergence),
                         number_or_nothing(effect.likelihood_change));
  return table;
}

/// The model's input of a text, and the row whose prediction is measured.
class AtlasInput {
 public:
  AtlasInput(ModelAtHand& at_hand, const AtlasOptions& options)
      : spec_(at_hand.model().spec), options_(options), row_(options.request.row) {
    if (spec_.image)
      throw Error(fmt::format("{} takes pictures; the atlas is of models that read a text.", spec_.family));
    if (options.decoder_text && !spec_.reads_two_texts())
      throw Error(fmt::format("--decoder-text is for encoder-decoders; this model is {}.", spec_.family));
    if (options.ids) {
      input_.ids = *options.ids;
      if (spec_.reads_two_texts()) input_.decoder_ids = {spec_.decoder_start.value_or(0)};
    } else {
      read_text(at_hand.tokenizer());
    }
    if (row_ || spec_.decoder || spec_.head.kind == HeadKind::None || spec_.head.input != HeadInput::EveryRow)
      return;
    if (spec_.head.kind == HeadKind::TokenClass)
      throw Error("Each token has classes of its own here: --at says whose the effects are measured on.");
    if (spec_.head.kind == HeadKind::MaskedToken)
      throw Error(
          fmt::format("No token of the text is masked, whose prediction the effects are measured on: write "
                      "{} for a word, or say with --at which position is meant.",
                      mask_.empty() ? "the tokenizer's masked token" : mask_));
  }

  ModelInput take() { return std::move(input_); }
  std::optional<std::int64_t> row() const { return row_; }

 private:
  void read_text(const tokenizers::Tokenizer& tokenizer) {
    ModelText text;
    text.text = *options_.text;
    text.decoder_text = options_.decoder_text;
    ModelTokens tokens = text_tokens(spec_, tokenizer, text);
    say_note(tokens.untold);
    input_ = std::move(tokens.input);
    const tokenizers::Id mask = tokenizer.special_ids().mask;
    if (const std::string* name = tokenizer.token(mask)) mask_ = *name;
    const auto at = std::ranges::find(input_.ids, std::int64_t{mask});
    if (!row_ && mask != tokenizers::no_id && spec_.head.kind == HeadKind::MaskedToken &&
        at != input_.ids.end())
      row_ = at - input_.ids.begin();
  }

  const ModelSpec& spec_;
  const AtlasOptions& options_;
  std::optional<std::int64_t> row_;
  ModelInput input_;
  std::string mask_;  // the token's name
};

}  // namespace

void atlas_command(const AtlasOptions& options, ModelAtHand& at_hand, const std::stop_token& stop) {
  const Model& model = at_hand.model();
  AtlasInput input(at_hand, options);
  AblationRequest asked = options.request;
  asked.row = input.row();
  const Work work{at_hand.pool(), stop};
  RunRequest request;
  request.logits = LogitRows::None;
  AblationProgress progress;
  std::vector<AtlasEntry> atlas;
  const ModelRun base = run_model(model, input.take(), request, work);
  if (const std::string trouble = not_finite_sentence(model, base); !trouble.empty())
    throw Error("There is no effect to be measured: " + trouble);
  {
    const ProgressLine line("atlas", progress);
    atlas = ablation_atlas(model, base, asked, &progress, work);
    if (options.prune) atlas = pruning_curve(model, base, atlas, asked, &progress, work);
  }
  const std::string table = table_of(atlas);
  if (options.out == "-")
    std::fwrite(table.data(), 1, table.size(), stdout);
  else
    write_atomically(options.out, std::array{std::string_view(table)});
}

}  // namespace attnscope
