"""The viewer as a program of its own, shown in a notebook or in the browser."""
from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import threading
import webbrowser
import weakref


class Viewer:
    """A running `pliant view`: url is its page. Ends with close(), or with Python."""

    def __init__(self, made_of, port=0, command=None):
        command = command or os.environ.get("PLIANT_COMMAND") or shutil.which("pliant") or "pliant"
        path, changes, threads, allow_any_path = made_of
        words = [command, "view", "--no-open", "--framed", "-q", path] + (["--port", str(port)] if port else [])
        for name, value in changes.items():
            words += ["--set", f"{name}={value}"]
        words += ["--threads", str(threads)] if threads else []
        words += ["--allow-path"] if allow_any_path else []
        self._process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self._finalizer = weakref.finalize(self, _end, self._process)
        self.messages, self.url = [], None
        while self.url is None:
            line = self._process.stdout.readline()
            if not line:
                self.close()
                raise RuntimeError(f"{command} view did not start: " + " ".join(self.messages).strip())
            self.messages.append(line)
            found = re.search(r"http://\S+", line)
            self.url = found and found.group(0)
        # what it says later must not wait for a reader
        threading.Thread(target=self.messages.extend, args=(self._process.stdout,), daemon=True).start()

    def close(self) -> None:
        """Ends the viewer."""
        self._finalizer()

    def open(self) -> Viewer:
        """Shows the page in the browser."""
        webbrowser.open(self.url)
        return self

    def _repr_html_(self):
        return f'<iframe src="{html.escape(self.url)}" width="100%" height="600" style="border:0"></iframe>'


def _end(process):
    process.terminate()
    process.wait()
    process.stdout.close()
