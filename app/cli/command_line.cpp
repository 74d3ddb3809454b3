#include "app/cli/command_line.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/attend.hpp"
#include "app/render.hpp"
#include "app/window.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr int bad_input = 1, bad_usage = 2;

int complain(std::string_view sentence, int exit_code) {
  fmt::print(stderr, "attnscope: {}\n", sentence);
  return exit_code;
}

/// CLI11's messages as one sentence on one line.
std::string sentence_of(const CLI::Error& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    text = text.substr(0, text.find(':')) + " must be given once, with one value";
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  text = printable(text);
  if (!text.ends_with('.')) text += '.';
  return text;
}

template <class T>
std::optional<T> whole_text_as(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A finite number, spelled out in full: "nan", "1e99" and "2x" are refused.
std::optional<float> finite_number(std::string_view text) {
  const std::optional<float> value = whole_text_as<float>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// "1600x1000"; each side 16 to 16384 pixels.
bool read_size(std::string_view text, RenderWish& wish) {
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos) return false;
  const std::optional<int> width = whole_text_as<int>(text.substr(0, cross));
  const std::optional<int> height = whole_text_as<int>(text.substr(cross + 1));
  if (!width || !height || std::min(*width, *height) < 16 || std::max(*width, *height) > 16384) return false;
  wish.width = *width;
  wish.height = *height;
  return true;
}

/// What was asked for; options write straight into it.
struct Wishes {
  std::string file, render_file, render_out, attend_in, attend_out;
  RenderWish render;
  AttendWish attend;
};

/// An option with a value that is checked while the line is read, so that a bad one is bad usage.
struct Checked {
  std::string name, placeholder, help, expected;
  std::function<bool(const std::string&)> read;  // false when the text does not fit
};

void add_checked(CLI::App& command, Checked option) {
  const auto read = [option](const std::string& text) {
    if (option.read(text)) return;
    throw CLI::ValidationError(
        fmt::format("{} is {}, expected {}", option.name, in_quotes(text), option.expected),
        CLI::ExitCodes::ValidationError);
  };
  command.add_option_function<std::string>(option.name, read, option.help + ": " + option.expected)
      ->type_name(option.placeholder);
}

CLI::App* add_render(CLI::App& app, Wishes& wishes) {
  CLI::App* render = app.add_subcommand("render", "Draw a view into a PNG file; needs no display");
  render->add_option("FILE", wishes.render_file, "What to draw; the first example when there is none")
      ->type_name("");
  render->add_option("-o,--out", wishes.render_out, "The picture to write (.png)")
      ->required()
      ->type_name("PATH");
  RenderWish& wish = wishes.render;
  add_checked(*render, {"--size", "WxH", "Pixels", "a width and height like 1600x1000, each from 16 to 16384",
                        [&wish](const std::string& text) { return read_size(text, wish); }});
  add_checked(*render, {"--scale", "S", "Size of everything drawn", "a number from 0.5 to 4",
                        [&wish](const std::string& text) {
                          const std::optional<float> scale = finite_number(text);
                          wish.scale = scale.value_or(0);
                          return wish.scale >= 0.5f && wish.scale <= 4;
                        }});
  add_checked(*render, {"--view", "V", "Which view", "explore", [&wish](const std::string& text) {
                          wish.view = text;
                          return text == "explore";
                        }});
  add_checked(*render,
              {"--theme", "T", "Which colours", "dark, light or contrast", [&wish](const std::string& text) {
                 wish.theme = text;
                 return text == "dark" || text == "light" || text == "contrast";
               }});
  return render;
}

CLI::App* add_attend(CLI::App& app, Wishes& wishes) {
  CLI::App* attend =
      app.add_subcommand("attend", "Compute attention from Q, K, V [batch, heads, n, d] in a file");
  attend->add_option("IN", wishes.attend_in, "Tensors Q, K, V and, if wanted, attn_mask (.safetensors)")
      ->required()
      ->type_name("");
  attend->add_option("-o,--out", wishes.attend_out, "Y, weights, lse and entropy go here (.safetensors)")
      ->required()
      ->type_name("PATH");
  attend->add_flag("--causal", wishes.attend.causal, "No query sees a later key");
  AttendWish& wish = wishes.attend;
  add_checked(*attend, {"--scale", "X", "What scores are multiplied with, 1/sqrt(d) when there is none",
                        "a finite number", [&wish](const std::string& text) {
                          wish.scale = finite_number(text);
                          return wish.scale.has_value();
                        }});
  add_checked(*attend, {"--softcap", "X", "Scaled scores x become X·tanh(x / X)",
                        "a number of at least 0, 0 for none", [&wish](const std::string& text) {
                          const std::optional<float> cap = finite_number(text);
                          wish.soft_cap = cap.value_or(-1);
                          return wish.soft_cap >= 0;
                        }});
  return attend;
}

std::optional<std::filesystem::path> path_from(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::filesystem::path>(text);
}

int parse_and_run(int argc, char** argv) {
  Wishes wishes;
  CLI::App app("An oscilloscope for self-attention.", "attnscope");
  app.set_version_flag("--version", "attnscope " ATTNSCOPE_VERSION);
  CLI::Option* file =
      app.add_option("FILE", wishes.file, "A document (.json), tensors (.safetensors) or a text to open");
  file->type_name("");
  const CLI::App* render = add_render(app, wishes);
  const CLI::App* attend_command = add_attend(app, wishes);
  app.require_subcommand(0, 1);
  try {
    app.parse(argc, argv);
    if (!app.get_subcommands().empty() && !file->empty()) {
      throw CLI::ValidationError("A file to open cannot be combined with a command",
                                 CLI::ExitCodes::ExtrasError);
    }
  } catch (const CLI::Success& asked) {
    return app.exit(asked);  // --help and --version, on stdout
  } catch (const CLI::Error& error) {
    return complain(sentence_of(error), bad_usage);
  }

  if (*render) {
    wishes.render.file = path_from(wishes.render_file);
    wishes.render.out = wishes.render_out;
    render_picture(wishes.render);
    return 0;
  }
  if (*attend_command) {
    wishes.attend.in = wishes.attend_in;
    wishes.attend.out = wishes.attend_out;
    if (const std::string note = attend(wishes.attend); !note.empty()) complain(note, 0);
    return 0;
  }
  return run_window(path_from(wishes.file));
}

}  // namespace

int run_command_line(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const std::bad_alloc&) {
    return complain("There is not enough memory for this input.", bad_input);
  } catch (const std::exception& error) {
    return complain(error.what(), bad_input);
  }
}

}  // namespace attnscope
