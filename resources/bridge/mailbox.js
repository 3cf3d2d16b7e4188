/** The bridge file: where the program leaves the slots for pages that it cannot reach. */

const URL_OF_FILE = new URL('../../../../user/files/tavernkeep-bridge.json', import.meta.url);

let etag = '';
/** @type {Record<string, {session: string, revision: number, slots: object[],
 *     members?: Record<string, object[]>}>} */
let chats = {};
/** @type {Promise<boolean> | null} */
let reading = null;

/**
 * Read the file if it changed since the last time.
 * @returns {Promise<boolean>} whether it did
 */
export function read() {
    reading ??= load().catch(() => false).finally(() => {
        reading = null;
    });
    return reading;
}

/** What the file last said of a chat. */
export function entry(key) {
    return Object.hasOwn(chats, key) ? chats[key] : null;
}

async function load() {
    const response = await fetch(URL_OF_FILE, {
        cache: 'no-store',
        headers: etag ? { 'If-None-Match': etag } : {},
    });
    if (!response.ok) {
        return false; // 304: as before. 404: the program has not written it.
    }
    const content = await response.json();
    etag = response.headers.get('ETag') ?? '';
    chats = content.chats ?? {};
    return true;
}
