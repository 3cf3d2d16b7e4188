/** What Tavernkeep adds to the page; each part comes and goes by the user's settings. */

import * as badge from './badge.js';
import * as breaks from './breaks.js';
import * as commands from './commands.js';
import * as marks from './marks.js';

const PARTS = { badge, marks, button: breaks, commands };
/** Until the program has said what the user wants. */
const AT_FIRST = { badge: true, button: true, commands: true };

/** @type {Record<string, boolean>} */
const shown = {};

/**
 * Show these parts, and take away all others without a trace.
 * @param {Record<string, boolean> | null} wanted null when the bridge was taken out
 */
export function choose(wanted = AT_FIRST) {
    for (const [name, part] of Object.entries(PARTS)) {
        const isWanted = wanted?.[name] === true;
        if (Boolean(shown[name]) !== isWanted) {
            shown[name] = isWanted;
            part.show(isWanted);
        }
    }
    return {};
}
