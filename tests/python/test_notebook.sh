#!/usr/bin/env bash
# A notebook shows a body, and a slider in the cell's result changes its stiffness: examples/python/stiffness.ipynb in
# Jupyter, opened and used in headless Chromium (tests/python/notebook.mjs).
set -eu
skip() {
  echo "skipped: $1"
  exit 77
}
! grep -q '^PLIANT_SANITIZE:STRING=.' "$PLIANT_BUILD/CMakeCache.txt" || skip "a sanitizer does not see the page"
"$PLIANT_COMMAND" view --help 2>/dev/null | grep -q framed || skip "this build has no viewer"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "there is no Chromium (Debian: chromium)"
command -v node >/dev/null || skip "there is no node"
[ -d "$PLIANT_SOURCE/viewer/node_modules/playwright-core" ] || skip "playwright-core is not installed"
[ -x /usr/bin/jupyter-notebook ] || skip "there is no Jupyter (Debian: jupyter-notebook)"
/usr/bin/python3 -c 'import cffi, numpy' 2>/dev/null || skip "cffi and numpy are not there (apt-get install python3-cffi python3-numpy)"
work=$(mktemp -d)
export HOME=$work JUPYTER_RUNTIME_DIR=$work/runtime PLIANT_LIBRARY=$PLIANT_BUILD/libpliant.so PYTHONPATH=$PLIANT_SOURCE/python
export PLIANT_BROWSER=$browser PLIANT_PICTURES=$PLIANT_BUILD/viewer/pictures PLIANT_SOURCE PLIANT_COMMAND PYTHONDONTWRITEBYTECODE=1
mkdir -p "$PLIANT_PICTURES" "$JUPYTER_RUNTIME_DIR"
cp "$PLIANT_SOURCE/examples/python/stiffness.ipynb" "$work/"
port=$((20000 + RANDOM % 20000))
/usr/bin/jupyter-notebook --no-browser --allow-root --ip=127.0.0.1 --port="$port" --NotebookApp.token=pliant \
  --notebook-dir="$work" >"$work/log" 2>&1 &
jupyter=$!
trap 'kill $jupyter 2>/dev/null; wait $jupyter 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 300); do
  grep -q "http://127.0.0.1:$port" "$work/log" && break
  sleep 0.2
done
node "$PLIANT_SOURCE/tests/python/notebook.mjs" "http://127.0.0.1:$port/notebooks/stiffness.ipynb?token=pliant" || {
  tail -n 8 "$work/log"
  exit 1
}
