#!/usr/bin/env bash
# Stands before clang where emscripten calls it: wasm-clang.sh CLANG ARGUMENT... (EM_COMPILER_WRAPPER, see wasm.sh).
# When a number from memory is spread over a vector, clang 14 fetches it again for that (v128.load64_splat) and forgets
# which stores stand behind the place in the source: the number may have been overwritten by then (tests/web/splat.c). So
# its intermediate code is written out, what goes into vectors is frozen there, which hides where it came from, and the
# object is made of that, without merging stores, which would make vectors of numbers again.
set -eu
arguments=("$@")
object='' source=-1 compiles=0
for ((i = 1; i < $#; i++)); do
  case ${arguments[i]} in
  -o) object=${arguments[i + 1]} ;;
  -c) compiles=1 ;;
  *.c) source=$i ;;
  esac
done
[ $compiles = 1 ] && [ -n "$object" ] && [ $source -gt 0 ] || exec "$@"
trap 'rm -f "$object.ll"' EXIT
"$@" -S -emit-llvm -o "$object.ll"
sed -E -i "$object.ll" -e 's/^  %([0-9]+) = insertelement (.*), (double|float|i[0-9]+) (%[^ ,]+), (i32|i64) /  %frozen.\1 = freeze \3 \4\n  %\1 = insertelement \2, \3 %frozen.\1, \5 /' \
  -e 's/^  %([0-9]+) = getelementptr (.*), ([^,]*\*) (%[^ ,]+), (.*<[0-9]+ x )/  %frozen.\1 = freeze \3 \4\n  %\1 = getelementptr \2, \3 %frozen.\1, \5/'
arguments[source]=$object.ll
"${arguments[@]}" -w -Xclang -disable-llvm-passes -mllvm -combiner-store-merging=false
