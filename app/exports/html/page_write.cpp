#include "app/exports/html/page_write.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/exports/html/page_parts.hpp"
#include "app/exports/html/page_tiles.hpp"
#include "app/exports/html/words.hpp"
#include "app/kit/draw/deflate.hpp"
#include "app/kit/draw/image.hpp"
#include "app/kit/ui/theme.hpp"
#include "core/base/error.hpp"
#include "core/files/document/html_session.hpp"
#include "core/text/base64.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr std::size_t rows_without_script = 14;  // of the table, as many as the page shows at first
constexpr double low_of_log = 1e-4;              // the value of the first colour of a logarithmic scale

std::string digits_of(Map map) {
  std::string digits;
  for (const Rgba colour : colormap(map)) digits += html_digits(colour);
  return digits;
}

std::string spoken(const Words& words, std::string_view text) {
  std::string room;
  return std::string(words.translated(text, room));
}

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
          {"decimal", html_decimal(words)},
          {"parts", parts_json(page, words)},
          {"heads", std::move(heads)},
          {"at", json::array({page.chosen, page.cell.query, page.cell.key})},
          {"code", {{"lo", tiles.code.low}, {"hi", tiles.code.high}, {"root", tiles.code.root}}},
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

/// Replaces "%1" and "%2" in a text of the page.
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

namespace {

HtmlFields html_page_fields(const HtmlPage& page, const Words& words, std::string_view language,
                            const HtmlProgress& progress = {}) {
  constexpr double of_tiles = 0.3;  // of the work; the rest is packing
  const HtmlTiles tiles = html_tiles(page, [&](double share) {
    if (progress.stop.stop_requested()) throw Cancelled();
    if (progress.share) progress.share(of_tiles * share);
  });
  HtmlFields fields = html_texts(words);
  const std::string title = page.title.empty() ? std::string("AttnScope") : valid(page.title);
  const std::string citation = fmt::format("{}. AttnScope {}.", title, ATTNSCOPE_VERSION);
  const json data = data_json(page, tiles, words, fields, citation);
  const auto query = static_cast<std::size_t>(page.cell.query), key = static_cast<std::size_t>(page.cell.key);
  const HtmlPart& part = page.part();
  const std::size_t cell = query * part.keys.size() + key;
  const std::string head = html_head_name(page, words);
  fields["note"] = with_places(fields["row_exact"], part.queries[query], {});
  fields["caption"] = with_places(fields["caption"], part.queries[query], head);
  fields["more"] = {};
  fields["class"] = {};
  fields["lang"] = language;
  fields["version"] = ATTNSCOPE_VERSION;
  fields["title"] = title;
  fields["alt"] = html_alt(page, words);
  fields["sentence"] = html_sentence(page, words);
  fields["head_name"] = head;
  fields["from"] = part.queries[query];
  fields["to"] = part.keys[key];
  fields["value"] = page.head().hidden[cell] != 0
                        ? fields["masked"]
                        : spoken(words, html_number(static_cast<double>(page.head().weights.values()[cell])));
  fields["how"] = html_made(page, words, ATTNSCOPE_VERSION);
  fields["inside"] = html_inside(page, words, tiles.exact.size());
  for (auto& [name, text] : fields) text = html_escaped(text);
  fields["rows"] = rows_of_table(page, words);
  fields["data"] = json_in_html(data.dump(-1, ' ', false, json::error_handler_t::replace));
  fields["tiles"] = base64_text(deflated(tiles.bytes));
  return fields;
}

}  // namespace

std::string html_file(const HtmlPage& page, const Words& words, std::string_view language,
                      const std::filesystem::path& assets, const HtmlProgress& progress) {
  HtmlFields fields = html_page_fields(page, words, language, progress);
  fields["colours"] = html_colours();
  fields["css"] = html_styles(assets, "page.css");
  fields["js"] = html_script(assets, "page.js");
  fields["session"] = html_session(page.session);
  return html_filled(html_asset(assets, "page.html"), fields, (assets / "html" / "page.html").native());
}

std::string html_inner_page(const HtmlPage& page, const Words& words, std::string_view language,
                            const std::filesystem::path& assets) {
  HtmlFields fields = html_page_fields(page, words, language);
  fields["class"] = " class=\"inner\"";
  fields["colours"] = "/*colours*/";
  fields["css"] = "/*css*/";
  fields["js"] = "/*js*/";
  fields["session"] = {};
  return html_filled(html_asset(assets, "page.html"), fields, (assets / "html" / "page.html").native());
}

}  // namespace attnscope
