#!/usr/bin/env bash
# The C++ tests and the tests of the engine on aarch64, under qemu: `make test-arm`. Wants qemu-aarch64-static and
# aarch64-linux-gnu-g++ (Debian: qemu-user-static, g++-aarch64-linux-gnu), apt-get with arm64 for its Python, and the
# wheel for aarch64 in dist.
set -euo pipefail
cd "$(dirname "$0")/../.."
arm=$PWD/build/arm root=$PWD/build/arm/root
cmake -S native -B "$arm/cpp" -G Ninja -DNATIVE_TESTS=ON -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
  -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DCMAKE_EXE_LINKER_FLAGS=-static \
  -DCMAKE_CROSSCOMPILING_EMULATOR="$(command -v qemu-aarch64-static)" > /dev/null
cmake --build "$arm/cpp"
ctest --test-dir "$arm/cpp" --output-on-failure

if [ ! -e "$root/usr/bin/python3.11" ]; then  # Debian's Python for arm64, unpacked and not installed
  dpkg --print-foreign-architectures | grep -q arm64 || { dpkg --add-architecture arm64; apt-get update -qq; }
  mkdir -p "$arm/debs" "$root"
  (cd "$arm/debs" && apt-get download -qq {python3.11,libpython3.11}-minimal:arm64 libpython3.11-stdlib:arm64 \
    {libc6,zlib1g,libexpat1,libssl3,libffi8,libsqlite3-0,libbz2-1.0,liblzma5,libgcc-s1,libstdc++6,libuuid1}:arm64)
  for package in "$arm"/debs/*.deb; do dpkg -x "$package" "$root"; done
fi
[ -e "$arm/site/pytest" ] || python3 -m pip install --quiet --target "$arm/site" --python-version 3.11 \
  --implementation cp --only-binary=:all: --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 \
  --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 \
  numpy scipy scikit-learn joblib narwhals highspy typer rich PyYAML pytest hypothesis pandas
rm -rf "$arm/package"
python3 -m zipfile -e dist/supersparse-*manylinux2014_aarch64.whl "$arm/package"
export PYTHONPATH="$arm/package:$arm/site" PYTHONDONTWRITEBYTECODE=1
qemu-aarch64-static -L "$root" "$root/usr/bin/python3.11" -m pytest -q -p no:cacheprovider -m "not long" \
  -k "not kill_9" --rootdir . -c pyproject.toml "${@:-tests/engine/questions}"
