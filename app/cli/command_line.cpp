#include "app/cli/command_line.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/gallery_command.hpp"
#include "app/cli/lesson_commands.hpp"
#include "app/cli/manual_command.hpp"
#include "app/cli/models/model_commands.hpp"
#include "app/cli/models/serve.hpp"
#include "app/cli/open_command.hpp"
#include "app/cli/parts/checked_option.hpp"
#include "app/cli/parts/exit_code.hpp"
#include "app/cli/readings.hpp"
#include "app/cli/tensor_commands.hpp"
#include "app/cli/train_command.hpp"
#include "app/cli/version.hpp"
#include "app/cli/watch_command.hpp"
#include "app/files/paths.hpp"
#include "app/kit/ui/words.hpp"
#include "app/state/window_state.hpp"
#include "app/window/describe.hpp"
#include "app/window/render.hpp"
#include "app/window/window.hpp"
#include "core/base/error.hpp"
#include "core/text/whole_text.hpp"

namespace attnscope {
namespace {

constexpr std::string_view program_name = "attnscope";

/// Prints a note about a success; returns exit code 0.
int mention(std::string_view note) { return note.empty() ? 0 : complain(program_name, note, 0); }

constexpr const char* layer_help =
    "Which layer of a dump (.safetensors, .npz, .npy), the first when not given";

/// The parsed command line; options write straight into it.
struct CommandLine {
  std::string file, dump_layer, render_file, render_out, described_file;
  Answers answers;  // these three are of the window
  std::optional<std::string> language;
  std::optional<BackendPreference> backend;
  bool fresh = false;
  RenderOptions render;
  DescribeOptions describe;
  std::string serve_model;
};

/// A language for which there is a table.
Checked language_option(std::optional<std::string>& into) {
  const std::vector<Language> there = list_languages(assets_directory());
  std::string codes;
  for (const Language& language : there) codes += (codes.empty() ? "" : ", ") + language.code;
  return {"--language", "CODE", "Of every text", there.size() > 1 ? "one of " + codes : codes,
          [there, &into](const std::string& text) {
            into = text;
            return std::any_of(there.begin(), there.end(),
                               [&](const Language& language) { return language.code == text; });
          }};
}

/// Answers to questions that a dump may leave open, and overrides for a document.
void add_answers(CLI::App& command, Answers& answers) {
  add_checked(command,
              {"--causal", "ANSWER", "Whether no query sees a later key, whatever the file says", "yes or no",
               [&answers](const std::string& text) { return read_answer(text, answers.causal); }});
  add_checked(command, {"--positions", "HOW",
                        "Whether queries and keys of a dump have their positions, or which they still get",
                        "applied, rope-half or rope-interleaved", [&answers](const std::string& text) {
                          return read_positions(text, answers.positions);
                        }});
}

bool read_index(const std::string& text, std::int64_t least, std::optional<std::int64_t>& into) {
  into = whole_text_as<std::int64_t>(text);
  return into && *into >= least && *into <= most_index;
}

/// The head and the cell that are looked at.
void add_place_options(CLI::App& command, Spot& spot, const std::string& cell) {
  add_checked(command, {"--head", "N", "Which head", "a whole number from 0",
                        [&spot](const std::string& text) { return read_index(text, 0, spot.head); }});
  add_checked(command, {"--at", "QUERY,KEY", cell, "two whole numbers from 0 like 1204,800",
                        [&spot](const std::string& text) { return read_cell(text, spot.cell); }});
}

/// The part of a head that is in the picture.
void add_spot_options(CLI::App& render, Spot& spot) {
  add_place_options(render, spot, "The cell that is chosen and stands in the middle");
  add_checked(render, {"--cells", "N", "So many queries and keys are in sight, as far as they fit",
                       "a whole number from 1",
                       [&spot](const std::string& text) { return read_index(text, 1, spot.cells); }});
}

void add_sweep(CLI::App& render, RenderOptions& options) {
  std::string knobs;
  for (const edit::KnobInfo& knob : edit::knob_table()) knobs += std::string(knob.id) + ", ";
  add_checked(render, {"--sweep", "KNOB:FROM:TO:PICTURES", "An animated PNG of a knob that is turned",
                       knobs + "alone or with its ends and so many pictures like temperature:0.1:10:25, or "
                               "values: those of the experiment in the view \"experiments\"",
                       [&options](const std::string& text) {
                         options.series = text == "values" ? PictureSeries::Values : PictureSeries::Sweep;
                         if (text == "values") return true;
                         try {
                           options.sweep = edit::parse_sweep(text);
                         } catch (const Error&) {
                           return false;
                         }
                         return true;
                       }});
}

CLI::App* add_render(CLI::App& app, CommandLine& line) {
  CLI::App* render =
      app.add_subcommand("render", "Draw a view into a PNG, SVG or HTML file; needs no display");
  render->add_option("FILE", line.render_file, "What to draw; the first example when there is none")
      ->type_name("");
  refuse_dash(
      render->add_option("-o,--out", line.render_out,
                         "The picture to write (.png or .svg), or a page to look at in a browser (.html)"),
      "a picture")
      ->required()
      ->type_name("PATH");
  RenderOptions& options = line.render;
  add_checked(*render,
              {"--size", "WxH", "Pixels",
               "a width and height like 1600x1000, each from 16 to 16384, 134 million pixels at most",
               [&options](const std::string& text) { return read_size(text, options); }});
  add_checked(*render, {"--scale", "S", "Size of everything drawn", "a number from 0.5 to 4",
                        [&options](const std::string& text) {
                          const std::optional<double> scale = finite_number(text);
                          options.scale = static_cast<float>(scale.value_or(0));
                          return options.scale >= 0.5f && options.scale <= 4;
                        }});
  add_checked(*render,
              {"--view", "V", "Which view", "explore, walk, compare, model, experiments, lessons or training",
               [&options](const std::string& text) {
                 options.view = text;
                 return mode_named(text).has_value();
               }});
  add_checked(*render,
              {"--region", "R", "What of the window", "window, focus, heads, signals, inspector or grid",
               [&options](const std::string& text) {
                 const std::optional<PictureRegion> region = picture_region_named(text);
                 options.region = region.value_or(options.region);
                 return region.has_value();
               }});
  add_checked(*render, {"--theme", "T", "Which colours", "dark, light or contrast",
                        [&options](const std::string& text) {
                          options.theme = text;
                          return text == "dark" || text == "light" || text == "contrast";
                        }});
  add_spot_options(*render, options.spot);
  add_sweep(*render, options);
  render->add_flag("--start", options.start, "With the three things that the first launch offers to do");
  render->add_flag("--every-query", options.every_query,
                   "All queries of a long text and all numbers of a model, for minutes");
  render->add_option("--layer", options.layer, layer_help)->type_name("NAME");
  add_answers(*render, options.answers);
  add_checked(*render, language_option(options.language));
  add_checked(*render, backend_option([&options](BackendPreference backend) { options.backend = backend; }));
  return render;
}

CLI::App* add_describe(CLI::App& app, CommandLine& line) {
  CLI::App* describe = app.add_subcommand(
      "describe", "Say in sentences what a file shows: head, cell, row, measures, changes");
  describe->add_option("FILE", line.described_file, "What to describe")->required()->type_name("");
  DescribeOptions& options = line.describe;
  add_place_options(*describe, options.spot, "The cell that is spoken of");
  describe->add_option("--layer", options.layer, layer_help)->type_name("NAME");
  add_answers(*describe, options.answers);
  add_checked(*describe,
              backend_option([&options](BackendPreference backend) { options.backend = backend; }));
  return describe;
}

/// For programs only, so no help lists it.
CLI::App* add_serve(CLI::App& app, CommandLine& line) {
  CLI::App* serve = app.add_subcommand("serve", "Answer requests for a model, see app/cli/models/serve.hpp");
  serve->add_option("MODEL", line.serve_model, "A folder or a .gguf file")->required()->type_name("");
  serve->group("");
  return serve;
}

std::optional<std::filesystem::path> path_from(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::filesystem::path>(text);
}

int parse_and_run(int argc, char** argv) {
  CommandLine line;
  CLI::App app("An oscilloscope for self-attention.", "attnscope");
  app.set_version_flag("--version", version_text);
  CLI::Option* file = app.add_option(
      "FILE", line.file, "A session or document (.json), tensors (.safetensors, .npz) or a text to open");
  file->type_name("");
  app.add_option("--layer", line.dump_layer, layer_help)->type_name("NAME")->needs(file);
  add_answers(app, line.answers);
  add_checked(app, language_option(line.language));
  add_checked(app, backend_option([&line](BackendPreference backend) { line.backend = backend; }));
  const CLI::Option* fresh =
      app.add_flag("--fresh", line.fresh, "Look as in the first run, bring nothing back; what is kept stays");
  const CLI::App* render = add_render(app, line);
  const CLI::App* describe = add_describe(app, line);
  const TensorCommands tensors(app);
  ModelCommands models(app);
  const OpenCommand open_command(app);
  const WatchCommand watch_command(app);
  const CLI::App* serve = add_serve(app, line);
  const std::array others{add_lesson_commands(app), add_train_command(app), add_manual_command(app),
                          add_gallery_command(app)};
  app.require_subcommand(0, 1);
  try {
    app.parse(argc, argv);
    if (line.language && !app.get_subcommands().empty())
      throw CLI::ValidationError("--language before a command is for the window; render has its own",
                                 CLI::ExitCodes::ExtrasError);
    if (line.backend && !app.get_subcommands().empty())
      throw CLI::ValidationError(
          "--backend before a command is for the window; render and describe have their own",
          CLI::ExitCodes::ExtrasError);
    if (!(line.answers == Answers{}) && (!app.get_subcommands().empty() || file->empty()))
      throw CLI::ValidationError(
          "--causal and --positions before a command are for a file in the window; render has its own",
          CLI::ExitCodes::ExtrasError);
    if (!fresh->empty() && !app.get_subcommands().empty())
      throw CLI::ValidationError("--fresh is for the window, not for a command", CLI::ExitCodes::ExtrasError);
    if (!app.get_subcommands().empty() && !file->empty())
      throw CLI::ValidationError("A file to open cannot be combined with a command",
                                 CLI::ExitCodes::ExtrasError);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);  // --help and --version, on stdout
  } catch (const CLI::Error& error) {
    return complain(program_name, usage_sentence(error), bad_usage);
  }

  if (*render) {
    line.render.file = path_from(line.render_file);
    line.render.out = line.render_out;
    return mention(render_picture(line.render));
  }
  if (*describe) {
    line.describe.file = line.described_file;
    const Description description = describe_file(line.describe);
    fmt::print("{}\n", description.sentences);
    return mention(description.note);
  }
  if (const std::optional<std::string> note = tensors.run()) return mention(*note);
  if (*serve) {
    serve_command(line.serve_model);
    return 0;
  }
  if (open_command.is_asked_for()) return open_command.run();
  if (watch_command.is_asked_for()) return watch_command.run();
  if (models.run() || std::ranges::any_of(others, [](const auto& run) { return run(); })) return 0;
  return run_window({path_from(line.file), line.dump_layer, line.answers, line.language,
                     line.backend.value_or(BackendPreference::Auto), line.fresh});
}

}  // namespace

int run_command_line(int argc, char** argv) {
  return exit_code_of(program_name, [&] { return parse_and_run(argc, argv); });
}

}  // namespace attnscope
