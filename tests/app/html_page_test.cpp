// One HTML file of the screen: the weights can be read back from it, tokens with markup stay text, it is
// small, and it opens as the session that it was made from.
#include <bit>
#include <chrono>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "app/exports/html/page_tiles.hpp"
#include "app/exports/html/page_write.hpp"
#include "app/exports/html/words.hpp"
#include "app/files/paths.hpp"
#include "app/model_robot.hpp"
#include "app/session/session.hpp"
#include "app/shell/app.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/views/model/facts.hpp"
#include "core/base/random.hpp"
#include "core/files/document/html_session.hpp"
#include "core/files/document/open.hpp"
#include "core/files/packed/unpack.hpp"
#include "core/text/base64.hpp"
#include "support/program.hpp"

namespace attnscope::html_page_test {
namespace {

using namespace attnscope::test;
using nlohmann::json;

const std::vector<std::string> nasty{"</script>",
                                     "<!--",
                                     "\"quoted\"",
                                     "'",
                                     "&amp;",
                                     "\u05e9\u05dc\u05d5\u05dd",
                                     "\u0645\u0631\u062d\u0628\u0627",
                                     "\U0001F469\u200D\U0001F52C",
                                     "\u6f22\u5b57",
                                     "{{js}}",
                                     "%1",
                                     "\\",
                                     "a\nb",
                                     " id=\"attnscope-session\">"};

/// Heads with random weights, causal unless `both`.
HtmlPage drawn_page(int heads, int layers, std::int64_t tokens, bool both = false) {
  HtmlPage page;
  page.title = "A page";
  HtmlPart part;
  for (std::int64_t i = 0; i < tokens; ++i)
    part.queries.push_back(tokens == std::ssize(nasty) ? nasty[static_cast<std::size_t>(i)]
                                                       : "tok" + std::to_string(i));
  part.keys = part.queries;
  part.layers = layers;
  page.parts.push_back(part);
  for (int h = 0; h < heads; ++h) {
    HtmlHead head;
    head.layer = layers > 0 ? h * layers / heads : 0;
    head.head = layers > 0 ? h % (heads / layers) : h;
    head.weights = Tensor(Shape{tokens, tokens});
    head.hidden.assign(static_cast<std::size_t>(tokens * tokens), 0);
    head.entropy.assign(static_cast<std::size_t>(tokens), 1.25);
    fill_normal(head.weights.values(), 7, static_cast<std::uint64_t>(h), 3);
    for (std::int64_t i = 0; i < tokens; ++i) {
      float sum = 0;
      for (std::int64_t j = 0; j < tokens; ++j)
        sum += head.weights.matrix()(i, j) = j > i && !both ? 0 : std::exp(head.weights.matrix()(i, j));
      for (std::int64_t j = 0; j < tokens; ++j) {
        head.weights.matrix()(i, j) /= sum;
        head.hidden[static_cast<std::size_t>(i * tokens + j)] = j > i && !both ? 1 : 0;
      }
    }
    page.heads.push_back(std::move(head));
  }
  page.chosen = page.heads.size() / 2;
  page.cell = {tokens - 1, 2};
  page.light = Map::WeightsPaper;
  page.dark = Map::Weights;
  page.session = R"({"attnscope": 1, "session": 1, "text": ["The cat sat"], "view": {}})";
  return page;
}

std::string written(const HtmlPage& page) { return html_file(page, {}, english, assets_directory()); }

std::string_view element(std::string_view html, std::string_view id) {
  const std::size_t mark = html.find(" id=\"" + std::string(id) + "\">");
  REQUIRE(mark != std::string_view::npos);
  const std::size_t begin = html.find('>', mark) + 1;
  return html.substr(begin, html.find("</script>", begin) - begin);
}

json data_of(std::string_view html) { return json::parse(element(html, "attnscope-data")); }

/// As the browser unpacks them.
std::string tiles_of(std::string_view html, std::size_t bytes) {
  const std::string packed = base64_bytes(element(html, "attnscope-tiles")).value();
  std::string out(bytes, '\0');
  REQUIRE(inflate(std::as_bytes(std::span(packed.data() + 2, packed.size() - 6)),
                  std::as_writable_bytes(std::span(out))));
  return out;
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

int byte(const std::string& bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

}  // namespace

TEST_CASE("an HTML page holds every weight, exactly where it says so", "[html][export]") {
  HtmlPage page = drawn_page(12, 0, 40);
  page.heads[0].weights.matrix()(3, 1) = std::nanf("");
  page.heads[0].weights.matrix()(3, 2) = -INFINITY;
  const std::string html = written(page);
  const json data = data_of(html);
  const HtmlTiles tiles = html_tiles(page);
  REQUIRE(data["code"] == json({{"lo", 0.0}, {"hi", 1.0}, {"root", true}}));
  REQUIRE(tiles.exact == std::vector<std::size_t>{6});  // 12 x 1,600 are more than may be kept exactly
  CHECK(data["exact"] == json(tiles.exact));
  CHECK(data["at"] == json::array({6, 39, 2}));
  const std::size_t cells = 40 * 40;
  const std::string bytes = tiles_of(html, 12 * 2 * cells + 4 * cells);
  CHECK(bytes == tiles.bytes);
  double worst = 0;
  for (std::size_t h = 0; h < 12; ++h)
    for (std::size_t i = 0; i < cells; ++i) {
      const int high = byte(bytes, h * cells + i), low = byte(bytes, (12 + h) * cells + i);
      const float weight = page.heads[h].weights.values()[i];
      if (page.heads[h].hidden[i] != 0) {
        CHECK((high == 255 && low == 0));
      } else if (!std::isfinite(weight)) {
        CHECK((high == 255 && low == (std::isnan(weight) ? 1 : 3)));
      } else {
        const double share = (256.0 * high + low) / most_html_code;
        worst = std::max(worst, std::abs(share * share - static_cast<double>(weight)));
      }
    }
  CHECK(worst < 0.00002);  // as the page says
  for (std::size_t i = 0; i < cells; ++i) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 4; ++k)
      bits |= static_cast<std::uint32_t>(byte(bytes, 24 * cells + 4 * i + k)) << (8 * k);
    CHECK(std::bit_cast<float>(bits) == page.heads[6].weights.values()[i]);
  }
}

TEST_CASE("weights outside 0 to 1 have ends of their own", "[html][export]") {
  HtmlPage page = drawn_page(1, 0, 4);
  page.heads[0].weights.matrix()(2, 1) = -0.5f;
  page.heads[0].weights.matrix()(2, 2) = 1.5f;
  const HtmlCode code = html_code(page);
  CHECK((code.low == -0.5 && code.high == 1.5 && !code.root));
  CHECK(html_code_of(code, -0.5f) == 0);
  CHECK(html_code_of(code, 1.5f) == most_html_code);
  CHECK(html_code_of(code, INFINITY) > most_html_code);
}

TEST_CASE("whatever a token is made of, it stays text in an HTML page", "[html][export]") {
  HtmlPage page = drawn_page(2, 0, std::ssize(nasty));
  page.title = "</title><script>alert(1)</script>";
  const std::string html = written(page);
  // Its own: data, tiles, session, script.
  CHECK(count(html, "</script>") == 4);
  CHECK(count(html, "<script") == 4);
  CHECK(html.find("<!--") == std::string::npos);
  CHECK(html.find("{{") == html.find("{{js}}"));
  const json data = data_of(html);
  CHECK(data["parts"][0]["q"] == json(nasty));
  CHECK_THAT(html, Catch::Matchers::ContainsSubstring("<title>&lt;/title&gt;&lt;script&gt;alert(1)"));
  for (std::size_t row = 0; row < nasty.size(); ++row) {
    page.cell = {static_cast<std::int64_t>(row), 0};
    CHECK(count(written(page), "</script>") == 4);
  }
  CHECK(html_escaped("a<b>&\"'\x01") == "a&lt;b&gt;&amp;&quot;&#39;\uFFFD");
  CHECK(html_escaped("\xFF").find('\xFF') == std::string::npos);
}

TEST_CASE("an HTML page asks for nothing from a network and stays small", "[html][export]") {
  const std::string twelve = written(drawn_page(12, 0, 128)), all = written(drawn_page(144, 12, 64));
  CHECK(twelve.size() <= 1'000'000);
  CHECK(all.size() <= 2'000'000);
  // Noise in both directions, with a session that carries the weights of a layer as logarithms.
  HtmlPage noise = drawn_page(144, 12, 64, true);
  json logarithms = json::array();
  for (std::size_t h = 0; h < 12; ++h)
    for (const float weight : noise.heads[h].weights.values()) logarithms.push_back(std::log(weight));
  noise.session = json{{"attnscope", 1}, {"session", 1}, {"weights", logarithms}}.dump();
  CHECK(noise.session.size() > 500'000);
  CHECK(written(noise).size() <= 2'000'000);
  CHECK(written(drawn_page(1, 0, 4)).size() < 60'000);
  for (const char* outside : {"http:", "https:", "src=\"", "@import", "url("})
    CHECK(twelve.find(outside) == std::string::npos);
  CHECK_THAT(twelve, Catch::Matchers::ContainsSubstring("default-src 'none'"));
}

TEST_CASE("an HTML page says what it shows to readers who do not see it", "[html][export]") {
  const HtmlPage page = drawn_page(8, 0, 6);
  const std::string html = written(page);
  const std::string alt = html_alt(page, {});
  CHECK_THAT(alt, Catch::Matchers::StartsWith("Head 4. Attention weights of 6 queries and 6 keys. Largest "
                                              "weights of row “tok5”: “tok"));
  CHECK_THAT(html, Catch::Matchers::ContainsSubstring("<meta name=\"description\" content=\"Head 4. "));
  CHECK(count(html, "<th scope=\"row\">") == 6);
  CHECK_THAT(html_sentence(page, {}), Catch::Matchers::ContainsSubstring("looks from “tok5” at “tok2”"));
  CHECK_THAT(html_sentence(page, {}), Catch::Matchers::ContainsSubstring("has 1.79."));  // ln 6
}

TEST_CASE("an HTML page speaks the language of the window, with its numbers", "[html][words]") {
  Words words;
  words.speak(load_table(assets_directory(), "de"));
  const std::string html = html_file(drawn_page(2, 0, 6), words, "de", assets_directory());
  const json data = data_of(html);
  CHECK(data["decimal"] == ",");
  CHECK(data["words"]["row_exact"] == "Zeile „%1“, exakt.");
  CHECK(data["words"]["layer_head"] == "Schicht %1 · Kopf %2");
  CHECK_THAT(html, Catch::Matchers::ContainsSubstring("<html lang=\"de\">"));
  CHECK_THAT(html, Catch::Matchers::ContainsSubstring(
                       "Kopf 1 schaut von „tok5“ auf „tok2“ mit einem Gewicht von 0,"));
  CHECK_THAT(html_alt(drawn_page(2, 0, 6), words), Catch::Matchers::ContainsSubstring("„tok5“: „tok"));
  for (const auto& [name, text] : data["words"].items()) {
    INFO(name);
    CHECK_FALSE(text.get<std::string>().empty());
  }
}

TEST_CASE("what is on screen goes into an HTML file and comes back as the same session",
          "[html][export][cli]") {
  const TemporaryDirectory directory;
  RobotOptions options;
  options.file = assets_directory() / "examples" / "1-the-cat-sat.json";
  Robot robot(options);
  robot.settle();
  focus_of(robot.app().view()).log = true;
  robot.app().looking().look_at({.head = 3, .cell = Cell{4, 1}, .cells = {}});
  robot.settle();
  robot.app().files().saving.save(directory / "a.html");
  robot.settle();
  CHECK_THAT(robot.app().message(), Catch::Matchers::ContainsSubstring("Saved"));
  const Session session = open_session(directory / "a.html", {});
  const Document before = robot.document();
  CHECK(to_json(session.document) == to_json(before));
  REQUIRE(session.looks);
  CHECK(session.damage.empty());
  CHECK(session.looks->selection.head == 3);
  CHECK(session.looks->selection.cell == Cell{4, 1});
  CHECK(focus_of(session.looks->view).log);
  const json data = data_of(bytes_of(directory / "a.html"));
  CHECK(data["at"] == json::array({3, 4, 1}));
  CHECK(std::ssize(data["heads"]) == robot.app().shown()->layer().dimensions.heads);
  // The HTML file never becomes the document's file; the command line reads and writes HTML.
  CHECK(robot.app().window_title().find("a.html") == std::string::npos);
  CHECK(run(directory, "render a.html -o b.html --size 800x500").exit_code == 0);
  CHECK(to_json(open_session(directory / "b.html", {}).document) == to_json(before));
  focus_of(robot.app().view()).log = false;
  robot.app().files().opening.open(directory / "a.html");
  robot.settle();
  CHECK(to_json(robot.document()) == to_json(before));  // weights are drawn anew, with the same numbers
  CHECK(robot.app().selection().cell == Cell{4, 1});
  CHECK(focus_of(robot.app().view()).log);
  CHECK(robot.app().window_title().find("a.html") == std::string::npos);
}

TEST_CASE("a model's HTML file has all heads of all layers", "[html][export][model]") {
  LettersRobot robot({.width = 1000, .height = 700, .blocks = 3});
  robot.settle();
  robot.app().view().mode = Mode::Model;
  robot.settle();
  const std::filesystem::path path = robot.directory / "all.html";
  robot.app().files().saving.save(path);
  robot.settle();
  INFO(robot.app().message());
  const json data = data_of(bytes_of(path));
  CHECK(data["parts"][0]["layers"] == 3);
  CHECK(data["heads"].size() == all_model_heads(robot.app().model()->within.model->model->spec).size());
  CHECK(data["entropy"].size() == data["heads"].size());
  const Session session = open_session(path, {});
  CHECK(session.document.within.read().fingerprint == robot.app().document().within.read().fingerprint);
}

TEST_CASE("an HTML page says where its model lies from its own folder, or its name alone", "[html][model]") {
  LettersRobot robot({.width = 1000, .height = 700, .blocks = 2});
  robot.settle();
  robot.app().view().mode = Mode::Model;
  robot.app().held().hold();
  robot.settle();
  const TemporaryDirectory elsewhere;
  const std::filesystem::path beside = robot.directory / "a.html", away = elsewhere / "b.html";
  for (const std::filesystem::path& page : {beside, away}) {
    robot.app().files().saving.save(page);
    robot.settle();
    INFO(robot.app().message());
    const std::string session = session_in_html(bytes_of(page), page.native());
    CHECK(json::parse(session)["model"]["path"] == "letters");
    CHECK(session.find(std::filesystem::temp_directory_path().native()) == std::string::npos);
  }
  CHECK(open_session(beside, {}).asks_for_model.empty());
  CHECK_THAT(open_session(away, {}).asks_for_model, Catch::Matchers::ContainsSubstring("is no longer at") &&
                                                        Catch::Matchers::ContainsSubstring("letters"));
  // The window's session keeps the model's path.
  CHECK(robot.document().within.read().path.is_absolute());
}

TEST_CASE("a hidden key that has a weight all the same is shown in an HTML page", "[html][export]") {
  const TemporaryDirectory directory;
  std::ofstream(directory / "leak.json")
      << R"({"attnscope": 1, "text": ["The cat sat"], "mask": {"hidden": "-1e9", "additive":
           [[[[0, 0, null], [null, null, null], [0, 0, 0]]]]}})";
  RobotOptions options;
  options.file = directory / "leak.json";
  Robot robot(options);
  robot.settle();
  robot.app().files().saving.save(directory / "a.html");
  robot.settle();
  const std::string html = bytes_of(directory / "a.html");
  const std::size_t heads = data_of(html)["heads"].size(), cells = 9 * heads;
  const std::string bytes = tiles_of(html, (2 + 4) * cells);
  CHECK(byte(bytes, 2) == 255);  // its row has other keys
  for (std::size_t key = 3; key < 6; ++key) {
    const double share = (256.0 * byte(bytes, key) + byte(bytes, cells + key)) / most_html_code;
    CHECK(std::abs(share * share - 1.0 / 3) < 0.00002);
  }
}

TEST_CASE("an HTML page of two sides that are compared says which one it shows", "[html][export]") {
  const TemporaryDirectory directory;
  RobotOptions options;
  options.file = assets_directory() / "examples" / "1-the-cat-sat.json";
  Robot robot(options);
  robot.settle();
  robot.app().held().hold();
  robot.settle();
  const auto page_in = [&](Mode mode, const char* name) {
    robot.app().view().mode = mode;
    robot.settle();
    robot.app().files().saving.save(directory / name);
    robot.settle();
    return bytes_of(directory / name);
  };
  constexpr std::string_view said = "Of the two sides that were compared, this page shows what is now";
  const std::string compared = page_in(Mode::Compare, "a.html"), alone = page_in(Mode::Explore, "b.html");
  CHECK(count(compared, said) == 1);
  CHECK(count(compared, " · now</title>") == 1);
  CHECK(count(alone, said) == 0);
  CHECK(count(alone, " · now</title>") == 0);
}

}  // namespace attnscope::html_page_test
