/** SillyTavern's slash commands that Tavernkeep adds. */

import { context } from './tavern.js';

/**
 * @param {{refresh: () => void, recap: () => void}} wishes refresh: the program is to read the open
 *     chat again and set its slots anew; recap: it is to tell what happened before
 */
export function addCommands({ refresh, recap }) {
    const { SlashCommandParser, SlashCommand } = context();
    if (!SlashCommandParser?.addCommandObject || !SlashCommand?.fromProps) {
        return;
    }
    const add = (name, wish, helpString) => {
        const callback = () => {
            wish();
            return '';
        };
        SlashCommandParser.addCommandObject(SlashCommand.fromProps({ name, callback, helpString }));
    };
    add(
        'recap-refresh-memory',
        refresh,
        'Tavernkeep reads this chat again and puts its memory into the next prompt.',
    );
    add('tk-recap', recap, 'Tavernkeep shows what happened before, over the chat.');
}
