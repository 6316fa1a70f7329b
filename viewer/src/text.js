// SPDX-License-Identifier: Apache-2.0
// Numbers for people.

// 1, 2 or 5 times a power of ten, at least `least`.
export function niceStep(least) {
    const power = 10 ** Math.floor(Math.log10(least));
    for (const factor of [1, 2, 5, 10]) if (factor * power >= least * 0.999) return factor * power;
    return 10 * power;
}

export function numberText(value) {
    if (!Number.isFinite(value)) return "–";
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e5 || size < 1e-3) return value.toExponential(3).replace(/\.?0+e/, "e").replace("e+", "e");
    return String(Number(value.toPrecision(5)));
}

// A time with as many digits as the span needs, so that the text does not jump.
export function timeText(value, span) {
    const digits = Math.min(Math.max(3 - Math.floor(Math.log10(span || 1)), 0), 9);
    return value.toFixed(digits);
}
