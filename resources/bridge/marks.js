/** Under a message: its recap, whether that counts, and which scene ends there. */

import { named } from './breaks.js';
import { element } from './card.js';
import { rowAt, use } from './rows.js';
import { wish } from './wishes.js';
import { t } from './words.js';

const CLASS = 'tavernkeep-mark';

/** @param {boolean} isWanted */
export function show(isWanted) {
    const chat = document.getElementById('chat');
    chat?.removeEventListener('click', onClick);
    chat?.removeEventListener('keydown', onKey);
    use(paint, isWanted);
    if (isWanted) {
        chat?.addEventListener('click', onClick);
        chat?.addEventListener('keydown', onKey);
    } else {
        document.querySelectorAll(`#chat .${CLASS}`).forEach((mark) => mark.remove());
    }
}

function paint(message, row) {
    const old = message.querySelector(`.${CLASS}`);
    if (!row || !(row.word || row.end)) {
        old?.remove();
        return;
    }
    const mark = old ?? message.querySelector('.mes_block')?.appendChild(empty());
    if (mark) {
        const [word, recap, end] = mark.children;
        mark.dataset.state = row.state;
        word.textContent = row.word;
        word.title = `${row.reason} ${t`Click to see it in Tavernkeep.`}`.trim();
        recap.textContent = row.recap;
        end.textContent = row.end && t`End of scene ${row.end}`;
    }
}

function empty() {
    const mark = element('div', CLASS);
    const word = element('span', 'tavernkeep-word');
    word.setAttribute('role', 'button');
    word.tabIndex = 0;
    mark.append(word, element('span', 'tavernkeep-recap'), element('div', 'tavernkeep-end'));
    return mark;
}

/** The way back: the window shows the message. */
function onClick(event) {
    const word = event.target.closest?.(`.${CLASS} .tavernkeep-word`);
    const message = word?.closest('.mes');
    const index = Number(message?.getAttribute('mesid'));
    const meant = message && rowAt(message) ? named(index) : null;
    if (meant) {
        wish('open', meant);
    }
}

function onKey(event) {
    if (event.key === 'Enter') {
        onClick(event);
    }
}
