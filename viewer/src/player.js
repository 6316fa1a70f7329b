// SPDX-License-Identifier: Apache-2.0
// The clock of an animation.
const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const SECONDS = 10; // that a whole animation should about take

// Real time where that is neither too short nor too long to watch.
export function usualSpeed(span) {
    if (span >= 4 && span <= 25) return 1;
    return SPEEDS.reduce((best, speed) =>
        (Math.abs(Math.log(span / speed / SECONDS)) < Math.abs(Math.log(span / best / SECONDS)) ? speed : best), 1);
}

export { SPEEDS };

export class Player {
    constructor(start, end, changed, { loop = false } = {}) {
        Object.assign(this, { start, end, changed, loop });
        this.time = start;
        this.speed = end > start ? usualSpeed(end - start) : 1;
        this.playing = false;
        this.frame = 0;
    }

    play() {
        if (this.playing || !(this.end > this.start)) return;
        if (this.time >= this.end) this.time = this.start;
        this.playing = true;
        this.last = null;
        this.frame = requestAnimationFrame((now) => this.tick(now));
        this.changed();
    }

    pause() {
        if (!this.playing) return;
        this.playing = false;
        cancelAnimationFrame(this.frame);
        this.changed();
    }

    toggle() { this.playing ? this.pause() : this.play(); }

    seek(time) {
        this.time = Math.min(Math.max(time, this.start), this.end);
        this.changed();
    }

    // A hidden page stops the frames; the pause is not made up for.
    tick(now) {
        const elapsed = this.last === null ? 0 : Math.min((now - this.last) / 1000, 0.1);
        this.last = now;
        this.time += elapsed * this.speed;
        if (this.time >= this.end) {
            if (this.loop) this.time = this.start;
            else {
                this.time = this.end;
                this.playing = false;
            }
        }
        if (this.playing) this.frame = requestAnimationFrame((next) => this.tick(next));
        this.changed();
    }
}
