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

/// Where the page's reader finds what lies at `path`: from the page on where it lies beside or below it, else
/// under its name alone, which says nothing of this machine.
std::filesystem::path found_from_page(const std::filesystem::path& path, const std::filesystem::path& page) {
  namespace fs = std::filesystem;
  if (path.empty()) return path;
  fs::path whole = fs::absolute(path).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();  // a folder with a slash behind it
  const fs::path from_page = whole.lexically_relative(fs::absolute(page).lexically_normal().parent_path());
  return from_page.empty() || from_page == "." || *from_page.begin() == ".." ? whole.filename() : from_page;
}

Document as_in_page(Document document, const std::filesystem::path& page) {
  if (document.within.read().path.empty()) return document;
  Within& within = document.within.change();
  within.path = found_from_page(within.path, page);
  within.input.image = found_from_page(within.input.image, page);
  return document;
}

}  // namespace

std::string App::html_page(const std::filesystem::path& to) const {
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
  const ResultPtr result = comparison_.result();
  const std::optional<Document> held =
      result ? std::optional(as_in_page(result->document, to)) : std::nullopt;
  const bool compares_models = view_.mode == Mode::Model && view_.model->screen == ModelScreen::Compare;
  page.is_one_of_two = held && (view_.mode == Mode::Compare || compares_models);
  std::string now;
  if (page.is_one_of_two) page.title += " · " + std::string(words_.translated("now", now));
  page.session = session_to_json(as_in_page(document_, to),
                                 view_to_json(view_, selection_, comparison_.age(ImGui::GetTime())),
                                 held ? &*held : nullptr);
  return html_file(page, words_, view_.language, files_.assets());
}

}  // namespace attnscope
