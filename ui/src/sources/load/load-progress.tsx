import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CheckCircle2, Circle, Loader2, XCircle } from 'lucide-react';
import type { ReactNode } from 'react';
import { FailureNote } from '../../parts/failure-note.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { bytesText, counted, countText } from '../../parts/numbers.ts';
import { type Tone, ToneWord } from '../../parts/status-word.tsx';
import { DiscoveryFailure } from '../create/discovery-result.tsx';
import type { Reached, ToLoad } from './load-files.ts';
import { LoadedRows } from './loaded-rows.tsx';
import { type Load, useLoad } from './use-load.ts';

const PERCENT = 100;

/** A load as it goes: what is done, what is under way, and the rows at its end. */
export function LoadProgress({ toLoad, again }: { toLoad: ToLoad; again(): void }) {
  const load = useLoad(toLoad);
  const { source, run, discovery } = load.reached;
  const failure = discovery?.is_terminal ? discovery.failure : null;
  const isDone = run?.status === 'succeeded';
  return (
    <Stack>
      <Steps load={load} toLoad={toLoad} />
      {load.reached.isLost ? (
        <Text role="status">The server does not answer. Work that has begun continues; the page asks again.</Text>
      ) : null}
      {load.error === undefined ? null : <FaultNote error={load.error} retry={load.resume} />}
      {failure === null || failure === undefined ? null : (
        <DiscoveryFailure failure={failure} title="The files could not be read" />
      )}
      {run?.failure == null ? null : <FailureNote failure={run.failure} title="The sync failed" />}
      {isDone ? <LoadedRows streams={run.streams} /> : null}
      <Group>
        {source === undefined ? null : (
          <Button
            variant={isDone ? 'filled' : 'default'}
            renderRoot={(props) => <Link to="/sources/$sourceId" params={{ sourceId: source.source_id }} {...props} />}
          >
            Open source {source.name}
          </Button>
        )}
        {load.isRunning ? null : (
          <Button variant="default" onClick={again}>
            {isDone ? 'Load more files' : 'Choose other files'}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

type StepState = 'waiting' | 'running' | 'done' | 'failed';

const ICONS = { waiting: Circle, running: Loader2, done: CheckCircle2, failed: XCircle };
const TONES: Readonly<Record<StepState, Tone>> = { waiting: 'quiet', running: 'busy', done: 'good', failed: 'bad' };
const WORDS = { waiting: 'To come', running: 'Under way', done: 'Done', failed: 'Failed' };

/** The four steps of a load. */
function Steps({ load: { reached, isRunning }, toLoad: { files, tables } }: { load: Load; toLoad: ToLoad }) {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const states = stepStates(reached, { files: files.length, isRunning });
  const streams = reached.discovery?.streams?.length ?? 0;
  return (
    <Stack component="ol" gap={0} m={0} p={0} className="panel plain-list" aria-label="Steps">
      <Step state={states[0]} name={`Send ${counted(files.length, 'file')}`}>
        {bytesText(reached.sentBytes)} of {bytesText(total)}
        {states[0] === 'running' ? (
          <Progress
            mt={6}
            value={total === 0 ? 0 : (PERCENT * reached.sentBytes) / total}
            aria-label="Bytes that were sent"
          />
        ) : null}
      </Step>
      <Step state={states[1]} name={tables === 'one' ? 'Find the columns' : 'Find the tables and their columns'}>
        {states[1] === 'done' ? counted(streams, 'table') : null}
      </Step>
      <Step state={states[2]} name="Create the source">
        {reached.source?.name}
      </Step>
      <Step state={states[3]} name="Load the rows">
        {reached.run === undefined ? null : `${countText(reached.run.rows_written)} rows committed`}
      </Step>
    </Stack>
  );
}

type Four = [StepState, StepState, StepState, StepState];

/** What each step is at: the first that is not done runs, or has failed once nothing runs. */
function stepStates(
  { sentFiles, discovery, source, run }: Reached,
  { files, isRunning }: { files: number; isRunning: boolean },
): Four {
  const done = [
    sentFiles === files,
    discovery?.is_terminal === true && discovery.failure === null,
    source !== undefined,
    run?.status === 'succeeded',
  ];
  const at = done.indexOf(false);
  return done.map((isDone, i): StepState => {
    if (isDone) return 'done';
    return i === at ? (isRunning ? 'running' : 'failed') : 'waiting';
  }) as Four;
}

function Step({ state, name, children }: { state: StepState; name: string; children?: ReactNode }) {
  return (
    <Group component="li" px="md" py="sm" gap="md" wrap="nowrap" align="flex-start">
      <div className="load-state">
        <ToneWord icon={ICONS[state]} tone={TONES[state]} word={WORDS[state]} />
      </div>
      <div style={{ flex: 1, minWidth: 0 }}>
        <Text fw={560}>{name}</Text>
        <Text size="sm" c="dimmed" component="div">
          {children}
        </Text>
      </div>
    </Group>
  );
}
