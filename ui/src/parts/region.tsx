import { Alert, Anchor, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { CloudOff } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { FaultNote } from './fault-note.tsx';

/** Sooner than this a skeleton would only flicker. */
export const PATIENCE_MS = 150;

export interface EmptyWords {
  words: string;
  action?: ReactNode;
  docs?: string;
  /** Above the words: the quickest way to have something. */
  before?: ReactNode;
}

interface RegionProps<T> {
  query: { data: T | undefined; error: Error | null; isPending: boolean; refetch(): unknown };
  /** What is shown of data that holds nothing. */
  empty?: (data: T) => EmptyWords | undefined;
  lines?: number;
  children(data: T): ReactNode;
}

/** A place that shows data: loading, empty, error or denied, stale, or the data. */
export function Region<T>({ query, empty, lines = 4, children }: RegionProps<T>) {
  const { data, error, isPending, refetch } = query;
  if (data === undefined) {
    if (error !== null && !isPending) return <FaultNote error={error} retry={() => void refetch()} />;
    return <Loading lines={lines} />;
  }
  const nothing = empty?.(data);
  return (
    <Stack gap="sm">
      {error === null ? null : (
        <Alert role="status" color="yellow" variant="outline" className="panel" icon={<CloudOff aria-hidden />}>
          Not connected. This is what was known last; it is being read again.
        </Alert>
      )}
      {nothing === undefined ? children(data) : <Empty {...nothing} />}
    </Stack>
  );
}

/** The page whose script is still to come; the router waits before it shows this. */
export const LatePage = () => <Loading lines={6} isLate />;

function Loading({ lines, isLate = false }: { lines: number; isLate?: boolean }) {
  const [shown, setShown] = useState(isLate);
  useTimeout(() => setShown(true), PATIENCE_MS, { autoInvoke: true });
  return (
    <Stack gap="sm" aria-busy="true" aria-label="Loading" role="status">
      {Array.from({ length: lines }, (_, line) => `line-${line}`).map((key) => (
        <Skeleton key={key} height={40} style={{ visibility: shown ? 'visible' : 'hidden' }} />
      ))}
    </Stack>
  );
}

export function Empty({ words, action, docs, before }: EmptyWords) {
  return (
    <Stack align="center" gap="md" p="xl" className="panel">
      {before}
      <Text ta="center">{words}</Text>
      <Group>
        {action}
        {docs === undefined ? null : <Anchor href={docs}>Read how</Anchor>}
      </Group>
    </Stack>
  );
}

/** Stands where a part of a page is still to come: nothing is seen of it, and whoever waits for the page knows. */
export const Later = () => <div aria-busy />;
