/** Gives the program the open chat, where it cannot read SillyTavern's files: only what it asks for. */

import { checksumOf } from './checksum.js';
import { chatKey, context, openChat } from './tavern.js';
import { t } from './words.js';

const MARKS_AT_ONCE = 10_000;
const PIECE_UNITS = 65_536;
const LONGEST_FIELD = 100_000;
const MOST_MEMBERS = 100;
const MOST_CHATS = 10_000;
const FIELDS = [
    'description', 'personality', 'scenario', 'first_mes', 'mes_example', 'system_prompt', 'creator_notes',
];
const HEADER = -1;
const NOTHING = [0, 2];

const encoder = new TextEncoder();

/** @typedef {{text: string, mark: [number, number]}} Line mark: checksum and bytes */
/** @type {{key: string, lines: Line[]}} the chat as it was told of last; its header first */
let told = { key: '', lines: [] };

/** The open chat's context, if it is the chat that is meant. */
function chatToCopy(chat) {
    const ctx = context();
    if (!chat || chatKey(openChat(ctx)) !== chatKey(chat)) {
        throw new Error(t`another chat is open`);
    }
    return ctx;
}

/** A line of the chat's file; what is as it was need not be read through again. */
function line(value, before) {
    const text = JSON.stringify(value ?? {});
    if (before?.text === text) {
        return before;
    }
    const bytes = encoder.encode(text);
    return { text, mark: [checksumOf(bytes), bytes.length] };
}

/** How the chat stands. @param {{chat: object, first?: number}} params first: line to tell from */
export function copyState({ chat, first = 0 }) {
    const ctx = chatToCopy(chat);
    if (document.body.dataset.generating) {
        return { chat: openChat(ctx), first, length: 0, header: NOTHING, marks: [], is_busy: true };
    }
    const key = chatKey(chat);
    if (first === 0 || told.key !== key) {
        const before = told.key === key ? told.lines : [];
        const values = [ctx.chatMetadata, ...ctx.chat];
        told = { key, lines: values.map((value, index) => line(value, before[index])) };
    }
    const [header, ...lines] = told.lines.map(({ mark }) => mark);
    return {
        chat: openChat(ctx), first, length: lines.length, header,
        marks: lines.slice(first, first + MARKS_AT_ONCE),
    };
}

/** Lines as they were told of. @param {{chat: object, first: number, count: number}} params */
export function copyLines({ chat, first, count }) {
    const ctx = chatToCopy(chat);
    const start = first - HEADER;
    const lines = toldOf(chat).slice(start, start + count).map(({ text }) => text);
    return { chat: openChat(ctx), lines };
}

/** A piece of a line that is too long for one answer. */
export function copyPiece({ chat, index, offset }) {
    const ctx = chatToCopy(chat);
    const text = toldOf(chat)[index - HEADER]?.text ?? '';
    let end = offset + PIECE_UNITS;
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) {
        end -= 1; // half a sign cannot be sent
    }
    return { chat: openChat(ctx), lines: [text.slice(offset, end)] };
}

const toldOf = (chat) => (told.key === chatKey(chat) ? told.lines : []);

/** Who is in the open chat. */
export function copyCompany({ chat }) {
    const ctx = chatToCopy(chat);
    const group = ctx.groupId ? ctx.groups?.find(({ id }) => String(id) === String(ctx.groupId)) : null;
    const members = (group ? group.members ?? [] : [openChat(ctx).avatar]).map(String).slice(0, MOST_MEMBERS);
    return {
        chat: openChat(ctx),
        members,
        group: group && {
            id: String(group.id),
            name: String(group.name || group.id).slice(0, 500),
            members,
            chats: (group.chats ?? []).map(String).slice(-MOST_CHATS),
        },
    };
}

/** What the card of one who is in the open chat says. */
export async function copyMember({ chat, avatar }) {
    const ctx = chatToCopy(chat);
    if (!copyCompany({ chat }).members.includes(avatar)) {
        throw new Error(t`another chat is open`);
    }
    const place = ctx.characters.findIndex((one) => one.avatar === avatar);
    if (ctx.characters[place]?.shallow) {
        await ctx.unshallowCharacter?.(String(place));
    }
    const character = context().characters.find((one) => one.avatar === avatar) ?? {};
    const field = (name) => String(character.data?.[name] ?? character[name] ?? '').slice(0, LONGEST_FIELD);
    return {
        avatar,
        name: field('name').slice(0, 500) || avatar.replace(/\.png$/, ''),
        ...Object.fromEntries(FIELDS.map((name) => [name, whole(field(name))])),
    };
}

/** Without a half sign, which a cut may leave and JSON cannot carry everywhere. */
const whole = (text) => text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '');
