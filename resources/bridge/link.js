/** The websocket to the program: pairing, connecting again, questions with a bounded wait. */

import { nonce, proof } from './proof.js';
import * as remote from './remote.js';

const PROTOCOL = 'tavernkeep.v1';
const SHORTEST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;
const LONGEST_GREETING = 10_000;
const PAIRING_POLL = 2_000;
/** As often as the program asks; so many times without its question, it hangs. */
const PULSE_EVERY = 4_000;
const PULSES_MISSED = 4;
const REFUSED = 4400; // close code: what this page said is not taken; the reason says why

const listeners = {
    frame: () => {}, pulse: () => true, up: () => {}, down: () => {}, hello: () => ({}), pairing: () => {},
    remote: () => {}, refused: () => {},
};
/** @type {Map<string, (frame: object | null) => void>} */
const waiting = new Map();
/** @type {WebSocket | null} */
let socket = null;
let isWelcome = false;
let isElsewhere = false;
let counter = 0;

/** The program runs on another machine than SillyTavern, and finds no files of it. */
export function isRemote() {
    return isElsewhere;
}

/** The program answers. */
export function isUp() {
    return isWelcome;
}

/**
 * Send a frame, or drop it when nobody listens.
 * @returns {boolean} whether it was sent
 */
export function send(frame) {
    if (!isWelcome || socket?.readyState !== WebSocket.OPEN) {
        return false;
    }
    socket.send(JSON.stringify(frame));
    return true;
}

/** Go, as when the pairing is forgotten. */
export function leave() {
    socket?.close();
}

/** A number that no other question has. */
export function newId() {
    return String(++counter);
}

/**
 * Send a frame with a new id, unless it has one, and wait for the frame that settles it.
 * @returns {Promise<object | null>} null when time ran out or nobody listens
 */
export function ask(frame, milliseconds) {
    const id = frame.id ?? newId();
    if (!send({ ...frame, id })) {
        return Promise.resolve(null);
    }
    return new Promise((resolve) => {
        const timer = setTimeout(() => answer(id, null), milliseconds);
        waiting.set(id, (result) => {
            clearTimeout(timer);
            resolve(result);
        });
    });
}

/**
 * Give whoever asked under this id the answer.
 * @returns {boolean} whether somebody still waited
 */
export function answer(id, frame) {
    const resolve = waiting.get(id);
    waiting.delete(id);
    resolve?.(frame);
    return Boolean(resolve);
}

/** Keep a connection from now on. @param {Partial<typeof listeners>} handlers */
export async function run(handlers) {
    Object.assign(listeners, handlers);
    let failures = 0;
    let pairing = await readPairing();
    for (;;) {
        const worked = pairing.port > 0 && await converse(pairing);
        failures = worked ? 0 : failures + 1;
        const backoff = Math.min(SHORTEST_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE);
        // Without a pairing there is nothing to try, only to wait for.
        pairing = await pause(pairing.port ? Math.max(backoff, SHORTEST_PAUSE) : Infinity, pairing);
    }
}

async function readPairing() {
    if (isElsewhere) {
        return remote.pairing();
    }
    try {
        const url = new URL('pairing.json', import.meta.url);
        const response = await fetch(url, { cache: 'no-store' });
        const { port, token, parts, remote: isExported } = response.ok ? await response.json() : {};
        // A program that finds this folder writes its own pairing over what says so.
        if (isExported === true && !token) {
            isElsewhere = true;
            listeners.remote();
            listeners.pairing();
            return remote.pairing();
        }
        if (response.ok || response.status === 404) {
            listeners.pairing(response.ok ? parts : null);
        }
        return Number.isInteger(port) && port > 0 && token ? { port, token } : { port: 0, token: '' };
    } catch {
        return { port: 0, token: '' };
    }
}

/**
 * Wait, but not longer than until the program has written another pairing.
 * @returns the pairing as it is then
 */
async function pause(milliseconds, used) {
    const end = performance.now() + milliseconds;
    for (;;) {
        const pairing = await readPairing();
        const left = end - performance.now();
        if (left <= 0 || (pairing.port && pairing.token !== used.token)) {
            return pairing;
        }
        await new Promise((resolve) => setTimeout(resolve, Math.min(PAIRING_POLL, left)));
    }
}

/** One connection from its start to its end. @returns {Promise<boolean>} whether it was accepted */
function converse({ port, token }) {
    return new Promise((resolve) => {
        let worked = false;
        const ownNonce = nonce();
        const credential = isElsewhere ? `remote.${ownNonce}` : `local.${ownNonce}.${proof(token, 'mark').slice(0, 16)}`;
        try {
            socket = new WebSocket(`ws://127.0.0.1:${port}`, [PROTOCOL, credential]);
        } catch {
            resolve(false);
            return;
        }
        const own = socket;
        let missed = -1; // until the first question: an older program asks none
        // Counted, not timed: a computer that slept misses one.
        const pulse = setInterval(() => {
            if (missed >= 0 && ++missed >= PULSES_MISSED) {
                end();
            }
        }, PULSE_EVERY);
        // Whoever has the port now may accept connections and never say a word.
        const greeting = setTimeout(() => end(), LONGEST_GREETING);
        // A program that hangs does not take part in closing either.
        const end = () => {
            clearTimeout(greeting);
            clearInterval(pulse);
            own.onopen = own.onmessage = own.onclose = null;
            own.close();
            socket = null;
            isWelcome = false;
            [...waiting.keys()].forEach((id) => answer(id, null));
            if (worked) {
                listeners.down();
            }
            resolve(worked);
        };
        const greet = () => own.send(JSON.stringify({ type: 'hello', ...listeners.hello() }));
        // Whoever has the port now may be somebody else: the program proves first that it is not.
        let isProven = false;
        const prove = (frame) => {
            if (frame?.type !== 'challenge' || frame.proof !== proof(token, `program ${port} ${ownNonce} ${frame.nonce}`)) {
                end();
                return;
            }
            isProven = true;
            own.send(JSON.stringify({ type: 'prove', proof: proof(token, `page ${port} ${ownNonce} ${frame.nonce}`) }));
            greet();
        };
        socket.onmessage = ({ data }) => {
            const frame = parse(data);
            if (!isProven) {
                prove(frame);
            } else if (frame?.type === 'pulse') {
                missed = 0;
                send({ type: 'pulse', server: listeners.pulse() });
            } else if (frame?.type === 'welcome') {
                clearTimeout(greeting);
                worked = isWelcome = true;
                listeners.up(frame);
            } else if (frame && isWelcome) {
                listeners.frame(frame);
            }
        };
        socket.onclose = ({ code, reason }) => {
            if (code === REFUSED) {
                worked = false; // or it would come back at once, and say the same
                listeners.refused(reason);
                listeners.down();
            }
            end();
        };
    });
}

function parse(data) {
    try {
        return JSON.parse(data);
    } catch {
        return null;
    }
}
