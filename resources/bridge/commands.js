/** SillyTavern's slash commands that Tavernkeep adds. */

import * as breaks from './breaks.js';
import { element, lay } from './card.js';
import { goTo } from './jump.js';
import * as link from './link.js';
import { context, openChat } from './tavern.js';
import { tell, wish } from './wishes.js';
import { t } from './words.js';

const MOST_ITEMS = 20;

/** @type {Map<string, object>} by name, those that are registered */
const added = new Map();
const wishes = { refresh: () => false, recap: () => false };

/**
 * @param {{refresh: () => boolean, recap: () => boolean}} handlers refresh: the program is to read the
 *     open chat again and set its slots anew; recap: it is to tell what happened before. Each says
 *     whether anybody heard it
 */
export function prepare(handlers) {
    Object.assign(wishes, handlers);
}

/** @param {boolean} isWanted */
export function show(isWanted) {
    const { SlashCommandParser, SlashCommand } = context();
    if (!SlashCommandParser?.addCommandObject || !SlashCommand?.fromProps) {
        return;
    }
    for (const [name, command] of added) {
        if (SlashCommandParser.commands?.[name] === command) {
            delete SlashCommandParser.commands[name];
        }
    }
    added.clear();
    if (isWanted) {
        commands().forEach((one) => add(SlashCommandParser, SlashCommand, one));
    }
}

function add(parser, SlashCommand, { name, run, help, argument }) {
    const { SlashCommandArgument, ARGUMENT_TYPE } = context();
    const typeList = argument && [ARGUMENT_TYPE?.[argument.type] ?? 'string'];
    const command = SlashCommand.fromProps({
        name,
        helpString: help,
        callback: (_named, text) => run(String(text ?? '').trim()),
        ...(argument && SlashCommandArgument ? {
            unnamedArgumentList: [SlashCommandArgument.fromProps({
                description: argument.says, typeList, isRequired: argument.isRequired,
            })],
        } : {}),
    });
    parser.addCommandObject(command);
    added.set(name, command);
}

/** The message that a number names, the newest without one. */
function indexOf(text) {
    return text ? Number(text) : context().chat.length - 1;
}

/** A wish about a message; tells the user where there is none. */
async function aboutMessage(kind, text) {
    const meant = breaks.named(indexOf(text));
    if (!meant) {
        tell(t`There is no such message.`);
        return null;
    }
    return wish(kind, meant);
}

async function scene(text) {
    if (!link.isUp() && breaks.named(indexOf(text))) {
        tell(t`Tavernkeep is not connected. The scene break waits until it is.`);
    }
    const marked = await breaks.press(indexOf(text));
    return marked === null ? '' : String(marked);
}

async function search(text) {
    const result = await wish('search', { text });
    return result ? list(t`“${text.slice(0, 80)}”`, result, t`Nothing was found.`) : '';
}

async function check(text) {
    const result = await aboutMessage('check', text);
    const none = t`As far as Tavernkeep remembers, this message gives nothing away that its speaker cannot know.`;
    return result ? list(t`Check of message #${Number(result.index)}`, result, none) : '';
}

/** Have a longer text written, or all read for memory; the program says why where it cannot. */
const writing = (text) => async () => {
    const result = await wish('text', { text });
    if (result?.said) {
        tell(result.said, 'info');
    } else if (result) {
        const isCheck = text === 'continuity';
        tell(
            isCheck
                ? t`Tavernkeep checks the newest reply next. Its window shows what it finds.`
                : t`Tavernkeep writes it next.`,
            'success',
        );
    }
    return '';
};

/** Something about the program as a whole; it says itself what came of it. */
const order = (text) => async () => {
    const result = await wish('order', { text });
    if (Array.isArray(result?.items)) {
        return list(t`Tokens that memory takes`, result, t`Nothing was found.`);
    }
    if (result?.said) {
        tell(result.said, 'info');
    }
    return String(result?.said ?? '');
};

/** Show what was found over the chat; the same as text for the next command of a script. */
function list(title, { items }, nothing) {
    const found = (Array.isArray(items) ? items : []).slice(0, MOST_ITEMS);
    const rows = found.map(({ label, text, index }) => {
        const row = element('div', 'tavernkeep-item');
        const isHere = Number.isInteger(index);
        const head = element(isHere ? 'button' : 'span', 'tavernkeep-label', label, 300);
        if (isHere) {
            head.type = 'button';
            head.title = t`Go to this message.`;
            const chat = openChat();
            head.addEventListener('click', () => {
                goTo({ chat, index }).catch((error) => tell(error.message));
            });
        }
        row.append(head, element('div', 'tavernkeep-text', text, 600));
        return row;
    });
    lay(title, ...(rows.length ? rows : [element('div', 'tavernkeep-text', nothing)]));
    const texts = found.map(({ label, text }) => `${label}: ${text}`.slice(0, 900));
    return texts.join('\n') || nothing;
}

/** What is only told, and answered by what comes of it: nobody hears it while nobody is there. */
const told = (handlers, name) => () => {
    if (!context().chatId) {
        tell(t`No chat is open.`);
    } else if (!handlers[name]()) {
        tell(t`Tavernkeep is not connected. Start it first.`);
    }
    return '';
};

const number = () => ({
    type: 'NUMBER', says: t`number of the message; without it, the newest`, isRequired: false,
});

const commands = () => [
    {
        name: 'recap-refresh-memory',
        run: told(wishes, 'refresh'),
        help: t`Tavernkeep reads this chat again and renews its memory in the next prompt.`,
    },
    {
        name: 'tk-recap',
        run: told(wishes, 'recap'),
        help: t`Tavernkeep shows what has happened so far, over the chat.`,
    },
    {
        name: 'tk-scene',
        run: scene,
        argument: number(),
        help: t`Tavernkeep ends a scene with this message; if one ends there already, it takes that end away.`,
    },
    {
        name: 'tk-search',
        run: search,
        argument: { type: 'STRING', says: t`words to find`, isRequired: true },
        help: t`Tavernkeep finds words in its memories and in the messages of all chats.`,
    },
    {
        name: 'tk-check',
        run: check,
        argument: number(),
        help: t`Tavernkeep checks whether a message gives away what its speaker cannot know.`,
    },
    {
        name: 'tk-memory',
        run: writing('memory'),
        help: t`Tavernkeep reads this chat for its memory, up to the last message.`,
    },
    {
        name: 'tk-summary',
        run: writing('summary'),
        help: t`Tavernkeep takes new messages into the summary.`,
    },
    {
        name: 'tk-profiles',
        run: writing('profiles'),
        help: t`Tavernkeep writes a portrait of everyone who speaks.`,
    },
    {
        name: 'tk-canon',
        run: writing('canon'),
        help: t`Tavernkeep writes the canon: what the character has lived through.`,
    },
    {
        name: 'tk-continuity',
        run: writing('continuity'),
        help: t`Tavernkeep checks whether the newest reply contradicts what happened before.`,
    },
    {
        name: 'tk-off',
        run: order('off'),
        help: t`Tavernkeep does no work for this chat and adds nothing to its prompts; nothing is deleted.`,
    },
    {
        name: 'tk-on',
        run: order('on'),
        help: t`Tavernkeep works for this chat again.`,
    },
    {
        name: 'tk-pause',
        run: order('pause'),
        help: t`Tavernkeep pauses its work, in all chats.`,
    },
    {
        name: 'tk-continue',
        run: order('continue'),
        help: t`Tavernkeep goes on with its work.`,
    },
    {
        name: 'tk-clear',
        run: order('clear'),
        help: t`Tavernkeep takes the work that waits for this chat out of its queue.`,
    },
    {
        name: 'tk-tokens',
        run: order('tokens'),
        help: t`Tavernkeep counts how many tokens its memory takes in the next prompt.`,
    },
    {
        name: 'tk-open',
        run: async (text) => {
            await aboutMessage('open', text);
            return '';
        },
        argument: number(),
        help: t`Tavernkeep shows a message in its window.`,
    },
];
