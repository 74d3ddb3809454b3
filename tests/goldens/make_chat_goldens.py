#!/usr/bin/env python3
"""Renders chats with templates in the manner of known ones, as transformers does, into chat/goldens.json: each template
with its special tokens, and for each chat the text, or that the template raises and what it says.

Made with transformers 5.24.0 and Jinja 3.1.6:
    python3 tests/goldens/make_chat_goldens.py
"""
import datetime
import json
import os

import jinja2
from transformers.utils import chat_template_utils

here = os.path.dirname(os.path.abspath(__file__))
DATE = "2024-02-29"


class Clock(datetime.datetime):
    """The day that strftime_now() says."""

    @classmethod
    def now(cls, tz=None):
        return cls.fromisoformat(DATE)


chat_template_utils.datetime = Clock

TEMPLATES = {
    # Special tokens, template.
    "ChatML": ({"bos_token": "<s>", "eos_token": "<|im_end|>"}, """\
{% for message in messages %}
{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}
{% endfor %}
{% if add_generation_prompt %}
{{ '<|im_start|>assistant\\n' }}
{% endif %}
"""),
    "Llama 3": ({"bos_token": "<|begin|>", "eos_token": "<|eot|>"}, """\
{{- bos_token }}
{%- if not date_string is defined %}
    {%- if strftime_now is defined %}
        {%- set date_string = strftime_now("%d %b %Y") %}
    {%- else %}
        {%- set date_string = "26 Jul 2024" %}
    {%- endif %}
{%- endif %}
{#- The system message comes out of the list. #}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|header|>system<|/header|>\\n\\n" }}
{%- if tools is not none %}
    {{- "Environment: tools\\n" }}
{%- endif %}
{{- "Knowledge until: December 2023\\nToday: " + date_string + "\\n\\n" }}
{{- system_message }}
{{- "<|eot|>" }}
{%- for message in messages %}
    {%- if not (message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<|header|>' + message['role'] + '<|/header|>\\n\\n'+ message['content'] | trim + '<|eot|>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|header|>assistant<|/header|>\\n\\n' }}
{%- endif %}
"""),
    "Llama 2": ({"bos_token": "<s>", "eos_token": "</s>"},
                "{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}"
                "{% set system_message = messages[0]['content'] %}{% else %}{% set loop_messages = messages %}"
                "{% set system_message = false %}{% endif %}{% for message in loop_messages %}"
                "{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
                "{{ raise_exception('Roles must alternate user/assistant/user/assistant/...') }}{% endif %}"
                "{% if loop.index0 == 0 and system_message != false %}"
                "{% set content = '<<SYS>>\\n' + system_message + '\\n<</SYS>>\\n\\n' + message['content'] %}"
                "{% else %}{% set content = message['content'] %}{% endif %}{% if message['role'] == 'user' %}"
                "{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}"
                "{% elif message['role'] == 'assistant' %}{{ ' ' + content.strip() + ' ' + eos_token }}{% endif %}"
                "{% endfor %}"),
    "Gemma": ({"bos_token": "<bos>", "eos_token": "<eos>"}, """\
{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}
{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}
{% if (message['role'] == 'assistant') %}{% set role = 'model' %}{% else %}{% set role = message['role'] %}{% endif %}
{{ '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}{% endfor %}
{% if add_generation_prompt %}{{'<start_of_turn>model\\n'}}{% endif %}"""),
    "Mistral": ({"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}, """\
{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{%- if not tools is defined %}
    {%- set tools = none %}
{%- endif %}
{%- set user_messages = loop_messages | selectattr("role", "equalto", "user") | list %}
{%- set ns = namespace() %}
{%- set ns.index = 0 %}
{%- for message in loop_messages %}
    {%- if (message["role"] == "user") != (ns.index % 2 == 0) %}
        {{- raise_exception("After the optional system message, conversation roles must alternate") }}
    {%- endif %}
    {%- set ns.index = ns.index + 1 %}
{%- endfor %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if message["role"] == "user" %}
        {%- if loop.last and system_message is defined %}
            {{- "[INST] " + system_message + "\\n\\n" + message["content"] + "[/INST]" }}
        {%- else %}
            {{- "[INST] " + message["content"] + "[/INST]" }}
        {%- endif %}
    {%- elif message["role"] == "assistant" %}
        {{- " " + message["content"]|trim + eos_token }}
    {%- else %}
        {{- raise_exception("Only user and assistant roles are supported, with an optional system message") }}
    {%- endif %}
{%- endfor %}
{{- " (" ~ user_messages | length ~ ")" }}
"""),
    "Zephyr": ({"bos_token": "<s>", "eos_token": "</s>"}, """\
{% for message in messages %}
{% if message['role'] == 'user' %}
{{ '<|user|>\\n' + message['content'] + eos_token }}
{% elif message['role'] == 'system' %}
{{ '<|system|>\\n' + message['content'] + eos_token }}
{% elif message['role'] == 'assistant' %}
{{ '<|assistant|>\\n'  + message['content'] + eos_token }}
{% endif %}
{% if loop.last and add_generation_prompt %}
{{ '<|assistant|>' }}
{% endif %}
{% endfor %}"""),
    "Phi 3": ({"bos_token": "<s>", "eos_token": "<|endoftext|>"},
              "{% for message in messages %}{% if message['role'] == 'system' %}"
              "{{'<|system|>\\n' + message['content'] + '<|end|>\\n'}}{% elif message['role'] == 'user' %}"
              "{{'<|user|>\\n' + message['content'] + '<|end|>\\n'}}{% elif message['role'] == 'assistant' %}"
              "{{'<|assistant|>\\n' + message['content'] + '<|end|>\\n'}}{% endif %}{% endfor %}"
              "{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% else %}{{ eos_token }}{% endif %}"),
    "Qwen": ({"eos_token": "<|im_end|>"}, """\
{%- if tools %}
    {{- '<|im_start|>system\\n# Tools' }}
{%- else %}
    {%- if messages[0]['role'] == 'system' %}
        {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}
    {%- endif %}
{%- endif %}
{%- set ns = namespace(multi_step_tool=true, last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.multi_step_tool and message.role == "user" and message.content is string and not(message.content.startswith('<tool>') and message.content.endswith('</tool>')) %}
        {%- set ns.multi_step_tool = false %}
        {%- set ns.last_query_index = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {%- set content = message.content %}
        {%- set reasoning_content = '' %}
        {%- if message.reasoning_content is defined and message.reasoning_content is not none %}
            {%- set reasoning_content = message.reasoning_content %}
        {%- elif '</think>' in message.content %}
            {%- set content = message.content.split('</think>')[-1].lstrip('\\n') %}
            {%- set reasoning_content = message.content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
        {%- endif %}
        {%- if loop.index0 > ns.last_query_index and (loop.last or reasoning_content) %}
            {{- '<|im_start|>' + message.role + '\\n<think>\\n' + reasoning_content.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\\n' + content }}
        {%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}
"""),
    "Llama 3.1": ({"bos_token": "<|begin|>", "eos_token": "<|eot|>"}, """\
{{- bos_token }}
{%- if custom_tools is defined %}
    {%- set tools = custom_tools %}
{%- endif %}
{%- if not tools_in_user_message is defined %}
    {%- set tools_in_user_message = true %}
{%- endif %}
{%- if not tools is defined %}
    {%- set tools = none %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|header|>system<|/header|>\\n\\n" }}
{%- if builtin_tools is defined or tools is not none %}
    {{- "Environment: ipython\\n" }}
{%- endif %}
{%- if builtin_tools is defined %}
    {{- "Tools: " + builtin_tools | reject('equalto', 'code_interpreter') | join(", ") + "\\n\\n"}}
{%- endif %}
{%- if tools is not none and not tools_in_user_message %}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\\n\\n" }}
    {%- endfor %}
{%- endif %}
{{- system_message }}
{{- "<|eot|>" }}
{%- if tools_in_user_message and not tools is none %}
    {%- if messages | length != 0 %}
        {%- set first_user_message = messages[0]['content']|trim %}
        {%- set messages = messages[1:] %}
    {%- else %}
        {{- raise_exception("Cannot put tools in the first user message when there's no first user message!") }}
    {%- endif %}
{%- endif %}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<|header|>' + message['role'] + '<|/header|>\\n\\n'+ message['content'] | trim + '<|eot|>' }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls|length == 1 %}
            {{- raise_exception("This model only supports single tool-calls at once!") }}
        {%- endif %}
        {%- set tool_call = message.tool_calls[0].function %}
        {%- for arg_name, arg_val in tool_call.arguments | items %}
            {{- arg_name + '="' + arg_val + '"' }}
            {%- if not loop.last %}
                {{- ", " }}
            {%- endif %}
        {%- endfor %}
    {%- elif message.role == "tool" or message.role == "ipython" %}
        {{- "<|header|>ipython<|/header|>\\n\\n" }}
        {%- if message.content is mapping or message.content is iterable %}
            {{- message.content | tojson }}
        {%- else %}
            {{- message.content }}
        {%- endif %}
        {{- "<|eot|>" }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|header|>assistant<|/header|>\\n\\n' }}
{%- endif %}
"""),
    "DeepSeek R1": ({"bos_token": "<|begin|>", "eos_token": "<|end|>"},
                    "{% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}{% endif %}"
                    "{% set ns = namespace(is_first=false, is_tool=false, is_output_first=true, system_prompt='') %}"
                    "{%- for message in messages %}{%- if message['role'] == 'system' %}"
                    "{% set ns.system_prompt = message['content'] %}{%- endif %}{%- endfor %}{{bos_token}}{{ns.system_prompt}}"
                    "{%- for message in messages %}{%- if message['role'] == 'user' %}{%- set ns.is_tool = false -%}"
                    "{{'<|User|>' + message['content']}}{%- endif %}"
                    "{%- if message['role'] == 'assistant' and message['content'] is none %}{%- set ns.is_tool = false -%}"
                    "{{'<|calls|>'}}{%- endif %}"
                    "{%- if message['role'] == 'assistant' and message['content'] is not none %}{%- if ns.is_tool %}"
                    "{{'<|outputs|>' + message['content'] + eos_token}}{%- set ns.is_tool = false -%}{%- else %}"
                    "{% set content = message['content'] %}{% if '</think>' in content %}"
                    "{% set content = content.split('</think>')[-1] %}{% endif %}"
                    "{{'<|Assistant|>' + content + eos_token}}{%- endif %}{%- endif %}{%- endfor -%}"
                    "{% if ns.is_tool %}{{'<|outputs|>'}}{% endif %}"
                    "{% if add_generation_prompt and not ns.is_tool %}{{'<|Assistant|><think>\\\\n'}}{% endif %}"),
    "Granite": ({"bos_token": "<s>", "eos_token": "<|end|>"}, """\
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content'] %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set system_message = "Knowledge until: April 2024.\\nToday: " + strftime_now('%B %d, %Y') + "." %}
    {%- if tools and documents %}
        {%- set system_message = system_message + " With tools and documents." %}
    {%- elif tools %}
        {%- set system_message = system_message + " With tools." %}
    {%- else %}
        {%- set system_message = system_message + " A helpful assistant." %}
    {%- endif %}
    {%- set loop_messages = messages %}
{%- endif %}
{{- '<|start_of_role|>system<|end_of_role|>' + system_message + '<|end_of_text|>\\n' }}
{%- for message in loop_messages %}
    {{- '<|start_of_role|>' + message['role'] + '<|end_of_role|>' + message['content'] + '<|end_of_text|>\\n' }}
    {%- if loop.last and add_generation_prompt %}
        {{- '<|start_of_role|>assistant' }}
        {%- if controls %}
            {{- ' ' + controls | tojson() }}
        {%- endif %}
        {{- '<|end_of_role|>' }}
    {%- endif %}
{%- endfor %}
"""),
    "Command R": ({"bos_token": "<BOS>", "eos_token": "<|END|>"},
                  "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}"
                  "{% set system_message = messages[0]['content'] %}{% elif false == true %}"
                  "{% set loop_messages = messages %}{% set system_message = 'You are Command-R.' %}{% else %}"
                  "{% set loop_messages = messages %}{% set system_message = false %}{% endif %}"
                  "{% if system_message != false %}{{ '<|START|><|SYSTEM|>' + system_message + '<|END|>' }}{% endif %}"
                  "{% for message in loop_messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
                  "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}"
                  "{% set content = message['content'] %}{% if message['role'] == 'user' %}"
                  "{{ '<|START|><|USER|>' + content.strip() + '<|END|>' }}{% elif message['role'] == 'assistant' %}"
                  "{{ '<|START|><|CHATBOT|>' + content.strip() + '<|END|>' }}{% endif %}{% endfor %}"
                  "{% if add_generation_prompt %}{{ '<|START|><|CHATBOT|>' }}{% endif %}"),
    # What is easily computed in another way than Jinja does.
    "values": ({"bos_token": "<s>"}, """\
{%- set x = 'outer' %}
{%- for m in messages %}
    {%- if loop.first %}{% set x = 'first' %}{% endif %}
    {{- x ~ (m.reasoning_content or '-') ~ (m.content and m.role) ~ (loop.previtem.role if loop.previtem) }}
    {{- [m.content | length, m.content[1:3], (loop.index0 - 1) % 3, '' in [m.content]] | tojson }}
    {{- m | tojson(indent=2) }}
{%- else %}
    {{- 'none' }}
{%- endfor %}
{{- x ~ tools ~ (tools is defined) ~ (y is none) ~ y }}
{{- messages | map(attribute='role') | join('|') }}
"""),
    # What is easily read in another way than Jinja does: white space in front of expressions, line ends, signs, escapes.
    "white space": ({"bos_token": "<s>"}, "\r\n".join([
        "  {{ bos_token }}  ", "    {% for m in messages %}", "\t{{ m.role }}:", "  {# a {{ comment }} -#}  ",
        "  {%+ if loop.first %}  first {%+ endif +%}", "x {%- if true -%} y {%- endif %}", "{{- m.content -}}  ",
        "    {% endfor %}", "{%- set ends = {'a': {'b': '}}%}'}} %}", "{{ ends.a.b }}", "  {{ '\\u00e9\\x41\\d\\t|\"' }}",
        "{% macro say(what, end='!') %}", "[{{ what }}{{ end }}]", "{% endmacro %}", "{{ say('a') }}{{ say('b', end='?') }}",
        "", "", ""])),
}
CHATS = {
    "one": [{"role": "user", "content": "Hello"}],
    "three": [{"role": "user", "content": "  Who wrote \"Faust\"?\n\tTell me. "}, {"role": "assistant", "content": "Goethe.\n"},
              {"role": "user", "content": "When?"}],
    "with a system": [{"role": "system", "content": " Be brief.\n"}, {"role": "user", "content": "Grüße, 世界 \\ 'x' {{ y }}"},
                      {"role": "assistant", "content": "<think>\nShort.\n</think>\n\nHallo"}, {"role": "user", "content": "<|im_end|>"}],
    "ends with the assistant": [{"role": "user", "content": "1 + 1?"}, {"role": "assistant", "content": "2",
                                                                       "reasoning_content": "It is\nsimple."}],
    "system last": [{"role": "user", "content": "a"}, {"role": "system", "content": "b"}],
    "two users": [{"role": "user", "content": "a"}, {"role": "user", "content": ""}],
}


def render(source, tokens, messages, prompt):
    try:
        text = chat_template_utils.render_jinja_template(
            [messages], chat_template=source, add_generation_prompt=prompt, **tokens)[0][0]
        return {"text": text}
    except jinja2.exceptions.TemplateError as error:
        return {"raises": str(error)}


goldens = {"date": DATE, "chats": CHATS, "templates": {}}
for name, (tokens, source) in TEMPLATES.items():
    goldens["templates"][name] = {
        "source": source, "special_tokens": tokens,
        "rendered": [dict(chat=chat, add_generation_prompt=prompt, **render(source, tokens, messages, prompt))
                     for chat, messages in CHATS.items() for prompt in (False, True)]}
os.makedirs(os.path.join(here, "chat"), exist_ok=True)
with open(os.path.join(here, "chat", "goldens.json"), "w", encoding="utf-8") as file:
    json.dump(goldens, file, ensure_ascii=False, indent=1)
    file.write("\n")
