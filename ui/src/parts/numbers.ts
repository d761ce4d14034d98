const counts = new Intl.NumberFormat('en');
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
const KIBI = 1_024;

export const countText = (count: number): string => counts.format(count);

/** `1 row`, `2 rows`. */
export const counted = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${countText(count)} ${count === 1 ? noun : nouns}`;

export function bytesText(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(KIBI)));
  return `${(bytes / KIBI ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}
