/** Tavernkeep's bridge: tells the program what happens in SillyTavern, and sets the slots it is given. */

import * as asking from './asking.js';
import * as badge from './badge.js';
import * as breaks from './breaks.js';
import * as card from './card.js';
import * as commands from './commands.js';
import { listen, onPromptBuilt } from './events.js';
import * as link from './link.js';
import * as mailbox from './mailbox.js';
import * as mirror from './mirror.js';
import * as pairing from './pairing.js';
import * as parts from './parts.js';
import { respond } from './requests.js';
import * as rows from './rows.js';
import * as server from './server.js';
import * as sent from './sent.js';
import * as slots from './slots.js';
import { chatKey, context, openChat, serverVersion } from './tavern.js';
import * as turns from './turns.js';
import { tell as tellUser } from './wishes.js';
import { language } from './words.js';

const VERSION = '0.4.4';
const LOOK_EVERY = 3_000;
const LOOK_AFTER_EVENT = 50;
const READ_MAILBOX_EVERY = 5_000;
const LONGEST_GENERATION = 600_000;
const LONGEST_WAIT = 2_000;
const LONGEST_PART = 50_000;
const LEAVE_AFTER = 5_000;

const page = Array.from({ length: 4 }, () => Math.random().toString(36).slice(2, 10)).join('');
let version = '';
let session = '';
/** The chat that has finished opening; between clearing and CHAT_CHANGED SillyTavern shows neither. */
let settled = '';
let generatingUntil = 0;
let lookTimer = 0;
let leaveTimer = 0;
/** What the bridge file said of chats, as far as it was taken over. */
const taken = new WeakSet();

/** Run a piece of ours so that its failure stays ours. */
function safely(piece) {
    return (...parameters) => {
        try {
            return piece(...parameters);
        } catch (error) {
            console.debug('Tavernkeep:', error);
            return undefined;
        }
    };
}

function settleChat() {
    const ctx = context();
    const chat = openChat(ctx);
    settled = chatKey(chat);
    mirror.remember(ctx.chat);
    rows.forget();
    slots.settle(chat);
    slots.refresh();
    if (settled && (!slots.lastKnown(settled) || !link.isUp())) {
        readMailbox();
    }
}

/** Look for changes that no event announces: hiding, moving, copying messages, other extensions. */
const look = safely(() => {
    const ctx = context();
    const chat = openChat(ctx);
    if (!settled || chatKey(chat) !== settled || performance.now() < generatingUntil || !link.isUp()) {
        return; // what nobody hears of now is found at the next look
    }
    const first = mirror.firstChange(ctx.chat);
    if (first !== null) {
        link.send({ type: 'changed', chat, first, length: ctx.chat.length });
    }
});

function tell(name, details) {
    const ctx = context();
    return link.send({ type: 'event', name, chat: openChat(ctx), length: ctx.chat.length, ...details });
}

const onEvent = safely((name, details) => {
    if (name === 'chat_changed') {
        generatingUntil = 0;
        card.close();
        asking.setRound(false);
        settleChat();
    } else if (name === 'message_sent') {
        card.close();
    } else if (name === 'generation_started') {
        generatingUntil = performance.now() + LONGEST_GENERATION;
        // Other extensions ask in the background too: that is no turn of the user.
        if (details.kind !== 'quiet') {
            asking.giveWay();
            card.close();
        }
    } else if (name === 'group_started' || name === 'group_finished') {
        asking.setRound(name === 'group_started');
    } else if (name === 'generation_ended' || name === 'generation_stopped') {
        generatingUntil = 0;
        sent.end();
        slots.release();
    }
    rows.look(details.index);
    tell(name, details);
    clearTimeout(lookTimer);
    lookTimer = setTimeout(look, LOOK_AFTER_EVENT);
});

/** Take over what the bridge file says of the open chat, when the socket cannot tell. */
async function readMailbox() {
    if (link.isRemote()) {
        return; // the program cannot leave anything there
    }
    await mailbox.read();
    const isKnown = slots.lastKnown(settled) !== null;
    const entry = mailbox.entry(settled);
    if (entry && (!isKnown || (!taken.has(entry) && !link.isUp()))) {
        taken.add(entry);
        takeMailboxEntry(entry);
    }
}

const takeMailboxEntry = safely((entry) => {
    if (!slots.isOutdated(settled, '', entry)) {
        slots.learn(settled, '', entry);
        for (const [avatar, own] of Object.entries(entry.members ?? {})) {
            slots.learn(settled, avatar, { ...entry, slots: own });
        }
        slots.refresh();
    }
});

const onFrame = safely((frame) => {
    if (frame.type === 'slots') {
        onSlots(frame);
    } else if (frame.type === 'request') {
        respond(frame, tellPart(frame.id)).then(link.send);
    } else if (frame.type === 'reply') {
        link.answer(frame.id, frame);
    } else if (frame.type === 'cancel') {
        asking.cancel(frame.id);
    }
});

/** Tell what comes of an answer before its end, in pieces that fit a frame. */
function tellPart(id) {
    return (text, reasoning) => {
        const end = Math.max(text.length, reasoning.length);
        for (let at = 0; at < end; at += LONGEST_PART) {
            const [more, thought] = [text, reasoning].map((one) => one.slice(at, at + LONGEST_PART));
            link.send({ type: 'part', id, text: more, reasoning: thought });
        }
    };
}

function onSlots(frame) {
    const key = chatKey(frame.chat);
    const news = { session, revision: frame.revision, slots: frame.slots };
    if (!frame.turn) {
        slots.learn(key, frame.responder, news, frame.kept);
        if (!frame.responder) {
            slots.refresh();
        }
    } else if (link.answer(frame.turn, frame) || !slots.isOutdated(key, frame.responder, news)) {
        // Too late, it is only remembered: the prompt is half built, or it is another member's turn.
        slots.learn(key, frame.responder, news);
    }
}

globalThis.tavernkeep_intercept = (messages, contextSize, _abort, kind) => (
    turns.intercept(messages, contextSize, kind)
);

function greet() {
    const ctx = context();
    return {
        version: VERSION, page, sillytavern: version, chat: openChat(ctx), length: ctx.chat.length,
        language: language(),
    };
}

/** The program is there: it tells all anew, and hears what waited for it. */
const greetParts = safely(() => {
    clearTimeout(leaveTimer);
    rows.forget();
    breaks.send();
});

/** It went: soon nobody follows what the marks say. A new token or a restart takes a moment. */
const leaveParts = safely(() => {
    clearTimeout(leaveTimer);
    leaveTimer = setTimeout(safely(() => {
        badge.leave();
        rows.forget();
    }), LEAVE_AFTER);
});

async function start() {
    version = await serverVersion();
    slots.reportRefused((key) => tell('slot_refused', { subject: key }));
    listen(onEvent);
    turns.run({ mailbox: readMailbox, tell });
    onPromptBuilt(safely(slots.release));
    sent.reportSent(link.send);
    commands.prepare({
        refresh: safely(() => tell('refresh_asked')),
        recap: safely(() => tell('recap_asked')),
    });
    settleChat();
    setInterval(() => document.hidden || look(), LOOK_EVERY);
    setInterval(() => document.hidden || link.isUp() || readMailbox(), READ_MAILBOX_EVERY);
    document.addEventListener('visibilitychange', () => document.hidden || look());
    link.run({
        hello: greet,
        frame: onFrame,
        pulse: () => server.answers(safely((isThere) => {
            badge.tellServer(isThere);
            link.send({ type: 'pulse', server: isThere });
        })),
        up: (welcome) => {
            session = welcome.session;
            const wait = Math.min(Math.max(Number(welcome.wait_ms) || 0, 0), LONGEST_WAIT);
            turns.meet(wait, welcome.macros ?? []);
            greetParts();
        },
        down: () => {
            leaveParts();
            readMailbox();
        },
        pairing: safely(parts.choose),
        remote: safely(pairing.show),
        refused: safely((reason) => tellUser(reason)),
    });
}

jQuery(safely(() => {
    start().catch((error) => console.debug('Tavernkeep:', error));
}));
