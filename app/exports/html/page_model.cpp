// app/exports/html: all heads of all layers of a model.
#include <algorithm>

#include "app/exports/html/page_data.hpp"
#include "app/exports/html/words.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/views/model/facts.hpp"
#include "core/attention/row_math.hpp"
#include "core/base/error.hpp"
#include "core/edits/model.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

/// A label for each of `count` rows or keys; numbers for those without a token, such as a picture's patches.
std::vector<std::string> html_labels(const Sequence& tokens, std::int64_t count) {
  std::vector<std::string> labels;
  for (std::int64_t i = 0; i < count; ++i)
    labels.push_back(i < std::ssize(tokens.tokens) ? tokens.tokens[static_cast<std::size_t>(i)].text
                                                   : std::to_string(i));
  return labels;
}

class ModelPage {
 public:
  ModelPage(const ModelReading& reading, const HtmlOfModel& what, const Work& work,
            const std::function<void(double)>& share)
      : share_(share),
        reading_(reading),
        what_(what),
        work_(work),
        model_(*reading.within.model->model),
        run_(what.without_changes && reading.clean ? *reading.clean : *reading.run) {}

  HtmlPage made() {
    check_html_cells(cells());
    describe();
    for (const AttentionOf of : attentions_of(model_.spec)) add(of);
    return std::move(page_);
  }

 private:
  std::int64_t keys_of(AttentionOf of) const { return keys_seen(model_.spec, run_, of, 0).keys; }

  std::int64_t cells() const {
    std::int64_t sum = 0;
    for (const ModelHead& head : all_model_heads(model_.spec))
      sum += rows_of(run_, head.of) * keys_of(head.of);
    return sum;
  }

  void describe() {
    const OpenedModel& opened = *reading_.within.model;
    page_.title = page_.model = opened.name;
    page_.storage = opened.storage;
    page_.text = reading_.within.input.text;
    page_.is_clean = what_.without_changes;
    for (const edit::ChangeWords& change : edit::list_of_changes(reading_.within))
      page_.changes.push_back(change.line());
    page_.cell = what_.cell;
    if (!reading_.prediction || reading_.prediction->row < 0) return;
    const std::vector<PredictedToken>& top =
        what_.without_changes ? reading_.prediction->top_before : reading_.prediction->top_after;
    if (top.empty() || top[0].id == not_a_token) return;
    page_.predicted = plain(predicted_name(opened, top[0].id));
    page_.probability = top[0].probability();
  }

  void add(AttentionOf of) {
    HtmlPart part;
    if (attentions_of(model_.spec).size() > 1) part.name = html_attention_name(of);
    part.layers = blocks_in(model_.spec, of);
    part.queries = html_labels(reading_.tokens->queries_of(of), rows_of(run_, of));
    part.keys = html_labels(reading_.tokens->keys_of(of), keys_of(of));
    part.is_self = of != AttentionOf::Cross;
    page_.parts.push_back(std::move(part));
    for (int block = 0; block < blocks_in(model_.spec, of); ++block)
      for (int h = 0; h < heads_in(model_.spec, of, block); ++h) add_head({of, block, h});
  }

  void add_head(const ModelHead& of) {
    if (work_.stop.stop_requested()) throw Cancelled();
    const auto block = static_cast<std::size_t>(of.block);
    HtmlHead head;
    head.part = page_.parts.size() - 1;
    head.layer = of.block;
    head.head = of.head;
    const HeadChange* const change = change_of_head(run_.changes, of);
    head.is_off = change != nullptr && change->kind == HeadChange::Kind::Zero;
    head.changed = change != nullptr && !head.is_off;
    head.weights = head_weights(model_, run_, of.of, block, of.head, work_);
    hide(of, head);
    take_entropy(of, head);
    if (of == what_.chosen) page_.chosen = page_.heads.size();
    page_.heads.push_back(std::move(head));
    if (share_)
      share_(static_cast<double>(page_.heads.size()) /
             static_cast<double>(all_model_heads(model_.spec).size()));
  }

  void hide(const ModelHead& of, HtmlHead& head) const {
    const HeadMask mask(model_.spec, run_, of.of, of.block);
    const std::int64_t queries = head.weights.shape()[0], keys = head.weights.shape()[1];
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(keys));
    for (std::int64_t i = 0; i < queries; ++i) {
      mask.see(of.head, i, seen);
      add_leaks({head.weights.data() + i * keys, seen.size()}, seen);
      for (const std::uint8_t sees : seen) head.hidden.push_back(sees == 0 ? 1 : 0);
    }
  }

  /// From the run, or else computed from the weights.
  void take_entropy(const ModelHead& of, HtmlHead& head) const {
    const Tensor& known = attention_of(run_, of.of)[static_cast<std::size_t>(of.block)].entropy;
    const std::int64_t queries = head.weights.shape()[0], keys = head.weights.shape()[1];
    const bool is_known = known.shape().rank() == 2 && known.shape()[1] == queries && !head.changed;
    for (std::int64_t i = 0; i < queries; ++i)
      head.entropy.push_back(
          is_known ? static_cast<double>(known.matrix()(of.head, i))
                   : entropy_of_weights({head.weights.data() + i * keys, static_cast<std::size_t>(keys)}));
  }

  const std::function<void(double)>& share_;
  const ModelReading& reading_;
  const HtmlOfModel& what_;
  const Work& work_;
  const Model& model_;
  const ModelRun& run_;
  HtmlPage page_;
};

}  // namespace

HtmlPage html_of_model(const ModelReading& reading, const HtmlOfModel& what, const Work& work,
                       const std::function<void(double)>& share) {
  HtmlPage page = ModelPage(reading, what, work, share).made();
  if (page.heads.empty()) throw Error("The model has no attention that could be shown.");
  const HtmlPart& part = page.part();
  const auto inside = [](std::int64_t at, std::size_t count) {
    return std::clamp<std::int64_t>(at, 0, static_cast<std::int64_t>(count) - 1);
  };
  page.cell = {inside(what.cell.query, part.queries.size()), inside(what.cell.key, part.keys.size())};
  return page;
}

}  // namespace attnscope
