#include "app/exports/html/page_write.hpp"

#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/draw/image.hpp"
#include "app/exports/html/page_tiles.hpp"
#include "app/exports/html/words.hpp"
#include "app/ui/theme.hpp"
#include "core/base/error.hpp"
#include "core/files/document/html_session.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/base64.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using nlohmann::json;
using HtmlFields = std::map<std::string, std::string, std::less<>>;

constexpr std::uint64_t longest_asset = 1 << 20;      // bytes
constexpr std::size_t packed_session_from = 1 << 16;  // bytes of JSON; shorter ones stay text
constexpr std::size_t rows_without_script = 14;       // of the table, as the page shows them first
constexpr double low_of_log = 1e-4;                   // what the first colour stands for by logarithm

std::string six_digits(Rgba colour) {
  return fmt::format("{:02x}{:02x}{:02x}", colour & 255, colour >> 8 & 255, colour >> 16 & 255);
}

std::string colours_of(const Theme& theme) {
  const std::array<std::pair<const char*, Rgba>, 19> roles{{{"panel", theme.panel},
                                                            {"raised", theme.raised},
                                                            {"control", theme.control},
                                                            {"seg", theme.segment_on},
                                                            {"segline", theme.segment_line},
                                                            {"hairline", theme.hairline},
                                                            {"border", theme.border},
                                                            {"text1", theme.text1},
                                                            {"text2", theme.text2},
                                                            {"text3", theme.text3},
                                                            {"query", theme.query},
                                                            {"key", theme.key},
                                                            {"barfill", theme.bar},
                                                            {"barground", theme.bar_ground},
                                                            {"hatch", theme.hatch_ground},
                                                            {"hatchline", theme.hatch_line},
                                                            {"small", theme.small_value},
                                                            {"nan", theme.nan},
                                                            {"picture", theme.picture}}};
  std::string css;
  for (const auto& [name, colour] : roles) css += fmt::format("--{}:#{};", name, six_digits(colour));
  for (std::size_t i = 0; i < theme.heads.size(); ++i)
    css += fmt::format("--head{}:#{};", i, six_digits(theme.heads[i]));
  return css;
}

/// Light or dark as the reader's system says, unless the page's switch says otherwise; paper is light.
std::string style_of_themes() {
  const std::string light = colours_of(theme(ThemeName::Light)), dark = colours_of(theme(ThemeName::Dark));
  return fmt::format(
      ":root{{{0}}}\n@media (prefers-color-scheme:dark){{:root:not([data-t=light]){{{1}}}}}\n"
      ":root[data-t=dark]{{{1}}}\n@media print{{:root{{{0}}}}}",
      light, dark);
}

std::string digits_of(Map map) {
  std::string digits;
  for (const Rgba colour : colormap(map)) digits += six_digits(colour);
  return digits;
}

/// What the page's script says, and what stands in the frame, under the same names.
HtmlFields fields_of(const HtmlTexts& t) {
  return {{"one_file", t.one_file},
          {"colours_name", t.colours_name},
          {"light", t.light},
          {"dark", t.dark},
          {"tokens", t.tokens},
          {"hint", t.hint},
          {"hint_touch", t.hint_touch},
          {"direction", t.direction},
          {"q2k", t.q2k},
          {"k2q", t.k2q},
          {"scale", t.scale},
          {"linear", t.linear},
          {"log", t.log},
          {"keys", t.keys},
          {"all_heads", t.all_heads},
          {"heads_across", t.heads_across},
          {"layers_across", t.layers_across},
          {"click_opens", t.click_opens},
          {"read_table", t.read_table},
          {"how_title", t.how_title},
          {"inside_title", t.inside_title},
          {"save_png", t.save_png},
          {"cite", t.cite},
          {"row_table", t.row_table},
          {"saved", t.saved},
          {"copied", t.copied},
          {"old", t.old},
          {"key", t.key},
          {"query", t.query},
          {"weight", t.weight},
          {"entropy", t.entropy},
          {"masked", t.masked},
          {"layer_head", t.layer_head},
          {"head", t.head},
          {"row_exact", t.row_exact},
          {"row_close", t.row_close},
          {"column_exact", t.column_exact},
          {"column_close", t.column_close},
          {"entropy_row", t.entropy_row},
          {"entropy_head", t.entropy_head},
          {"one_key", t.one_key},
          {"no_key", t.no_key},
          {"received", t.received},
          {"more_keys", t.more_keys},
          {"more_queries", t.more_queries},
          {"hidden", t.hidden},
          {"caption", t.caption},
          {"column_caption", t.column_caption},
          {"whole", t.whole},
          {"first_cells", t.first_cells},
          {"map", t.map},
          {"spoken", t.spoken},
          {"off", t.off},
          {"changed", t.changed}};
}

std::string spoken(const Words& words, std::string_view text) {
  std::string room;
  return std::string(words.translated(text, room));
}

/// "," where the language writes 0,5.
std::string decimal_of(const Words& words) { return spoken(words, "0.5") == "0,5" ? "," : "."; }

json parts_json(const HtmlPage& page, const Words& words) {
  json all = json::array();
  for (const HtmlPart& part : page.parts)
    all.push_back({{"name", spoken(words, part.name)},
                   {"q", part.queries},
                   {"k", part.keys},
                   {"self", part.is_self},
                   {"layers", part.layers}});
  return all;
}

json entropy_json(const HtmlHead& head) {
  json row = json::array();
  for (const double value : head.entropy) {
    if (std::isfinite(value))
      row.push_back(std::round(value * 1e5) / 1e5);
    else
      row.push_back(nullptr);
  }
  return row;
}

json data_json(const HtmlPage& page, const HtmlTiles& tiles, const Words& words, const HtmlFields& texts,
               const std::string& citation) {
  json heads = json::array(), entropy = json::array();
  for (const HtmlHead& head : page.heads) {
    const int flags = (head.is_off ? 1 : 0) + (head.changed ? 2 : 0);
    heads.push_back(json::array({head.part, head.layer, head.head, flags, spoken(words, head.name)}));
    entropy.push_back(entropy_json(head));
  }
  return {{"words", texts},
          {"decimal", decimal_of(words)},
          {"parts", parts_json(page, words)},
          {"heads", std::move(heads)},
          {"at", json::array({page.chosen, page.cell.query, page.cell.key})},
          {"code", {{"lo", tiles.code.low}, {"hi", tiles.code.high}, {"root", tiles.code.root}}},
          {"deflated", true},
          {"exact", tiles.exact},
          {"entropy", std::move(entropy)},
          {"log", page.log},
          {"low", low_of_log},
          {"top", tiles.code.high},
          {"maps", {{"light", digits_of(page.light)}, {"dark", digits_of(page.dark)}}},
          {"citation", citation}};
}

/// The first rows of the table, for a browser without scripts.
std::string rows_of_table(const HtmlPage& page, const Words& words) {
  std::string rows;
  const std::vector<HtmlKey> all = html_row(page);
  for (std::size_t i = 0; i < std::min(rows_without_script, all.size()); ++i)
    rows +=
        fmt::format("<tr><th scope=\"row\"><bdi>{}</bdi> <small>{}</small></th><td></td><td>{}</td></tr>\n",
                    html_escaped(page.part().keys[static_cast<std::size_t>(all[i].key)]), all[i].key,
                    spoken(words, html_number(static_cast<double>(all[i].weight))));
  return rows;
}

/// "%1" and "%2" of a text of the page.
std::string with_places(std::string text, std::string_view first, std::string_view second) {
  const std::array<std::pair<std::string_view, std::string_view>, 2> places{{{"%1", first}, {"%2", second}}};
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    bool is_place = false;
    for (const auto& [mark, filled] : places) {
      if (text.compare(i, mark.size(), mark) != 0) continue;
      out += filled;
      i += mark.size();
      is_place = true;
      break;
    }
    if (!is_place) out += text[i++];
  }
  return out;
}

std::string session_element(const std::string& session) {
  return session.size() < packed_session_from ? html_session_element(session)
                                              : packed_session_element(deflated(session), session.size());
}

/// Every "{{name}}" of the frame; what is put in is not looked at again.
std::string filled(std::string_view frame, const HtmlFields& fields, const std::string& where) {
  std::string out;
  while (true) {
    const std::size_t begin = frame.find("{{"), end = frame.find("}}", std::min(begin, frame.size()));
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    const std::string_view name = frame.substr(begin + 2, end - begin - 2);
    const auto found = fields.find(name);
    if (found == fields.end())
      throw Error(
          fmt::format("{} asks for {}, which a page does not have.", in_quotes(where), in_quotes(name)));
    out += frame.substr(0, begin);
    out += found->second;
    frame.remove_prefix(end + 2);
  }
  return out += frame;
}

std::string valid(std::string_view text) { return is_valid_utf8(text) ? std::string(text) : printable(text); }

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : valid(text)) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default:
        if (byte == 127 || (byte < 32 && c != '\n' && c != '\t'))
          out += "\uFFFD";
        else
          out += c;
    }
  }
  return out;
}

std::string html_file(const HtmlPage& page, const Words& words, std::string_view language,
                      const std::filesystem::path& assets) {
  const auto asset = [&](const char* name) { return read_whole(assets / "html" / name, longest_asset); };
  const HtmlTiles tiles = html_tiles(page);
  const HtmlTexts texts = html_texts(words);
  HtmlFields fields = fields_of(texts);
  const std::string title = page.title.empty() ? std::string("AttnScope") : valid(page.title);
  const std::string citation = fmt::format("{}. AttnScope {}.", title, ATTNSCOPE_VERSION);
  const json data = data_json(page, tiles, words, fields, citation);
  const auto query = static_cast<std::size_t>(page.cell.query), key = static_cast<std::size_t>(page.cell.key);
  const HtmlPart& part = page.part();
  const std::size_t cell = query * part.keys.size() + key;
  const std::string head = html_head_name(page, words);
  fields["note"] = with_places(texts.row_exact, part.queries[query], {});
  fields["caption"] = with_places(texts.caption, part.queries[query], head);
  fields["more"] = {};
  fields["lang"] = language;
  fields["version"] = ATTNSCOPE_VERSION;
  fields["title"] = title;
  fields["alt"] = html_alt(page, words);
  fields["sentence"] = html_sentence(page, words);
  fields["head_name"] = head;
  fields["from"] = part.queries[query];
  fields["to"] = part.keys[key];
  fields["value"] = page.head().hidden[cell] != 0
                        ? texts.masked
                        : spoken(words, html_number(static_cast<double>(page.head().weights.values()[cell])));
  fields["how"] = html_made(page, words, ATTNSCOPE_VERSION);
  fields["inside"] = html_inside(page, words, tiles.exact.size());
  for (auto& [name, text] : fields) text = html_escaped(text);
  fields["rows"] = rows_of_table(page, words);
  fields["colours"] = style_of_themes();
  fields["css"] = asset("page.css");
  fields["js"] = asset("page.js");
  fields["data"] = json_in_html(data.dump(-1, ' ', false, json::error_handler_t::replace));
  fields["tiles"] = base64_text(deflated(tiles.bytes));
  fields["session"] = session_element(page.session);
  return filled(asset("page.html"), fields, (assets / "html" / "page.html").native());
}

}  // namespace attnscope
