/** Writes what the program knows into the open chat, and lets SillyTavern save it. */

import { chatChecksum, messageChecksum } from './checksum.js';
import { saveChat } from './saving.js';
import { chatKey, context, openChat } from './tavern.js';
import { t } from './words.js';

/** @typedef {Record<string, Record<string, unknown>>} Blocks values by namespace and key */
/** @typedef {{index: number, hash: number, extra?: Blocks, swipes?: Blocks}} Edit */
/** @typedef {{count: number, sum: number, integrity: string}} Saved what the chat's file holds */

const MOST_UNSAVED = 2; // messages: one turn

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Whether the page has all that its file has. Otherwise another page, another program or a restored
 * copy was there after it, and a save of this page would be the end of that.
 * @param {object} ctx
 * @param {Saved} saved
 */
function holds({ chat, chatMetadata }, { count, sum, integrity }) {
    return count <= chat.length
        && chat.length <= count + MOST_UNSAVED
        && (!integrity || chatMetadata.integrity === integrity)
        && chatChecksum(chat.slice(0, count)) === sum;
}

/** The open chat's context, if it is the chat that is meant and nothing is being written in it. */
function chatToWrite(chat, saved = null) {
    const ctx = context();
    if (chatKey(openChat(ctx)) !== chatKey(chat)) {
        throw new Error(t`another chat is open`);
    }
    if (document.body.dataset.generating) {
        throw new Error(t`a reply is being written`);
    }
    if (saved && !holds(ctx, saved)) {
        throw new Error(t`the page shows this chat differently from its file; open the chat again there`);
    }
    return ctx;
}

/** Put the values into a holder's `extra`; what is there besides stays. */
function put(holder, blocks) {
    holder.extra ??= {};
    if (!isObject(holder.extra)) {
        return;
    }
    for (const [namespace, block] of Object.entries(blocks)) {
        if (isObject(holder.extra[namespace] ??= {})) {
            Object.assign(holder.extra[namespace], structuredClone(block));
        }
    }
}

/** The swipe shown is one record with the message; others get only what is for all of them. */
function edit(message, { extra = {}, swipes = {} }) {
    put(message, extra);
    if (!Array.isArray(message.swipe_info)) {
        return;
    }
    message.swipe_info.forEach((swipe, place) => {
        if (!isObject(swipe)) {
            return;
        }
        if (place !== (message.swipe_id ?? 0)) {
            put(swipe, swipes);
        } else if (isObject(swipe.extra ??= {}) && isObject(message.extra)) {
            for (const namespace of Object.keys(extra)) {
                swipe.extra[namespace] = structuredClone(message.extra[namespace]);
            }
        }
    });
}

/**
 * Change message.extra, swipe_info and chat_metadata.
 * Messages that are not what the program takes them for (by their checksum) are left alone.
 * @param {{chat: object, edits?: Edit[], metadata?: Record<string, unknown>, save?: boolean,
 *     saved?: Saved | null}} params saved: the file's state, without which the page may not save
 * @returns {Promise<{done: number[], missed: number[]}>} by index
 */
export async function setExtras({ chat, edits = [], metadata = {}, save = true, saved = null }) {
    const ctx = chatToWrite(chat, saved);
    const isMeant = ({ index, hash }) => ctx.chat[index] && messageChecksum(ctx.chat[index]) === hash;
    const meant = edits.filter(isMeant);
    meant.forEach((one) => edit(ctx.chat[one.index], one));
    Object.assign(ctx.chatMetadata, structuredClone(metadata));
    if (save) {
        await saveChat();
    }
    return {
        done: meant.map(({ index }) => index),
        missed: edits.filter((one) => !meant.includes(one)).map(({ index }) => index),
    };
}

/**
 * Hide ranges of messages from the prompt and show others, with SillyTavern's own commands.
 * @param {{chat: object, ranges?: [number, number][], unhide?: [number, number][],
 *     checks?: [number, number][], saved?: Saved | null}} params
 *     checks: index and checksum of messages as they are before; saved: see setExtras
 */
export async function hide({ chat, ranges = [], unhide = [], checks = [], saved = null }) {
    const ctx = chatToWrite(chat, saved);
    for (const [index, hash] of checks) {
        if (!ctx.chat[index] || messageChecksum(ctx.chat[index]) !== hash) {
            throw new Error(t`the chat has changed meanwhile`);
        }
    }
    const commands = [['/hide', ranges], ['/unhide', unhide]];
    for (const [command, list] of commands) {
        for (const [first, last] of list) {
            chatToWrite(chat);
            await ctx.executeSlashCommandsWithOptions(
                `${command} ${Number(first)}-${Number(last)}`,
            );
        }
    }
    chatToWrite(chat);
    await saveChat();
    return { length: ctx.chat.length };
}
