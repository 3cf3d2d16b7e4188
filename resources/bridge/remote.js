/** Pairing with a program that cannot read SillyTavern's files, by a code that the user types. */

const PROTOCOL = 'tavernkeep.pair.v1';
const KEY = 'tavernkeep_remote';
const USUAL_PORT = 47_100;
const LONGEST_WAIT = 15_000;

/**
 * What this browser keeps: of this page's origin only, and nowhere on SillyTavern's server.
 * @returns {{port: number, token: string}} port 0 where it is not paired
 */
export function pairing() {
    try {
        const { port, token } = JSON.parse(localStorage.getItem(KEY)) ?? {};
        return Number.isInteger(port) && port > 0 && port < 65_536 && typeof token === 'string' && token
            ? { port, token } : { port: 0, token: '' };
    } catch {
        return { port: 0, token: '' };
    }
}

/** Keep no pairing any more; the program is to forget it, too. */
export function forget() {
    localStorage.removeItem(KEY);
}

/**
 * Bring a code to the program.
 * @param {string} typed CODE, or CODE@PORT where the program says so
 * @returns {Promise<string>} why not, in one sentence; '' when it is paired. null: nobody answers
 */
export function pair(typed) {
    const [code, named] = String(typed).trim().split('@');
    const port = named ? Number(named) : USUAL_PORT;
    return new Promise((resolve) => {
        let socket;
        try {
            socket = new WebSocket(`ws://127.0.0.1:${port}`, [PROTOCOL]);
        } catch {
            resolve(null);
            return;
        }
        const end = (outcome) => {
            clearTimeout(timer);
            socket.onopen = socket.onmessage = socket.onclose = null;
            socket.close();
            resolve(outcome);
        };
        const timer = setTimeout(() => end(null), LONGEST_WAIT);
        socket.onopen = () => socket.send(JSON.stringify({ type: 'pair', code: code.slice(0, 50) }));
        socket.onmessage = ({ data }) => end(taken(data, port));
        socket.onclose = () => end(null);
    });
}

function taken(data, port) {
    try {
        const { token, error } = JSON.parse(data);
        if (token) {
            localStorage.setItem(KEY, JSON.stringify({ port, token: String(token) }));
            return '';
        }
        return String(error).slice(0, 500);
    } catch {
        return null;
    }
}
