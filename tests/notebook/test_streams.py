"""What programs print, when several threads send it."""

from __future__ import annotations

from threading import Event, Thread, current_thread
from unittest.mock import create_autospec, patch

import pytest
from ipykernel.iostream import IOPubThread, OutStream
from jupyter_client.session import Session

from tensorsh.notebook.streams import Stream


@pytest.fixture
def stream() -> Stream:
    """A stream whose sending thread is one of the test's."""
    thread = create_autospec(IOPubThread, instance=True)
    thread.io_loop, thread.thread = None, None
    return Stream(Session(), thread, "stdout", watchfd=False)


def test_nothing_written_is_not_sent(stream) -> None:
    with patch.object(OutStream, "flush") as sending:
        stream.flush()
        assert sending.call_count == 0
        stream.write("a")
        stream.write("b")
        stream.flush()
        stream.flush()
    assert sending.call_count == 1


def test_a_flush_waits_for_what_another_thread_is_sending(stream) -> None:
    """The thread of the control channel flushes, too: a cell that ends meanwhile says so behind its text."""
    begun, go_on, sent = Event(), Event(), []

    def slowly(self) -> None:
        begun.set()
        go_on.wait(10)
        sent.append(current_thread().name)

    with patch.object(OutStream, "flush", slowly):
        stream.write("text")
        control = Thread(target=stream.flush, name="control")
        control.start()
        assert begun.wait(10)
        cell = Thread(target=stream.flush, name="cell")
        cell.start()
        cell.join(0.2)
        assert cell.is_alive() and sent == []
        go_on.set()
        cell.join(10)
        control.join(10)
        assert sent == ["control"]


def test_what_an_interrupt_left_is_sent_by_the_next_flush(stream) -> None:
    with patch.object(OutStream, "flush", side_effect=KeyboardInterrupt):
        stream.write("text")
        with pytest.raises(KeyboardInterrupt):
            stream.flush()
    with patch.object(OutStream, "flush") as sending:
        stream.flush()
        stream.flush()
    assert sending.call_count == 1


def test_the_sending_thread_waits_for_nobody(stream) -> None:
    """A log line is written and flushed there, while others wait for what it sends."""
    stream.pub_thread.thread = Thread(target=stream.flush)
    with stream.sending, patch.object(OutStream, "flush") as sending:
        stream.pub_thread.thread.start()
        stream.pub_thread.thread.join(10)
    assert sending.call_count == 1
