import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useConnection } from '../../api/connection.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { bytesText, counted } from '../../parts/numbers.ts';
import { NOTHING_SENT, type Sent, sendAll } from './send-all.ts';

const PERCENT = 100;

interface SendingProps {
  files: readonly File[];
  onSent(upload: string): void;
  again(): void;
}

/** Files on their way to the server; it begins with the component and ends with it. */
export function Sending({ files, onSent, again }: SendingProps) {
  const { sent, error, resume } = useSending(files, onSent);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  return (
    <Stack>
      <Stack gap="xs" p="md" className="panel" role="status">
        <Text fw={560}>Sending {counted(files.length, 'file')}</Text>
        <Progress value={total === 0 ? 0 : (PERCENT * sent.bytes) / total} aria-label="Bytes that were sent" />
        <Text size="sm" c="dimmed">
          {bytesText(sent.bytes)} of {bytesText(total)}
        </Text>
      </Stack>
      {error === undefined ? null : <FaultNote error={error} retry={resume} />}
      <Group>
        <Button variant="default" onClick={again}>
          Choose other files
        </Button>
      </Group>
    </Stack>
  );
}

function useSending(files: readonly File[], onSent: (upload: string) => void) {
  const connection = useConnection();
  const [sent, setSent] = useState<Sent>(NOTHING_SENT);
  const [error, setError] = useState<Error>();
  const [round, setRound] = useState(0);
  const newest = useRef(sent);
  const told = useRef(onSent);
  told.current = onSent;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round sends the rest
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const reach = (more: Partial<Sent>) => {
      if (signal.aborted) return;
      newest.current = { ...newest.current, ...more };
      setSent(newest.current);
    };
    setError(undefined);
    sendAll(files, newest.current, { connection, signal, reach })
      .then((upload) => signal.aborted || told.current(upload))
      .catch((fault: unknown) => {
        if (!signal.aborted) setError(fault instanceof Error ? fault : new Error(String(fault)));
      });
    return () => ending.abort();
  }, [files, connection, round]);
  return { sent, error, resume: () => setRound(round + 1) };
}
