#include "app/app.hpp"

#include <algorithm>
#include <cmath>

#include "app/actions.hpp"
#include "app/export.hpp"
#include "app/layout.hpp"
#include "app/scene.hpp"
#include "core/error.hpp"
#include "core/stages/run_stage.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {

App::App(AppOptions options, LiveEngine& engine, std::string backend_note)
    : engine_(engine), assets_(options.assets) {
  view_.theme = options.theme;
  view_.scale = options.scale;
  view_.backend_note = std::move(backend_note);
  try {
    examples_ = list_examples(options.assets);
    if (examples_.empty())
      throw Error("There is no example in " + options.assets.string() +
                  "; drop a file on the window instead.");
    open(examples_.front().path);
  } catch (const std::exception& error) {
    view_.message = error.what();
  }
}

App::~App() = default;

void App::open(const std::filesystem::path& path) {
  try {
    document_ = open_document(path);  // refuses what cannot be computed before it replaces the good one
    original_ = document_;
    file_ = is_own_document(path) ? path : std::filesystem::path{};
    view_.message = not_finite_note(document_);
    view_.message_from_engine = false;
    view_.moments.clear();
    opened_ = true;
  } catch (const std::exception& error) {
    view_.message = error.what();
    view_.message_from_engine = false;
  }
}

bool App::is_own_document(const std::filesystem::path& path) const {
  std::error_code missing;
  return path.extension() == ".json" &&
         !std::filesystem::equivalent(path.parent_path(), assets_ / "examples", missing);
}

void App::save(const std::filesystem::path& path) {
  view_.message_from_engine = false;
  std::filesystem::path to = path.empty() ? file_ : path;
  if (to.empty()) {
    view_.message = "This document has no file yet: open the menu at the top and type a path to save under.";
    return;
  }
  if (!to.has_extension()) to += ".json";
  try {
    if (to.extension() == ".json") {
      save_document(document_, to);
      original_ = document_;
      file_ = to;
    } else if (shown_) {
      export_numbers(*shown_, {view_.stage, view_.vectors, selection_.sequence, selection_.shown_head()}, to);
    }
    view_.message = "Saved as " + in_quotes(to.native()) + ".";
  } catch (const std::exception& error) {
    view_.message = error.what();
  }
}

bool App::wants_frame() const { return !settled(); }

bool App::settled() const {
  return document_ == submitted_ && seen_ticket_ == submitted_ticket_ && textures_.postponed() == 0;
}

void App::submit_if_changed() {
  if (document_ == submitted_) return;
  submitted_ = document_;
  submitted_ticket_ = engine_.submit(document_);
}

void App::take_results() {
  const ResultPtr newest = engine_.latest();
  if (!newest || newest->ticket <= seen_ticket_) return;
  seen_ticket_ = newest->ticket;
  if (!newest->error.empty()) {
    view_.message = newest->error;
    view_.message_from_engine = true;
  } else if (view_.message_from_engine) {
    view_.message.clear();  // what it complained of is gone
    view_.message_from_engine = false;
  }
  const ResultPtr good = engine_.latest_good();
  if (!good || good == shown_) return;
  shown_ = good;
  stats_ = std::make_unique<ResultStats>(shown_);
  if (opened_ && newest == good) {
    choose_first_cell();
    opened_ = false;
  }
  keep_selection_inside();
  keep_plane_there();
  record_moment();
}

/// What is looked at must be among the planes of the shown result; whoever looked at the weights goes on
/// looking at those that mix the values.
void App::keep_plane_there() {
  const std::vector<Plane> all = planes(*shown_);
  const Plane now = view_.stage, used = weights_stage(shown_->document);
  const bool there = std::find(all.begin(), all.end(), now) != all.end();
  const bool switched = was_linear_ != shown_->document.linear && is_weights(now) && now.stage != Stage::Drop;
  if (!there || switched) view_.show_stage(used);
  was_linear_ = shown_->document.linear;
}

/// A newly opened Document starts on a head and a cell that have something to say: the content head where
/// heads were built by hand, the third query and the key it looks at most, other than itself.
void App::choose_first_cell() {
  const Dimensions& d = shown_->dimensions;
  selection_ = {};
  const auto& names = shown_->document.weights.head_names;
  const auto content = std::find(names.begin(), names.end(), "content");
  if (content != names.end()) selection_.head = content - names.begin();
  const std::int64_t query = std::min<std::int64_t>(2, d.queries - 1);
  const auto row = shown_->trace[weights_stage(shown_->document)]->matrix(0, selection_.head).row(query);
  std::int64_t key = 0;
  for (std::int64_t j = 1; j < d.keys; ++j) {
    if (row(j) > row(key)) key = j;
  }
  wanted_cell_ = {query, key};
  selection_.locked = true;
}

void App::keep_selection_inside() {
  const Dimensions& d = shown_->dimensions;
  Selection& s = selection_;
  const auto inside = [](std::int64_t& index, std::int64_t count) {
    index = std::clamp<std::int64_t>(index, 0, count - 1);
  };
  inside(s.sequence, d.batch);
  inside(s.head, d.heads);
  s.cell = wanted_cell_;
  inside(s.cell.query, d.queries);
  inside(s.cell.key, d.keys);
  if (s.hovered_head && *s.hovered_head >= d.heads) s.hovered_head.reset();
  if (s.hovered_cell && (s.hovered_cell->query >= d.queries || s.hovered_cell->key >= d.keys))
    s.hovered_cell.reset();
  if (s.hovered_token && *s.hovered_token >= std::max(d.queries, d.keys)) s.hovered_token.reset();
}

void App::record_moment() {
  const auto& [sequence, head, cell] = std::tie(selection_.sequence, selection_.head, selection_.cell);
  const RowMeasures& row = shown_->measures.row(sequence, head, cell.query);
  const float weight =
      shown_->trace[weights_stage(shown_->document)]->matrix(sequence, head)(cell.query, cell.key);
  const double scale = scale_factor(shown_->document.scaling, shown_->dimensions.d_k);
  view_.moments.push_back({view_.now, static_cast<float>(row.entropy), weight, static_cast<float>(scale)});
  // One moment older than the window is kept: the trace enters the plot at its left edge with that value.
  while (view_.moments.size() > 2 && view_.moments[1].seconds < view_.now - 8) view_.moments.pop_front();
}

void App::draw_message(const Ui& ui, const Layout& layout) {
  if (view_.message.empty()) return;
  const float width = std::min(ui.px(560), layout.focus.w - ui.px(24)), pad = ui.px(16);
  if (width < ui.px(120)) return;
  const float text_width = width - 2 * pad - ui.px(24);
  const float height = ui.paragraph_height(text_width, view_.message, type::label) + 2 * ui.px(13);
  // Low in the focus, where it hides the least: the axes and the first rows stay in sight.
  const float bottom = layout.focus.bottom() - ui.px(72);
  const Box card{std::round(layout.focus.centre_x() - width / 2), std::round(bottom - height), width, height};
  ui.fill({card.x + ui.px(2), card.y + ui.px(4), card.w, card.h}, 0x50000000u, ui.px(8));
  ui.fill(card, ui.theme.raised, ui.px(8));
  ui.frame(card, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(8));
  ui.fill({card.x, card.y + ui.px(6), ui.px(3), card.h - ui.px(12)}, ui.theme.key);
  ui.paragraph(card.x + pad, card.y + ui.px(13), text_width, view_.message, {type::label, ui.theme.text1});
  const Box close{card.right() - ui.px(32), card.y + ui.px(10), ui.px(24), ui.px(24)};
  const Ui::Touch touch = ui.touch("Dismiss", close);
  if (touch.hovered) ui.fill(close, ui.theme.control_hover, ui.px(4));
  ui.text(close.centre_x(), close.centre_y(), "×", {type::body, ui.theme.text2, Ink::Regular, Align::Centre});
  if (touch.clicked) view_.message.clear();
}

void App::draw_regions(Scene& scene, const Layout& layout) {
  // Dear ImGui gives a click to the first widget drawn under the mouse: what floats comes first in input,
  // last in paint.
  const auto visible = [](const Box& box) { return box.w >= 8 && box.h >= 8; };
  if (visible(layout.focus)) draw_focus(scene, layout.focus);
  if (visible(layout.heads)) draw_heads(scene, layout.heads);
  if (visible(layout.inspector)) draw_inspector(scene, layout.inspector);
  if (visible(layout.signals)) draw_signals(scene, layout.signals);
  if (visible(layout.controls)) draw_controls(scene, layout.controls);
  if (visible(layout.strip)) draw_token_strip(scene, layout.strip);
  draw_top_bar(scene, layout.top);
  draw_status(scene, layout.status);
}

void App::frame(const Fonts& fonts) {
  const ImGuiIO& io = ImGui::GetIO();
  view_.now += std::min(0.1, static_cast<double>(io.DeltaTime));
  view_.hint.clear();
  take_results();

  const Ui ui(theme(view_.theme), fonts, textures_, view_.scale);
  // Other tokens as keys take a line of the strip of their own.
  const std::size_t lines =
      std::max<std::size_t>(document_.input.sequences.size(), shown_ && is_cross(*shown_) ? 2 : 1);
  const Layout layout = compute_layout(io.DisplaySize.x, io.DisplaySize.y, view_, lines);
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(io.DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ui.theme.panel);
  ImGui::PushStyleColor(ImGuiCol_ScrollbarBg, 0);
  ImGui::PushStyleColor(ImGuiCol_ScrollbarGrab, ui.theme.border);
  ImGui::Begin("AttnScope", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse);
  if (shown_) {
    Selection next = selection_;
    next.hovered_head.reset();
    next.hovered_cell.reset();
    next.hovered_token.reset();
    Scene scene{ui,
                *shown_,
                *stats_,
                document_,
                selection_,
                next,
                view_,
                history_,
                engine_,
                examples_,
                [this](const std::filesystem::path& path) { open(path); },
                [this](const std::filesystem::path& path) { save(path); },
                layout.compact,
                !(document_ == original_)};
    run_keyboard(scene);
    draw_regions(scene, layout);
    draw_palette(scene);
    const bool chose =
        next.cell != selection_.cell || next.head != selection_.head || next.sequence != selection_.sequence;
    if (next.cell != selection_.cell) wanted_cell_ = next.cell;
    selection_ = next;
    if (chose) {  // the time trace follows one cell: a new one starts a new trace
      view_.moments.clear();
      record_moment();
    }
  }
  draw_message(ui, layout);
  ImGui::End();
  ImGui::PopStyleColor(3);
  ImGui::PopStyleVar(2);
  textures_.end_frame();
  history_.observe(document_, ImGui::IsAnyItemActive(), view_.now);
  submit_if_changed();
}

}  // namespace attnscope
