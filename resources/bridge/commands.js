/** SillyTavern's slash commands that Tavernkeep adds. */

import { context } from './tavern.js';

/**
 * @param {() => void} refresh asks the program to read the open chat again and set its slots anew
 */
export function addCommands(refresh) {
    const { SlashCommandParser, SlashCommand } = context();
    if (!SlashCommandParser?.addCommandObject || !SlashCommand?.fromProps) {
        return;
    }
    SlashCommandParser.addCommandObject(SlashCommand.fromProps({
        name: 'recap-refresh-memory',
        callback: () => {
            refresh();
            return '';
        },
        helpString: 'Tavernkeep reads this chat again and puts its memory into the next prompt.',
    }));
}
