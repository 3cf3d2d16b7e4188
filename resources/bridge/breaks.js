/** The scene button of each message, the flag where a scene ends, and what waits to be told. */

import { messageChecksum } from './checksum.js';
import { element } from './card.js';
import * as link from './link.js';
import { elementOf, redraw, rowAt, use } from './rows.js';
import { chatKey, context, openChat } from './tavern.js';
import { ask, tell } from './wishes.js';
import { t } from './words.js';

const BUTTON = 'tavernkeep-scene';
const FLAG = 'tavernkeep-flag';
const MOST_WAITING = 50;
const SEEN_WITHIN = 3_000;


/**
 * @typedef {{chat: object, message: object, index: number, hash: number, before?: number,
 *     wanted: boolean | null, isSent: boolean, isDone: boolean}} Waiting
 */

/** @type {Map<string, Waiting>} by chat, index and checksum of the message */
const waiting = new Map();
let isShown = false;

/** @param {boolean} isWanted */
export function show(isWanted) {
    isShown = isWanted;
    const chat = document.getElementById('chat');
    chat?.removeEventListener('click', onClick);
    if (isWanted) {
        chat?.addEventListener('click', onClick);
        places().forEach(addButton);
        use(paint, true);
        return;
    }
    waiting.clear();
    use(paint, false);
    document.querySelectorAll(`.${BUTTON}, #chat .${FLAG}`).forEach((one) => one.remove());
}

/** SillyTavern makes each message from its template: those to come need no work of ours. */
function places() {
    return document.querySelectorAll(
        '#message_template .extraMesButtons, #chat > .mes .extraMesButtons',
    );
}

function addButton(place) {
    if (!place.querySelector(`.${BUTTON}`)) {
        const button = element('div', `mes_button ${BUTTON} fa-solid fa-clapperboard`);
        button.title = t`End a scene here. Click again to take that end away. (Tavernkeep)`;
        place.prepend(button);
    }
}

/** The program is there again: tell it what waits. */
export function send() {
    [...waiting.entries()].filter(([, one]) => !one.isSent).forEach(([key]) => tellProgram(key));
}

function keyOf(chat, index, hash) {
    return `${chatKey(chat)}|${index}|${hash}`;
}

/**
 * A message as a wish names it, null for one that is not there.
 * @returns {{index: number, hash: number, before?: number} | null} before: of the message before it,
 *     since stories repeat their sentences
 */
export function named(index) {
    const { chat } = context();
    const before = chat[index - 1];
    return chat[index] ? {
        index,
        hash: messageChecksum(chat[index]),
        ...(before ? { before: messageChecksum(before) } : {}),
    } : null;
}

/** Where a message is now that may have waited for long; as it was where nobody knows. */
function placeNow({ chat, message, index, hash, before }) {
    const at = chatKey(openChat()) === chatKey(chat) ? context().chat.indexOf(message) : -1;
    return at < 0 ? { index, hash, ...(before === undefined ? {} : { before }) } : named(at);
}

function onClick(event) {
    const pressed = event.target.closest?.(`.${BUTTON}, .${FLAG}`);
    const message = pressed?.closest('.mes');
    if (message) {
        press(Number(message.getAttribute('mesid')), message);
    }
}

/**
 * End a scene with a message, or no longer; takes back a wish that was not told yet.
 * @returns {Promise<boolean | null>} whether a scene ends there now, null when that is not known
 */
export async function press(index, message = elementOf(index)) {
    const chat = openChat();
    const meant = named(index);
    if (!chat || !meant) {
        tell(t`There is no such message.`);
        return null;
    }
    const key = keyOf(chat, index, meant.hash);
    const old = waiting.get(key);
    if (old) {
        if (!old.isSent) {
            waiting.delete(key);
            repaint(message);
        }
        return null;
    }
    if (waiting.size >= MOST_WAITING) {
        tell(t`Too many scene breaks wait already. Start Tavernkeep first.`);
        return null;
    }
    const row = message && rowAt(message);
    // Only what is seen can be meant: else the other way than it is now.
    const wanted = isShown && row ? !row.end : null;
    const line = context().chat[index];
    waiting.set(key, { chat, message: line, ...meant, wanted, isSent: false, isDone: false });
    repaint(message);
    return link.isUp() ? tellProgram(key) : null;
}

async function tellProgram(key) {
    const one = waiting.get(key);
    one.isSent = true;
    const { chat, index, wanted } = one;
    const details = { ...placeNow(one), ...(wanted === null ? {} : { wanted }) };
    const reply = await ask('scene', { chat, ...details });
    if (!reply && !link.isUp()) {
        one.isSent = false; // it went away meanwhile
        return null;
    }
    if (!reply || reply.error) {
        waiting.delete(key);
        tell(reply?.error || t`Tavernkeep did not answer in time.`);
    } else {
        // The row that says so is on its way.
        one.isDone = true;
        setTimeout(() => waiting.delete(key) && repaint(elementOf(index)), SEEN_WITHIN);
    }
    repaint(elementOf(index));
    return reply?.error ? null : reply?.result?.marked === true;
}

function repaint(message) {
    if (message && isShown) {
        redraw(message);
    }
}

/** What waits at a message, without what its row says by now. */
function waitingAt(message, row) {
    if (!waiting.size) {
        return null; // mostly: no checksum is made
    }
    const meant = named(Number(message.getAttribute('mesid')));
    const key = meant && keyOf(openChat(), meant.index, meant.hash);
    const one = key ? waiting.get(key) : null;
    if (one?.isDone && Boolean(row?.end) === (one.wanted ?? Boolean(row?.end))) {
        waiting.delete(key);
        return null;
    }
    return one ?? null;
}

function paint(message, row) {
    const one = waitingAt(message, row);
    let flag = message.querySelector(`.${FLAG}`);
    if (!one && !row?.end) {
        flag?.remove();
        return;
    }
    if (!flag) {
        flag = element('div', FLAG);
        const place = message.querySelector('.mes_buttons');
        place?.insertBefore(flag, place.querySelector(':scope > .mes_edit'));
    }
    flag.className = `mes_button ${FLAG} fa-solid ${one ? 'fa-hourglass-half' : 'fa-clapperboard'}`;
    flag.toggleAttribute('data-waits', Boolean(one));
    flag.title = one
        ? waitingTitle(one)
        : t`Scene ${row.end} ends here. Click to take that end away. (Tavernkeep)`;
    flag.setAttribute('aria-label', flag.title);
}

function waitingTitle({ isSent }) {
    return isSent
        ? t`Tavernkeep is working on it`
        : t`Waits until Tavernkeep is started. Click to take it back.`;
}
