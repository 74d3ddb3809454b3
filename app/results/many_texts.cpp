#include "app/results/many_texts.hpp"

#include <utility>

namespace attnscope {

namespace {

void measure_similarity(ManyTextsReading& made, const OpenedModel& opened, TextsProgress& progress,
                        const Work& work) {
  const ModelSpec& spec = opened.model->spec;
  SimilarityRequest how;
  how.pooling = {spec.encoder ? SentencePooling::Mean : SentencePooling::Last};
  if (const std::optional<SentenceModules> modules = read_sentence_modules(opened.path);
      modules && (modules->width == 0 || modules->width == spec.d_model)) {
    how = {modules->pooling, modules->most_tokens};
    made.pooled_by_folder = true;
  }
  made.pooling = how.pooling;
  made.similar = similarity(opened, made.list, how, &progress, work);
}

}  // namespace

ManyTextsReading read_many_texts(const ManyTextsRequest& request, TextsProgress& progress, const Work& work) {
  const OpenedModel& opened = *request.model;
  ManyTextsReading made;
  if (request.kind == ManyTextsKind::Patching) {
    PairList pairs = read_pair_list(request.file);
    made.patching = patch_spreads(opened, pairs, {}, &progress, work);
    made.list = std::move(pairs.lines);
    return made;
  }
  made.list = read_text_list(request.file);
  switch (request.kind) {
    case ManyTextsKind::Scores: made.heads = head_spreads(opened, made.list, {}, &progress, work); break;
    case ManyTextsKind::Effects:
      made.heads = head_spreads(opened, made.list, {.effects = AblationRequest{}}, &progress, work);
      break;
    case ManyTextsKind::Similarity: measure_similarity(made, opened, progress, work); break;
    case ManyTextsKind::Patching: break;
  }
  return made;
}

ManyTexts::~ManyTexts() { stop(); }

void ManyTexts::stop() {
  if (task_) task_->cancel();
}

void ManyTexts::begin(ManyTextsRequest request, const SharedPool& pool) {
  stop();
  asked_ = std::move(request);
  is_seen_ = false;
  task_ = std::make_shared<Making>(
      [request = asked_, pool](const std::stop_token& stop, TextsProgress& progress) {
        return read_many_texts(request, progress, Work{*pool, stop});
      });
  worker_.replace(task_);
}

}  // namespace attnscope
