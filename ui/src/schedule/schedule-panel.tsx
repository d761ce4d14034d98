import { Button, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import type { RunStatus } from '@weir/kernel/contract';
import type { FiringView, ScheduleFactsView } from '@weir/plugin-schedules/contract';
import { CalendarClock, Pause } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { Empty } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { RunWord, ToneWord } from '../parts/status-word.tsx';
import { WideBox } from '../parts/wide-box.tsx';
import { NextRuns } from './next-runs.tsx';
import type { ScheduleBody } from './schedule-draft.ts';
import { ScheduleForm } from './schedule-form.tsx';

/** What can be done with a schedule; each answers once it is done, and `error` says what failed last. */
export interface ScheduleActions {
  put(body: ScheduleBody): Promise<unknown>;
  pause(reason: string): Promise<unknown>;
  resume(): Promise<unknown>;
  trigger(): Promise<unknown>;
  remove(): Promise<unknown>;
  isPending: boolean;
  error: Error | null;
}

interface SchedulePanelProps {
  /** Undefined where there is none. */
  schedule: ScheduleFactsView | undefined;
  /** What it starts, such as `source orders`. */
  subject: string;
  /** Undefined for people who may only look. */
  actions: ScheduleActions | undefined;
  /** A link to the run of a firing. */
  runLink(runId: string): ReactNode;
}

type Asked = 'edit' | 'pause' | 'remove';

/** The schedule of one thing: when it runs, what became of its last times, and its editor. */
export function SchedulePanel({ schedule, subject, actions, runLink }: SchedulePanelProps) {
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const done = (work: Promise<unknown>) => void work.then(close, () => undefined);
  if (asked === 'edit' && actions !== undefined) {
    return (
      <ScheduleForm
        schedule={schedule}
        isPending={actions.isPending}
        error={actions.error}
        save={(body) => done(actions.put(body))}
        cancel={close}
      />
    );
  }
  if (schedule === undefined) {
    const action = actions === undefined ? undefined : <Button onClick={() => setAsked('edit')}>Set a schedule</Button>;
    return <Empty words={`No schedule: ${subject} runs when somebody starts it.`} action={action} />;
  }
  return (
    <Stack>
      <Facts schedule={schedule} actions={actions} ask={setAsked} />
      {actions?.error && asked === undefined ? <FaultNote error={actions.error} /> : null}
      <NextRuns times={schedule} none={noneWords(schedule)} />
      <Firings firings={schedule.last_firings} runLink={runLink} />
      {asked === 'pause' && actions !== undefined ? (
        <PauseDialog close={close} actions={actions} pause={(reason) => done(actions.pause(reason))} />
      ) : null}
      {asked === 'remove' && actions !== undefined ? (
        <Dialog title={`Remove the schedule of ${subject}?`} onClose={close}>
          <Stack>
            <Text>It runs “{schedule.sentence}”. An open run continues; no other starts.</Text>
            {actions.error === null ? null : <FaultNote error={actions.error} />}
            <Group>
              <Button variant="default" onClick={close} data-autofocus>
                Keep it
              </Button>
              <Button color="red" loading={actions.isPending} onClick={() => done(actions.remove())}>
                Remove schedule
              </Button>
            </Group>
          </Stack>
        </Dialog>
      ) : null}
    </Stack>
  );
}

interface FactsProps extends Pick<SchedulePanelProps, 'actions'> {
  schedule: ScheduleFactsView;
  ask(what: Asked): void;
}

function Facts({ schedule, actions, ask }: FactsProps) {
  const { sentence, paused, paused_at, paused_by, pause_reason, timezone, applied, updated_by, updated_at } = schedule;
  return (
    <Stack gap="sm" p="md" className="panel">
      <Group justify="space-between" align="flex-start">
        <div>
          <Group gap="sm" mb={4}>
            {paused ? (
              <ToneWord icon={Pause} tone="quiet" word="Paused" />
            ) : (
              <ToneWord icon={CalendarClock} tone="good" word="Active" />
            )}
            <Text fw={620} size="lg">
              {sentence}
            </Text>
          </Group>
          <Text size="sm" c="dimmed" component="div">
            {sentence.includes(timezone) ? '' : `Clocks of ${timezone} · `}Set by {updated_by}{' '}
            <ShowTime at={updated_at} />
            {applied ? '' : ' · the workflow engine takes it over as soon as it answers'}
          </Text>
          {paused ? (
            <Text size="sm" component="div" mt={4}>
              Paused by {paused_by} {paused_at === null ? null : <ShowTime at={paused_at} />}
              {pause_reason === null ? '' : `: ${pause_reason}`}
            </Text>
          ) : null}
        </div>
        {actions === undefined ? null : (
          <Group gap="xs">
            <Button size="sm" variant="default" loading={actions.isPending} onClick={() => void run(actions.trigger())}>
              Run now
            </Button>
            {paused ? (
              <Button size="sm" loading={actions.isPending} onClick={() => void run(actions.resume())}>
                Resume
              </Button>
            ) : (
              <Button size="sm" variant="default" onClick={() => ask('pause')}>
                Pause
              </Button>
            )}
            <Button size="sm" variant="default" onClick={() => ask('edit')}>
              Edit
            </Button>
            <Button size="sm" variant="subtle" color="red" c="var(--mantine-color-error)" onClick={() => ask('remove')}>
              Remove
            </Button>
          </Group>
        )}
      </Group>
    </Stack>
  );
}

/** A failure is shown as the error of the actions. */
const run = (work: Promise<unknown>) => work.catch(() => undefined);

function PauseDialog({ close, actions, pause }: { close(): void; actions: ScheduleActions; pause(why: string): void }) {
  const [reason, setReason] = useState('');
  return (
    <Dialog title="Pause the schedule" onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          pause(reason.trim());
        }}
      >
        <Stack>
          <Text size="sm">Times that come while it is paused are not made up for.</Text>
          <TextInput
            label="Reason"
            description="Shown to all who read it; may be left empty"
            maxLength={500}
            data-autofocus
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          {actions.error === null ? null : <FaultNote error={actions.error} />}
          <Group>
            <Button type="submit" loading={actions.isPending}>
              Pause
            </Button>
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

const noneWords = ({ paused }: ScheduleFactsView) =>
  paused ? 'No run is due while the schedule is paused.' : 'No run is due any more.';

/** What became of the last times. */
function Firings({ firings, runLink }: { firings: readonly FiringView[]; runLink(runId: string): ReactNode }) {
  return (
    <div>
      <Title order={2} mb="xs">
        Last runs of the schedule
      </Title>
      {firings.length === 0 ? (
        <Text c="dimmed">None so far.</Text>
      ) : (
        <WideBox label="Last runs of the schedule">
          <Table verticalSpacing={8} miw={560}>
            <Table.Tbody>
              {firings.map((firing) => (
                <Table.Tr key={firing.firing_id}>
                  <Table.Td>
                    <ShowTime at={firing.scheduled_at} how="clock" />
                  </Table.Td>
                  <Table.Td>
                    <RunWord status={firing.status === 'waiting' ? 'pending' : (firing.status as RunStatus)} />
                  </Table.Td>
                  <Table.Td>
                    <Text size="sm">
                      {firing.origin === 'trigger' ? `started by ${firing.requested_by}` : 'by the clock'}
                    </Text>
                    {firing.reason === null ? null : <Text size="sm">{firing.reason.detail}</Text>}
                  </Table.Td>
                  <Table.Td>{firing.run_id === null ? null : runLink(firing.run_id)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </WideBox>
      )}
    </div>
  );
}
