/** SillyTavern's events in the words of the program. */

import { context } from './tavern.js';

const index = (value) => (/^\d+$/.test(String(value)) ? { index: Number(value) } : {});
const kind = (value) => ({ kind: String(value ?? '').slice(0, 100) });
const withoutEnding = (name) => String(name ?? '').replace(/\.jsonl$/, '').slice(0, 500);

/** Name of SillyTavern's constant -> our name, and what of the payload is told. */
const EVENTS = {
    CHAT_CHANGED: ['chat_changed'],
    CHAT_CREATED: ['chat_created'],
    GROUP_CHAT_CREATED: ['chat_created'],
    CHAT_DELETED: ['chat_deleted', (name) => ({ subject: withoutEnding(name) })],
    GROUP_CHAT_DELETED: ['chat_deleted', (name) => ({ subject: withoutEnding(name) })],
    CHAT_RENAMED: ['chat_renamed', (renamed) => ({
        subject: withoutEnding(renamed?.newFileName),
        previous: withoutEnding(renamed?.oldFileName),
    })],
    MESSAGE_SENT: ['message_sent', index],
    MESSAGE_RECEIVED: ['message_received', (id, type) => ({ ...index(id), ...kind(type) })],
    MESSAGE_EDITED: ['message_edited', index],
    MESSAGE_UPDATED: ['message_updated', index],
    MESSAGE_SWIPED: ['message_swiped', index],
    MESSAGE_SWIPE_DELETED: ['swipe_deleted', (swipe) => index(swipe?.messageId)],
    // Its payload is the new length, which every event carries.
    MESSAGE_DELETED: ['message_deleted'],
    MORE_MESSAGES_LOADED: ['more_loaded'],
    // GENERATION_STARTED also comes for a typed slash command, which generates nothing.
    GENERATION_AFTER_COMMANDS: ['generation_started', kind],
    GENERATION_ENDED: ['generation_ended'],
    GENERATION_STOPPED: ['generation_stopped'],
    GROUP_WRAPPER_STARTED: ['group_started', (group) => kind(group?.type)],
    GROUP_WRAPPER_FINISHED: ['group_finished', (group) => kind(group?.type)],
    GROUP_MEMBER_DRAFTED: ['member_drafted', (id) => ({
        subject: String(context().characters?.[id]?.avatar ?? ''),
    })],
};

/**
 * Hear of all events, dry runs left out.
 * @param {(name: string, details: object) => void} listener must not throw and not take long
 */
export function listen(listener) {
    const { eventSource, eventTypes } = context();
    for (const [constant, [name, details]] of Object.entries(EVENTS)) {
        // Which constants exist depends on SillyTavern's version.
        if (!eventTypes[constant]) {
            continue;
        }
        eventSource.on(eventTypes[constant], (...payload) => {
            const isDryRun = constant === 'GENERATION_AFTER_COMMANDS' && payload[2];
            if (!isDryRun) {
                listener(name, details?.(...payload) ?? {});
            }
        });
    }
}

/** Hear when a prompt has been built, just before it is sent. */
export function onPromptBuilt(listener) {
    const { eventSource, eventTypes } = context();
    eventSource.on(eventTypes.GENERATE_AFTER_DATA, (_data, isDryRun) => {
        if (!isDryRun) {
            listener();
        }
    });
}
