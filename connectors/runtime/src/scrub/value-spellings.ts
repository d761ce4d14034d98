/** Lines of a longer credential, such as of a private key, are masked one by one from this length on. */
const MIN_LINE_CHARS = 12;
const WINDOWS = new TextDecoder('windows-1252');

/** A value, its lines, and the texts in it when it is JSON: a connector shows what it has read of it. */
export function partsOf(value: string): string[] {
  const lines = value.split(/\r?\n|\\n/).filter((line) => line !== value && line.length >= MIN_LINE_CHARS);
  return [
    value,
    value.trim(),
    ...lines,
    ...textsOf(value)
      .filter((text) => text.length >= MIN_LINE_CHARS)
      .flatMap(partsOf),
  ];
}

/**
 * A text as programs write it that change it without an escape: in upper case, in the other normal forms of Unicode, with the
 * quotes in it doubled as SQL and CSV do or taken out of the quotes of a shell, and its UTF-8 read as Latin-1.
 */
export function spellingsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const misread = bytes.length === text.length ? [] : [bytes.toString('latin1'), WINDOWS.decode(bytes)];
  return [
    text,
    text.toUpperCase(),
    text.normalize('NFC'),
    text.normalize('NFD'),
    text.replaceAll("'", "''"),
    text.replaceAll('"', '""'),
    text.replaceAll("'", `'\\''`),
    text.replaceAll("'", `'"'"'`),
    ...misread,
  ];
}

function textsOf(value: string): string[] {
  if (!/^\s*[[{]/.test(value)) return [];
  try {
    return leaves(JSON.parse(value));
  } catch {
    return [];
  }
}

/** All texts and numbers of a JSON value, as text. */
export function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number' || typeof value === 'bigint') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [];
}
