/** Whether SillyTavern's own server still answers its page: a page stays open when it is gone. */

const LONGEST_WAIT = 8_000;
const FAILURES = 2;
const AGAIN_SOON = 500;
const UNTIL_BACK = 2_000;

let failures = 0;
let isLooking = false;
let isThere = true;
let again = null;

/**
 * Look anew, and say how it was when that was last done.
 * @param {(isThere: boolean) => void} heard when that is another than before
 */
export function answers(heard) {
    if (!isLooking) {
        isLooking = true;
        look(heard).catch(() => {}).finally(() => {
            isLooking = false;
        });
    }
    return isThere;
}

async function look(heard) {
    try {
        const url = new URL('manifest.json', import.meta.url);
        // Whatever it says, it is there.
        await fetch(url, { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(LONGEST_WAIT) });
        failures = 0;
    } catch (error) {
        failures += 1;
        // One that is gone refuses at once: whether it is, is known before the next question.
        if (failures < FAILURES && error?.name !== 'TimeoutError') {
            await new Promise((resolve) => setTimeout(resolve, AGAIN_SOON));
            return look(heard);
        }
    }
    const now = failures < FAILURES;
    if (now !== isThere) {
        isThere = now;
        heard(now);
    }
    clearTimeout(again);
    if (!now) {
        // The program asks more seldom than a server takes to start.
        again = setTimeout(() => answers(heard), UNTIL_BACK);
    }
}
