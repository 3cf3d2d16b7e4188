/** What the program may ask of the page. */

import { context, state } from './tavern.js';

const LINES_AT_ONCE = 20_000;

const HANDLERS = {
    ping: () => ({}),
    state: () => state(),
    chat_lines: chatLines,
    save: saveChat,
};

/**
 * Answer a request; failures become the answer's error.
 * @param {{id: string, kind: string, params: object}} request
 */
export async function respond({ id, kind, params }) {
    try {
        if (!Object.hasOwn(HANDLERS, kind)) {
            throw new Error('this version of the extension cannot do that');
        }
        return { type: 'answer', id, result: await HANDLERS[kind](params ?? {}) };
    } catch (error) {
        return { type: 'answer', id, error: String(error?.message ?? error).slice(0, 500) || 'failed' };
    }
}

/** Checksums of messages, to compare the page with the file without sending the story. */
function chatLines({ first = 0, count = LINES_AT_ONCE }) {
    const { chat, ...rest } = state();
    const end = first + Math.min(count, LINES_AT_ONCE);
    const lines = context().chat.slice(first, end).map((message) => checksum([
        String(message.name),
        String(message.mes),
        message.is_system ? '1' : '0',
        String(message.swipe_id ?? 0),
    ].join('\0')));
    return { chat, length: rest.length, first, lines };
}

/*
 * SillyTavern's save never fails visibly, and skips when another one runs: whoever asks has to look
 * at the file.
 */
async function saveChat() {
    await context().saveChat();
    return { length: context().chat.length };
}

const CRC_TABLE = Array.from({ length: 256 }, (_unused, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) {
        crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    }
    return crc >>> 0;
});
const encoder = new TextEncoder();

/** CRC-32 of the text in UTF-8, lone surrogates as U+FFFD; SubtleCrypto is missing on plain http. */
export function checksum(text) {
    let crc = 0xffffffff;
    for (const byte of encoder.encode(text)) {
        crc = CRC_TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
    }
    return (crc ^ 0xffffffff) >>> 0;
}
