/** Control characters but tab and line feed, and what turns the direction of a text or hides in it. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const HEX = 16;
const HEX_DIGITS = 4;

/** A text without what steers a terminal, or shows a reader something else than is there. */
export const plainText = (text: string): string => text.replace(UNSEEN, '');

/** The same document of JSON, or of YAML with such texts in double quotes, in which each of them is escaped. */
export const escapeUnseen = (document: string): string =>
  document.replace(UNSEEN, (char) => `\\u${char.charCodeAt(0).toString(HEX).padStart(HEX_DIGITS, '0')}`);

export const hasUnseen = (text: string): boolean => text.search(UNSEEN) >= 0;
