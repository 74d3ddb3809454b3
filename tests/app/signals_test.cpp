// The signals region: every plot in every place, previews by hovering, choices by clicks, and B beside A.
#include <algorithm>
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/draw/raster.hpp"
#include "app/scene/actions.hpp"
#include "app/signals_robot.hpp"
#include "app/state/regions/layout.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/regions/signals_state.hpp"
#include "core/edits/edits.hpp"
#include "core/files/document/open.hpp"
#include "robot/layout.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::signals_test {

using namespace attnscope::test;

TEST_CASE("four plots stand side by side when wide, three when compact") {
  Robot broad(wide);
  for (const char* label : {"Plot 1", "Plot 2", "Plot 3", "Plot 4"}) CHECK(broad.has(label));
  CHECK((broad.has("entropy per row") && broad.has("entropy of head 0") && broad.has("scores") &&
         broad.has("against time")));
}

TEST_CASE("the second plot gives way first") {
  Robot narrow({.width = 1280, .height = 800});
  CHECK_FALSE(narrow.has("Plot 2"));
  CHECK((narrow.has("entropy per row") && narrow.has("scores") && narrow.has("against time")));
}

TEST_CASE("every plot can be put in every place, and none stands twice") {
  Robot robot(wide);
  constexpr std::array<std::pair<const char*, const char*>, plot_kinds> plots{
      {{"Entropy per row", "entropy per row"},
       {"Entropy per head", "entropy of head 7"},
       {"Entropy map, heads × rows", "entropy map"},
       {"Spread of the scores", "scores"},
       {"Spread of the weights", "weights spread"},
       {"Chosen cell against time", "against time"},
       {"Gradient norms per head", "Switch a loss on"},
       {"Attention received per key", "attention received"}}};
  for (int place = 1; place <= 4; ++place) {
    for (std::size_t k = 0; k < plots.size(); ++k) {
      show(robot, place, static_cast<PlotKind>(k), plots[k].first);
      CHECK(robot.has(plots[k].second));
      auto slots = signals(robot).slots;
      std::sort(slots.begin(), slots.end());
      CHECK(std::adjacent_find(slots.begin(), slots.end()) == slots.end());
    }
  }
}

TEST_CASE("hovering the entropy per row previews its query, near a curve its head too, and a click chooses") {
  Robot robot(wide);
  const Area plot = area_of(robot, "entropy per row");
  // Head 4 is uniform: its curve is at the upper limit, the only one there at the last query.
  const Measures& m = shown(robot).measures;
  REQUIRE(m.row(0, 4, 5).normalised > 0.95);
  const float top = 1 - 1 / 1.06f * static_cast<float>(m.row(0, 4, 5).entropy / std::log(6.0));
  const ImVec2 end = plot.at(0.99f, top);
  robot.move(end);
  robot.frame();
  CHECK(robot.app().selection().hovered_cell == Cell{5, robot.app().selection().cell.key});
  CHECK(robot.app().selection().shown_head() == 4);
  CHECK(robot.app().selection().head == 3);
  robot.click_at(end);
  robot.leave();
  CHECK(robot.app().selection().cell.query == 5);
  CHECK(robot.app().selection().head == 4);
  // Far from every curve only the query is previewed.
  robot.move(plot.at(0.41f, 0.02f));
  robot.frame();
  CHECK(robot.app().selection().hovered_cell->query == 2);
  CHECK(robot.app().selection().shown_head() == 4);
}

TEST_CASE("the curve of the entropy begins at the first row that has a choice") {
  Robot robot({.width = 1600, .height = 1400});
  click(robot, "More: Mask");
  choose(robot, "Mistake", "Diagonal hidden");  // the first row has no key, the second one
  robot.app().looking().look_at({.head = 2, .cell = Cell{5, 0}, .cells = {}});
  robot.settle();
  robot.leave();
  robot.settle();
  const Measures& m = shown(robot).measures;
  REQUIRE(m.queries == 6);
  for (std::int64_t i = 0; i < 6; ++i) REQUIRE(m.row(0, 2, i).allowed == i);
  const Area plot = area_of(robot, "entropy per row");
  const Rgba hue = theme(ThemeName::Dark).head(2);
  const auto between = [&](float from, float to) {  // rows
    return count_of(part_of(robot, {plot.at(from / 5, 0), plot.at(to / 5, 1)}), hue);
  };
  CHECK(between(0, 1.8f) == 0);
  CHECK(between(2, 4) > 20);
}

TEST_CASE("entropy is shown in nats or normalised, per row and per head") {
  Robot robot(wide);
  robot.leave();
  const auto rows = part_of(robot, area_of(robot, "entropy per row"));
  const auto heads = part_of(robot, area_of(robot, "entropy of head 2"));
  click(robot, "Row entropy in: 0–1");
  CHECK(signals(robot).rows_normalised);
  click(robot, "Head entropy in: nats");
  CHECK_FALSE(signals(robot).heads_normalised);
  robot.leave();
  CHECK((part_of(robot, area_of(robot, "entropy per row")) != rows));
  CHECK((part_of(robot, area_of(robot, "entropy of head 2")) != heads));
  click(robot, "Row entropy in: nats");
  click(robot, "Head entropy in: 0–1");
  robot.leave();
  CHECK((part_of(robot, area_of(robot, "entropy per row")) == rows));
  CHECK((part_of(robot, area_of(robot, "entropy of head 2")) == heads));
}

TEST_CASE("hovering a head's entropy previews the head, a click keeps it") {
  Robot robot(wide);
  robot.move(robot.centre("entropy of head 6"));
  robot.frame();
  CHECK(robot.app().selection().shown_head() == 6);
  CHECK(robot.app().selection().head == 3);
  robot.click("entropy of head 6");
  robot.leave();
  CHECK(robot.app().selection().head == 6);
}

TEST_CASE("the entropy map wears the colours of the measures") {
  Robot robot(wide);
  show(robot, 2, PlotKind::EntropyMap, "Entropy map, heads × rows");
  robot.leave();
  const Measures& m = shown(robot).measures;
  const Area map = area_of(robot, "entropy map");
  const Image picture = robot.pixels();
  const Colormap& colours = colormap(theme(ThemeName::Dark).weights);
  int compared = 0;
  for (std::int64_t h = 0; h < m.heads; ++h) {
    for (std::int64_t i = 1; i < m.queries; ++i) {  // the first row has one key: hatched
      if (h == 3 && i == 2) continue;               // framed
      const ImVec2 at = map.at((static_cast<float>(i) + 0.5f) / static_cast<float>(m.queries),
                               (static_cast<float>(h) + 0.5f) / static_cast<float>(m.heads));
      const int index = map_index(static_cast<float>(m.row(0, h, i).normalised), 0, 1.25f);
      CHECK(picture.at(static_cast<int>(at.x), static_cast<int>(at.y)) ==
            colours[static_cast<std::size_t>(index)]);
      ++compared;
    }
  }
  CHECK(compared == 39);
  robot.move(map.at(4.5f / 6, 6.5f / 8));
  robot.frame();
  CHECK(robot.app().selection().shown_head() == 6);
  CHECK(robot.app().selection().hovered_cell->query == 4);
  robot.click_at(map.at(4.5f / 6, 6.5f / 8));
  robot.leave();
  CHECK(robot.app().selection().head == 6);
  CHECK(robot.app().selection().cell.query == 4);
}

TEST_CASE("histograms are zoomed by the wheel, moved by dragging, and fitted by a double click") {
  Robot robot(wide);
  show(robot, 2, PlotKind::Weights, "Spread of the weights");
  const auto try_zoom = [&](const char* plot, const ZoomRange& zoom) {
    const Area area = area_of(robot, plot);
    const auto before = part_of(robot, area);
    robot.move(area.at(0.75f, 0.5f));
    robot.scroll(6);
    INFO(plot);
    CHECK(zoom.span() < 0.3f);
    const float from = zoom.from;
    robot.drag(area.at(0.5f, 0.5f), area.at(0.7f, 0.5f));
    CHECK(zoom.from < from);
    robot.click_at(area.at(0.5f, 0.5f));
    robot.click_at(area.at(0.5f, 0.5f));
    robot.frame();
    CHECK(zoom.is_whole());
    robot.leave();
    CHECK((part_of(robot, area) == before));
  };
  robot.leave();
  try_zoom("scores", signals(robot).score_zoom);
  robot.frame(30);  // so that this is no double click
  try_zoom("weights spread", signals(robot).weight_zoom);
  const auto linear = part_of(robot, area_of(robot, "weights spread"));
  click(robot, "Weights axis: log");
  CHECK(signals(robot).log_weights);
  robot.leave();
  CHECK((part_of(robot, area_of(robot, "weights spread")) != linear));
  click(robot, "Weights axis: 0–1");
  CHECK_FALSE(signals(robot).log_weights);
}

TEST_CASE("gradient norms need a loss, and the plot itself switches one on") {
  Robot robot(wide);
  show(robot, 1, PlotKind::GradientNorms, "Gradient norms per head");
  CHECK(shown(robot).head_gradients.empty());
  click(robot, "Switch a loss on");
  CHECK(robot.document().loss.kind == Loss::Kind::Sum);
  CHECK(shown(robot).head_gradients.size() == 8);
  CHECK_FALSE(robot.has("Switch a loss on"));
  robot.move(robot.centre("gradients of head 5"));
  robot.frame();
  CHECK(robot.app().selection().shown_head() == 5);
  click(robot, "gradients of head 5");
  CHECK(robot.app().selection().head == 5);
  for (int i = 0; i < 2; ++i) {  // the head, then the loss
    robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    robot.settle();
  }
  CHECK(robot.document().loss.kind == Loss::Kind::Off);
  CHECK(robot.has("Switch a loss on"));
}

TEST_CASE("attention received previews a key and chooses it") {
  Robot robot(wide);
  show(robot, 3, PlotKind::Received, "Attention received per key");
  const Area plot = area_of(robot, "attention received");
  const std::int64_t query = robot.app().selection().cell.query;
  robot.move(plot.at(4.5f / 6, 0.5f));
  robot.frame();
  CHECK(robot.app().selection().hovered_cell == Cell{query, 4});
  robot.click_at(plot.at(4.5f / 6, 0.5f));
  CHECK(robot.app().selection().cell == Cell{query, 4});
}

TEST_CASE("with B held its curves stand beside A's, and their difference can be drawn") {
  Robot robot(wide);
  show(robot, 2, PlotKind::Weights, "Spread of the weights");
  CHECK_FALSE(robot.has("Entropy A - B"));
  click(robot, "Hold");
  REQUIRE(robot.app().held().held_result());
  CHECK(robot.has("Entropy A - B"));
  press_key(robot, ImGuiKey_S);
  robot.leave();
  const std::array plots{"entropy per row", "scores", "weights spread", "against time"};
  std::vector<std::vector<Rgba>> with_b;
  for (const char* plot : plots) with_b.push_back(part_of(robot, area_of(robot, plot)));
  const Rgba b = theme(ThemeName::Dark).b;
  click(robot, "Entropy A - B");
  CHECK(signals(robot).difference);
  robot.leave();
  CHECK((part_of(robot, area_of(robot, "entropy per row")) != with_b[0]));
  robot.key(ImGuiKey_Backslash, ImGuiMod_Shift);
  robot.settle();
  CHECK_FALSE(robot.has("Entropy A - B"));
  robot.leave();
  for (std::size_t i = 0; i < plots.size(); ++i) {
    INFO(plots[i]);
    CHECK(count_of(with_b[i], b) > 10 + count_of(part_of(robot, area_of(robot, plots[i])), b));
  }
}

TEST_CASE("hovering reads values off every plot") {
  Robot robot(wide);
  press_key(robot, ImGuiKey_S);
  const auto differs = [&](const char* plot, float x, float y) {
    robot.leave();
    robot.frame(2);
    const Area area = area_of(robot, plot);
    const auto before = part_of(robot, area);
    robot.move(area.at(x, y));
    robot.frame();
    INFO(plot);
    CHECK((part_of(robot, area) != before));
  };
  robot.key(ImGuiKey_F);  // so that time does not move the trace
  differs("scores", 0.3f, 0.6f);
  differs("against time", 0.98f, 0.5f);
  differs("entropy of head 2", 0.4f, 0.5f);
  show(robot, 1, PlotKind::EntropyMap, "Entropy map, heads × rows");
  show(robot, 2, PlotKind::Weights, "Spread of the weights");
  show(robot, 3, PlotKind::Received, "Attention received per key");
  differs("entropy map", 0.6f, 0.8f);
  differs("weights spread", 0.3f, 0.6f);
  differs("attention received", 0.7f, 0.5f);
}

TEST_CASE("every plot can be drawn and pointed at, whatever is in it") {
  const TemporaryDirectory directory;
  const Document cat =
      open_document(std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" / "1-the-cat-sat.json");
  const Document random = edit::recipe(cat, Recipe::Random);
  std::string long_text;
  for (int i = 0; i < 500; ++i) long_text += "word ";
  Document overflow = random;
  overflow.layer().softmax = SoftmaxKind::Naive;
  overflow.layer().scaling = {Scaling::Kind::Factor, 60};
  overflow.loss.kind = Loss::Kind::Sum;
  Document nothing = cat;
  for (int j = 0; j < 6; ++j) nothing = edit::hidden_cell(std::move(nothing), 0, 3, 4, j, true);
  Document learning = edit::heads(random, 1);
  learning.loss.kind = Loss::Kind::MeanSquared;
  const std::vector<std::pair<const char*, Document>> cases{
      {"one head", learning},
      {"32 heads", edit::heads(random, 32)},
      {"one token", edit::text(cat, 0, "cat")},
      {"500 tokens", edit::text(cat, 0, long_text)},
      {"NaN", overflow},
      {"a row without a key", nothing},
      {"a batch", edit::texts(cat, {"The cat", "sat on the mat"})}};
  constexpr std::array areas{"entropy per row", "scores",      "weights spread",
                             "against time",    "entropy map", "attention received"};
  for (const auto& [name, document] : cases) {
    INFO(name);
    save_document(document, directory / "case.json");
    Robot robot({.width = 1600, .height = 1000, .file = directory / "case.json"});
    REQUIRE(robot.app().shown()->document.layer().heads == document.layer().heads);
    ViewState& view = robot.app().view();
    for (const int first : {0, 4}) {
      for (int k = 0; k < 4; ++k)
        signals_of(view).slots[static_cast<std::size_t>(k)] = static_cast<PlotKind>(first + k);
      signals_of(view).log_weights = first == 4;
      robot.key(ImGuiKey_Backslash);
      press_key(robot, ImGuiKey_C);
      for (const char* area : areas) {
        if (!robot.has(area)) continue;
        for (const float x : {0.01f, 0.5f, 0.99f}) robot.move(area_of(robot, area).at(x, 0.5f));
      }
      robot.leave();
      robot.settle();
    }
    CHECK(robot.app().message().empty());
    CHECK_FALSE(robot.app().wants_frame());
  }
}

TEST_CASE("no words of the signals stand in each other's way") {
  struct Screen {
    int width, height;
    float scale;
    float signals = 0;  // the size they were dragged to
  };
  for (const Screen screen :
       {Screen{1280, 720, 1}, {1280, 720, 1, usual_signals(true)}, {1600, 1000, 1}, {3840, 2160, 2}}) {
    Robot robot(
        {.width = screen.width, .height = screen.height, .scale = screen.scale, .system_fonts = true});
    robot.settle();
    ViewState& view = robot.app().view();
    regions_of(view).sizes.signals = screen.signals;
    robot.settle();
    robot.click("Trigger");
    robot.key(ImGuiKey_Backslash);
    press_key(robot, ImGuiKey_S);
    robot.leave();
    for (const std::array<PlotKind, 4> slots :
         {SignalsState{}.slots,
          {PlotKind::EntropyMap, PlotKind::Time, PlotKind::Weights, PlotKind::Received},
          {PlotKind::GradientNorms, PlotKind::Scores, PlotKind::EntropyHeads, PlotKind::EntropyRows}}) {
      signals_of(view).slots = slots;
      robot.frame(2);
      const float top = area_of(robot, "Plot 1").min.y;
      std::vector<PlacedText> texts;
      for (const PlacedText& text : texts_of(robot)) {
        // The value tag covers what is below it.
        if (text.y0 > top && text.text.find("H = ") == std::string::npos) texts.push_back(text);
      }
      CHECK(texts.size() > 20);
      for (const std::string& sentence : collisions(texts)) FAIL_CHECK(screen.width << ": " << sentence);
    }
  }
}

TEST_CASE("curves of heads that are not looked at are means where rows have no room of their own") {
  Robot robot(wide);
  const std::string words = "means of {} rows";
  const auto pixels_of_curves = [&] {
    robot.leave();
    const std::vector<Rgba> part = part_of(robot, area_of(robot, "entropy per row"));
    const Rgba ground = part.front();
    const auto drawn = std::count_if(part.begin(), part.end(), [&](Rgba pixel) { return pixel != ground; });
    return static_cast<double>(drawn) / static_cast<double>(part.size());
  };
  CHECK_FALSE(keys_drawn(robot).contains(words));
  std::string text;
  for (int i = 0; i < 700; ++i)
    text += i % 3 == 0 ? "cat " : i % 7 == 1 ? "the " : i % 2 == 0 ? ", " : "mat ";
  robot.retype("##Text", text);
  robot.key(ImGuiKey_Escape);
  robot.settle();
  REQUIRE(shown(robot).measures.queries > 600);
  CHECK(keys_drawn(robot).contains(words));
  CHECK(pixels_of_curves() < 0.6);  // no solid block
}

}  // namespace attnscope::signals_test
