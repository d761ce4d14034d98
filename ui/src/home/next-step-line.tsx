import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { putSchedule, type SourceView, startSync, updateStream } from '@weir/plugin-sources/contract';
import { createTransform, listTransforms } from '@weir/plugin-transforms/contract';
import { useRead } from '../api/queries.ts';
import { useMay } from '../session/person.ts';
import { nextStep } from './attention.ts';

type OfSource = 'choose_streams' | 'sync' | 'schedule';

const WORDS: Readonly<Record<OfSource, readonly [before: string, after: string]>> = {
  choose_streams: ['Choose which streams of ', ' are read.'],
  sync: ['Sync ', ' for the first time.'],
  schedule: ['Give ', ' a schedule, so that its tables stay fresh.'],
};

/** The one step that would help most now, where this person may take it. */
export function NextStepLine({ sources }: { sources: readonly SourceView[] }) {
  const transforms = useRead(listTransforms, { query: { limit: 1 } });
  const may = {
    choose_streams: useMay(updateStream),
    sync: useMay(startSync),
    schedule: useMay(putSchedule),
    transform: useMay(createTransform),
  };
  const step = nextStep(sources, transforms.data?.items.length);
  if (step === undefined || !may[step.kind]) return null;
  if (step.kind === 'transform')
    return (
      <Text>
        Next:{' '}
        <Anchor inherit underline="always" renderRoot={(props) => <Link to="/query" {...props} />}>
          write a statement over your tables
        </Anchor>{' '}
        and save it as a table of your own, with checks.
      </Text>
    );
  const [before, after] = WORDS[step.kind];
  const search = step.kind === 'schedule' ? { tab: 'schedule' as const } : { tab: 'streams' as const };
  return (
    <Text>
      Next: {before}
      <Anchor
        inherit
        underline="always"
        renderRoot={(props) => (
          <Link to="/sources/$sourceId" params={{ sourceId: step.sourceId }} search={search} {...props} />
        )}
      >
        {step.name}
      </Anchor>
      {after}
    </Text>
  );
}
