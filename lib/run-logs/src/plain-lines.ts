/** Characters of one line that are kept. */
export const MAX_LINE_CHARS = 8 * 1024;
/** Lines that one text is cut into at most. */
const MAX_LINES_PER_TEXT = 200;

const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
/**
 * Sequences by which a terminal is told what to do (ECMA-48): strings up to their terminator (none in another, so that the
 * search is linear), control sequences, two-byte
 * escapes; with an escape character or with the C1 character that stands for it.
 */
const TERMINAL = new RegExp(
  [
    /(?:\u001b[\]P^_X]|[\u0090\u0098\u009d\u009e\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c|$)/
      .source,
    /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?/.source,
    /\u001b[ -/]*[0-~]?/.source,
  ].join('|'),
  'g',
);
/** C0, DEL and C1, and what turns the direction of a text or hides in it. */
const CONTROLS = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** One text without control characters and terminal escapes; a tab is a space. */
export function plainText(text: string): string {
  return text.toWellFormed().replace(TERMINAL, '').replaceAll('\t', ' ').replace(CONTROLS, '');
}

/**
 * A text as lines that can neither pretend to be other lines nor steer a terminal. Blank lines are left out; what is longer
 * than a line may be, and lines beyond the most, are cut with a word that says so.
 */
export function plainLines(text: string): string[] {
  const lines = text
    .split(LINE_ENDS)
    .map((line) => plainText(line).trimEnd())
    .filter((line) => line !== '');
  const kept = lines.slice(0, MAX_LINES_PER_TEXT).map(cutLine);
  const left = lines.length - kept.length;
  return left > 0 ? [...kept, `(${left} more lines of this message are not kept)`] : kept;
}

/** A line no longer than a line may be. */
export function cutLine(line: string): string {
  if (line.length <= MAX_LINE_CHARS) return line;
  return `${line.slice(0, MAX_LINE_CHARS).toWellFormed()} (${line.length - MAX_LINE_CHARS} more characters are not kept)`;
}
