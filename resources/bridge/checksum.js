/** Checksums by which page and program tell whether they mean the same message. */

const CRC_TABLE = Array.from({ length: 256 }, (_unused, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) {
        crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    }
    return crc >>> 0;
});
const encoder = new TextEncoder();

/** CRC-32 of bytes; SubtleCrypto is missing on plain http. */
export function checksumOf(bytes) {
    let crc = 0xffffffff;
    for (const byte of bytes) {
        crc = CRC_TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
    }
    return (crc ^ 0xffffffff) >>> 0;
}

/** CRC-32 of the text in UTF-8, lone surrogates as U+FFFD. */
export function checksum(text) {
    return checksumOf(encoder.encode(text));
}

/** Checksum of what a message shows. */
export function messageChecksum(message) {
    return checksum([
        String(message.name),
        String(message.mes),
        message.is_system ? '1' : '0',
        String(message.swipe_id ?? 0),
    ].join('\0'));
}

/**
 * Checksum of messages with all their texts, in their order. Whether one is hidden is left out: that
 * changes in the page before it is saved.
 */
export function chatChecksum(messages) {
    return messages.reduce((sum, { name, mes, swipes }) => {
        const shown = checksum([name ?? '', mes ?? '', swipes?.length || 1].join('\0'));
        return (Math.imul(sum, 31) + shown) >>> 0;
    }, 0);
}
