#!/usr/bin/env python3
"""Renders random chat templates with Jinja, set up as transformers does, and with a program of ours, and compares.

    python3 tests/fuzz/chat_templates.py PROGRAM [COUNT [SEED]]

PROGRAM (tests/fuzz/chat_templates.cpp) reads a line of JSON for each template and writes one. It may refuse what Jinja
renders, by name; another text, or a text where Jinja raises, is a failure. Needs jinja2 3.1.6.
"""
import collections
import datetime
import json
import random
import re
import subprocess
import sys

import jinja2
import jinja2.ext
import jinja2.sandbox

DATE = datetime.datetime(2024, 2, 29)


class Generation(jinja2.ext.Extension):
    """{% generation %} of transformers."""
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def environment():
    made = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    made.filters["tojson"] = lambda x, ensure_ascii=False, indent=None, separators=None, sort_keys=False: json.dumps(
        x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
    made.globals["raise_exception"] = raise_exception
    made.globals["strftime_now"] = DATE.strftime
    return made


class Writer:
    """One random template."""

    def __init__(self, r):
        self.r, self.depth, self.loops, self.has_names, self.macros = r, 0, [], False, []
        self.names = ["content", "role", "x", "y", "system_message", "index"]

    def pick(self, *options):
        one = self.r.choice(options)
        return one() if callable(one) else one

    def mostly(self, usual, rare):
        """What real templates have, and now and then what fails in most places."""
        return self.pick(*(rare if self.r.random() < .03 else usual))

    def string(self):
        text = self.r.choice(["", "a", "user", "assistant", "system", " ", "\\n", "<|im_start|>", "é", "None", "x ", "</think>", "1", "世"])
        return self.pick(f"'{text}'", f'"{text}"')

    def message(self):
        options = ["messages[0]", "messages[-1]", "(messages | last)", "(messages | first)"]
        return self.mostly(options + self.loops * 3, ["messages[1]", "message", "loop.previtem", "loop.nextitem", "x"])

    def text(self):
        self.depth += 1
        try:
            if self.depth > 4:
                return self.string()
            message, field = self.message(), self.mostly(["content", "role"], ["reasoning_content", "name"])
            return self.pick(
                self.string, self.string, f"{message}.{field}", f"{message}['{field}']", f"{message}.{field}",
                lambda: self.r.choice(self.names), lambda: self.r.choice(self.names), "bos_token", "eos_token", lambda: self.mostly(["eos_token"], ["tools", "ns", "index"]),
                lambda: f"{self.text()} + {self.text()}", lambda: f"{self.text()} ~ {self.any()}",
                lambda: f"({self.text()}) | {self.filter()}", lambda: f"{self.text()} | {self.filter()}",
                lambda: f"({self.text()}){self.method()}", lambda: f"{message}.content{self.method()}",
                lambda: f"({self.text()} if {self.condition()} else {self.text()})",
                lambda: f"({self.text()} or {self.text()})",
                lambda: f"({self.text()} and {self.text()})", lambda: f"(message.name or {self.text()})" if "message" in self.loops else "'n'",
                lambda: f"({self.text()})[{self.bounds()}]", lambda: f"{message}.get('{field}'{self.pick('', ', ' + self.string())})",
                lambda: f"{self.list()} | join({self.string()})", lambda: f"{self.string()}.join({self.list()})",
                lambda: f"({self.mostly([self.text, self.message, 'messages', self.number], [self.any])}) | tojson{self.pick('', '', '(indent=2)', '(indent=0)')}",
                lambda: f"strftime_now('%d %b %Y')", lambda: f"{self.text()} * {self.r.randint(1, 3)}",
                lambda: "ns." + self.r.choice(["a", "b", "c"]) if self.has_names else "''",
                lambda: f"{self.r.choice(self.macros)}({self.pick(self.text, self.number)}{self.pick('', ', y=1')})" if self.macros else "'m'")
        finally:
            self.depth -= 1

    def bounds(self):
        n = lambda: self.pick("", "1", "-1", "2", "-3", "0", "10")
        return self.mostly([f"{n()}:{n()}", f"{n()}:{n()}", "::-1"], ["0", "-1"])

    def filter(self):
        return self.mostly(
            ["trim", "trim", "length", "upper", "lower", "capitalize", "string", "tojson", "default('d')", "default('d', true)", "first", "last",
             "replace('a', 'b')", "count", "trim | length"],
            ["title", "int", "default", "list", "reverse", "e", "indent(2)", "d(none)"])

    def method(self):
        s = self.string
        if self.r.random() < .02:
            return self.pick(".strip", ".isdigit()", ".items()", ".foo", f"[{self.string()}]")
        return self.pick(".strip()", ".strip()", ".lstrip()", ".rstrip('\\n')", lambda: f".strip({s()})", lambda: f".split({s()})[0]", ".upper()",
                         lambda: f".split({s()})[-1]", lambda: f".startswith({s()})", lambda: f".endswith({s()})", ".title()", ".lower()",
                         lambda: f".replace({s()}, {s()})", lambda: f".replace({s()}, {s()}, 1)", ".capitalize()",
                         lambda: f".split({s()}, 1)[-1]")

    def number(self):
        self.depth += 1
        try:
            if self.depth > 4:
                return str(self.r.randint(0, 3))
            options = [lambda: str(self.r.randint(0, 12)), "messages | length", "messages|length - 1", "-1", "index", "(messages | length)",
                       lambda: f"({self.list()}) | length", lambda: f"({self.text()}) | length", lambda: f"{self.number()} + {self.number()}",
                       lambda: f"{self.number()} - {self.number()}", lambda: f"({self.number()}) * 2", lambda: f"({self.number()}) % 2", lambda: f"({self.number()}) % {self.r.randint(1, 3)}",
                       lambda: f"({self.number()}) // {self.r.randint(1, 3)}", lambda: f"-{self.number()}"]
            if self.loops:
                options += ["loop." + self.r.choice(["index", "index0", "length", "revindex", "revindex0"])] * 6
            return self.pick(*options)
        finally:
            self.depth -= 1

    def any(self):
        return self.pick(self.text, self.text, self.number, self.condition, self.list, self.message, "none", "true", "{}",
                         lambda: f"{{'a': {self.text()}, 'b': [{self.number()}]}}")

    def list(self):
        self.depth += 1
        try:
            if self.depth > 4:
                return "messages"
            field = self.r.choice(["role", "content", "name"])
            if self.r.random() < .05:
                return self.pick(f"messages | map(attribute='{field}')", "range(3)", "messages[0] | items", "messages[0].keys()", "x",
                                 lambda: f"[{self.any()}]")
            return self.pick("messages", "messages", f"messages[{self.bounds()}]", lambda: f"[{self.text()}, {self.text()}]", "[]", "range(3) | list",
                             lambda: f"range({self.number()}) | list", "messages | map(attribute='role') | list",
                             lambda: f"messages | selectattr('role', 'equalto', {self.string()}) | list",
                             lambda: f"messages | rejectattr('{field}', 'in', [{self.string()}, {self.string()}]) | list",
                             f"messages | selectattr('{field}') | list", f"messages | selectattr('{field}', 'defined') | list",
                             f"(messages | map(attribute='{field}') | select | list)", 
                             f"(messages | map(attribute='content') | map('{self.pick('trim', 'upper', 'length')}') | list)",
                             lambda: f"({self.text()}).split({self.string()})", lambda: f"{self.list()} + {self.list()}",
                             lambda: f"({self.list()})[1:]", lambda: f"({self.text()}) | list", "messages[0] | list", "messages[0].values() | list")
        finally:
            self.depth -= 1

    def test(self):
        return self.mostly(["defined", "defined", "none", "not none", "not defined", "string", "true", "false", "mapping", "iterable", "number",
                            "undefined", "sequence", "boolean", "integer", "not string"], ["odd", "callable"])

    def condition(self):
        self.depth += 1
        try:
            if self.depth > 4:
                return self.pick("true", "false", "add_generation_prompt")
            sign = self.r.choice(["==", "!=", "==", "<", ">", ">=", "<="])
            options = ["true", "add_generation_prompt", "tools", "not tools", "documents", "tools is none", "tools is defined", self.text,
                       lambda: f"{self.message()}.role {self.r.choice(['==', '!='])} {self.string()}",
                       lambda: f"{self.message()}['role'] == '{self.r.choice(['user', 'assistant', 'system'])}'",
                       lambda: f"{self.text()} {sign} {self.text()}", lambda: f"{self.number()} {sign} {self.number()}",
                       lambda: f"{self.any()} {self.r.choice(['==', '!='])} {self.any()}",
                       lambda: f"{self.text()} in {self.text()}", lambda: f"{self.text()} not in {self.list()}",
                       lambda: f"{self.string()} in {self.message()}", lambda: f"{self.text()} in [{self.string()}, {self.text()}]",
                       lambda: f"{self.any()} is {self.test()}", lambda: f"{self.text()} is {self.test()}",
                       lambda: f"not {self.condition()}", lambda: f"({self.condition()}) and {self.condition()}",
                       lambda: f"{self.condition()} or {self.condition()}", lambda: f"({self.condition()}) == ({self.condition()})",
                       lambda: f"{self.number()} {sign} {self.number()} {sign} {self.number()}", lambda: f"({self.list()})",
                       "message.name is defined", "message.name", "x is defined", "x", "not y", "messages[1] is defined",
                       lambda: f"({self.text()}).startswith({self.string()})"]
            if self.loops:
                options += ["loop.first", "loop.last", "not loop.first", "loop.index0 % 2 == 0", "loop.previtem is defined",
                            "loop.previtem and loop.previtem.role == 'user'", "loop.nextitem and loop.nextitem.content"] * 2
            return self.pick(*options)
        finally:
            self.depth -= 1

    def tag(self, code):
        return "{%" + self.pick("", "-", "", "+") + f" {code} " + self.pick("", "-", "", "+" if self.r.random() < .2 else "") + "%}"

    def space(self):
        return self.pick("", "", "", "\n", " ", "  \n", "\n  ", "\n\n", "<|x|>", "text ", "{ ", "} ", "{# c #}", "{#- c -#}\n")

    def body(self, most=3):
        return "".join(self.space() + self.statement() for _ in range(self.r.randint(1, most))) + self.space()

    def template(self):
        """What it reads is set in front of it, as a rule."""
        first = "{%- set loop_messages = messages %}{#- user assistant system #}" + self.space()
        for name in self.names:
            if self.r.random() < .9:
                first += self.tag(f"set {name} = {self.r.randint(0, 3) if name == 'index' else self.string()}")
        return first + self.body(5)

    def statement(self):
        self.depth += 1
        try:
            output = lambda: "{{" + self.pick("", "-", "") + f" {self.mostly([self.text] * 8 + [self.number, self.condition], [self.any])} " + self.pick("", "-") + "}}"
            if self.depth > 4:
                return output()
            return self.pick(output, output, output, self.set, self.set, self.branches, self.branches, self.loop, self.loop, self.names_set,
                             self.macro, lambda: self.tag(self.pick("break", "continue")) if self.loops and self.r.random() < .3 else "",
                             lambda: self.tag("generation") + self.body() + self.tag("endgeneration"),
                             lambda: "{{ raise_exception('No') }}" if self.r.random() < .1 else "")
        finally:
            self.depth -= 1

    def set(self):
        name = self.r.choice(self.names + ["messages", "loop_messages"])
        if name.endswith("messages"):
            return self.tag(f"set {name} = {self.mostly(['messages[1:]', 'messages', 'messages[::-1]'], [self.list])}")
        if self.r.random() < .15:
            return self.tag(f"set {name}") + self.body(1) + self.tag("endset")
        return self.tag(f"set {name} = {self.number() if name == 'index' else self.mostly([self.text], [self.any, self.condition])}")

    def names_set(self):
        if not self.has_names:
            self.has_names = True
            return self.tag(f"set ns = namespace(a={self.text()}, b={self.pick('false', self.number)}, c='')")
        return self.tag(f"set ns.{self.r.choice('abc')} = {self.mostly([self.text, 'ns.a ~ ' + self.text()], [self.any, self.number, 'true'])}")

    def branches(self):
        made = self.tag(f"if {self.condition()}") + self.body()
        while self.r.random() < .3:
            made += self.tag(f"elif {self.condition()}") + self.body(2)
        if self.r.random() < .5:
            made += self.tag("else") + self.body(2)
        return made + self.tag("endif")

    def loop(self):
        name = self.r.choice(["message", "m", "message"])
        items = self.mostly(["messages", "messages", "messages[1:]", "loop_messages"], [self.list])
        head = f"for {name} in {items}"
        if self.r.random() < .05:
            head = "for k, v in messages[0].items()"
        if self.r.random() < .1:
            head += f" if {name}.role == 'user'"
        self.loops.append(name)
        body = self.body()
        self.loops.pop()
        return self.tag(head) + body + (self.tag("else") + self.body(1) if self.r.random() < .1 else "") + self.tag("endfor")

    def macro(self):
        if self.loops or self.macros or self.r.random() < .5:
            return ""
        body = self.body(2)
        self.macros.append("f")
        return self.tag("macro f(x, y='d')") + body + self.tag("endmacro")


def chats(r):
    def content():
        return r.choice(["Hi", " a b \n", "Grüße 世界", "", "<think>\nwhy\n</think>\n\nso", "None", "x'\"\\y", "A1b c", "\x1c a \u00a0z", "user", "\t{{ x }}"])

    made = []
    for _ in range(2):
        chat = [{"role": "system", "content": content()}] if r.random() < .4 else []
        for i in range(r.randint(1, 4)):
            message = {"role": r.choice(["user", "assistant"]) if r.random() < .1 else ["user", "assistant"][i % 2], "content": content()}
            if r.random() < .2:
                message[r.choice(["name", "reasoning_content"])] = content()
            chat.append(message)
        made.append(chat)
    return made


def expected(env, source, chat, prompt, tokens):
    messages = [{"thinking": m["reasoning_content"], **m} if "reasoning_content" in m else dict(m) for m in chat]
    try:
        return env.from_string(source).render(messages=messages, tools=None, documents=None, add_generation_prompt=prompt, **tokens)
    except Exception as error:  # Python's own errors come through the sandbox
        return error


def main():
    program, count, seed = (sys.argv[1:] + ["2000", "1"][len(sys.argv) - 2:])[:3]
    env, tally, reasons, shown, cases = environment(), collections.Counter(), collections.Counter(), 0, []
    for number in range(int(count)):
        r = random.Random(f"{seed} {number}")
        tokens = [{"bos_token": "<s>", "eos_token": "</s>"}, {"eos_token": "<|end|>"}]
        cases.append((Writer(r).template(), chats(r), r.choice(tokens)))
    given_lines = "".join(json.dumps({"t": source, "c": given, "s": tokens}) + "\n" for source, given, tokens in cases)
    lines = subprocess.run([program], input=given_lines, stdout=subprocess.PIPE, encoding="utf-8").stdout.split("\n")[:-1]
    if len(lines) < len(cases):
        print(f"The program ended at template {len(lines)}: {cases[len(lines)][0]!r}")
        return 1
    for number, ((source, given, tokens), line) in enumerate(zip(cases, lines)):
        answers = iter(json.loads(line))
        for chat in given:
            for prompt in (False, True):
                made, answer = expected(env, source, chat, prompt, tokens), next(answers)
                if "error" in answer:
                    kind = "refused by both" if isinstance(made, Exception) else "refused by us alone"
                    if kind != "refused by both":
                        reasons[re.sub(r'"[^"]*"', '"…"', answer["error"].split(": ", 2)[-1])] += 1
                elif answer["text"] == made:
                    kind = "equal"
                else:
                    kind = "DIFFERENT"
                    if (shown := shown + 1) <= 10:
                        print(f"{number}: {source!r}\n  {chat} {prompt} {tokens}\n  Jinja {made!r}\n  ours  {answer['text']!r}")
                tally[kind] += 1
    print(f"{count} templates, {sum(tally.values())} texts:", ", ".join(f"{n} {kind}" for kind, n in sorted(tally.items())))
    for reason, n in reasons.most_common(25):
        print(f"  {n:6} {reason}")
    return 1 if tally["DIFFERENT"] else 0


sys.exit(main())
