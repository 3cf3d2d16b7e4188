/** Texts in SillyTavern's own language. Its translator takes ours from the file that manifest.json names. */

import { context } from './tavern.js';

/** Of SillyTavern's page, like "de-de": what the program says there is to be of the same. */
export function language() {
    return String(context().getCurrentLocale?.() || 'en').slice(0, 20);
}

/** Plain text with its values; SillyTavern's `t` where there is one. */
export function t(strings, ...values) {
    const { t: translated } = context();
    return translated ? translated(strings, ...values) : String.raw({ raw: strings }, ...values);
}
