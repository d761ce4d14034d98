import {
  Button,
  Checkbox,
  Collapse,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  OVERLAPS,
  previewSchedule,
  type ScheduleFactsView,
  type TimesPreviewView,
} from '@weir/plugin-schedules/contract';
import { use, useState } from 'react';
import { ProblemError } from '../api/problem-error.ts';
import { useRead } from '../api/queries.ts';
import { useSettled } from '../api/use-settled.ts';
import { faultsByField } from '../faults/problem-faults.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { ZoneContext } from '../parts/zone-context.ts';
import { allZones } from '../parts/zones.ts';
import { NextRuns } from './next-runs.tsx';
import {
  bodyOf,
  DAYS,
  type Day,
  draftFault,
  draftOf,
  type Rhythm,
  type ScheduleBody,
  type ScheduleDraft,
  UNIT_SECONDS,
  type Unit,
} from './schedule-draft.ts';

const RHYTHM_WORDS: { value: Rhythm; label: string }[] = [
  { value: 'interval', label: 'Every …' },
  { value: 'weekly', label: 'On days' },
  { value: 'monthly', label: 'Monthly' },
  { value: 'cron', label: 'Cron' },
];
const OVERLAP_WORDS: Readonly<Record<(typeof OVERLAPS)[number], string>> = {
  skip: 'Leave that time out',
  buffer_one: 'Let one run wait for its end',
};
const MINUTE_S = 60;
const DAY_MINUTES = 1_440;
const MONTH_DAYS = 31;

interface ScheduleFormProps {
  /** Undefined for a new one. */
  schedule: ScheduleFactsView | undefined;
  isPending: boolean;
  error: Error | null;
  save(body: ScheduleBody): void;
  cancel(): void;
}

type Change = (change: Partial<ScheduleDraft>) => void;

/** When something runs: chosen in words, or written as cron. */
export function ScheduleForm({ schedule, isPending, error, save, cancel }: ScheduleFormProps) {
  const zone = use(ZoneContext);
  const [draft, setDraft] = useState(() => draftOf(schedule, zone));
  const [more, { toggle }] = useDisclosure(false);
  const fault = draftFault(draft);
  const change: Change = (some) => setDraft((before) => ({ ...before, ...some }));
  const preview = usePreview(bodyOf(draft, schedule), fault === undefined);
  const atCron = draft.rhythm === 'cron' ? cronFault(error ?? preview.error) : undefined;
  const wrong = error ?? preview.error;
  const zones = allZones(draft.timezone);
  return (
    <form
      noValidate
      aria-label="Schedule"
      onSubmit={(event) => {
        event.preventDefault();
        if (fault === undefined) save(bodyOf(draft, schedule));
      }}
    >
      <Stack className="panel" p="md" maw={640}>
        <SegmentedControl
          data={RHYTHM_WORDS}
          value={draft.rhythm}
          onChange={(rhythm) => change({ rhythm: rhythm as Rhythm })}
          aria-label="Rhythm"
        />
        <When draft={draft} change={change} cronFault={atCron} />
        <Select
          label="Time zone"
          description="Whose clocks count; a day on which they change is named below the schedule"
          data={zones}
          value={draft.timezone}
          onChange={(timezone) => timezone !== null && change({ timezone })}
          allowDeselect={false}
          searchable
        />
        <div>
          <Button variant="subtle" size="compact-sm" onClick={toggle} aria-expanded={more}>
            More settings
          </Button>
          <Collapse expanded={more}>
            <Finer draft={draft} change={change} />
          </Collapse>
        </div>
        {fault === undefined ? null : (
          <Text size="sm" role="alert" c="var(--mantine-color-error)">
            {fault}
          </Text>
        )}
        <Read times={preview.times} error={atCron === undefined ? wrong : null} />
        <Group>
          <Button type="submit" loading={isPending} disabled={fault !== undefined}>
            Save schedule
          </Button>
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** What the form means so far, as the server reads it; nothing while something is missing. */
function usePreview({ overlap: _, ...times }: ScheduleBody, isWhole: boolean) {
  const { settled: body } = useSettled(times);
  const { data, error } = useRead(previewSchedule, { body }, { enabled: isWhole, keep: true });
  return { times: isWhole && error === null ? data : undefined, error: isWhole ? error : null };
}

/** How the server reads the form, or why it does not. */
function Read({ times, error }: { times: TimesPreviewView | undefined; error: Error | null }) {
  return (
    <Stack gap="xs" aria-live="polite">
      {error === null ? null : <FaultNote error={error} />}
      {times === undefined ? null : (
        <>
          <Text fw={620}>{times.sentence}</Text>
          <NextRuns times={times} none="No run would come: the end of the schedule has passed." />
        </>
      )}
    </Stack>
  );
}

/** The expression that the server refused, said at its field. */
function cronFault(error: Error | null): string | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  const at = [...faultsByField(error).keys()].find((pointer) => pointer.startsWith('/cron'));
  if (at === undefined) return undefined;
  const line = Number(at.split('/')[2] ?? 0) + 1;
  return `Line ${line} is not a cron expression: five fields, such as 0 6 * * mon-fri.`;
}

function When({ draft, change, cronFault }: { draft: ScheduleDraft; change: Change; cronFault: string | undefined }) {
  const time = (
    <TextInput
      label="Time"
      type="time"
      w={140}
      value={draft.time}
      onChange={(event) => change({ time: event.currentTarget.value })}
    />
  );
  switch (draft.rhythm) {
    case 'interval':
      return <Every draft={draft} change={change} />;
    case 'weekly':
      return (
        <>
          <Checkbox.Group label="Days" value={[...draft.days]} onChange={(days) => change({ days: days as Day[] })}>
            <Group mt={4} gap="md">
              {DAYS.map((day) => (
                <Checkbox key={day} value={day} label={dayWord(day)} />
              ))}
            </Group>
          </Checkbox.Group>
          {time}
        </>
      );
    case 'monthly':
      return (
        <Group align="flex-end">
          <NumberInput
            label="Day of the month"
            w={160}
            min={1}
            max={MONTH_DAYS}
            value={draft.dayOfMonth}
            onChange={(day) => change({ dayOfMonth: Number(day) })}
          />
          {time}
        </Group>
      );
    case 'cron':
      return (
        <Textarea
          label="Cron expressions"
          description="Minute, hour, day of month, month, day of week; one a line"
          autosize
          minRows={2}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={draft.crons}
          onChange={(event) => change({ crons: event.currentTarget.value })}
          error={cronFault}
        />
      );
  }
}

/** A number of minutes, hours or days. */
function Every({ draft, change }: { draft: ScheduleDraft; change: Change }) {
  return (
    <Group align="flex-end">
      <NumberInput
        label="Every"
        w={120}
        min={1}
        allowDecimal={false}
        value={draft.every}
        onChange={(every) => change({ every: Number(every) })}
      />
      <Select
        aria-label="Unit"
        w={140}
        data={Object.keys(UNIT_SECONDS)}
        value={draft.unit}
        onChange={(unit) => unit !== null && change({ unit: unit as Unit })}
        allowDeselect={false}
      />
    </Group>
  );
}

const dayWord = (day: Day) => `${day.charAt(0).toUpperCase()}${day.slice(1)}`;

/** What most schedules leave as it is. */
function Finer({ draft, change }: { draft: ScheduleDraft; change: Change }) {
  return (
    <Stack pt="sm">
      <Select
        label="When the last run is still open"
        data={OVERLAPS.map((value) => ({ value, label: OVERLAP_WORDS[value] }))}
        value={draft.overlap}
        onChange={(overlap) => overlap !== null && change({ overlap: overlap as ScheduleDraft['overlap'] })}
        allowDeselect={false}
      />
      <NumberInput
        label="Spread, in seconds"
        description="Each run comes up to so much later, so that not all of them start at once"
        min={0}
        value={draft.jitterSeconds}
        onChange={(seconds) => change({ jitterSeconds: Number(seconds) })}
      />
      <NumberInput
        label="Make up for a missed run for so many minutes"
        min={1}
        max={366 * DAY_MINUTES}
        value={Math.round(draft.catchupSeconds / MINUTE_S)}
        onChange={(minutes) => change({ catchupSeconds: Number(minutes) * MINUTE_S })}
      />
    </Stack>
  );
}
