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
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && stringWidth(last) + 1 + stringWidth(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : ' '.repeat(indent) + word);
  }
  return lines;
}
