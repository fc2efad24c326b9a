#!/usr/bin/env bash
# Debian packages that pip cannot bring: OpenGL for pictures without a screen, venv where Debian splits it off, compilers for the
# tests of the C client, and a browser for those of the console.
# Installs only what is missing and only as root with apt; otherwise it says what to do and goes on.
set -u

missing=()
have_library() { ldconfig -p 2>/dev/null | grep -q "$1"; }
have_library libEGL.so.1 || missing+=(libegl1)
have_library libGL.so.1 || missing+=(libgl1)
# Mesa's software renderer is found by the vendor file that comes with it.
[ -e /usr/share/glvnd/egl_vendor.d/50_mesa.json ] || missing+=(libegl-mesa0 libgl1-mesa-dri)
python3 -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3-venv)
# g++ brings gcc and the headers of the C library with it.
{ command -v cc && command -v c++; } >/dev/null || missing+=(g++)
command -v chromium >/dev/null || missing+=(chromium)
[ -d /usr/share/fonts/truetype/dejavu ] || missing+=(fonts-dejavu-core)

[ ${#missing[@]} -eq 0 ] && exit 0
lacking="reports may have no pictures of the hall (OpenGL), the C client (g++) and the console (chromium) cannot be tested"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing ${missing[*]}"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >/dev/null ||
    echo "could not install ${missing[*]}: $lacking"
else
  echo "not root: ask for 'apt-get install ${missing[*]}'; without, $lacking"
fi
exit 0
