#include "app/results/many_texts.hpp"

#include <utility>

namespace attnscope {

ManyTextsReading read_many_texts(const ManyTextsRequest& request, TextsProgress& progress, const Work& work) {
  const OpenedModel& opened = *request.model;
  ManyTextsReading made;
  made.list = read_text_list(request.file);
  if (!request.similar) {
    made.heads = head_spreads(opened, made.list, {}, &progress, work);
    return made;
  }
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
