/** Saves the open chat, so that nobody else's change of it is left out. */

/*
 * SillyTavern's save never fails visibly, and whoever wants one while another is under way gives up
 * after a second. On a long chat ours takes longer than that: a message that is edited or deleted
 * meanwhile would be saved by nobody. So what changed during our save is saved by us as well.
 */

import { isSame, line } from './mirror.js';
import { chatKey, context, openChat } from './tavern.js';

const MOST_SAVES = 4; // of one who writes without end
const NEWEST = 20; // messages that are compared with all that hangs on them

/** Whoever asks has to look at the file: SillyTavern does not tell whether it saved. */
export async function saveChat() {
    for (let count = 0; count < MOST_SAVES; count += 1) {
        const before = taken();
        await context().saveChat();
        if (chatKey(openChat()) !== before.key || isStill(before)) {
            return;
        }
    }
}

function taken() {
    const { chat, chatMetadata } = context();
    return { key: chatKey(openChat()), lines: chat.map(line), rest: restOf(chat, chatMetadata) };
}

function isStill({ lines, rest }) {
    const { chat, chatMetadata } = context();
    return lines.length === chat.length
        && lines.every((remembered, index) => isSame(remembered, chat[index]))
        && rest === restOf(chat, chatMetadata);
}

function restOf(chat, metadata) {
    return JSON.stringify([metadata, chat.slice(-NEWEST)]);
}
