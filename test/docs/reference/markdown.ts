/** The second line of every generated page. */
export const GENERATED = 'Written by `npm run docs` from the code; a test fails when it is stale.';

/** Text as a table or a paragraph takes it: `|` ends no cell, angle brackets begin no tag. */
export const plain = (text: string): string => text.replaceAll('\n', ' ').replaceAll('|', '\\|').replaceAll('<', '\\<');

/** A Markdown table; cells must hold no bare `|`. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The anchor that GitHub gives to a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\p{Mark}_\- ]/gu, '')
    .replaceAll(' ', '-');
}
