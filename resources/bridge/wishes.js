/** What the user asks of the program from within the page. */

import * as link from './link.js';
import { openChat } from './tavern.js';
import { t } from './words.js';

const LONGEST_WAIT = 20_000;
const LONGEST_TEXT = 500;

/** Tell the user in SillyTavern's own way. */
export function tell(sentence, level = 'warning') {
    toastr[level](String(sentence).slice(0, 500), 'Tavernkeep', { escapeHtml: true });
}

/**
 * Ask for something, and wait for what comes of it.
 * @param {string} kind
 * @param {{chat?: object, index?: number, hash?: number, wanted?: boolean, text?: string}} details
 * @returns {Promise<{result: object, error: string} | null>} null when nobody listens any more
 */
export async function ask(kind, details) {
    const { chat = openChat(), text = '', ...rest } = details;
    return chat && link.ask(
        { type: 'wish', kind, chat, text: String(text).slice(0, LONGEST_TEXT), ...rest },
        LONGEST_WAIT,
    );
}

/**
 * The same where a failure is told to the user.
 * @returns {Promise<object | null>} the result
 */
export async function wish(kind, details) {
    if (!openChat()) {
        tell(t`No chat is open.`);
        return null;
    }
    const reply = await ask(kind, details);
    if (!reply) {
        tell(link.isUp() ? t`Tavernkeep did not answer in time.` : t`Tavernkeep is not connected. Start it first.`);
        return null;
    }
    if (reply.error) {
        tell(reply.error);
        return null;
    }
    return reply.result ?? {};
}
