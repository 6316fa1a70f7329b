#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# wheel.sh SOURCE BUILD PYTHON: the wheel goes into a fresh environment without network and compiler, and runs there, with and without NumPy.
set -eu
source=$1 build=$2 python=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wheel=$("$python" "$source/python/wheel" --build "$build" --source "$source")
"$python" -m venv "$work/fresh"
fresh="$work/fresh/bin/python"
env -i PATH=/nowhere "$fresh" -m pip install --quiet --no-index --disable-pip-version-check "$wheel"
cd "$work"
cp "$source/scenes/rotating-ball.yaml" scene.yaml
cat >first.py <<'END'
import zeno

result = zeno.load("scene.yaml", omega=20).run(scheme="radau-2a:2", step=1e-2, end=2)
assert len(result) == 201 and result.status == "ok", result
assert abs(result["y"][-1] - 0.1) < 1e-9, result["y"][-1]
assert result.q.shape == (201, 3)
result.save("ball.h5")
assert list(zeno.open("ball.h5")["x"]) == list(result["x"])
assert zeno.__file__.startswith(END_PREFIX), zeno.__file__
try:
    import numpy
    print("with NumPy", type(result.q).__name__)
except ImportError:
    print("without NumPy", type(result.q).__name__)
END
sed -i "s|END_PREFIX|\"$work\"|" first.py
env -i PATH=/nowhere "$fresh" first.py | grep -qx 'without NumPy memoryview'
env -i PATH=/nowhere "$fresh" -m zeno run scene.yaml --summary >summary.json
grep -q '"status": "ok"' summary.json
# Every library but those of the C library comes from the wheel.
env -i PATH=/nowhere "$fresh" - <<'END'
import zeno._zeno
with open("/proc/self/maps", encoding="ascii") as maps:
    loaded = {line.split()[-1] for line in maps if ".so" in line}
ours = [path for path in loaded if "/zeno/libs/" in path]
assert len(ours) > 5, loaded
foreign = [path for path in loaded if any(word in path for word in ("hdf5", "fyaml", "klu", "lapack", "blas")) and "/zeno/libs/" not in path]
assert not foreign, foreign
END
sed -i 's/^include-system-site-packages = false/include-system-site-packages = true/' "$work/fresh/pyvenv.cfg"
env -i PATH=/nowhere "$fresh" first.py | grep -qx 'with NumPy ndarray'
echo "$(basename "$wheel"): installs and runs"
