import type { DefinitionView } from '../contract.ts';
import { isSame } from './definition.ts';

/** Members that are said with what they were and are. */
const SHOWN = [
  ['output', 'output'],
  ['materialization', 'materialization'],
  ['key', 'key'],
  ['partition_by', 'partitions'],
  ['incremental', 'incremental input'],
] as const;

/** What differs between two definitions, in words; nothing where there is none before. */
export function changedWords(before: DefinitionView | undefined, now: DefinitionView): string[] {
  if (before === undefined || isSame(before, now)) return [];
  const words = [
    ...(before.sql === now.sql ? [] : ['statement']),
    ...SHOWN.flatMap(([member, word]) =>
      isSame(before[member], now[member]) ? [] : [`${word} ${shown(before[member])} → ${shown(now[member])}`],
    ),
    ...checkWords(before.checks, now.checks),
  ];
  return words.length === 0 ? ['form that made the statement'] : words;
}

const shown = (value: string | readonly string[] | null): string => {
  const text = value === null || typeof value === 'string' ? value : value.join(', ');
  return text === null || text === '' ? 'none' : text;
};

type Checks = DefinitionView['checks'];

function checkWords(before: Checks, now: Checks): string[] {
  if (isSame(before, now)) return [];
  const added = now.filter(({ name }) => !before.some((one) => one.name === name));
  const removed = before.filter(({ name }) => !now.some((one) => one.name === name));
  const changed = now.filter((check) => before.some((one) => one.name === check.name && !isSame(one, check)));
  const words = [
    ...added.map(({ name }) => `check ${name} added`),
    ...changed.map(({ name }) => `check ${name} changed`),
    ...removed.map(({ name }) => `check ${name} removed`),
  ];
  return words.length === 0 ? ['order of the checks'] : words;
}
