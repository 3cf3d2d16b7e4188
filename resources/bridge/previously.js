/** What happened before, over the chat of somebody who comes back: never part of any prompt. */

import { element, lay } from './card.js';
import { chatKey, openChat } from './tavern.js';
import { t } from './words.js';

const LONGEST = 20_000;

/**
 * Show a text over a chat, if that one is open and no reply is being written.
 * @param {{chat: object, title: string, text: string}} params
 */
export function show({ chat, title, text }) {
    if (chatKey(openChat()) !== chatKey(chat)) {
        throw new Error(t`another chat is open`);
    }
    if (document.body.dataset.generating) {
        throw new Error(t`a reply is being written`);
    }
    lay(title, element('div', 'tavernkeep-text', text, LONGEST));
    return {};
}
