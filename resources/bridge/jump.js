/** Goes to a message of the open chat, and marks it there for a moment. */

import { messageChecksum } from './checksum.js';
import { elementOf } from './rows.js';
import { chatKey, context, openChat } from './tavern.js';
import { t } from './words.js';

const MARKED_FOR = 2_500;
const NEAR = 200;

let unmark = () => {};

/**
 * @param {{chat: object, index: number, hash?: number}} params hash: the message's checksum; the
 *     nearest message that has it is gone to
 */
export async function goTo({ chat, index, hash }) {
    if (chatKey(openChat()) !== chatKey(chat)) {
        throw new Error(t`another chat is open`);
    }
    const found = hash === undefined ? Number(index) : nearest(Number(index), hash);
    if (found === null || !context().chat[found]) {
        throw new Error(t`the message is no longer there`);
    }
    // SillyTavern's own command loads older messages as well.
    await context().executeSlashCommandsWithOptions(`/chat-jump ${found}`);
    mark(found);
    return { index: found };
}

function nearest(index, hash) {
    const messages = context().chat;
    const isMeant = (at) => messages[at] && messageChecksum(messages[at]) === hash;
    for (let distance = 0; distance <= NEAR; distance += 1) {
        const at = [index - distance, index + distance].find(isMeant);
        if (at !== undefined) {
            return at;
        }
    }
    return null;
}

function mark(index) {
    unmark();
    const element = elementOf(index);
    if (element) {
        element.dataset.tavernkeepHere = '';
        const timer = setTimeout(() => unmark(), MARKED_FOR);
        unmark = () => {
            clearTimeout(timer);
            delete element.dataset.tavernkeepHere;
            unmark = () => {};
        };
    }
}
