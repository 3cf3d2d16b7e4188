/** What the program tells of messages, kept at the messages that the page shows. */

/*
 * A row belongs to a message by index and checksum. Once it is at its element, it stays there as
 * long as the message has the very strings it had: comparing a string with itself costs nothing. So
 * an event costs what it changed: a message that is edited or swiped is looked at alone, those that
 * are loaded or moved when they come, and what SillyTavern writes into a message is never watched.
 */

import { messageChecksum } from './checksum.js';
import { ask } from './wishes.js';
import * as link from './link.js';
import { isSame, line } from './mirror.js';
import { chatKey, context, openChat } from './tavern.js';
import { t } from './words.js';

const ASK_AFTER = 150;
const LONGEST = { end: 200, state: 30, word: 60, reason: 400, recap: 800 };
const MOST_ROWS = 2_000; // of one frame
const NEAR_END = 15; // messages that may be in view where the chat is scrolled to its end

/**
 * @typedef {{index: number, hash: number, end: string, state: string, word: string, reason: string,
 *     recap: string}} Row
 * @typedef {(element: HTMLElement, row: Row | null) => void} Painter
 */

/** @type {Map<number, Row>} */
const rows = new Map();
/** @type {WeakMap<HTMLElement, {line: object, sum: number | null, row: Row | null}>} */
let held = new WeakMap();
/** @type {Set<Painter>} */
const painters = new Set();
const observer = new MutationObserver(onMutations);
let askedFrom = Infinity;
let isAnew = true;
let asking = 0;

const chatElement = () => document.getElementById('chat');
const indexOf = (element) => Number.parseInt(element.getAttribute('mesid') ?? '', 10);
const isMessage = (node) => node instanceof HTMLElement && node.classList.contains('mes');

/** The elements of the messages that are shown, in their order. */
export function messages() {
    return [...chatElement()?.children ?? []].filter(isMessage);
}

/** Let a painter draw rows from now on, or no longer; what it drew it takes away itself. */
export function use(painter, isWanted) {
    if (!isWanted) {
        painters.delete(painter);
        if (!painters.size) {
            observer.disconnect();
            forget();
        }
        return;
    }
    if (!painters.size && chatElement()) {
        observer.observe(chatElement(), { childList: true });
    }
    painters.add(painter);
    messages().forEach((element) => painter(element, held.get(element)?.row ?? null));
    askSoon();
}

/** Another chat is open, or the program is another one: all is told anew. */
export function forget() {
    rows.clear();
    held = new WeakMap();
    askedFrom = Infinity;
    isAnew = true;
    if (painters.size) {
        messages().forEach((element) => paint(element, null));
        askSoon();
    }
}

/** The row at an element, null for none. */
export function rowAt(element) {
    return held.get(element)?.row ?? null;
}

/** The element of a message, null where it is not shown. */
export function elementOf(index) {
    // A selector would look through all that is inside of the messages.
    return messages().find((element) => indexOf(element) === index) ?? null;
}

/** A message may show another text now. */
export function look(index) {
    const element = painters.size && Number.isInteger(index) ? elementOf(index) : null;
    if (element && renew(element, context().chat)) {
        redraw(element);
    }
}

/** Draw an element again, since a painter has news of it. */
export function redraw(element) {
    paint(element, rowAt(element));
}

/** Rows that became different. @param {{chat: object, marks: object[]}} params */
export function take({ chat, marks }) {
    if (chatKey(openChat()) !== chatKey(chat)) {
        throw new Error(t`another chat is open`);
    }
    const news = (Array.isArray(marks) ? marks.slice(0, MOST_ROWS) : []).map(sound).filter(Boolean);
    news.forEach((row) => rows.set(row.index, row));
    const { chat: known } = context();
    const shown = new Map(messages().map((element) => [indexOf(element), element]));
    const changed = news.filter(({ index }) => shown.has(index) && renew(shown.get(index), known));
    // Reading a place makes the browser lay out all of the chat: only where it matters.
    const isNearEnd = changed.some(({ index }) => index >= known.length - NEAR_END);
    const view = isNearEnd ? chatElement() : null;
    const isAtEnd = view && view.scrollHeight - view.scrollTop - view.clientHeight < 4;
    changed.forEach(({ index }) => redraw(shown.get(index)));
    if (isAtEnd) {
        view.scrollTop = view.scrollHeight; // whoever reads the end stays there
    }
    return {};
}

/** @returns {Row | null} the row with bounded texts, null for what is none */
function sound(row) {
    if (!Number.isInteger(row?.index) || !Number.isInteger(row.hash)) {
        return null;
    }
    const texts = Object.entries(LONGEST).map(([key, longest]) => [
        key, typeof row[key] === 'string' ? row[key].slice(0, longest) : '',
    ]);
    return { index: row.index, hash: row.hash, ...Object.fromEntries(texts) };
}

const isEqual = (one, other) => Object.keys(LONGEST).every((key) => one?.[key] === other?.[key]);

/**
 * Give an element the row of the message that it shows.
 * @param {HTMLElement} element
 * @param {object[]} chat asked for once for many elements
 * @returns {boolean} whether that is another one than before
 */
function renew(element, chat) {
    const index = indexOf(element);
    const message = chat[index];
    if (!message) {
        return false;
    }
    const row = rows.get(index);
    const old = held.get(element);
    const isKept = old && isSame(old.line, message);
    // A checksum is made only where there is something to compare it with.
    const sum = (isKept ? old.sum : null) ?? (row ? messageChecksum(message) : null);
    const isMeant = row && row.hash === sum;
    const now = isMeant ? row : isKept ? old.row : null;
    held.set(element, { line: isKept ? old.line : line(message), sum, row: now });
    return !isEqual(old?.row, now);
}

function paint(element, row) {
    painters.forEach((painter) => painter(element, row));
}

function onMutations(records) {
    const come = records.flatMap(({ addedNodes }) => [...addedNodes]).filter(isMessage);
    if (come.length) {
        const { chat } = context();
        for (const element of come) {
            renew(element, chat);
            redraw(element);
        }
        askSoon();
    }
}

/** Tell the program what is shown, where that reaches further back than it knows. */
function askSoon() {
    if (!asking && painters.size) {
        asking = setTimeout(askNow, ASK_AFTER);
    }
}

function askNow() {
    asking = 0;
    const [oldest] = messages();
    const first = oldest ? indexOf(oldest) : Infinity;
    if (painters.size && link.isUp() && openChat() && first < askedFrom) {
        askedFrom = first;
        ask('marks', { index: first, wanted: isAnew });
        isAnew = false;
    }
}
