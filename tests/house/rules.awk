# The rules of tests/house/run, which says what it is given: all source files, in the order of their names. A rule is what
# found() is called with; of those that allow() was not called for limits.txt has a line, "rule, most".

function found(rule, where, count) { # so many, if not one
    if (count == "") count = 1
    if (where != "" && !((rule, where) in times)) order[rule, ++places[rule]] = where
    times[rule, where] += count
    counted[rule] += count
}
function rule(name) {
    if (name in counted) return
    counted[name] = 0
    names[++rules] = name
}
function allow(name, most) { # a rule that limits.txt has nothing to say of
    rule(name)
    allowed[name] = most
}
function folder_of(file) {
    sub(/\/[^\/]*$/, "", file)
    return file
}
function room_of(file) {
    sub(/\/.*$/, "", file)
    return file
}
function is_unit(file) { return file ~ /[.](cpp|cu)$/ && file !~ /^tests\// }
function matches(text, pattern) { return gsub(pattern, "&", text) }

BEGIN {
    for (i = 1; i < ARGC; ++i) known[all[++count] = ARGV[i]] = i # an empty file has no first line
    # What there must be none of.
    folders_in_pairs = "folders that include each other"
    direction = "inclusions against tests -> app -> gpu -> core"
    foreign = "libraries that a room must not know"
    glfw = "GLFW outside of app/window and of Dear ImGui's host"
    opengl = "OpenGL outside of app/window, app/kit/gl and app/kit/draw/texture"
    page_pairs = "inclusions of a page by what is not its own, but by the table of pages"
    threads = "threads started in app"
    long_files = "files of more than 400 lines"
    large_folders = "folders of more than 36 files"
    top_level = "top level other than app assets core gpu tests CMakeLists.txt README.md"
    loose = "source files in core/ or app/ itself, but app/main.cpp"
    long_readme = "README.md of more than 10,000 bytes"
    none = folders_in_pairs "|" direction "|" foreign "|" glfw "|" opengl "|" page_pairs "|" \
        threads "|" long_files "|" large_folders "|" top_level "|" loose "|" long_readme
    for (i = 1; i <= split(none, of, "|"); ++i) allow(of[i], 0)

    # What there is too much of.
    modes = "Mode:: in app but in its table of actions and in pages"
    folders_in_circles = "folders in circles of inclusions"
    # A page's state is named, or what ViewState has of it, or the function that finds it there.
    pages = split("compare experiment focus lab lesson model signals start walk watch", page, " ")
    for (i = 1; i <= pages; ++i) {
        state[i] = toupper(substr(page[i], 1, 1)) substr(page[i], 2) "State"
        state_of_page[i] = "(^|[^A-Za-z])" state[i] "([^A-Za-z]|$)|view(_|[(][)])?[.]" page[i] "([^A-Za-z_]|$)" \
            "|(^|[^A-Za-z_])" page[i] "(_state)?_of[(][A-Za-z_.>()-]*view_?([(][)])?[),]"
        rule(speaks[i] = "folders of app that speak of " state[i])
    }
    functions = "functions of App"
    members = "members of App"
    app_lines = "thousands of lines in app"
    view_lines = "thousands of lines in app/views"
    spare[app_lines] = spare[view_lines] = 1 # not every few lines are a new figure
    pools = "thread pools made in app but by the command line"
    exps = "std::exp in app"
    positions = "enums of positions"
    arrangements = "enums of a block's arrangement"
    norms = "enums of norms"
    families = "comparisons of a family's name"
    tokenizers = "units that see a tokenizer"
    kernels = "units that see a streaming kernel"
    scene = "units that see app/scene/scene.hpp"
    view_state = "units that see app/state/window_state.hpp"
    persons = "comments with somebody, nobody, whoever"
    much = folders_in_circles "|" modes "|" functions "|" members "|" app_lines "|" view_lines "|" pools "|" exps "|" \
        positions "|" arrangements "|" norms "|" families "|" tokenizers "|" kernels "|" scene "|" view_state "|" persons
    for (i = 1; i <= split(much, of, "|"); ++i) rule(of[i])
}

FNR == 1 {
    file = FILENAME
    room = room_of(file)
    in_class = 0
}
{ ++lines[file] }

/^#/ {
    if ($1 == "#include" && substr($2, 1, 1) == "\"") {
        split($2, of, "\"")
        from[++inclusions] = file
        to[inclusions] = of[2]
    } else if ($1 == "#include" && room != "tests") {
        name = substr($2, 2)
        if (room != "app" && name ~ /^(imgui|backends\/imgui|GLFW\/|GL\/|EGL\/|CLI\/)/ || room != "gpu" && name ~ /^cuda/)
            found(foreign, file)
        if (name ~ /^(GLFW\/|backends\/imgui_impl_glfw)/ && file !~ /^app\/(window\/|kit\/gl\/imgui_host[.])/) found(glfw, file)
        if (name ~ /^(GL\/|GLES|EGL\/|backends\/imgui_impl_opengl)/ && !may_draw(file)) found(opengl, file)
    }
}

# Code and comment of the line. A "//" in a string has no space before it.
{
    code = $0
    comment = ""
    if (match($0, /(^|[ \t])\/\//)) {
        code = substr($0, 1, RSTART - 1)
        comment = tolower(substr($0, RSTART))
    }
}
comment ~ /(^|[^a-z])(somebody|anybody|nobody|someone|whoever)([^a-z]|$)/ {
    found(persons, file)
}
code ~ /enum class/ && room != "tests" {
    name = code
    sub(/^.*enum class /, "", name)
    sub(/[^A-Za-z0-9].*$/, "", name)
    if (name ~ /^[A-Za-z]*Positions$/) found(positions, file)
    if (name ~ /^(Arrangement|BlockKind|NormPlace)$/) found(arrangements, file)
    if (name ~ /^([A-Za-z]*Norm|NormKind)$/) found(norms, file)
}
code ~ /family/ && room != "tests" && file !~ /^core\/transformer\/families\// {
    many = matches(code, "family([.]|->)name *([!=]=|[.](starts|ends)_with)")
    if (many) found(families, file, many)
}
code ~ /[^A-Za-z_](gl|egl)[A-Z][A-Za-z0-9]*\(/ && room != "tests" && !may_draw(file) { found(opengl, file) }

room == "app" {
    if (code ~ /Mode::/ && file != "app/shell/action_table.cpp" && file !~ /^app\/pages\// && file != "app/state/page/mode.hpp") {
        many = matches(code, "(^|[^A-Za-z0-9_:])Mode::[A-Z]")
        if (many) found(modes, file, many)
    }
    if (code ~ /State|view/)
        for (i = 1; i <= pages; ++i)
            if (code ~ state_of_page[i]) names_page[i, folder_of(file)] = 1
    if (code ~ /ThreadPool [a-z_]+[({;]/ && file !~ /^app\/cli\//) found(pools, file)
    if (code ~ /std::(jthread|thread)[^:A-Za-z_]/) found(threads, file)
    # The expressions of lessons have a function exp(x), which authors write; it computes nothing of a result.
    if (code ~ /std::exp\(/ && file != "app/lessons/text/expression.cpp") found(exps, file, matches(code, "std::exp\\("))
}

# The class App: statements of its own, without what stands in the brackets of templates or in types within it.
file == "app/shell/app.hpp" {
    if (code ~ /^class App \{/) {
        in_class = 1
        statement = ""
        depth = 0
        next
    }
    if (!in_class) next
    if (code ~ /^\};/) {
        in_class = 0
        next
    }
    if (code ~ /^ *(public|private|protected):/ || code ~ /^ *$/) next
    statement = statement " " code
    depth += matches(code, "[{]") - matches(code, "[}]")
    if (depth > 0 || code !~ /[;}] *$/) next
    while (sub(/<[^<>]*>/, "", statement)) {}
    if (statement ~ /^ *(struct|class|enum|using|friend) /) {
    } else if (statement ~ /^[^({=;]*[a-z0-9]_ *[={;]/) {
        found(members, file, matches(statement, "[a-z0-9]_ *[,={;]"))
    } else if (statement ~ /\(/) {
        found(functions, file)
    }
    statement = ""
}

function may_draw(file) { return file ~ /^app\/(window|kit\/gl)\// || file ~ /^app\/kit\/draw\/texture[.]/ }

# The file that `name` in an inclusion of `file` is; empty where the house has none. Tests include from tests/ as well.
function resolved(file, name) {
    if (room_of(file) == "tests" && ("tests/" name) in known) return "tests/" name
    if (name in known) return name
    if ((folder_of(file) "/" name) in known) return folder_of(file) "/" name
    return ""
}
# Counts the units of the product that see one of the files that match, which it is itself or includes by way of others.
function see(name, pattern,    i, j, n, next_file, queue, last, seen, user) {
    last = 0
    for (i = 1; i <= count; ++i)
        if (all[i] ~ pattern) {
            queue[++last] = all[i]
            seen[all[i]] = 1
        }
    for (i = 1; i <= last; ++i) {
        n = split(users[queue[i]], user, " ")
        for (j = 1; j <= n; ++j)
            if (!(user[j] in seen)) {
                seen[user[j]] = 1
                queue[++last] = user[j]
            }
    }
    for (i = 1; i <= count; ++i)
        if ((all[i] in seen) && is_unit(all[i])) found(name, all[i])
}
# Folders that inclusions lead back to.
function circles(    i, j, k, n, last, queue, seen, next_folder, known_by) {
    for (i = 1; i <= folder_count; ++i) {
        queue[last = 1] = folders[i]
        split("", seen)
        for (j = 1; j <= last && !(folders[i] in seen); ++j) {
            n = split(uses[queue[j]], next_folder, " ")
            for (k = 1; k <= n; ++k)
                if (!(next_folder[k] in seen)) {
                    seen[next_folder[k]] = 1
                    queue[++last] = next_folder[k]
                }
        }
        if (folders[i] in seen) found(folders_in_circles, folders[i])
    }
}
function page_of(file) { # app/pages/walk/x.cpp: walk
    return sub(/^app\/pages\//, "", file) && file ~ /\// ? room_of(file) : ""
}
function thousands(sum) { return int((sum + 999) / 1000) }

END {
    place["core"] = 1
    place["gpu"] = 2
    place["app"] = 3
    place["tests"] = 4
    for (i = 1; i <= inclusions; ++i) {
        a = from[i]
        b = resolved(a, to[i])
        # The product is compiled without tests/ on its path.
        if (b == "" && room_of(a) != "tests" && ("tests/" to[i]) in known) b = "tests/" to[i]
        if (b == "") continue
        users[b] = users[b] " " a
        said = a " includes " b
        if (place[room_of(b)] > place[room_of(a)]) found(direction, said)
        from_page = page_of(a)
        to_page = page_of(b)
        if (room_of(a) == "tests") continue
        if (to_page != "" && from_page != to_page && a != "app/pages/all.cpp") found(page_pairs, said)
        one = folder_of(a)
        other = folder_of(b)
        if (one == other) continue
        if ((other, one) in by_folder && !((one, other) in by_folder))
            found(folders_in_pairs, said ", and " by_folder[other, one])
        if ((one, other) in by_folder) continue
        by_folder[one, other] = said
        uses[one] = uses[one] " " other
    }
    see(tokenizers, "^core/tokenizers/.*[.]hpp$")
    see(kernels, "^core/streaming/kernels/.*[.]hpp$")
    see(scene, "^app/scene/scene[.]hpp$")
    see(view_state, "^app/state/window_state[.]hpp$")

    for (i = 1; i <= count; ++i) {
        file = all[i]
        folder = folder_of(file)
        room = room_of(file)
        if (lines[file] > 400) found(long_files, file " has " lines[file] " lines")
        if (room == "tests") continue
        if (!(folder in files_in)) folders[++folder_count] = folder
        ++files_in[folder]
        lines_in[folder] += lines[file]
        if ((folder == "core" || folder == "app") && file != "app/main.cpp") found(loose, file)
    }
    for (i = 1; i <= folder_count; ++i) {
        folder = folders[i]
        if (files_in[folder] > 36) found(large_folders, folder " holds " files_in[folder])
        if (room_of(folder) != "app") continue
        sum += lines_in[folder]
        found(app_lines, folder ": " lines_in[folder] " lines", 0)
        if (folder !~ /^app\/views(\/|$)/) continue
        sum_of_views += lines_in[folder]
        found(view_lines, folder ": " lines_in[folder] " lines", 0)
    }
    circles()
    counted[app_lines] = thousands(sum)
    counted[view_lines] = thousands(sum_of_views)
    for (i = 1; i <= pages; ++i)
        for (j = 1; j <= folder_count; ++j)
            if ((i, folders[j]) in names_page) found(speaks[i], folders[j])

    n = split("app assets core gpu tests CMakeLists.txt README.md", wanted, " ")
    split(top, is, " ")
    for (i = 1; i <= n; ++i) belongs[wanted[i]] = 1
    for (i in is) there[is[i]] = 1
    for (name in belongs)
        if (!(name in there)) found(top_level, name " is not there")
    for (name in there)
        if (!(name in belongs)) found(top_level, name)
    if (readme > 10000) found(long_readme, "README.md has " readme " bytes")
    report()
}

function is_high(name, most) { return counted[name] + spare[name] < most }
function where_all(name, most,    i, at) {
    for (i = 1; i <= places[name] && i <= most; ++i) {
        at = order[name, i]
        print "    " at (times[name, at] > 1 ? " (" times[name, at] ")" : "")
    }
    if (places[name] > most) print "    and " places[name] - most " more: tests/house/run --files \"" name "\""
}
function report(    i, name, failed, line, most, at) {
    while ((getline line <limits) > 0) {
        kept[++limit_lines] = line
        if (line ~ /^ *(#|$)/) continue
        at = match(line, /, *[0-9]+ *$/)
        name = at ? substr(line, 1, at - 1) : line
        most = substr(line, at + 1) + 0
        if (!at || !(name in counted) || name in allowed) {
            print "limits.txt: there is no rule that this line is of: " line
            failed = 1
        } else if (is_high(name, most) && mode == "lower") {
            kept[limit_lines] = name ", " counted[name] + spare[name]
            print name ": " counted[name] + spare[name] ", was " most
            allowed[name] = counted[name] + spare[name]
        } else {
            allowed[name] = most
        }
    }
    for (i = 1; i <= rules; ++i) {
        name = names[i]
        if (mode == "table") {
            if (i == 1) printf "%6s %6s\n", "count", "most"
            printf "%6d %6s  %s\n", counted[name], (name in allowed) ? allowed[name] : "?", name
        } else if (mode == "files") {
            if (name == files) where_all(name, 1e9)
            is_rule = is_rule || name == files
        } else if (!(name in allowed)) {
            print "limits.txt has no line \"" name ", " counted[name] "\""
            failed = 1
        } else if (counted[name] > allowed[name]) {
            print name ": " counted[name] ", and at most " allowed[name] " are allowed:"
            where_all(name, 40)
            failed = 1
        } else if (is_high(name, allowed[name])) {
            print name ": " counted[name] ", fewer than the " allowed[name] " of limits.txt. Lower it: tests/house/run --lower"
            failed = 1
        }
    }
    if (mode == "files" && !is_rule) {
        print "There is no such rule; tests/house/run --table names them."
        failed = 1
    }
    if (mode == "lower") {
        for (i = 1; i <= limit_lines; ++i) print kept[i] >lowered
        failed = 0
    }
    exit failed
}
