import { Stack, Text } from '@mantine/core';
import type { CheckBody, DefinitionView } from '@weir/plugin-transforms/contract';
import { lazy, Suspense } from 'react';
import { FactList } from '../../parts/fact-list.tsx';

const SqlDifference = lazy(() => import('./sql-difference.tsx').then((module) => ({ default: module.SqlDifference })));

type Compared = Omit<DefinitionView, 'origin'>;

interface DefinitionDifferenceProps {
  before: Compared;
  after: Compared;
  /** Names what is compared. */
  label: string;
}

/** What changed between two definitions: the statement line by line, and every other member that differs. */
export function DefinitionDifference({ before, after, label }: DefinitionDifferenceProps) {
  const members = memberDifferences(before, after);
  const isSameSql = before.sql === after.sql;
  if (isSameSql && members.length === 0)
    return (
      <Text p="md" className="panel" role="status">
        Both say the same.
      </Text>
    );
  return (
    <Stack gap="sm">
      {members.length === 0 ? null : <FactList facts={members} />}
      {isSameSql ? (
        <Text size="sm" c="dimmed">
          The statement is the same.
        </Text>
      ) : (
        <Suspense fallback={null}>
          <SqlDifference before={before.sql} after={after.sql} label={label} />
        </Suspense>
      )}
    </Stack>
  );
}

const MEMBERS = [
  ['output', 'Output'],
  ['materialization', 'A run'],
  ['key', 'Key'],
  ['partition_by', 'Partitions'],
  ['incremental', 'Only new rows of'],
] as const;

/** Members beside the statement that differ, as what they were and are. */
function memberDifferences(before: Compared, after: Compared): [string, string][] {
  const members = MEMBERS.flatMap(([member, word]): [string, string][] => {
    const [was, is] = [shown(before[member]), shown(after[member])];
    return was === is ? [] : [[word, `${was} → ${is}`]];
  });
  const checks = checkDifferences(before.checks, after.checks);
  return checks.length === 0 ? members : [...members, ['Checks', checks.join(', ')]];
}

const shown = (value: string | readonly string[] | null): string => {
  const text = value === null || typeof value === 'string' ? (value ?? '') : value.join(', ');
  return text === '' ? 'none' : text;
};

function checkDifferences(before: readonly CheckBody[], after: readonly CheckBody[]): string[] {
  const named = (checks: readonly CheckBody[]) => new Map(checks.map((check) => [check.name, JSON.stringify(check)]));
  const [was, is] = [named(before), named(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
    if (was.get(name) === is.get(name)) return [];
    if (!was.has(name)) return [`${name} added`];
    return [is.has(name) ? `${name} changed` : `${name} removed`];
  });
}
