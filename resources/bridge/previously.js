/** What happened before, over the chat of somebody who comes back: never part of any prompt. */

import { chatKey, openChat } from './tavern.js';

const LONGEST = 20_000;

/** @type {HTMLElement | null} */
let card = null;

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

function element(name, className, text) {
    const made = document.createElement(name);
    made.className = className;
    made.textContent = String(text).slice(0, LONGEST);
    return made;
}

/**
 * Show a text over a chat, if that one is open and no reply is being written.
 * @param {{chat: object, title: string, text: string}} params
 */
export function show({ chat, title, text }) {
    if (chatKey(openChat()) !== chatKey(chat)) {
        throw new Error('another chat is open');
    }
    if (document.body.dataset.generating) {
        throw new Error('a reply is being written');
    }
    close();
    card = element('section', 'tavernkeep-previously', '');
    card.setAttribute('role', 'status');
    card.setAttribute('aria-label', String(title).slice(0, 200));
    const button = element('button', 'tavernkeep-close menu_button', 'Close');
    button.type = 'button';
    button.addEventListener('click', close);
    card.append(
        element('h3', 'tavernkeep-title', title),
        element('div', 'tavernkeep-text', text),
        button,
    );
    document.body.append(card);
    document.addEventListener('keydown', onKey, true);
    return {};
}
