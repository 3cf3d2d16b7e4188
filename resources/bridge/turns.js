/** Asks the program for the slots of each turn, and sets them in time. */

/*
 * As late as can be, in the interceptor, which knows the prompt's size. But SillyTavern fills the
 * macros of a card before that: where macros are in use, the slots are asked for when the turn
 * begins, and what they tell and what the slots tell is of one answer.
 */

import * as link from './link.js';
import * as macros from './macros.js';
import * as sent from './sent.js';
import * as slots from './slots.js';
import { chatKey, context, openChat, responder } from './tavern.js';
import { tokenizerName } from './tokens.js';

const LONGEST_BUILD = 10_000;
const LONGEST_SAID = 20_000;
const MOST_SAID = 2;
const WITHOUT_MESSAGE = ['impersonate', 'quiet', 'regenerate', 'swipe'];

/** @typedef {{key: string, avatar: string, kind: string, isAsked: boolean, slots: object[] | null}} Begun */

let waitForTurn = 250;
/** @type {Begun | null} the turn whose macros are filled before its interceptor runs */
let begun = null;
/** In a group: somebody has been chosen to answer. */
let isDrafted = false;
/** @type {Map<string, number>} what the interceptor was told last, by API */
const contexts = new Map();
/** @type {Map<string, string>} macros that stood nowhere, as told last, by chat */
const reported = new Map();
/** @type {() => Promise<void>} */
let readMailbox = async () => {};
/** @type {(name: string, details: object) => void} */
let tell = () => {};

/**
 * The program is there.
 * @param {number} milliseconds that a turn waits for it
 * @param {string[]} names of its macros
 */
export function meet(milliseconds, names) {
    waitForTurn = milliseconds;
    macros.meet(names);
    macros.register(slots.told);
    reported.clear();
}

/**
 * Hear of turns from now on.
 * @param {{mailbox: () => Promise<void>, tell: (name: string, details: object) => void}} means
 */
export function run(means) {
    readMailbox = means.mailbox;
    tell = means.tell;
    macros.register(slots.told);
    const { eventSource, eventTypes } = context();
    const on = (constant, listener) => eventTypes[constant]
        && eventSource.on(eventTypes[constant], safely(listener));
    // SillyTavern waits for each of these.
    on('GROUP_MEMBER_DRAFTED', () => { isDrafted = true; });
    on('GROUP_WRAPPER_FINISHED', () => { isDrafted = false; });
    on('GENERATION_AFTER_COMMANDS', (kind, details, isDryRun) => (isDryRun ? null : begin(kind, details)));
    on('MESSAGE_SENT', () => (begun && !begun.isAsked ? fill(begun) : null));
    on('GENERATE_AFTER_DATA', (data, isDryRun) => (isDryRun ? null : checkPlaces(data)));
}

/** Ask for the slots of this turn, and set them or the best that is known. */
export const intercept = safely(async (messages, contextSize, kind) => {
    const chat = openChat();
    const before = begun;
    begun = null;
    if (!chat) {
        return;
    }
    const key = chatKey(chat);
    const size = Math.max(0, Math.floor(Number(contextSize)) || 0);
    contexts.set(context().mainApi, size);
    if (before && before.key === key && before.avatar === responder().avatar) {
        slots.hold(LONGEST_BUILD);
        if (before.slots) {
            slots.set(before.slots);
        }
        return;
    }
    const answer = await ask(chat, kind, size, messages.length);
    if (chatKey(openChat()) === key) {
        slots.hold(LONGEST_BUILD);
        slots.set(answer);
    }
});

/** A turn begins. What the user has typed is part of it, so that it is waited for. */
async function begin(kind, details) {
    begun = null;
    macros.register(slots.told);
    const chat = openChat();
    if (!chat || (chat.kind === 'group' && !isDrafted)) {
        return;
    }
    const [key, { avatar }] = [chatKey(chat), responder()];
    const isInUse = macros.named().length || slots.lastKnown(key, avatar)?.some(({ macro }) => macro);
    if (!isInUse) {
        return;
    }
    begun = { key, avatar, kind: String(kind ?? 'normal'), isAsked: false, slots: null };
    if (!isMessageComing(begun.kind, details)) {
        await fill(begun);
    }
}

function isMessageComing(kind, details) {
    const typed = document.querySelector('#send_textarea')?.value;
    return Boolean(typed) && !details?.automatic_trigger && !WITHOUT_MESSAGE.includes(kind);
}

/** @param {Begun} turn */
async function fill(turn) {
    turn.isAsked = true;
    const ctx = context();
    const answer = await ask(openChat(ctx), turn.kind, expectedContext(ctx), ctx.chat.length);
    if (begun === turn && chatKey(openChat()) === turn.key) {
        turn.slots = answer;
        slots.hold(LONGEST_BUILD);
        slots.set(answer);
    }
}

/** Tokens that the prompt may take, 0 where only the interceptor will know. */
function expectedContext(ctx) {
    const settings = ctx.chatCompletionSettings;
    const room = ctx.mainApi === 'openai'
        ? settings?.openai_max_context - settings?.openai_max_tokens
        : contexts.get(ctx.mainApi);
    return room > 0 ? Math.floor(room) : 0;
}

/** The newest messages, which are answered: their file may not be read yet. */
function newest(kind) {
    if (WITHOUT_MESSAGE.includes(kind)) {
        return [];
    }
    return context().chat.slice(-MOST_SAID).filter((message) => !message.is_system).map((message) => ({
        name: String(message.name ?? '').slice(0, 500),
        text: String(message.mes ?? '').slice(0, LONGEST_SAID),
        is_user: Boolean(message.is_user),
    }));
}

/** @returns {Promise<object[]>} the slots of a turn, or the best that is known */
async function ask(chat, kind, contextSize, length) {
    const key = chatKey(chat);
    const { name, avatar } = responder();
    // At the same time: the turn waits once, not twice.
    const reading = slots.lastKnown(key, avatar) ? null : readMailbox();
    const turn = link.newId();
    const frame = await link.ask({
        type: 'turn',
        id: turn,
        chat,
        kind: String(kind ?? 'normal'), // undefined for a normal turn before 1.14
        responder: name,
        avatar,
        context: contextSize,
        messages: length,
        macros: macros.named(),
        tokenizer: tokenizerName(),
        said: newest(kind),
        asked: new Date().getTime() / 1000, // to be shown; nothing waits by it
    }, waitForTurn);
    if (!frame && reading && !link.isUp()) {
        await Promise.race([reading, new Promise((done) => setTimeout(done, waitForTurn))]);
    }
    const answer = frame?.slots ?? slots.lastKnown(key, avatar) ?? [];
    sent.begin(chat, turn, answer);
    return answer;
}

/** No macro tells twice; say which were to tell something and stand nowhere in what is sent now. */
function checkPlaces(data) {
    const [key, texts] = [chatKey(openChat()), slots.allTold()];
    if (data?.prompt && texts.size) {
        data.prompt = macros.toldOnce(texts, data.prompt);
    }
    const lost = macros.unplaced(texts, data?.prompt).join(' ');
    if (key && lost !== (reported.get(key) ?? '')) {
        reported.set(key, lost);
        tell('macros_unplaced', { subject: lost });
    }
}

/** Generation never fails because of us. */
function safely(piece) {
    return async (...parameters) => {
        try {
            await piece(...parameters);
        } catch (error) {
            console.debug('Tavernkeep:', error);
        }
    };
}
