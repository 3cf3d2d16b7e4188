/** Reports the prompt that a turn was sent with, and the slots that stood ready for it. */

import { checksum } from './checksum.js';
import { context } from './tavern.js';

/** Characters of the prompt that are reported; the middle of a longer one is only described. */
const MOST_CHARACTERS = 240_000;
const MOST_PARTS = 2_000;
/** A frame of the program's is a MiB at most; each character may take three bytes. */
const MOST_BYTES = 1_000_000;
const LONGEST_BUILD = 60_000;

/** @type {{turn: string, chat: object, until: number} | null} the turn whose prompt is being built */
let begun = null;
/** @type {Set<string>} */
let keys = new Set();

/**
 * The slots of a turn stand ready: the next prompt that is built is its own.
 * @param {object} chat
 * @param {string} turn id under which the program was asked, '' when it was not
 * @param {{key: string}[]} slots
 */
export function begin(chat, turn, slots) {
    begun = turn ? { turn, chat, until: performance.now() + LONGEST_BUILD } : null;
    keys = new Set(slots.map(({ key }) => key));
}

/** Whatever is built from now on belongs to no turn. */
export function end() {
    begun = null;
}

/**
 * Report each turn's prompt. Others' requests in the background emit the same events; only what
 * follows an interceptor is a turn.
 * @param {(frame: object) => void} send
 */
export function reportSent(send) {
    const { eventSource, eventTypes } = context();
    const on = (name, listener) => {
        if (eventTypes[name]) {
            // Others may still change the prompt in listeners of their own.
            eventSource.makeLast(eventTypes[name], (data) => {
                try {
                    listener(data);
                } catch (error) {
                    console.debug('Tavernkeep:', error);
                }
            });
        }
    };
    on('CHAT_COMPLETION_PROMPT_READY', ({ chat, dryRun }) => {
        if (!dryRun && Array.isArray(chat)) {
            report(send, 'chat', chat.map(({ role, content }) => [String(role ?? ''), said(content)]));
        }
    });
    on('GENERATE_AFTER_COMBINE_PROMPTS', ({ prompt, dryRun }) => {
        // Empty for a chat completion, which has an event of its own.
        if (!dryRun && typeof prompt === 'string' && prompt) {
            report(send, 'text', [['', prompt]]);
        }
    });
}

/** What a message says; of pictures and the like only that they were there. */
function said(content) {
    if (!Array.isArray(content)) {
        return String(content ?? '');
    }
    return content.map((one) => (one?.type === 'text' ? String(one.text ?? '') : `[${one?.type}]`)).join('\n');
}

function report(send, wire, messages) {
    if (!begun || performance.now() > begun.until) {
        return;
    }
    const { turn, chat } = begun;
    begun = null;
    const ours = context().extensionPrompts;
    const slots = [...keys].filter((key) => ours[key]?.value).map((key) => ({
        key,
        position: Number(ours[key].position),
        depth: Number(ours[key].depth) || 0,
        role: Number(ours[key].role) || 0,
        scan: Boolean(ours[key].scan),
        text: String(ours[key].value),
    }));
    const frame = { type: 'sent', turn, chat, wire, slots, parts: bounded(messages) };
    if (new TextEncoder().encode(JSON.stringify(frame)).length > MOST_BYTES) {
        frame.parts = frame.parts.map((part) => ({ ...part, text: '' }));
    }
    send(frame);
}

/** The parts from both ends whole, as far as there is room. */
function bounded(messages) {
    const parts = messages.slice(-MOST_PARTS).map(([role, text]) => (
        { role: role.slice(0, 20), text, length: text.length, mark: checksum(text).toString(16) }));
    let room = MOST_CHARACTERS;
    const order = parts.map((_part, number) => number);
    // The head first, then from the end: what stands in the middle is the older chat.
    const head = order.filter((number) => number < 20);
    const tail = order.filter((number) => number >= 20).reverse();
    for (const number of [...head, ...tail]) {
        const part = parts[number];
        if (part.length > room) {
            part.text = '';
        } else {
            room -= part.length;
        }
    }
    return parts;
}
