import stringWidth from 'string-width';

/** Columns of the narrowest terminal that everything fits. */
export const NARROW = 80;

/** A text of at most `width` columns. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let [kept, used] = ['', 0];
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += stringWidth(segment);
    if (used >= width) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** A text in lines of at most `width` columns, broken between words; the later ones are set in by `indent`. */
export function wrapped(text: string, width: number, indent = 0): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').flatMap((each) => pieces(each, Math.max(1, width - indent)))) {
    const last = lines.at(-1);
    if (last !== undefined && stringWidth(last) + 1 + stringWidth(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : ' '.repeat(indent) + word);
  }
  return lines;
}

/** A word that no line holds, in pieces: behind commas where that is enough, as in JSON, else anywhere. */
function pieces(word: string, width: number): string[] {
  if (stringWidth(word) <= width) return [word];
  const parts = word.split(/(?<=,)(?!$)/);
  if (parts.length > 1) return parts.flatMap((part) => pieces(part, width));
  const found: string[] = [];
  let piece = '';
  for (const { segment } of new Intl.Segmenter().segment(word)) {
    if (piece !== '' && stringWidth(piece + segment) > width) {
      found.push(piece);
      piece = '';
    }
    piece += segment;
  }
  return [...found, piece];
}

/** A remark in lines that fit: broken before the commands that it names, then between words. */
export function wrappedNote(line: string, width: number): string {
  if (stringWidth(line) <= width) return line;
  const parts = line.split(/(?<=[:;,]) (?=weir )/);
  return parts.map((part, at) => wrapped(`${at === 0 ? '' : '  '}${part}`, width, 2).join('\n')).join('\n');
}
