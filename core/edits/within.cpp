#include "core/edits/within.hpp"

#include <utility>

#include "core/edits/edits.hpp"
#include "core/edits/model.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
Document what_is_said(const Document& document) {
  if (!document.within.read()) return document;
  static const Document nothing;
  Document said = nothing;
  said.precision = document.precision;
  said.loss = document.loss;
  said.within = document.within;
  return said;
}

std::size_t typed_texts(const Document& document) {
  const ModelContext& within = document.within.read();
  if (!within) return document.input.is_text() ? document.input.sequences.size() : 0;
  if (!within.input.image.empty()) return 0;
  return within.input.pair || within.model->model->spec.reads_two_texts() ? 2 : 1;
}

const std::string& typed_text(const Document& document, std::size_t index) {
  const ModelContext& within = document.within.read();
  if (!within) return document.input.sequences.at(index).text;
  if (index == 0) return within.input.text;
  static const std::string nothing;
  if (!within.model->model->spec.reads_two_texts()) return within.input.pair.value();
  return within.input.decoder_text ? *within.input.decoder_text : nothing;
}

std::size_t shown_text_index(const Document& document, std::int64_t sequence) {
  const ModelContext& within = document.within.read();
  if (!within) return static_cast<std::size_t>(sequence);
  return within.model->model->spec.reads_two_texts() && within.of != AttentionOf::Encoder ? 1 : 0;
}

}  // namespace attnscope

namespace attnscope::edit {

Document typed_text(Document document, std::size_t index, std::string text) {
  if (!document.within.read()) return edit::text(std::move(document), index, std::move(text));
  ModelContext& within = document.within.change();
  if (index == 0)
    within = edit::text(std::move(within), std::move(text));
  else if (within.model->model->spec.reads_two_texts())
    within = edit::decoder_text(std::move(within), std::move(text));
  else
    within = edit::second_text(std::move(within), std::move(text));
  return document;
}

}  // namespace attnscope::edit
