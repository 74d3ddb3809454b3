// app/shell: what is on screen as one HTML file.
#include <utility>

#include "app/exports/html/page_write.hpp"
#include "app/scene/picture.hpp"
#include "app/shell/app.hpp"
#include "app/state/focus_state.hpp"
#include "app/views/model/facts.hpp"
#include "core/base/error.hpp"
#include "core/files/document/session_file.hpp"

namespace attnscope {
namespace {

/// As it is looked at on the page of the model; places that it does not have are moved inside.
HtmlOfModel shown_of_model(const ModelReading& reading, const Selection& selection, bool without_changes) {
  const ModelSpec& spec = reading.within.model->model->spec;
  const std::vector<AttentionOf> there = attentions_of(spec);
  const bool has = std::ranges::find(there, reading.within.of) != there.end();
  const AttentionOf of = has ? reading.within.of : output_attention(spec);
  const int block = std::clamp(reading.within.block, 0, blocks_in(spec, of) - 1);
  const std::int64_t head = std::clamp<std::int64_t>(selection.head, 0, heads_in(spec, of, block) - 1);
  return {{of, block, head}, selection.cell, without_changes};
}

}  // namespace

std::string App::html_page() const {
  if (view_.mode == Mode::Experiments || view_.mode == Mode::Training || view_.mode == Mode::Lessons)
    throw Error("An HTML file shows a layer or a model: go to Explore or Model first.");
  if (!shown_.result) throw Error("There is nothing to draw yet.");
  const ModelReadingPtr reading = models_.reading_of(document_);
  HtmlPage page;
  if (view_.mode == Mode::Model && reading && reading->run && reading->tokens) {
    page = html_of_model(*reading, shown_of_model(*reading, selection_, view_.model->without_changes),
                         Work{*backends_->pool(), {}});
  } else {
    page = html_of_layer(shown_.result->layer(), shown_.stats->rule(), selection_);
  }
  const std::int64_t longest = std::ssize(page.part().keys);
  page.log = view_.focus->log || longest > longest_linear_row;
  page.light = weights_map(theme(ThemeName::Light), view_.focus->colours);
  page.dark = weights_map(theme(ThemeName::Dark), view_.focus->colours);
  const ResultPtr held = comparison_.result();
  page.session =
      session_to_json(document_, view_to_json(view_, selection_, comparison_.age(ImGui::GetTime())),
                      held ? &held->document : nullptr);
  return html_file(page, words_, view_.language, files_.assets());
}

}  // namespace attnscope
