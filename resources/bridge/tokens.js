/** Counts tokens for the program with SillyTavern's own tokenizer of the connected API. */

import { context } from './tavern.js';

const TEXTS_AT_ONCE = 200;
const CHARACTERS_AT_ONCE = 400_000;
/** Each text is a request to SillyTavern's server; its own pages ask so many at once, too. */
const REQUESTS_AT_ONCE = 4;

/** Which tokenizer counts now: the API, and what of its settings decides that. */
export function tokenizerName(ctx = context()) {
    const api = String(ctx.mainApi ?? '');
    if (api === 'openai') {
        const source = String(ctx.chatCompletionSettings?.chat_completion_source ?? '');
        const model = ctx.getTokenizerModel?.() ?? ctx.getChatCompletionModel?.() ?? '';
        return `${api}/${source}/${model}`.slice(0, 200);
    }
    const type = api === 'textgenerationwebui' ? ctx.textCompletionSettings?.type ?? '' : '';
    const choice = ctx.powerUserSettings?.tokenizer ?? '';
    return `${api}/${type}/${choice}/${ctx.onlineStatus ?? ''}`.slice(0, 200);
}

/** @returns {{name: string}} which tokenizer counts now */
export function tokenizer() {
    return { name: tokenizerName() };
}

/**
 * Count the tokens of texts.
 * @param {{texts: string[]}} params
 * @returns {Promise<{name: string, counts: number[]}>}
 */
export async function countTokens({ texts }) {
    const ctx = context();
    const all = Array.isArray(texts) ? texts.map(String) : [];
    if (all.length > TEXTS_AT_ONCE || all.join('').length > CHARACTERS_AT_ONCE) {
        throw new Error('too much to count at once');
    }
    const name = tokenizerName(ctx);
    const counts = new Array(all.length).fill(0);
    let next = 0;
    const work = async () => {
        while (next < all.length) {
            const at = next++;
            counts[at] = Math.max(0, Math.round(Number(await ctx.getTokenCountAsync(all[at], 0)) || 0));
        }
    };
    await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, work));
    if (tokenizerName() !== name) {
        throw new Error('another model was chosen meanwhile');
    }
    return { name, counts };
}
