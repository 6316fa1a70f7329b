// SPDX-License-Identifier: Apache-2.0
// Formulas of surfaces as functions: the arithmetic of scenes, without conditions.

const FUNCTIONS = { sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan, atan2: Math.atan2,
    sinh: Math.sinh, cosh: Math.cosh, tanh: Math.tanh, exp: Math.exp, log: Math.log, sqrt: Math.sqrt, abs: Math.abs, sign: Math.sign,
    min: Math.min, max: Math.max, hypot: Math.hypot, pow: Math.pow };

// The value as a function of an object of names, or null where the text has something else.
export function parseFormula(text) {
    const tokens = text.match(/\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|[-+*/^(),]|\S/g) ?? [];
    let next = 0;
    const take = (token) => tokens[next] === token && ++next;
    const want = (token) => { if (!take(token)) throw new SyntaxError(text); };
    const chain = (lower, operators) => () => {
        let left = lower();
        while (operators[tokens[next]]) {
            const apply = operators[tokens[next++]], a = left, b = lower();
            left = (names) => apply(a(names), b(names));
        }
        return left;
    };
    const atom = () => {
        const token = tokens[next++];
        if (token === "(") {
            const inside = sum();
            want(")");
            return inside;
        }
        if (/^[\d.]/.test(token)) return () => Number(token);
        if (!/^[A-Za-z_]/.test(token ?? "")) throw new SyntaxError(text);
        if (!take("(")) return token === "pi" ? () => Math.PI : (names) => names[token] ?? NaN;
        const apply = FUNCTIONS[token], list = [sum()];
        while (take(",")) list.push(sum());
        want(")");
        if (!apply) throw new SyntaxError(text);
        return (names) => apply(...list.map((value) => value(names)));
    };
    const power = () => {
        const base = atom();
        if (!take("^")) return base;
        const exponent = signed();
        return (names) => base(names) ** exponent(names);
    };
    const signed = () => {
        if (take("+")) return signed();
        if (!take("-")) return power();
        const value = signed();
        return (names) => -value(names);
    };
    const product = chain(signed, { "*": (a, b) => a * b, "/": (a, b) => a / b });
    const sum = chain(product, { "+": (a, b) => a + b, "-": (a, b) => a - b });
    try {
        const value = sum();
        return next === tokens.length ? value : null;
    } catch {
        return null;
    }
}
