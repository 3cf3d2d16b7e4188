/** Where the user types the code: a drawer among SillyTavern's extensions, and a command. */

import { element } from './card.js';
import * as link from './link.js';
import { forget, pair, pairing } from './remote.js';
import { context } from './tavern.js';
import { tell } from './wishes.js';
import { t } from './words.js';

const ID = 'tavernkeep_pairing';
const LOOK_EVERY = 2_000;

/** Show the drawer, once. SillyTavern opens and closes it by these classes. */
export function show() {
    const place = document.getElementById('extensions_settings2');
    if (!place || document.getElementById(ID)) {
        return;
    }
    const drawer = element('div', 'inline-drawer');
    drawer.id = ID;
    const head = element('div', 'inline-drawer-toggle inline-drawer-header');
    head.append(
        element('b', '', 'Tavernkeep'),
        element('div', 'inline-drawer-icon fa-solid fa-circle-chevron-down down'),
    );
    const body = element('div', 'inline-drawer-content');
    body.append(...controls());
    drawer.append(head, body);
    place.append(drawer);
    addCommand();
}

function controls() {
    const state = element('div', 'tavernkeep-pairing-state');
    const code = element('input', 'text_pole');
    code.placeholder = t`Code`;
    code.setAttribute('aria-label', t`Code`);
    code.autocomplete = 'off';
    code.maxLength = 50;
    const join = element('button', 'menu_button', t`Pair`);
    const part = element('button', 'menu_button', t`Forget this pairing`);
    join.type = part.type = 'button';
    const draw = () => {
        const isPaired = pairing().port > 0;
        state.textContent = isPaired ? paired() : t`Have Tavernkeep show a code on this computer (Settings, SillyTavern), and type it here.`;
        code.hidden = join.hidden = isPaired;
        part.hidden = !isPaired;
    };
    join.addEventListener('click', async () => {
        if (await bring(code.value)) {
            code.value = '';
        }
        draw();
    });
    code.addEventListener('keydown', (event) => event.key === 'Enter' && join.click());
    part.addEventListener('click', () => {
        forget();
        link.leave();
        draw();
    });
    draw();
    setInterval(() => document.hidden || draw(), LOOK_EVERY);
    return [state, code, join, part];
}

const paired = () => (link.isUp()
    ? t`Paired with Tavernkeep on this computer, and connected.`
    : t`Paired with Tavernkeep on this computer. It is not connected now.`);

/** @returns {Promise<boolean>} whether it is paired now */
async function bring(typed) {
    const outcome = await pair(typed);
    if (outcome === '') {
        link.leave(); // to come back with the new token
        tell(t`Paired with Tavernkeep.`, 'success');
        return true;
    }
    tell(outcome ?? t`Tavernkeep does not answer on this computer. Start it, have it show a code, and allow the browser to reach it.`);
    return false;
}

function addCommand() {
    const { SlashCommandParser, SlashCommand, SlashCommandArgument, ARGUMENT_TYPE } = context();
    if (!SlashCommandParser?.addCommandObject || !SlashCommand?.fromProps) {
        return;
    }
    SlashCommandParser.addCommandObject(SlashCommand.fromProps({
        name: 'tk-pair',
        helpString: t`Pairs this page with the Tavernkeep that shows the code.`,
        callback: async (_named, text) => String(await bring(String(text ?? ''))),
        ...(SlashCommandArgument ? {
            unnamedArgumentList: [SlashCommandArgument.fromProps({
                description: t`Code`, typeList: [ARGUMENT_TYPE?.STRING ?? 'string'], isRequired: true,
            })],
        } : {}),
    }));
}
