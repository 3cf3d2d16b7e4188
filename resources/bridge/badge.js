/** A small sign beside the input field: whether Tavernkeep is there, works, and how much waits. */

import { element } from './card.js';
import * as link from './link.js';
import { wish } from './wishes.js';
import { t } from './words.js';

const ID = 'tavernkeep_badge';
const AWAY = { state: 'away', waiting: 0, sentence: '' };
const WORDS = {
    away: () => t`not connected`,
    ready: () => t`connected`,
    working: () => t`working`,
    trouble: () => t`needs attention`,
};
/** Tell the states apart without a colour. */
const ICONS = {
    away: 'fa-plug-circle-xmark',
    ready: 'fa-book-bookmark',
    working: 'fa-feather-pointed',
    trouble: 'fa-triangle-exclamation',
};

let told = AWAY;
let hasServer = true;
/** @type {HTMLElement | null} */
let badge = null;

/** @param {boolean} isWanted */
export function show(isWanted) {
    badge?.remove();
    badge = null;
    const place = document.getElementById('leftSendForm');
    if (isWanted && place) {
        badge = element('div', '');
        badge.id = ID;
        badge.setAttribute('role', 'button');
        badge.tabIndex = 0;
        badge.append(element('span', 'tavernkeep-count'));
        badge.addEventListener('click', press);
        place.append(badge);
        draw();
    }
}

/** What the program says of itself. @param {{state: string, waiting: number, sentence: string}} news */
export function tell({ state, waiting, sentence }) {
    told = {
        state: Object.hasOwn(WORDS, state) ? state : 'ready',
        waiting: Math.min(Math.max(Math.floor(Number(waiting)) || 0, 0), 1_000_000),
        sentence: String(sentence ?? '').slice(0, 300),
    };
    draw();
    return {};
}

/** SillyTavern's own server answers its page no more, or again. @param {boolean} isThere */
export function tellServer(isThere) {
    hasServer = isThere;
    draw();
}

/** Nobody is there any more. */
export function leave() {
    told = AWAY;
    draw();
}

function draw() {
    if (!badge) {
        return;
    }
    const { state, waiting } = hasServer ? told : { state: 'trouble', waiting: 0 };
    const gone = hasServer ? '' : t`SillyTavern's server does not answer.`;
    const sentence = gone || told.sentence || (state === AWAY.state ? startIt() : '');
    const isSaid = sentence.split(/\D+/).includes(String(waiting));
    const queued = waiting && !isSaid ? `, ${waiting === 1 ? t`1 waiting` : t`${waiting} waiting`}` : '';
    const title = `Tavernkeep: ${WORDS[state]()}${queued}. ${sentence}`.trim();
    badge.dataset.state = state;
    badge.title = title;
    badge.setAttribute('aria-label', title);
    badge.className = `tavernkeep-badge fa-solid ${ICONS[state]} interactable`;
    badge.firstChild.textContent = waiting > 99 ? '99+' : waiting || '';
}

const startIt = () => t`Start Tavernkeep, so that it remembers. If it is running, the foot of its window says what is missing.`;

function press() {
    if (link.isUp()) {
        wish('open', {});
    } else {
        toastr.info(`${t`Not connected.`} ${startIt()}`, 'Tavernkeep', { escapeHtml: true });
    }
}
