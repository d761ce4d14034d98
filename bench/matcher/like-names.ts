import type { TablePair } from './pairs.ts';

/** Plain similarity of names: the better one of two well-known measures over lower-case letters and digits. */
export function likeNames({ sources, targets }: TablePair): string[][] {
  const names = targets.map(({ name }) => ({ name, letters: lettersOf(name) }));
  return sources.map((source) => {
    const own = lettersOf(source.name);
    const scored = names.map(({ name, letters }) => ({
      name,
      score: Math.max(trigrams(own, letters), jaroWinkler(own, letters)),
    }));
    return scored.sort((a, b) => b.score - a.score).map(({ name }) => name);
  });
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Dice's coefficient over the runs of three characters. */
function trigrams(a: string, b: string): number {
  const runs = (text: string) =>
    new Set(Array.from({ length: Math.max(0, text.length - 2) }, (_, at) => text.slice(at, at + 3)));
  const [left, right] = [runs(a), runs(b)];
  const common = [...left].filter((run) => right.has(run)).length;
  return left.size + right.size === 0 ? 0 : (2 * common) / (left.size + right.size);
}

const [MOST_PREFIX, PREFIX_SHARE] = [4, 0.1];

function jaroWinkler(a: string, b: string): number {
  const jaro = jaroOf(a, b);
  let prefix = 0;
  while (prefix < MOST_PREFIX && prefix < a.length && a[prefix] === b[prefix]) prefix += 1;
  return jaro + prefix * PREFIX_SHARE * (1 - jaro);
}

function jaroOf(a: string, b: string): number {
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1);
  const taken = new Set<number>();
  const left = [...a].filter((letter, at) => {
    for (let place = Math.max(0, at - reach); place <= Math.min(b.length - 1, at + reach); place += 1) {
      if (taken.has(place) || b[place] !== letter) continue;
      taken.add(place);
      return true;
    }
    return false;
  });
  if (left.length === 0) return 0;
  const right = [...taken].sort((x, y) => x - y).map((place) => b[place]);
  const swapped = left.filter((letter, at) => letter !== right[at]).length / 2;
  return (left.length / a.length + left.length / b.length + (left.length - swapped) / left.length) / 3;
}
