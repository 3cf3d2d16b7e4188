/** A card over the chat, for texts that are shown and kept nowhere. */

import { t } from './words.js';

/** @type {HTMLElement | null} */
let card = null;

/** An element with a text, which is never read as HTML. */
export function element(name, className, text = '', longest = 2_000) {
    const made = document.createElement(name);
    made.className = className;
    made.textContent = String(text).slice(0, longest);
    return made;
}

/** Take it away. @returns {boolean} whether it was there */
export function close() {
    const wasThere = card !== null;
    card?.remove();
    card = null;
    document.removeEventListener('keydown', onKey, true);
    return wasThere;
}

function onKey(event) {
    if (event.key === 'Escape') {
        // The same key would end an edit of a message under it.
        event.preventDefault();
        event.stopPropagation();
        close();
    }
}

/** Lay it over the chat, in place of one that is there. @param {...Node} body */
export function lay(title, ...body) {
    close();
    card = element('section', 'tavernkeep-previously');
    card.setAttribute('role', 'status');
    card.setAttribute('aria-label', String(title).slice(0, 200));
    const button = element('button', 'tavernkeep-close menu_button', t`Close`);
    button.type = 'button';
    button.addEventListener('click', close);
    card.append(element('h3', 'tavernkeep-title', title), ...body, button);
    document.body.append(card);
    document.addEventListener('keydown', onKey, true);
}
