/** The macros that tell what a slot would tell, where a card or a preset names them. */

import { context } from './tavern.js';
import { t } from './words.js';

const NAME = /^smartmemory-([a-z]{1,20})$/;
const what = {
    runningrecap: () => t`the running recap`,
    shortterm: () => t`the summary of the story`,
    longterm: () => t`long-term memories`,
    triggered: () => t`memories that the last messages call up`,
    session: () => t`details from this session`,
    scenes: () => t`earlier scenes`,
    arcs: () => t`story arcs`,
    relationships: () => t`how the characters feel about each other`,
    canon: () => t`what a character has lived through`,
    profiles: () => t`profiles`,
    epistemic: () => t`who knows what`,
    stateledger: () => t`where people and things are, and in what state`,
    unified: () => t`all of it in one block`,
};
const NAMED = /\{\{(\s{0,20})smartmemory-([a-z]{1,20})(\s{0,20})\}\}/gi;
const COMPARED = 300;
const SHORTEST = 20; // characters; less may be part of anything

/** A frame that names its own macro must not tell itself for ever. */
let isTelling = false;
const registered = { new: new Set(), old: new Set() };

/** The program is there. @param {string[]} names of its macros; slots have come after this file */
export function meet(names) {
    for (const word of names.map((name) => NAME.exec(name)?.[1]).filter(Boolean)) {
        what[word] ??= () => t`what its slot tells`;
    }
}

/**
 * Let SillyTavern know the macros; again when it has changed its engine.
 * @param {(macro: string) => string} textOf
 */
export function register(textOf) {
    const ctx = context();
    const isNew = Boolean(ctx.macros?.register);
    const isOld = isOldAtWork(ctx) && Boolean(ctx.registerMacro);
    for (const [word, words] of Object.entries(what)) {
        const name = `smartmemory-${word}`;
        const handler = () => told(textOf(name));
        const description = `Tavernkeep: ${words()}`;
        if (isNew && !registered.new.has(word)) {
            ctx.macros.register(name, { handler, description, category: 'tavernkeep' });
            registered.new.add(word);
        }
        if (isOld && !registered.old.has(word)) {
            ctx.registerMacro(name, handler, description);
            registered.old.add(word);
        }
    }
}

/** Before 1.17 the old engine is at work unless the user wants the new one, later the other way. */
function isOldAtWork(ctx) {
    return !ctx.macros?.register || ctx.powerUserSettings?.experimental_macro_engine === false;
}

/** A text with its names filled in: what a macro gives is not looked through everywhere. */
function told(text) {
    if (!text || isTelling) {
        return '';
    }
    isTelling = true;
    try {
        return context().substituteParams(text);
    } finally {
        isTelling = false;
    }
}

/** @returns {string[]} names of the macros in what SillyTavern uses of the card of whoever answers */
export function named(ctx = context()) {
    const found = new Set();
    const isStrict = isOldAtWork(ctx); // no space within the braces
    for (const text of cardTexts(ctx)) {
        for (const [, before, word, behind] of String(text ?? '').matchAll(NAMED)) {
            if (Object.hasOwn(what, word.toLowerCase()) && !(isStrict && before + behind)) {
                found.add(`smartmemory-${word.toLowerCase()}`);
            }
        }
    }
    return [...found];
}

/** The five fields as they are written; a chat may have others in their place. */
function cardTexts(ctx) {
    const character = ctx.characters?.[ctx.characterId];
    if (!character) {
        return [];
    }
    const instead = ctx.chatMetadata ?? {};
    const settings = ctx.powerUserSettings ?? {};
    const isSystemUsed = settings.prefer_character_prompt
        && (ctx.mainApi === 'openai' || settings.sysprompt?.enabled !== false);
    const cards = joinedCards(ctx, character);
    return [
        isSystemUsed ? instead.system_prompt || character.data?.system_prompt : '',
        ...cards.flatMap(({ description, personality }) => [description, personality]),
        ...(instead.scenario ? [instead.scenario] : cards.map(({ scenario }) => scenario)),
        ...(instead.mes_example ? [instead.mes_example] : cards.map((card) => card.mes_example)),
    ];
}

/** The cards that a group puts together, or the one alone. */
function joinedCards(ctx, character) {
    const group = ctx.groupId && ctx.groups?.find(({ id }) => id === ctx.groupId);
    if (!group?.generation_mode) {
        return [character];
    }
    const isWithSilent = group.generation_mode === 2;
    return group.members
        .filter((avatar) => isWithSilent || avatar === character.avatar
            || !group.disabled_members?.includes(avatar))
        .map((avatar) => ctx.characters.find((one) => one.avatar === avatar))
        .filter(Boolean);
}

/**
 * Names of the macros whose text a prompt does not hold.
 * @param {Map<string, string>} texts by macro
 * @param {string | {content: string | object[]}[]} prompt as SillyTavern sends it
 */
export function unplaced(texts, prompt) {
    const whole = flat(typeof prompt === 'string' ? prompt : JSON.stringify(contents(prompt)));
    return [...texts].filter(([, text]) => {
        const wanted = told(text);
        const written = typeof prompt === 'string' ? wanted : JSON.stringify(wanted).slice(1, -1);
        return wanted && !whole.includes(flat(written).slice(0, COMPARED).trim());
    }).map(([name]) => name);
}

/**
 * A prompt that holds what a macro tells once: SillyTavern fills a macro wherever it is named, and a
 * card may name one in several fields.
 * @param {Map<string, string>} texts by macro
 * @param {string | {content: string | object[]}[]} prompt of messages, these are changed
 */
export function toldOnce(texts, prompt) {
    const wanted = [...texts.values()].map((text) => told(text).trim())
        .filter((text) => text.length >= SHORTEST);
    const seen = new Set();
    const once = (whole) => wanted.reduce((left, text) => withoutRepeats(left, text, seen), whole);
    if (typeof prompt === 'string') {
        return once(prompt);
    }
    for (const message of Array.isArray(prompt) ? prompt : []) {
        const parts = Array.isArray(message?.content) ? message.content : [];
        for (const part of parts.filter((one) => typeof one?.text === 'string')) {
            part.text = once(part.text);
        }
        if (typeof message?.content === 'string') {
            message.content = once(message.content);
        }
    }
    return prompt;
}

function withoutRepeats(whole, text, seen) {
    const [before, ...behind] = whole.split(text);
    if (!behind.length) {
        return whole;
    }
    const first = seen.has(text) ? '' : text;
    seen.add(text);
    return before + first + behind.join('');
}

const contents = (prompt) => (Array.isArray(prompt) ? prompt.map((one) => one?.content) : []);

/** SillyTavern may change line breaks and spaces. */
const flat = (text) => text.replace(/(?:\s|\\n)+/g, ' ');
