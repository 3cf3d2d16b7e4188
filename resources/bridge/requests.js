/** What the program may ask of the page. */

import * as asking from './asking.js';
import { tell } from './badge.js';
import { messageChecksum } from './checksum.js';
import * as copying from './copying.js';
import { listChat } from './groups.js';
import { goTo } from './jump.js';
import { isRemote } from './link.js';
import { choose } from './parts.js';
import { show } from './previously.js';
import { take } from './rows.js';
import { saveChat } from './saving.js';
import { context, state } from './tavern.js';
import { countTokens, tokenizer } from './tokens.js';
import { hide, setExtras } from './writing.js';
import { t } from './words.js';

const LINES_AT_ONCE = 20_000;

const HANDLERS = {
    ping: () => ({}),
    state: () => state(),
    chat_lines: chatLines,
    save,
    set_extras: setExtras,
    hide,
    connection: asking.connection,
    ask_model: (params, { id, hear }) => asking.ask(params, id, hear),
    show_recap: show,
    tokenizer,
    count_tokens: countTokens,
    parts: choose,
    badge: tell,
    marks: take,
    go_to: goTo,
    list_chat: listChat,
};
/** What only a program is given that cannot read the files itself. */
const REMOTE_HANDLERS = {
    copy_state: copying.copyState,
    copy_lines: copying.copyLines,
    copy_piece: copying.copyPiece,
    copy_company: copying.copyCompany,
    copy_member: copying.copyMember,
};

/**
 * Answer a request; failures become the answer's error.
 * @param {{id: string, kind: string, params: object}} request
 * @param {(text: string, reasoning: string) => void} hear pieces of an answer that comes in such
 */
export async function respond({ id, kind, params }, hear) {
    try {
        const handlers = isRemote() ? { ...HANDLERS, ...REMOTE_HANDLERS } : HANDLERS;
        if (!Object.hasOwn(handlers, kind)) {
            throw new Error(t`this version of the extension cannot do that`);
        }
        return { type: 'answer', id, result: await handlers[kind](params ?? {}, { id, hear }) };
    } catch (error) {
        return { type: 'answer', id, error: String(error?.message ?? error).slice(0, 500) || 'failed' };
    }
}

/** Checksums of messages, to compare the page with the file without sending the story. */
function chatLines({ first = 0, count = LINES_AT_ONCE }) {
    const { chat, ...rest } = state();
    const end = first + Math.min(count, LINES_AT_ONCE);
    const lines = context().chat.slice(first, end).map(messageChecksum);
    return { chat, length: rest.length, first, lines };
}

async function save() {
    await saveChat();
    return { length: context().chat.length };
}
