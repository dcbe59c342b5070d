"""Keys of the line editor beyond prompt_toolkit's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prompt_toolkit.document import Document
from prompt_toolkit.filters import (
    Condition,
    completion_is_selected,
    emacs_insert_mode,
    has_focus,
    vi_insert_mode,
    vi_mode,
)
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.keys import Keys

from .burst import Burst
from .commands import is_block, is_special
from .paste import as_program, without_prompts

if TYPE_CHECKING:
    from .loop import Shell

STEP = 4


class Search:
    """Whether the history is looked through for entries that begin as what is typed: only while Up or Down is handled.

    prompt_toolkit turns completion while typing off where that is always on.
    """

    def __init__(self) -> None:
        self.on = False
        self.tabbed: Document | None = None
        """The text behind which Tab asks for a menu: one that is sought while it is typed does not heed the key."""
        self.condition = Condition(lambda: self.on)


def bindings(shell: Shell, search: Search) -> KeyBindings:
    keys = KeyBindings()
    here = has_focus("DEFAULT_BUFFER")
    inserting = here & (emacs_insert_mode | vi_insert_mode)
    burst = Burst()

    @keys.add("enter", filter=here & completion_is_selected)
    def accept_completion(event: Any) -> None:
        event.current_buffer.complete_state = None

    @keys.add("enter", filter=here & ~completion_is_selected)
    def enter(event: Any) -> None:
        burst.look(event)
        _entered(event.current_buffer, shell, burst)

    @keys.add("escape", "enter", filter=here & ~vi_mode)  # with vi keys it ends inserting and runs the entry
    def new_line(event: Any) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add(Keys.Any, filter=inserting, save_before=lambda event: not event.is_repeat)
    def typed(event: Any) -> None:
        event.current_buffer.insert_text(event.data * event.arg + burst.take(event))

    @keys.add("tab", filter=inserting)
    def tab(event: Any) -> None:
        buffer = event.current_buffer
        if burst.own and event.key_processor.input_queue:  # lines that are pasted
            buffer.insert_text("\t")
        elif buffer.complete_state and buffer.complete_state.completions:
            buffer.complete_next()
        elif not buffer.document.current_line_before_cursor.strip():
            buffer.insert_text(" " * (STEP - len(buffer.document.current_line_before_cursor) % STEP))
        else:
            search.tabbed = buffer.document
            buffer.start_completion(insert_common_part=True)

    @keys.add("s-tab", filter=inserting)
    def back_tab(event: Any) -> None:
        buffer = event.current_buffer
        if buffer.complete_state:
            buffer.complete_previous()

    @keys.add("backspace", filter=inserting & Condition(lambda: _in_margin()))
    def unindent(event: Any) -> None:
        before = event.current_buffer.document.current_line_before_cursor
        event.current_buffer.delete_before_cursor((len(before) - 1) % STEP + 1)

    @keys.add("<bracketed-paste>", filter=here)
    def paste(event: Any) -> None:
        _pasted(event.current_buffer, event.data)

    @keys.add("up", filter=here)
    def up(event: Any) -> None:
        _move(event, search, back=True)

    @keys.add("down", filter=here)
    def down(event: Any) -> None:
        _move(event, search, back=False)

    return keys


def _entered(buffer: Any, shell: Shell, burst: Burst) -> None:
    """Enter: the entry is run, or goes on in a new line, at the place of its block."""
    buffer.complete_state = None
    typed = buffer.text
    if (program := as_program(typed)) != typed:  # `>>> x` typed, or pasted where the terminal does not say so
        buffer.document = Document(program)
    document = buffer.document
    text = document.text
    if is_block(text):
        body = text.partition("\n")[2]
        buffer.insert_text("\n" + " " * burst.indent(shell.is_complete(body)[1] if body else 0))
        return
    if is_special(text):
        buffer.validate_and_handle()
        return
    try:
        state, indent = shell.is_complete(text)
    except Exception:  # it will be explained when it runs
        state, indent = "invalid", 0
    after = document.text_after_cursor.strip()
    ended = "\n" not in text or not (document.current_line.strip() or burst.goes_on)
    if burst.goes_on and "\n" in text and state == "complete":
        state = "incomplete"
    fault = buffer.validation_error
    is_shown = fault is not None and fault.cursor_position == buffer.cursor_position
    if is_shown or ("\n" not in text and state != "incomplete"):  # wherever in its line the cursor is
        buffer.validate_and_handle()
    elif not after and (state == "invalid" or (state == "complete" and (ended or indent == 0))):
        buffer.validate_and_handle()
    elif after:
        line = document.current_line_before_cursor
        margin = len(line) - len(line.lstrip(" "))
        buffer.insert_text("\n" + " " * burst.indent(margin + STEP if line.rstrip().endswith(":") else margin))
    else:
        buffer.insert_text("\n" + " " * burst.indent(indent))


def _pasted(buffer: Any, data: str) -> None:
    """A text is pasted: without prompts, and without the margin of the line where it brings its own."""
    is_all = not buffer.text.strip()
    text = as_program(data) if is_all else without_prompts(data)
    before = buffer.document.current_line_before_cursor
    if is_all or (text.startswith((" ", "\t")) and not before.strip()):  # it brings an indent of its own
        buffer.delete_before_cursor(len(before))
    buffer.insert_text(text, fire_event=False)  # no menu over it


def _in_margin() -> bool:
    from prompt_toolkit.application import get_app

    before = get_app().current_buffer.document.current_line_before_cursor
    return bool(before) and not before.strip(" ")


def _move(event: Any, search: Search, back: bool) -> None:
    """Within an entry of several lines up or down, at its edge to the entries that begin as what is typed.

    Down steps into an open menu, in which Up then moves too.
    """
    buffer = event.current_buffer
    if back and buffer.complete_state and buffer.complete_state.complete_index is None:
        buffer.complete_state = None  # a menu that nobody has stepped into
    search.on = True
    try:
        (buffer.auto_up if back else buffer.auto_down)(count=event.arg)
    finally:
        search.on = False
