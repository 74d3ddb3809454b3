#include "app/exports/html/page_parts.hpp"

#include <array>

#include <fmt/format.h>

#include "app/kit/draw/deflate.hpp"
#include "app/kit/draw/image.hpp"
#include "app/kit/ui/theme.hpp"
#include "core/base/error.hpp"
#include "core/files/document/html_session.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::uint64_t longest_asset = 1 << 20;      // bytes
constexpr std::size_t packed_session_from = 1 << 16;  // bytes of JSON; shorter ones stay text

std::string colours_of(const Theme& theme) {
  const std::array<std::pair<const char*, Rgba>, 22> roles{{{"panel", theme.panel},
                                                            {"raised", theme.raised},
                                                            {"control", theme.control},
                                                            {"seg", theme.segment_on},
                                                            {"segline", theme.segment_line},
                                                            {"hover", theme.control_hover},
                                                            {"sideb", theme.b},
                                                            {"hairline", theme.hairline},
                                                            {"border", theme.border},
                                                            {"text1", theme.text1},
                                                            {"text2", theme.text2},
                                                            {"text3", theme.text3},
                                                            {"query", theme.query},
                                                            {"key", theme.key},
                                                            {"value", theme.value},
                                                            {"barfill", theme.bar},
                                                            {"barground", theme.bar_ground},
                                                            {"hatch", theme.hatch_ground},
                                                            {"hatchline", theme.hatch_line},
                                                            {"small", theme.small_value},
                                                            {"nan", theme.nan},
                                                            {"picture", theme.picture}}};
  std::string css;
  for (const auto& [name, colour] : roles) css += fmt::format("--{}:#{};", name, html_digits(colour));
  for (std::size_t i = 0; i < theme.heads.size(); ++i)
    css += fmt::format("--head{}:#{};", i, html_digits(theme.heads[i]));
  return css;
}

}  // namespace

std::string html_digits(Rgba colour) {
  return fmt::format("{:02x}{:02x}{:02x}", colour & 255, colour >> 8 & 255, colour >> 16 & 255);
}

std::string html_colours() {
  const std::string light = colours_of(theme(ThemeName::Light)), dark = colours_of(theme(ThemeName::Dark));
  return fmt::format(
      ":root{{{0}}}\n@media (prefers-color-scheme:dark){{:root:not([data-t=light]){{{1}}}}}\n"
      ":root[data-t=dark]{{{1}}}\n@media print{{:root{{{0}}}}}",
      light, dark);
}

std::string html_asset(const std::filesystem::path& assets, std::string_view name) {
  return read_whole(assets / "html" / name, longest_asset);
}

std::string html_styles(const std::filesystem::path& assets, std::string_view name) {
  return html_asset(assets, "shared.css") + html_asset(assets, name);
}

std::string html_script(const std::filesystem::path& assets, std::string_view name) {
  return html_asset(assets, "unpack.js") + html_asset(assets, name);
}

std::string html_decimal(const Words& words) {
  std::string room;
  return words.translated("0.5", room) == "0,5" ? "," : ".";
}

std::string html_session(const std::string& session) {
  return session.size() < packed_session_from ? html_session_element(session)
                                              : packed_session_element(deflated(session), session.size());
}

std::string html_filled(std::string_view frame, const HtmlFields& fields, const std::string& where) {
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

}  // namespace attnscope
