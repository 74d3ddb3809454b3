// app/exports/html: parts that the pages share: frames, colours and sessions.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "app/exports/html/page_data.hpp"
#include "app/kit/ui/words.hpp"

namespace attnscope {

/// The values of "{{name}}" in a frame.
using HtmlFields = std::map<std::string, std::string, std::less<>>;

/// The frame with every "{{name}}" replaced by its value; values are not searched again. Throws Error that
/// names `where` for an unknown name.
std::string html_filled(std::string_view frame, const HtmlFields& fields, const std::string& where);
/// A file of `assets`/html. Throws Error if it cannot be read.
std::string html_asset(const std::filesystem::path& assets, std::string_view name);
/// The style rules that pages and lessons share, followed by the style sheet `name`.
std::string html_styles(const std::filesystem::path& assets, std::string_view name);
/// The code with which pages and lessons unpack their data, followed by the script `name`.
std::string html_script(const std::filesystem::path& assets, std::string_view name);
/// Light or dark by the reader's system, unless the page's switch is set; on paper light.
std::string html_colours();
/// "b73779"
std::string html_digits(Rgba colour);
/// The HTML element that contains the session.
std::string html_session(const std::string& json);
/// "." or ","
std::string html_decimal(const Words&);

/// The page for a frame inside another page, without title, session and the note on how it was made. The
/// other page replaces "/*colours*/", "/*css*/" and "/*js*/" by colours, styles and script.
std::string html_inner_page(const HtmlPage&, const Words&, std::string_view language,
                            const std::filesystem::path& assets);

}  // namespace attnscope
