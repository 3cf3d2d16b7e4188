/** Makes a chat of a group one that SillyTavern lists: files alone are shown of characters only. */

import { context } from './tavern.js';

/** @param {{group: string, chat: string}} params @returns {Promise<{listed: boolean}>} */
export async function listChat({ group, chat }) {
    const ctx = context();
    const found = ctx.groups?.find(({ id }) => String(id) === String(group));
    if (!Array.isArray(found?.chats) || typeof chat !== 'string') {
        return { listed: false };
    }
    if (!found.chats.includes(chat)) {
        found.chats.push(chat);
        if (!await save(ctx, found)) {
            found.chats.splice(found.chats.indexOf(chat), 1);
            return { listed: false };
        }
    }
    return { listed: true };
}

/** As SillyTavern's own page saves a group. */
async function save(ctx, group) {
    try {
        const headers = ctx.getRequestHeaders();
        const body = JSON.stringify(group);
        return (await fetch('/api/groups/edit', { method: 'POST', headers, body })).ok;
    } catch {
        return false;
    }
}
