// app/kit: drawing of a table: places of its columns and rows, and their labels for the robot.
#include "app/kit/table_view.hpp"

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/draw/texture.hpp"
#include "app/kit/gl/imgui_host.hpp"
#include "app/kit/ui/item_recorder.hpp"
#include "robot/easel.hpp"

namespace attnscope::table_view_test {
namespace {

constexpr float width = 400, height = 300;

/// A window with nothing but a table.
class TableScreen {
 public:
  TableScreen() : host_(nullptr, false) {
    ImGui::GetIO().ConfigInputTrickleEventQueue = false;  // one event a frame
    items_.start();
  }

  TableTouch draw(const Table& table, const TableLook& look, int frames = 1) {
    TableTouch touch;
    for (int i = 0; i < frames; ++i) {
      items_.clear();
      host_.build(static_cast<int>(width), static_cast<int>(height), 1.f / 60, [&] {
        const Ui ui(theme(ThemeName::Dark), host_.fonts(), textures_, 1);
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
        ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
        ImGui::Begin("Table", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings);
        if (heads_alone != nullptr)
          offer_copy(ui, look.label, {20, 0, width - 40, 24}, table, *heads_alone);
        else
          touch = draw_table(ui, {20, 0, width - 40, height}, table, look, order);
        ImGui::End();
        ImGui::PopStyleVar(2);
      });
    }
    return touch;
  }
  const RecordedItem* find(const std::string& label) const { return items_.find(label); }
  /// Clicks the middle of an item; the table is drawn once more for each event.
  TableTouch click(const std::string& label, const Table& table, const TableLook& look, int button = 0) {
    const RecordedItem* const item = find(label);
    REQUIRE(item != nullptr);
    const ImVec2 at{(item->min.x + item->max.x) / 2, (item->min.y + item->max.y) / 2};
    ImGui::GetIO().AddMousePosEvent(at.x, at.y);
    draw(table, look, 2);
    ImGui::GetIO().AddMouseButtonEvent(button, true);
    TableTouch touch = draw(table, look);
    ImGui::GetIO().AddMouseButtonEvent(button, false);
    const TableTouch released = draw(table, look);
    if (released.clicked) touch.clicked = released.clicked;
    if (!released.copied.empty()) touch.copied = released.copied;
    return touch;
  }

  TableOrder order;
  std::string* heads_alone = nullptr;  // the copied text of a table that is not drawn

 private:
  Easel easel_;
  ImGuiHost host_;
  TextureCache textures_;
  ItemRecorder items_;
};

Table numbers(std::size_t rows) {
  Table table{.rows = rows, .columns = {}};
  for (const std::string_view title : {"n", "twice", "square"})
    table.columns.push_back({.title = title, .cell = [title](std::size_t row) -> TableCell {
                               const auto n = static_cast<std::int64_t>(row);
                               return title == "n" ? n : title == "twice" ? 2 * n : n * n;
                             }});
  return table;
}

}  // namespace

TEST_CASE("kit: a drawn table is sorted by its heads, or stays as it is and is found by a name") {
  TableScreen screen;
  const Table table = numbers(5);
  screen.draw(table, {.label = "row"}, 2);  // by the first column: the largest first
  REQUIRE(screen.find("row 4") != nullptr);
  CHECK(screen.find("row 4")->min.y < screen.find("row 0")->min.y);
  CHECK(screen.find("sort by twice") != nullptr);
  TableLook look{.label = "row"};
  look.sorts = false;
  look.name = [](std::size_t row) { return "number " + std::to_string(row); };
  screen.draw(table, look, 2);
  CHECK(screen.find("row number 0")->min.y < screen.find("row number 4")->min.y);
  CHECK(screen.find("sort by twice") == nullptr);
  CHECK(screen.click("row number 3", table, look).clicked == 3);
}

TEST_CASE("kit: columns are as wide as they say, the others share the rest") {
  TableScreen screen;
  std::vector<std::pair<float, float>> places;  // left ends and widths
  const auto note = [&](std::size_t, const Box& cell) { places.emplace_back(cell.x, cell.w); };
  TableLook look{.label = "row"};
  look.columns = {{.width = 60, .paint = note}, {.paint = note}, {.paint = note}};
  screen.draw(numbers(1), look, 2);
  places.clear();
  screen.draw(numbers(1), look);
  CHECK(places == std::vector<std::pair<float, float>>{{20, 60}, {80, 150}, {230, 150}});
}

TEST_CASE("kit: heads have two lines where a column asks, and rows grow into their room") {
  TableScreen screen;
  const Table table = numbers(4);
  TableLook look{.label = "row"};
  look.columns = {{}, {.below = "of n"}, {}};
  screen.draw(table, look, 2);
  CHECK(screen.find("row 3")->min.y == 24 + 15 + 3);
  look.most_row_height = 60;
  screen.draw(table, look, 2);
  const RecordedItem* const row = screen.find("row 3");
  CHECK(row->max.y - row->min.y == 60);
  look.ruled = false;
  screen.draw(table, look, 2);
  CHECK(screen.find("row 3")->min.y == 24 + 15);
}

TEST_CASE("kit: a followed row scrolls into sight, wherever it is sorted") {
  TableScreen screen;
  const Table table = numbers(60);
  TableLook look{.label = "row"};  // sorted: 59 first
  screen.draw(table, look, 3);
  CHECK(screen.find("row 59") != nullptr);
  CHECK(screen.find("row 2") == nullptr);
  look.followed = 2;
  screen.draw(table, look, 3);
  CHECK(screen.find("row 2") != nullptr);
  CHECK(screen.find("row 59") == nullptr);
  look.followed = 60;  // there is no row 60
  screen.draw(table, look, 3);
  CHECK(screen.find("row 2") != nullptr);
}

TEST_CASE("kit: a right click on heads that do not sort copies the table as it stands") {
  TableScreen screen;
  const Table table = numbers(3);
  TableLook look{.label = "row"};
  look.sorts = false;
  screen.draw(table, look, 2);
  screen.click("row heads", table, look, 1);
  screen.draw(table, look, 2);
  CHECK(screen.click("Copy the table", table, look).copied ==
        "n\ttwice\tsquare\n0\t0\t0\n1\t2\t1\n2\t4\t4\n");
}

TEST_CASE("kit: without heads a right click on a row copies") {
  TableScreen screen;
  const Table table = numbers(2);
  TableLook look{.label = "row"};
  look.sorts = false;
  look.head_height = 0;
  screen.draw(table, look, 2);
  CHECK(screen.find("row heads") == nullptr);
  CHECK(screen.find("row 0")->min.y == 0);
  screen.click("row 1", table, look, 1);
  screen.draw(table, look, 2);
  CHECK(screen.click("Copy the table", table, look).copied == "n\ttwice\tsquare\n0\t0\t0\n1\t2\t1\n");
}

TEST_CASE("kit: a table that a page draws itself is copied by a right click on its heads") {
  TableScreen screen;
  const Table table = numbers(2);
  std::string copied;
  screen.heads_alone = &copied;
  const TableLook look{.label = "row"};
  screen.draw(table, look, 2);
  screen.click("row heads", table, look, 1);
  screen.draw(table, look, 2);
  CHECK(copied.empty());
  screen.click("Copy the table", table, look);
  CHECK(copied == "n\ttwice\tsquare\n0\t0\t0\n1\t2\t1\n");
}

}  // namespace attnscope::table_view_test
