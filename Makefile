# SPDX-License-Identifier: Apache-2.0
# The commands that people need, over CMake and its presets. `make help` lists them.
.POSIX:
.SUFFIXES:
.PHONY: build run python test test-packages test-clang test-asan test-threads test-viewer viewer bench bench-python peers piles matrix validate mechanisms clean reference check-format format help packages

JOBS = $$(getconf _NPROCESSORS_ONLN)

PYTHON_PACKAGES = python3-dev python3-numpy python3-venv
LIBRARIES_AND_PROGRAM = zeno zeno_shared zeno_static

build: packages ## build/zeno and the libraries, optimised (what is missing is installed first)
	@test -f build/build.ninja || cmake --preset release
	@cmake --build --preset release --target $(LIBRARIES_AND_PROGRAM)

run: build ## the rotating ball: a table here, its result and a plot in out/
	@mkdir -p out
	build/zeno run scenes/rotating-ball.yaml --out out/rotating-ball.h5
	build/zeno plot out/rotating-ball.h5 --x t --y x,y --out out/rotating-ball.svg
	@echo "Result: out/rotating-ball.h5    Plot: out/rotating-ball.svg"

test: test-packages build ## every test
	@cmake --preset release >/dev/null
	@cmake --build --preset release
	@ctest --preset release -j $(JOBS)

# Configuring again finds what was installed since the program was built.
test-packages:
	@scripts/install-packages python3 $(PYTHON_PACKAGES) python3-pytest python3-xarray python3-h5py mypy 'libopenmpi-dev|libmpich-dev' 'openmpi-bin|mpich' hdf5-tools

test-clang: test-packages ## every test of a release build by clang
	@scripts/install-packages clang
	@cmake --preset clang >/dev/null
	@cmake --build --preset clang
	@ctest --preset clang -j $(JOBS)

test-asan: test-packages ## every test with the address, leak and undefined-behaviour checkers
	@test -f build/asan/build.ninja || cmake --preset asan
	@cmake --build --preset asan
	@ctest --preset asan -j $(JOBS)

test-threads: test-packages ## whatever shares work between threads, with the thread checker
	@test -f build/tsan/build.ninja || cmake --preset tsan
	@cmake --build --preset tsan --target zeno test_base test_base_team test_sim_many test_assembly_shared
	@ctest --preset tsan -j $(JOBS)

python: build ## the Python package: a wheel in build/python/ with everything inside
	@scripts/install-packages python3 $(PYTHON_PACKAGES)
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target python
	@python3 python/wheel --build build --source .

viewer: ## the script inside of the pages that zeno page writes: build/viewer/zeno-viewer.js, from npm
	@command -v npm >/dev/null || scripts/install-packages nodejs npm
	@npm ci --prefix viewer --no-progress
	@mkdir -p build/viewer
	@npm run --silent --prefix viewer bundle -- ../build/viewer/zeno-viewer.js

test-viewer: build viewer ## pages in a real browser (chromium)
	@command -v chromium >/dev/null || scripts/install-packages chromium
	@npm ci --prefix tests/viewer --no-progress
	@node tests/viewer/run.js build/zeno
	@cmake --build --preset release --target python
	@python3=/usr/bin/python3; test -x $$python3 || python3=python3; PYTHONPATH=$(CURDIR)/build/python ZENO_PROGRAM=$(CURDIR)/build/zeno $$python3 -B -m pytest -q -p no:cacheprovider tests/python/test_notebooks.py

bench: build ## cost per step, as a table and as CSV
	@cmake --build --preset release --target bench

bench-python: python ## what Python costs on top of C; LEAK=100000: whether memory grows over as many runs
	@python3=/usr/bin/python3; test -x $$python3 || python3=python3; PYTHONPATH=build/python ZENO_PROGRAM=build/zeno $$python3 bench/python.py $${LEAK:+--leak $$LEAK}

peers: build ## the same systems in Siconos, MuJoCo, Rapier and Jolt: a table here, plots in build/peers/
	@scripts/install-peers
	@python3=/usr/bin/python3; test -x $$python3 || python3=python3; $$python3 bench/peers/peers.py --zeno build/zeno --out build/peers

piles: build ## piles of spheres against ODE and Bullet, time and penetrations (installs libode-dev, libbullet-dev)
	@scripts/install-packages libode-dev libbullet-dev || true
	@mkdir -p build/peers
	@python3=/usr/bin/python3; test -x $$python3 || python3=python3; $$python3 bench/piles/compare.py --zeno build/zeno --threads 2 --cube --out build/peers/piles.json

matrix: build ## all scenes x all schemes x {1, 10 times the step}, short runs; rigid scenes x schemes x solvers: build/matrix.md, build/solvers.md and .csv, broken rules here
	@scripts/install-packages python3
	@python3 scripts/matrix --zeno build/zeno --out build/matrix
	@python3 scripts/matrix --zeno build/zeno --out build/solvers --scenes rigid --solvers auto,newton,projection --factors 1 --steps 0

validate: build ## every benchmark with every scheme against the papers: validation/index.html
	@scripts/install-packages python3
	@test -f build/viewer/zeno-viewer.js || $(MAKE) viewer || echo "validate: the viewer could not be built; the page has static drawings"
	@python3 validate --zeno build/zeno --out validation --work build/validate

mechanisms: ## 1000 random mechanisms, each with two schemes
	@test -f build/build.ninja || cmake --preset release
	@cmake --build --preset release --target random_mechanisms
	@build/tests/mechanisms/random_mechanisms 1000

packages: ## install the Debian packages that are missing
	@scripts/install-packages

reference: ## the C interface from its headers: build/reference/html/index.html; a warning of doxygen is an error
	@scripts/install-packages doxygen
	@mkdir -p build
	@doxygen docs/Doxyfile
	@echo "Reference: build/reference/html/index.html"

check-format: ## what clang-format would change; nothing, or an error
	@scripts/install-packages clang-format
	@scripts/format --check

format: ## clang-format over all C sources
	@scripts/format

clean: ## remove build/, out/ and validation/
	rm -rf build out validation

help: ## this list
	@awk -F ': .*## |:.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile
