"""How a verb ends when the user's words cannot be followed, or the machine cannot follow them.

An error that Mirada raised itself is a sentence for the user; any other is a bug and shows Python's own traceback,
which can be searched and reported.
"""

import contextlib
import dis
import errno
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import typer

PACKAGE = Path(__file__).resolve().parents[1]
RAISE = dis.opmap["RAISE_VARARGS"]  # the instruction of a `raise` statement
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
WRONG_USE = 2  # the status of every wrong use, as of typer's own complaints
FAILED = 1  # the words were right, and the run still cannot go on
INTERRUPTED = 130  # 128 + SIGINT, as shells count it


def fail(sentence: str, status: int = WRONG_USE) -> NoReturn:
    """End with a sentence on standard error."""
    typer.echo(f"mirada: {sentence}", err=True)
    raise typer.Exit(status)


@contextlib.contextmanager
def failing() -> Iterator[None]:
    """A context, or with @failing() a verb, in which errors that a user can act on end with a sentence."""
    try:
        yield
    except KeyboardInterrupt:
        fail("stopped from the keyboard", INTERRUPTED)
    except BrokenPipeError:
        _leave_quietly()
    except OSError as error:
        _tell(error, _about_file(error))
    except Exception as error:
        if not is_ours(error):
            raise
        _tell(error, _about(error))


def is_ours(error: Exception) -> bool:
    """Whether Mirada raised this error on purpose: its own kind, or a ValueError from a `raise` of its own.

    A ValueError that comes out of a call, such as int("x"), is a bug even where the call stands in Mirada; a
    configuration that pydantic refused is not.
    """
    if type(error).__module__.partition(".")[0] == "mirada" or _refused_by_pydantic(error):
        return True
    step = error.__traceback__
    if not isinstance(error, ValueError) or step is None:
        return False
    while step.tb_next is not None:
        step = step.tb_next
    code = step.tb_frame.f_code
    return Path(code.co_filename).is_relative_to(PACKAGE) and code.co_code[step.tb_lasti] == RAISE


def _refused_by_pydantic(error: Exception) -> bool:
    """Whether this is pydantic's ValidationError, told by name: importing pydantic takes longer than --help may."""
    return any(
        kind.__module__.startswith("pydantic") and kind.__name__ == "ValidationError" for kind in type(error).__mro__
    )


def _about(error: Exception) -> str:
    return _about_config(error) if _refused_by_pydantic(error) else str(error)


def _about_config(error: Exception) -> str:
    """All that pydantic found, each with its place, on a line of its own."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return str(error)
    found = [
        f"{'.'.join(map(str, one['loc'])) or error.title} = {one['input']!r}: {one['msg']}" for one in error.errors()
    ]
    return "\n  ".join([f"{error.title} cannot be used:", *found]) if len(found) > 1 else found[0]


def _about_file(error: OSError) -> str:
    name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else None
    if error.errno in DISK_FULL:
        return f"no space left on {name or 'the disk'}; free some and run the same command again"
    if name is None:
        return str(error)
    return f"{name} cannot be read or written: {error.strerror}; check the name and its permissions"


def _tell(error: Exception, sentence: str) -> NoReturn:
    """End with the sentence; with -v the traceback stands before it."""
    from mirada.cli.saying import is_verbose  # not above: saying knows this module

    if is_verbose():
        typer.echo("".join(traceback.format_exception(error)), err=True, nl=False)
    fail(sentence, FAILED)


def _leave_quietly() -> NoReturn:
    """End without a word: whoever read our output, such as `head`, has had enough of it."""
    with contextlib.suppress(OSError, ValueError):  # not every standard output is a file
        # What is still buffered is flushed when Python ends, and must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise typer.Exit(FAILED)
