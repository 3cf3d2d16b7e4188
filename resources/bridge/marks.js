/** Under a message: its recap, whether that counts, and which scene ends there. */

import { element } from './card.js';
import { rowAt, use } from './rows.js';
import { messageChecksum } from './checksum.js';
import { context } from './tavern.js';
import { wish } from './wishes.js';

const CLASS = 'tavernkeep-mark';

/** @param {boolean} isWanted */
export function show(isWanted) {
    const chat = document.getElementById('chat');
    chat?.removeEventListener('click', onClick);
    use(paint, isWanted);
    if (isWanted) {
        chat?.addEventListener('click', onClick);
    } else {
        document.querySelectorAll(`#chat .${CLASS}`).forEach((mark) => mark.remove());
    }
}

function paint(message, row) {
    message.querySelector(`.${CLASS}`)?.remove();
    if (!row || !(row.word || row.end)) {
        return;
    }
    const mark = element('div', CLASS);
    mark.dataset.state = row.state;
    if (row.word) {
        const word = element('span', 'tavernkeep-word', row.word);
        word.title = `${row.reason} Press to see it in Tavernkeep.`.trim();
        word.setAttribute('role', 'button');
        word.tabIndex = 0;
        mark.append(word, element('span', 'tavernkeep-recap', row.recap));
    }
    if (row.end) {
        mark.append(element('div', 'tavernkeep-end', `${row.end} ends here`));
    }
    message.querySelector('.mes_block')?.append(mark);
}

/** The way back: the window shows the message. */
function onClick(event) {
    const word = event.target.closest?.(`.${CLASS} .tavernkeep-word`);
    const message = word?.closest('.mes');
    const index = Number(message?.getAttribute('mesid'));
    if (message && rowAt(message) && context().chat[index]) {
        wish('open', { index, hash: messageChecksum(context().chat[index]) });
    }
}
