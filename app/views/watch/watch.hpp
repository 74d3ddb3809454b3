// app/views/watch: the Watch page: the attention of a running Python process, every head of every layer, pass
// by pass. It replaces the model's page while WatchState::on.
#pragma once

#include <string>

#include "app/scene/scene.hpp"

namespace attnscope {

struct WatchState;

/// Draws the page between the token strip and the status line.
void draw_watch(Scene&, const Box&);
/// The tokens that the process has read, each with its weight in the followed row.
void draw_watch_strip(Scene&, const Box&);
void draw_watch_status(Scene&, const Box&);
/// In the top bar, from `left` to `right`: whether a process is connected, and the passes per second.
void draw_watch_rate(Scene&, float left, float right, float y);
/// Around the text of a model that was opened beside a stream: the way back to the process, and the
/// difference of the layer on screen to it.
void draw_watch_way_back(Scene&, const Box& strip);
/// Whether the model on screen was opened beside a stream.
bool has_watched_beside(const Scene&);
/// "watch · python 41822", "No process".
std::string watched_title(const WatchState&);

/// A menu row for each process that sends, and for the current one; a click chooses it.
void list_watched_processes(Scene&);

/// The actions of keys; all but the first do nothing while the page is not shown.
void show_watch(Scene&);
void leave_watch(Scene&);
void watch_pause(Scene&);
/// Holds the current pass; drops it; switches heads between now − held and their weights.
void hold_watched(Scene&);
void drop_watched(Scene&);
void turn_watched_difference(Scene&);
void watch_pass_before(Scene&);
void watch_pass_after(Scene&);
/// Follows the newest row again, and its largest key.
void watch_newest(Scene&);
void watch_layer_above(Scene&);
void watch_layer_below(Scene&);
void watch_head_before(Scene&);
void watch_head_after(Scene&);
void watch_open_layer(Scene&);
void watch_next_process(Scene&);
/// Opens the model on the disk that has the stream's shapes.
void watch_open_beside(Scene&);
/// Copies the followed row to the clipboard, a line for every key.
void copy_watched_row(Scene&);

}  // namespace attnscope
