/** What SillyTavern says of itself right now. The only module that asks getContext(). */

/** @typedef {{kind: 'solo', avatar: string, chat: string} | {kind: 'group', group: string, chat: string}} Chat */

/** Never keep the result: SillyTavern replaces extensionPrompts and chatMetadata at each chat change. */
export function context() {
    return globalThis.SillyTavern.getContext();
}

/** @returns {Chat | null} The open chat, null when none is. */
export function openChat(ctx = context()) {
    const chat = ctx.chatId;
    if (!chat) {
        return null;
    }
    // While a group answers, characterId is the drafted member: the group decides.
    if (ctx.groupId) {
        return { kind: 'group', group: String(ctx.groupId), chat: String(chat) };
    }
    const avatar = ctx.characters?.[ctx.characterId]?.avatar;
    return avatar ? { kind: 'solo', avatar: String(avatar), chat: String(chat) } : null;
}

/**
 * The chat's name in the bridge file; '' for no chat.
 * @param {Chat | null | undefined} chat
 */
export function chatKey(chat) {
    if (!chat) {
        return '';
    }
    const owner = chat.kind === 'group' ? chat.group : chat.avatar.replace('.png', '');
    return `${chat.kind}/${owner}/${chat.chat}`;
}

/** @returns {{name: string, avatar: string}} Who is about to answer, empty strings when unknown. */
export function responder(ctx = context()) {
    const character = ctx.characters?.[ctx.characterId];
    return {
        name: String(character?.name ?? '').slice(0, 500),
        avatar: String(character?.avatar ?? ''),
    };
}

/** What an answer to the request `state` holds. */
export function state(ctx = context()) {
    return {
        chat: openChat(ctx),
        length: ctx.chat.length,
        online: String(ctx.onlineStatus ?? ''),
        api: String(ctx.mainApi ?? ''),
        // maxContext is the limit of text completion only.
        context: Number(
            ctx.mainApi === 'openai' ? ctx.chatCompletionSettings?.openai_max_context : ctx.maxContext,
        ) || 0,
    };
}

/** SillyTavern's version, '' when it does not say. */
export async function serverVersion() {
    try {
        const response = await fetch(new URL('../../../../version', import.meta.url));
        return String((await response.json()).pkgVersion ?? '').slice(0, 50);
    } catch {
        return '';
    }
}
