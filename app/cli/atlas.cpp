#include "app/cli/atlas.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "core/files/formats/atomic_write.hpp"
#include "core/tokenizers/read/load_tokenizer.hpp"

namespace attnscope {
namespace {

/// Says on stderr how far the work is, from the second second on.
class ProgressLine {
 public:
  explicit ProgressLine(const AblationProgress& progress)
      : thread_([this, &progress](const std::stop_token& stop) { tell(progress, stop); }) {}

 private:
  void tell(const AblationProgress& progress, const std::stop_token& stop) {
    bool told = false;
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; }) &&
           !stop.stop_requested()) {
      if (progress.total == 0) continue;
      fmt::print(stderr, "\ratlas: {} %", 100 * progress.done / progress.total);
      std::fflush(stderr);
      told = true;
    }
    if (told) fmt::print(stderr, "\n");
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;
};

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

}  // namespace

void atlas_command(const AtlasOptions& options) {
  const ModelPtr model = open_model(options.model);
  ModelInput input;
  if (options.ids)
    input.ids = *options.ids;
  else
    for (const auto& token : tokenizers::load_tokenizer(options.model)->encode(*options.text).tokens)
      input.ids.push_back(token.id);
  ThreadPool pool;
  const Work work{pool, {}};
  RunRequest request;
  request.logits = options.request.all_positions ? LogitRows::All : LogitRows::Last;
  AblationProgress progress;
  std::vector<AtlasEntry> atlas;
  if (model->spec.encoder && model->spec.decoder)
    input.decoder_ids = {0};  // refused below, by its family's name
  const ModelRun base = run_model(*model, std::move(input), request, work);
  {
    const ProgressLine line(progress);
    atlas = ablation_atlas(*model, base, options.request, &progress, work);
    if (options.prune) atlas = pruning_curve(*model, base, atlas, options.request, &progress, work);
  }
  const std::string table = table_of(atlas);
  const std::array<std::string_view, 1> pieces{table};
  write_atomically(options.out, pieces);
}

}  // namespace attnscope
