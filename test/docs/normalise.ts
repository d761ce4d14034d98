/** What differs from run to run, and what stands for it; in this order. */
const CHANGING: readonly [RegExp, string][] = [
  [/\u001b\[[0-9;]*m/g, ''],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, '<time>'],
  [/\b[0-9a-f]{32}\b/g, '<hash>'],
  [/\b(127\.0\.0\.1|localhost):\d+/g, '<address>'],
  [/\b\d{17,19}\b/g, '<snapshot>'],
  [/\b[\d,]+ rows\/s/g, '<rate>'],
  [/\b\d+(\.\d+)? ?(ms|s|min)\b( \d+ s\b)?/g, '<duration>'],
  [/\bv\d+\.\d+\.\d+\b/g, '<version>'],
  [/\b\d+ cores, \d+ GB/g, '<machine>'],
  [/[ \t]+/g, ' '],
  [/ ?[-─]{3,}/g, ' ---'],
];

/** Places of the machine, and what a page shows in their stead. */
export type Places = readonly (readonly [actual: string, shown: string])[];

/**
 * Text in which ids, times, ports, durations, machine and column widths are replaced by what they are. Lines of progress
 * are left out: a terminal draws each over the last.
 */
export function normalised(text: string, places: Places = []): string {
  const there = places.reduce((told, [actual, shown]) => told.replaceAll(actual, shown), text);
  return CHANGING.reduce((told, [pattern, word]) => told.replaceAll(pattern, word), there)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !line.startsWith('▸'))
    .join('\n')
    .trim();
}

/**
 * Whether what was printed is what a page shows. A line `…` on the page stands for any lines, and `…` within a line for
 * any text.
 */
export function showsSame(shown: string, printed: string, places: Places = []): boolean {
  const pattern = normalised(shown, places)
    .split('\n')
    .map((line) => (line === '…' ? '(?:.*\\n)*?' : `${line.split('…').map(RegExp.escape).join('.*')}\\n`))
    .join('');
  return new RegExp(`^${pattern}$`).test(`${normalised(printed, places)}\n`);
}
