#!/usr/bin/env bash
# All tests, under ten minutes on two cores: two processes share those that do not mind, then those that keep wall-clock time
# (marked "live" in tests/conftest.py) run alone.
# Use: tools/test.sh PYTHON
set -u
python=$1
first="tests/against tests/arms tests/bridge tests/core tests/laws tests/maths tests/onboard"
second=""
for folder in tests/*/; do
  folder=${folder%/}
  case " $first " in *" $folder "*) continue ;; esac
  ls "$folder"/test_*.py >/dev/null 2>&1 && second="$second $folder"
done
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$python" -m pytest -m "not live" $first >"$out/first" 2>&1 &
one=$!
"$python" -m pytest -m "not live" $second >"$out/second" 2>&1 &
two=$!
wait $one
codes=$?
wait $two
codes="$codes $?"
cat "$out/first" "$out/second"
"$python" -m pytest -m live
codes="$codes $?"
for code in $codes; do [ "$code" = 0 ] || exit 1; done
