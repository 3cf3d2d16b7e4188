/** HMAC-SHA-256: shows that both ends know a token without sending it. SubtleCrypto is missing on plain http. */

const K = [];
const START = [];
for (let n = 2; START.length < 8 || K.length < 64; n += 1) {
    if (![...Array(n).keys()].slice(2).some((part) => n % part === 0)) {
        const fraction = (root) => ((root - Math.floor(root)) * 2 ** 32) | 0;
        if (START.length < 8) {
            START.push(fraction(Math.sqrt(n)));
        }
        K.push(fraction(Math.cbrt(n)));
    }
}

const BLOCK = 64;
const encoder = new TextEncoder();
const turned = (word, by) => (word >>> by) | (word << (32 - by));

/** @param {Uint8Array} bytes @returns {Uint8Array} */
function sha256(bytes) {
    const padded = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK) * BLOCK);
    padded.set(bytes);
    padded[bytes.length] = 0x80;
    const view = new DataView(padded.buffer);
    view.setUint32(padded.length - 4, bytes.length * 8);
    const state = [...START];
    const w = new Int32Array(BLOCK);
    for (let at = 0; at < padded.length; at += BLOCK) {
        for (let i = 0; i < BLOCK; i += 1) {
            if (i < 16) {
                w[i] = view.getInt32(at + i * 4);
            } else {
                const [a, b] = [w[i - 15], w[i - 2]];
                w[i] = w[i - 16] + w[i - 7]
                    + (turned(a, 7) ^ turned(a, 18) ^ (a >>> 3))
                    + (turned(b, 17) ^ turned(b, 19) ^ (b >>> 10));
            }
        }
        let [a, b, c, d, e, f, g, h] = state;
        for (let i = 0; i < BLOCK; i += 1) {
            const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
            const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
            const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
            const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
            [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
        }
        [a, b, c, d, e, f, g, h].forEach((word, i) => {
            state[i] = (state[i] + word) | 0;
        });
    }
    const sum = new DataView(new ArrayBuffer(32));
    state.forEach((word, i) => sum.setInt32(i * 4, word));
    return new Uint8Array(sum.buffer);
}

/** @param {string} key @param {string} text @returns {string} in hexadecimal digits */
export function proof(key, text) {
    const bytes = encoder.encode(key);
    const block = new Uint8Array(BLOCK);
    block.set(bytes.length > BLOCK ? sha256(bytes) : bytes);
    const mixed = (sign, rest) => sha256(new Uint8Array([...block.map((byte) => byte ^ sign), ...rest]));
    const sum = mixed(0x5c, mixed(0x36, encoder.encode(text)));
    return Array.from(sum, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A number that nobody can guess. */
export function nonce() {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
