/** Asks SillyTavern's model for the program: beside the chat, and never while a turn is on. */

/*
 * The services behind the connection profiles are asked, since generateRaw expands macros in what
 * it sends, changes the user's own response length for a moment, tells other extensions, and can
 * only be stopped by stopping everything. These send what they are given, emit no event, run no
 * interceptor, and take a signal.
 */

import { context } from './tavern.js';

const LOOK_EVERY = 200;
/** A turn that has begun shows as such only a little later. */
const TURN_BEGINS_WITHIN = 2_000;
const LONGEST_ROUND = 600_000;
/** Text completions that many share; others run at home, one prompt after the other. */
const ACCOUNTS = [
    'openrouter', 'togetherai', 'infermaticai', 'dreamgen', 'mancer', 'featherless', 'huggingface',
];
const AT_HOME = /^(localhost|.*\.local|127\..*|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|\[.*\]|[^.]*)$/;
/** A form that is repeated on purpose suffers from what the chat needs against repetition. */
const CALM_CHAT = {
    temperature: 0.3, frequency_penalty: 0, presence_penalty: 0, n: 1, enable_web_search: false,
    request_images: false,
};
const CALM_TEXT = {
    temp: 0.3, dynatemp: false, rep_pen: 1, freq_pen: 0, presence_pen: 0, dry_multiplier: 0,
    xtc_probability: 0, no_repeat_ngram_size: 0, min_length: 0, grammar_string: '',
};
const KNOWS_SCHEMAS = ['llamacpp', 'tabby'];

/**
 * @typedef {{system: string, prompt: string, profile?: string, tokens: number, json?: boolean,
 *     characters: number, wait: number, first: number, idle: number, quiet?: number,
 *     persists?: boolean, beside?: string}} Question
 *     characters: that are taken of the answer; wait, first, idle: milliseconds for the end of a
 *     turn, the first piece and each further one; quiet: milliseconds that no turn was on before;
 *     persists: it goes on whatever comes; beside: always, never, or auto, as the connection is
 */

class Fault extends Error {
    constructor(kind) {
        super(kind);
        this.kind = kind;
    }
}

/** @type {{id: string, why: string, isSent: boolean, yields: boolean, controller: AbortController} | null} */
let current = null;
let turnUntil = 0;
let lastTurn = -Infinity;
/** Between two members of a group nothing else shows that the round goes on. */
let roundUntil = 0;

/** A round of a group begins or has ended. */
export function setRound(isOn) {
    roundUntil = isOn ? performance.now() + LONGEST_ROUND : 0;
}

const isTurnOn = () => Boolean(document.body.dataset.generating)
    || performance.now() < Math.max(turnUntil, roundUntil);

/** The user wants a turn: what is being asked stops at once, where it would keep the turn waiting. */
export function giveWay() {
    lastTurn = performance.now();
    turnUntil = lastTurn + TURN_BEGINS_WITHIN;
    if (current?.isSent && current.yields) {
        stop(current, 'gave_way');
    }
}

/** The program wants no answer any more. */
export function cancel(id) {
    if (current?.id === id) {
        stop(current, 'cancelled');
    }
}

function stop(asked, why) {
    asked.why ||= why;
    asked.controller.abort();
}

/** What can be asked, and how long it may be. @param {{profile?: string}} params */
export function connection({ profile = '' }) {
    const ctx = context();
    const found = profile && profileNamed(ctx, profile);
    return {
        online: found ? true : isOnline(ctx),
        api: String(found ? found.api : ctx.mainApi ?? ''),
        context: found ? contextOfProfile(ctx, found) : contextOf(ctx),
        profiles: profiles(ctx).map(({ name }) => String(name).slice(0, 200)).slice(0, 100),
    };
}

/**
 * Ask, when no turn is on. Never throws for what the model or the connection does.
 * @param {Question} question
 * @param {string} id of the request
 * @param {(text: string, reasoning: string) => void} hear each further piece
 * @returns {Promise<{isCut?: boolean, fault?: string, detail?: string}>}
 */
export async function ask(question, id, hear) {
    if (current) {
        return { fault: 'asked' };
    }
    const asked = current = {
        id, why: '', isSent: false, yields: !question.persists && !runsBeside(question),
        controller: new AbortController(),
    };
    const timer = patience(asked);
    try {
        await turnsEnd(Number(question.wait) || 0, Number(question.quiet) || 0, asked.controller.signal);
        asked.isSent = true;
        timer.wait(question.first);
        const answer = await send(question, asked.controller.signal);
        return { isCut: await receive(answer, question, timer, hear) };
    } catch (error) {
        const fault = asked.why || error.kind || 'failed';
        return { fault, sent: asked.isSent, detail: fault === 'failed' ? said(error) : '' };
    } finally {
        timer.end();
        current = null;
    }
}

function patience(asked) {
    let timer = 0;
    const end = () => clearTimeout(timer);
    const wait = (milliseconds) => {
        end();
        timer = setTimeout(() => stop(asked, 'slow'), Number(milliseconds) || 60_000);
    };
    return { wait, end };
}

const said = (error) => String(error?.cause?.message ?? error?.message ?? error).slice(0, 200);

async function turnsEnd(milliseconds, quiet, signal) {
    const end = performance.now() + milliseconds;
    for (;;) {
        const now = performance.now();
        const isOn = isTurnOn();
        if (isOn) {
            lastTurn = now;
        }
        if (!isOn && (now - lastTurn >= quiet || now > end)) {
            return;
        }
        if (now > end) {
            throw new Fault('busy');
        }
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
        signal.throwIfAborted();
    }
}

/** Whether the connection answers two at once, so that a turn of the user need not wait. */
export function runsBeside({ beside = 'auto', profile }) {
    if (beside !== 'auto') {
        return beside === 'always';
    }
    const ctx = context();
    const found = profile ? profiles(ctx).find((one) => one.name === profile) : null;
    const isText = found ? found.mode === 'tc' : ctx.mainApi === 'textgenerationwebui';
    const source = found ? found.api : isText
        ? ctx.textCompletionSettings?.type : ctx.chatCompletionSettings?.chat_completion_source;
    if (isText) {
        return ACCOUNTS.includes(source);
    }
    if (!found && ctx.mainApi !== 'openai') {
        return false;
    }
    const url = found ? found['api-url'] : ctx.chatCompletionSettings?.custom_url;
    return source === 'custom' ? !isAtHome(url) : Boolean(source);
}

function isAtHome(url) {
    try {
        return AT_HOME.test(new URL(url).hostname);
    } catch {
        return true;
    }
}

/** Tell the pieces of an answer. @returns {Promise<boolean>} whether it was cut off */
async function receive(answer, { characters, idle }, timer, hear) {
    if (typeof answer !== 'function') {
        const text = String(answer?.content ?? '');
        const reasoning = String(answer?.reasoning ?? '');
        hear(text.slice(0, characters), reasoning.slice(0, characters));
        return text.length > characters;
    }
    let [text, reasoning] = ['', ''];
    for await (const piece of answer()) {
        timer.wait(idle);
        const [now, thought] = [String(piece.text ?? ''), String(piece.state?.reasoning ?? '')];
        hear(now.slice(text.length), thought.slice(reasoning.length));
        [text, reasoning] = [now, thought];
        if (text.length + reasoning.length > characters) {
            current?.controller.abort();
            return true;
        }
    }
    return false;
}

function send(question, signal) {
    const ctx = context();
    const messages = [{ role: 'user', content: question.prompt }];
    if (question.system) {
        messages.unshift({ role: 'system', content: question.system });
    }
    if (question.profile) {
        return byProfile(ctx, messages, question, signal);
    }
    if (!isOnline(ctx)) {
        throw new Fault('offline');
    }
    if (ctx.mainApi === 'openai' && ctx.ChatCompletionService) {
        return byChatCompletion(ctx, messages, question, signal);
    }
    if (ctx.mainApi === 'textgenerationwebui' && ctx.TextCompletionService) {
        return byTextCompletion(ctx, messages, question, signal);
    }
    throw new Fault('unsupported');
}

async function byChatCompletion(ctx, messages, { tokens }, signal) {
    const [service, settings] = [ctx.ChatCompletionService, ctx.chatCompletionSettings];
    const model = ctx.getChatCompletionModel?.();
    // Its models o1 answer in one piece only.
    const stream = Boolean(settings.stream_openai) && !/^o1\b/.test(String(model));
    const asked = {
        messages, model, stream, chat_completion_source: settings.chat_completion_source,
        stop: undefined, logprobs: undefined, tools: undefined,
    };
    // What the source needs besides is known there, and which of its models refuse what.
    const wishes = { ...CALM_CHAT, openai_max_tokens: tokens };
    const payload = { ...await service.presetToGeneratePayload(wishes, {}, asked), messages, stream };
    payload.model ??= model;
    payload.chat_completion_source ??= asked.chat_completion_source;
    if (!payload.max_tokens && !payload.max_completion_tokens) {
        payload.max_tokens = tokens;
    }
    return service.sendRequest(payload, true, signal);
}

async function byTextCompletion(ctx, messages, { tokens, json }, signal) {
    const [service, settings] = [ctx.TextCompletionService, ctx.textCompletionSettings];
    const wishes = { ...CALM_TEXT, genamt: tokens };
    const { stop: _stop, stopping_strings: _strings, ...payload } =
        await service.presetToGeneratePayload(wishes, {}, {});
    Object.assign(payload, {
        prompt: messages,
        stream: Boolean(settings.streaming),
        api_type: settings.type,
        max_tokens: tokens,
        max_new_tokens: tokens,
    });
    if (json && KNOWS_SCHEMAS.includes(settings.type)) {
        payload.json_schema = { type: 'object' };
    }
    return service.processRequest(payload, instruction(ctx), true, signal);
}

/** How a chat is written as one text; without names, which the answer would begin with. */
function instruction(ctx) {
    const { enabled, preset } = ctx.powerUserSettings?.instruct ?? {};
    return {
        instructName: enabled ? preset : undefined,
        instructSettings: { names_behavior: 'none' },
    };
}

async function byProfile(ctx, messages, { profile, tokens }, signal) {
    const found = profileNamed(ctx, profile);
    const settings = found.mode === 'tc' ? ctx.textCompletionSettings : ctx.chatCompletionSettings;
    const stream = Boolean(found.mode === 'tc' ? settings.streaming : settings.stream_openai);
    const { instructSettings } = instruction(ctx);
    return ctx.ConnectionManagerRequestService.sendRequest(
        found.id, messages, tokens, { stream, signal, extractData: true, instructSettings },
    );
}

const isOnline = (ctx) => ctx.onlineStatus !== 'no_connection';

function profiles(ctx) {
    const isOff = ctx.extensionSettings?.disabledExtensions?.includes('connection-manager');
    const all = isOff ? [] : ctx.extensionSettings?.connectionManager?.profiles;
    return Array.isArray(all) ? all.filter((one) => one?.name && one?.id) : [];
}

function profileNamed(ctx, name) {
    const found = profiles(ctx).find((one) => one.name === name);
    if (!found || !ctx.ConnectionManagerRequestService) {
        throw new Fault('profile');
    }
    return found;
}

const contextOf = (ctx) => Number(
    ctx.mainApi === 'openai' ? ctx.chatCompletionSettings?.openai_max_context : ctx.maxContext,
) || 0;

function contextOfProfile(ctx, profile) {
    const isText = profile.mode === 'tc';
    const presets = ctx.getPresetManager?.(isText ? 'textgenerationwebui' : 'openai');
    const preset = profile.preset ? presets?.getCompletionPresetByName?.(profile.preset) : null;
    return Number(isText ? preset?.max_length : preset?.openai_max_context) || contextOf(ctx);
}
