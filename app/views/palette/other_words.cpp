// app/views/palette: other names of the actions, in English and German. Looked up by the key, which stays
// when the name is reworded; by the name for an action without a key.
#include <algorithm>

#include "app/scene/actions.hpp"

namespace attnscope {
namespace {

struct OtherWords {
  ImGuiKeyChord key;
  std::string_view name;  // for an action without a key
  std::string_view words;
};

constexpr ImGuiKeyChord ctrl = ImGuiMod_Ctrl, shift = ImGuiMod_Shift;

constexpr OtherWords words_of_actions[] = {
    {ctrl | ImGuiKey_O,
     {},
     "load import dump tensors safetensors npz npy json text example öffnen laden datei"},
    {ctrl | ImGuiKey_S, {}, "save session json speichern sichern sitzung"},
    {ctrl | shift | ImGuiKey_S,
     {},
     "export image screenshot png svg figure handout worksheet quiz print bild exportieren abbildung "
     "handzettel arbeitsblatt drucken"},
    {ctrl | ImGuiKey_C, {}, "clipboard table tsv spreadsheet excel kopieren zwischenablage tabelle"},
    {0, "Copy as a sentence", "describe text alt screen reader words kopieren satz beschreiben vorlesen"},
    {0, "Watch a Python process",
     "attach live stream pytorch transformers hook torch notebook generate beobachten prozess zuschauen "
     "live"},
    {0, "Pause the picture, or go on", "stop freeze watch anhalten einfrieren weiter prozess"},
    {0, "Pass before", "call generation step watch durchlauf zurück aufruf"},
    {0, "Pass after", "call generation step watch durchlauf weiter aufruf"},
    {0, "Newest row again", "live follow last watch neueste zeile folgen"},
    {0, "Layer above", "watch block up schicht darüber"},
    {0, "Layer below", "watch block down schicht darunter"},
    {0, "Watched head before", "previous kopf davor"},
    {0, "Watched head after", "next kopf danach"},
    {0, "Watched pass: hold it", "watch hold B keep remember compare merken vergleichen prozess"},
    {0, "Watched pass: hold it no more", "watch drop forget release B vergessen loslassen prozess"},
    {0, "Watched heads as now − held, on or off",
     "watch difference A - B delta differenz unterschied prozess"},
    {0, "Watch the next process", "choose other several list python wählen anderer mehrere liste prozess"},
    {0, "Open the model on the disk that has the same shapes",
     "join watch beside weights why lens logits verbinden daneben gewichte öffnen prozess"},
    {0, "Open the watched layer in Explore", "edit document process schicht öffnen erkunden prozess"},
    {0, "Back from the process to the model", "leave stop watch close zurück beenden prozess"},
    {0, "Copy as command line",
     "cli shell terminal script notebook bash kopieren befehl befehlszeile kommandozeile skript"},
    {ImGuiKey_F1, {}, "help shortcuts keyboard manual hilfe tasten tastenkürzel anleitung"},
    {ctrl | ImGuiKey_Z, {}, "back revert take back rückgängig zurück"},
    {ctrl | shift | ImGuiKey_Z, {}, "again forward wiederholen wiederherstellen"},
    {ctrl | ImGuiKey_L,
     {},
     "text input prompt chat newline tab lines paste tokens words edit satz text eingabe eingeben tippen "
     "wörter zeilenumbruch zeilen einfügen"},
    {ImGuiKey_Home, {}, "reset restore seed random initial zurücksetzen zufall"},
    {shift | ImGuiKey_Home, {}, "random reroll shuffle new weights zufall würfeln neue gewichte"},
    {ImGuiKey_W, {}, "matrix W_Q W_K W_V W_O numbers parameters gewichte bearbeiten ändern"},
    {shift | ImGuiKey_W, {}, "mask token [MASK] bert fill cloze masked language model wort maskieren lücke"},
    {ImGuiKey_B, {}, "brush draw hide cells maske malen pinsel zeichnen"},
    {ImGuiKey_S, {}, "sqrt square root dk d_k scale scaling 1/sqrt(dk) wurzel skalierung skalieren teilen"},
    {ImGuiKey_C, {}, "autoregressive decoder future triangular lower kausal zukunft dreieck maske"},
    {ImGuiKey_P, {}, "pad attention_mask padding auffüllen polster maske"},
    {ImGuiKey_N, {}, "reset clear remove full bidirectional encoder keine maske löschen zurücksetzen"},
    {ImGuiKey_M, {}, "mask one cell knock out attention ablate zelle verbergen ausblenden"},
    {ImGuiKey_O, {}, "positional encoding embedding sinusoidal rope alibi position kodierung"},
    {shift | ImGuiKey_M, {}, "ablate zero switch off turn off silence stumm abschalten ausschalten kopf"},
    {shift | ImGuiKey_S, {}, "only this head alone isolate nur allein kopf"},
    {shift | ImGuiKey_R, {}, "reset unmute all heads zurücksetzen alle köpfe"},
    {shift | ImGuiKey_H, {}, "pattern replace ablate freeze intervention muster ersetzen eingriff kopf"},
    {0, "Zero a list of heads, or all others",
     "ablate mute circuit set paste keep only subset schaltkreis stumm ausschalten liste köpfe"},
    {0, "Scores and similarity over a file of texts",
     "many prompts pairs corpus mean spread effects ablation patching embedding cosine viele texte paare "
     "mittelwert streuung wirkungen ähnlichkeit"},
    {0, "Look at the strongest head",
     "effect ablation important head largest logit wichtigster kopf wirkung stärkster effekt"},
    {0, "Copy the list of zeroed heads", "clipboard circuit ablate kopieren liste schaltkreis köpfe"},
    {ImGuiKey_F2, {}, "mode overview start erkunden modus übersicht"},
    {ImGuiKey_F3,
     {},
     "mode step by step matrices calculation formula schritt rechnung matrizen formel modus"},
    {ImGuiKey_F4, {}, "mode side by side difference versus vergleichen vergleich unterschied modus"},
    {ImGuiKey_T,
     {},
     "colour scheme dark light high contrast appearance thema farbschema hell dunkel kontrast"},
    {ctrl | ImGuiKey_Equal, {}, "zoom in bigger font size scale größer schrift vergrößern"},
    {ctrl | ImGuiKey_Minus, {}, "zoom out smaller font size scale kleiner schrift verkleinern"},
    {ImGuiKey_H, {}, "time timing performance speed profile dauer zeit geschwindigkeit"},
    {ImGuiKey_U, {}, "cpu cuda gpu graphics card grafikkarte rechnen"},
    {shift | ImGuiKey_U, {}, "parity difference cpu cuda gpu check prüfen abweichung"},
    {ImGuiKey_K, {}, "cell row neurons vectors page zelle zeile neuronen vektoren seite"},
    {ImGuiKey_I, {}, "fix keep lock anheften festhalten"},
    {ImGuiKey_E, {}, "dimensions products q k bertviz neuronen dimensionen groß"},
    {ImGuiKey_D, {}, "query key received looks at richtung"},
    {ImGuiKey_Z, {}, "zoom reset fit magnify vergrößern einpassen"},
    {shift | ImGuiKey_T, {}, "transpose axes rows columns transponieren achsen tauschen"},
    {ImGuiKey_G, {}, "graph bertviz head view connections linien verbindungen"},
    {ImGuiKey_L, {}, "log logarithmic small weights logarithmisch farben"},
    {0, "Float64 error instead of the value",
     "double precision rounding accuracy fp64 genauigkeit rundung fehler"},
    {ImGuiKey_R,
     {},
     "colour bar limits min max normalise lock head mean all farbskala bereich kopf mittel alle fest"},
    {ImGuiKey_F, {}, "pause oscilloscope stop trace anhalten einfrieren"},
    {0, "Arm the trigger of the trace", "oscilloscope single shot auslöser"},
    {ImGuiKey_Comma, {}, "scores scaled masked weights stage stufe davor zurück"},
    {ImGuiKey_Period, {}, "scores scaled masked weights stage stufe danach weiter"},
    {ImGuiKey_LeftBracket, {}, "previous head kopf davor"},
    {ImGuiKey_RightBracket, {}, "next head kopf danach"},
    {ImGuiKey_Escape, {}, "close cancel leave unlock schließen abbrechen"},
    {ImGuiKey_J, {}, "maximum largest argmax peak größte stärkste zelle"},
    {0, "Usual sizes", "reset layout splitters default zurücksetzen anordnung größen"},
    {0, "Usual view", "reset view default layout restore zurücksetzen ansicht standard"},
    {ImGuiKey_F6, {}, "focus region panel tab accessibility bereich fokus tastatur"},
    {ImGuiKey_Backslash, {}, "hold B keep freeze remember reference festhalten merken vergleich"},
    {ImGuiKey_X, {}, "exchange A B tauschen wechseln"},
    {shift | ImGuiKey_Backslash, {}, "forget release B loslassen vergessen"},
    {0, "Why did it look there, or all heads",
     "split score query key part path attribution circuit zerlegen pfad anteil"},
    {0, "Atlas of what zeroing heads does, or all heads",
     "ablation knockout effect importance prune pruning KL ausschalten wirkung"},
    {0, "Activation patching, or all heads",
     "causal tracing corrupted clean prompt pair IOI interchange kausal verdorben paar"},
    {0, "Head of the marked part, or one token on",
     "go to open why part head next token generate springen kopf anteil weiter"},
    {0, "Generation token by token, or all heads",
     "generate sample decode greedy kv cache autoregressive erzeugen fortsetzen zwischenspeicher"},
    {0, "Generate tokens, or stop", "play run sample continue erzeugen abspielen"},
    {0, "One token back", "step back scrub zurück schritt"},
    {ImGuiKey_F8, {}, "mode tutorial course teach learn class unterricht kurs lernen lektion modus"},
    {ImGuiKey_F9, {}, "mode sweep plot measure demonstration versuch experimente messen modus"},
    {ImGuiKey_F10, {}, "mode lab learn train grow induction gradient loss trainieren lernen labor modus"},
    {0, "Train, or pause", "play run start abspielen trainieren starten"},
    {0, "Train one step", "step schritt einzeln"},
    {0, "Back in time", "scrub history zurück zeit"},
    {0, "On in time", "scrub forward weiter zeit"},
    {0, "Branch from this step", "fork what if zweig abzweigen"},
    {0, "Run the wall of seeds, or stop", "many seeds distribution viele verteilung"},
    {0, "Mute the first head", "ablate zero ausschalten eins"},
    {0, "Mute the second head", "ablate zero ausschalten zwei"},
    {0, "Mute the third head", "ablate zero ausschalten drei"},
    {0, "Mute the fourth head", "ablate zero ausschalten vier"},
    {0, "Value before", "slider sweep regler wert zurück"},
    {0, "Value after", "slider sweep regler wert weiter"},
    {0, "Experiment above", "list previous versuch liste davor"},
    {0, "Experiment below", "list next versuch liste danach"},
    {0, "Copy the experiment's table", "clipboard tsv kopieren tabelle versuch"},
    {0, "Save the experiment's table", "csv export speichern tabelle versuch"},
    {0, "Open the experiment's state in Explore", "document dokument erkunden öffnen zustand"},
    {ImGuiKey_F5, {}, "fullscreen projector slides beamer vollbild vortrag vorführen präsentieren"},
    {0, "First answer of a question", "choose vote eins wählen"},
    {0, "Second answer of a question", "choose vote zwei wählen"},
    {0, "Third answer of a question", "choose vote drei wählen"},
    {0, "Fourth answer of a question", "choose vote vier wählen"},
    {0, "Fifth answer of a question", "choose vote fünf wählen"},
    {0, "Sixth answer of a question", "choose vote sechs wählen"},
    {0, "All lessons", "list back leave overview liste zurück verlassen übersicht"},
    {0, "Take the last mark away", "undo annotation zurück zeichen"},
    {0, "Next step", "lesson continue lektion weiter"},
    {0, "Step before", "lesson back lektion zurück"},
    {0, "Lesson from the start", "restart again neu beginnen"},
    {0, "Reveal what was predicted", "answer solution uncover antwort lösung aufdecken"},
    {0, "Speaker notes", "presenter teacher notizen vortrag"},
    {0, "Count the votes of a class", "poll tally abstimmung umfrage"},
    {0, "Other picture of the step", "swap map heads presenter tauschen karte bild wechseln"},
    {0, "Ask the class again", "peer instruction second vote poll zweite abstimmung umfrage nochmals"},
    {0, "Go on with the course", "course hour class continue kurs stunde unterricht fortsetzen"},
    {0, "Pen", "draw annotate scribble zeichnen malen stift"},
    {0, "Arrow", "point annotate zeigen pfeil"},
    {0, "Words on the picture", "text annotate label beschriften"},
    {0, "Clear what was drawn", "erase annotations radieren löschen"},
    {ImGuiKey_Slash, {}, "minus A - B delta subtract differenz unterschied"},
};

}  // namespace

std::string_view other_words_for(const Action& action) {
  // While presenting, and on the Watch page, keys have other meanings.
  const bool has_key_to_itself = !action.only && action.group != Action::Group::Watch &&
                                 (action.group != Action::Group::Presenter || action.key == ImGuiKey_F5);
  const auto found =
      std::find_if(std::begin(words_of_actions), std::end(words_of_actions), [&](const OtherWords& row) {
        return row.key != 0 ? row.key == action.key && has_key_to_itself : row.name == action.name;
      });
  if (found != std::end(words_of_actions)) return found->words;
  // Keys that have another meaning in Walk.
  const auto in_mode =
      std::find_if(std::begin(words_of_actions), std::end(words_of_actions), [&](const OtherWords& row) {
        return row.key != 0 && row.key == action.key && action.only == Mode::Explore;
      });
  return in_mode != std::end(words_of_actions) ? in_mode->words : std::string_view();
}

}  // namespace attnscope
