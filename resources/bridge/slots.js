/** The slots last known for each chat, and setting those of the open one. */

import { chatKey, context, openChat } from './tavern.js';

const CHATS_KEPT = 50;
const KEY = /^[A-Za-z0-9][\w.:-]{0,79}$/;
const NONE = -1;

/**
 * @typedef {{key: string, position: number, depth: number, role: number, scan: boolean, text: string, macro?: string}} Slot
 *     macro: that tells the text, in place of the slot
 * @typedef {{session: string, revision: number, slots: Slot[], arrived: number}} Known
 */

/** @type {Map<string, Map<string, Known>>} by chat, then by the responder's avatar ('' for anyone) */
const known = new Map();
/** @type {Map<string, string>} what we set last under each key */
const written = new Map();
const refused = new Set();
/** @type {Map<string, string>} what each macro tells, of the slots that are set now */
const byMacro = new Map();
/** The chat that they are of: another one's cards must not get them. */
let toldOf = '';
let arrivals = 0;
/** Timer that ends the hold by itself: not every prompt that is begun gets built. */
let holding = 0;
let hasHeldPush = false;
let settled = '';
/** @type {(key: string) => void} */
let onRefused = () => {};

/** @param {(key: string) => void} listener hears of a key that another extension fills */
export function reportRefused(listener) {
    onRefused = listener;
}

/** SillyTavern has finished opening this chat; before that nothing is set for it. */
export function settle(chat) {
    settled = chatKey(chat);
    hasHeldPush = false;
    clearTimeout(holding);
    holding = 0;
}

/**
 * Remember slots of a chat, in place of what is known for the same responder.
 * @param {string[]} [kept] members whose own slots are as new as these
 */
export function learn(key, avatar, { session, revision, slots }, kept = []) {
    const chat = known.get(key) ?? new Map();
    chat.set(avatar, { session, revision, slots, arrived: ++arrivals });
    for (const own of kept.map((member) => chat.get(member)).filter(Boolean)) {
        own.arrived = ++arrivals;
        own.revision = revision;
    }
    known.delete(key);
    known.set(key, chat);
    if (known.size > CHATS_KEPT) {
        known.delete(known.keys().next().value);
    }
}

/** Whether something newer is known. Revisions only compare within one run of the program. */
export function isOutdated(key, avatar, { session, revision }) {
    const old = known.get(key)?.get(avatar);
    return old !== undefined && old.session === session && revision < old.revision;
}

/**
 * The newest slots that this responder may see. Those made for another member of a group never
 * are; those for anyone tell only what every member may know.
 * @returns {Slot[] | null}
 */
export function lastKnown(key, avatar = '') {
    const chat = known.get(key);
    const general = chat?.get('');
    const own = avatar ? chat?.get(avatar) : undefined;
    const newest = own && (!general || own.arrived > general.arrived) ? own : general;
    return newest?.slots ?? null;
}

/** Set what is known of the open chat, unless a prompt is being built or the chat still opens. */
export function refresh() {
    if (holding) {
        hasHeldPush = true;
        return;
    }
    const key = chatKey(openChat());
    if (key === settled) {
        set(lastKnown(key) ?? []);
    }
}

/** A prompt is built from now on: its slots must not be exchanged half-way. */
export function hold(milliseconds) {
    clearTimeout(holding);
    holding = setTimeout(release, milliseconds);
}

/** The prompt is built. */
export function release() {
    clearTimeout(holding);
    holding = 0;
    if (hasHeldPush) {
        hasHeldPush = false;
        refresh();
    }
}

/**
 * Make these our only slots, whatever another extension has set stays.
 * @param {Slot[]} slots
 */
export function set(slots) {
    const ctx = context();
    const keys = new Set();
    byMacro.clear();
    toldOf = chatKey(openChat(ctx));
    const ours = slots.filter((slot) => isSound(slot) && isOurs(ctx, slot.key));
    makeWay(ctx, ours.map((slot) => slot.key));
    for (const slot of ours) {
        keys.add(slot.key);
        written.set(slot.key, slot.text);
        if (slot.macro) {
            byMacro.set(slot.macro, slot.text);
        }
        ctx.setExtensionPrompt(slot.key, slot.text, slot.position, slot.depth, slot.scan, slot.role);
    }
    for (const key of written.keys()) {
        if (!keys.has(key) && ctx.extensionPrompts[key]?.value && isOurs(ctx, key)) {
            written.set(key, '');
            ctx.setExtensionPrompt(key, '', NONE, 0);
        }
    }
}

/**
 * SillyTavern sends in the order in which keys were first set. What begins to tell something later
 * stands where it would have stood: so what a provider has read before stays the same for longest.
 */
function makeWay(ctx, keys) {
    const there = Object.keys(ctx.extensionPrompts).filter((key) => keys.includes(key));
    if (there.some((key, place) => key !== keys[place])) {
        keys.forEach((key) => delete ctx.extensionPrompts[key]);
    }
}

/** What a macro tells now, '' for one whose text stands in a slot. */
export function told(macro) {
    return allTold().get(macro) ?? '';
}

/** @returns {Map<string, string>} what the macros tell now, by name */
export function allTold() {
    return toldOf && toldOf === chatKey(openChat()) ? byMacro : new Map();
}

function isSound(slot) {
    return KEY.test(slot.key)
        && typeof slot.text === 'string'
        && slot.position >= -1 && slot.position <= 2
        && slot.depth >= 0 && slot.depth <= 10000
        && slot.role >= 0 && slot.role <= 2;
}

function isOurs(ctx, key) {
    const value = Object.hasOwn(ctx.extensionPrompts, key) ? ctx.extensionPrompts[key]?.value : '';
    const ours = !value || value === written.get(key);
    if (!ours && !refused.has(key)) {
        refused.add(key);
        onRefused(key);
    }
    return ours;
}
