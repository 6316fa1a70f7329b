#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run of a study costs besides its steps: runs of the bouncing ball with 1 and with 101 steps, by one thread; memory and bytes of the file; two threads against one.

  bench/study.py --zeno build/zeno [--runs 100000]

A run of n steps takes a + n b. Times are those of the processor, the best of three; of threads those of the clock.
"""
import argparse
import json
import os
import resource
import subprocess
import tempfile


def run(zeno, scene, vary, steps, threads, folder):
    out = os.path.join(folder, "study.h5")
    if os.path.exists(out):
        os.remove(out)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [zeno, "sweep", scene, "--vary", vary, "--keep", "last:q,u,max:q,energy.total", "--step", "0.01", "--end", str(0.01 * steps), "--threads", str(threads), "--out", out,
         "--summary"], check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    summary = json.loads(done.stdout)
    user = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return user, summary["seconds"], os.path.getsize(out), after.ru_maxrss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--zeno", default="build/zeno")
    parser.add_argument("--scene", default=os.path.join(os.path.dirname(__file__), "..", "scenes", "bouncing-ball.yaml"))
    parser.add_argument("--runs", type=int, default=100000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print("varies       us/step   us/run besides   bytes/run   MB of memory")
        for name, values, share in (("q", "0.5:2", 1), ("q_0", "0.5:2", 1), ("e_N", "0.5:0.9", 1), ("m", "0.1:0.2", 1), ("g", "1:10", 1)):
            n = max(given.runs // share, 1000)
            one, many = (min(run(given.zeno, given.scene, f"{name}={values}:{n}", steps, 1, folder) for _ in range(3)) for steps in (1, 101))
            step = (many[0] - one[0]) / n / 100
            print(f"{name:10} {1e6 * step:9.3f} {1e6 * (one[0] / n - step):16.2f} {one[2] / n:11.1f} {one[3] / 1024:14.1f}")
        n = max(given.runs // 4, 1000)
        seconds = {k: min(run(given.zeno, given.scene, f"q=0.5:2:{n}", 100, k, folder)[1] for _ in range(3)) for k in (1, 2)}
        print(f"two threads are {seconds[1] / seconds[2]:.2f} times as fast as one (on a machine that does nothing else)")


if __name__ == "__main__":
    main()
