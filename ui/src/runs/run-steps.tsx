import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Output } from '@weir/kernel/contract';
import type { RunView } from '@weir/plugin-runs/contract';
import { readSteps } from '@weir/plugin-transforms/contract';
import { useRead } from '../api/queries.ts';
import { counted, durationText } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { useNow } from '../parts/show-time.tsx';
import { RunWord } from '../parts/status-word.tsx';
import './runs.css';

const LIVE_MS = 1_500;
const PERCENT = 100;

type Step = Output<typeof readSteps>['steps'][number];

/** Why a step has no rows of its own to show. */
const SKIPPED: Readonly<Record<string, string>> = {
  upstream_failed: 'not reached: a step before it failed',
  not_published: 'not published: another step failed',
};
/** How the tables of a run of several transforms change. */
export const PUBLISHED = {
  together: 'All tables change in one commit, or none does.',
  each: 'Each table changes as its step ends.',
  none: 'A rehearsal: no table changes.',
} as const;

/** The steps of a run of transforms in their order, each with its time on the axis of the whole. */
export function RunSteps({ run }: { run: Pick<RunView, 'run_id' | 'is_terminal'> }) {
  const query = useRead(
    readSteps,
    { params: { run_id: run.run_id } },
    { again: () => (run.is_terminal ? false : LIVE_MS) },
  );
  return (
    <section aria-labelledby="steps">
      <Title order={2} id="steps" mb="sm">
        Steps
      </Title>
      <Region query={query}>
        {({ steps, publish }) => (
          <Stack gap="xs">
            {steps.length < 2 ? null : (
              <Text size="sm" c="dimmed">
                {PUBLISHED[publish]}
              </Text>
            )}
            <Timeline steps={steps} />
          </Stack>
        )}
      </Region>
    </section>
  );
}

function Timeline({ steps }: { steps: readonly Step[] }) {
  const now = useNow(1_000).getTime();
  const startOf = ({ started_at }: Step) => (started_at === null ? undefined : Date.parse(started_at));
  const endOf = ({ staged_at, ended_at }: Step) => Date.parse(staged_at ?? ended_at ?? new Date(now).toISOString());
  const ran = steps.filter((step) => startOf(step) !== undefined && step.code === null);
  const first = Math.min(...ran.map((step) => startOf(step) ?? now));
  const span = Math.max(1, Math.max(...ran.map(endOf)) - first);
  return (
    <Stack gap={0} className="panel" component="ol" p={0} m={0} style={{ listStyle: 'none' }}>
      {steps.map((step) => {
        const begun = startOf(step);
        const isShown = begun !== undefined && step.code === null;
        const took = begun === undefined ? 0 : Math.max(0, endOf(step) - begun);
        return (
          <Group key={step.run_id} component="li" px="md" py="xs" gap="sm" wrap="nowrap">
            <Group gap="sm" wrap="nowrap" style={{ flex: '0 1 22rem', minWidth: 0 }}>
              <RunWord status={step.status} />
              <Anchor
                data-row
                truncate
                title={step.output}
                renderRoot={(props) => <Link to="/runs/$runId" params={{ runId: step.run_id }} {...props} />}
              >
                {step.name}
              </Anchor>
            </Group>
            <div className="step-axis" aria-hidden>
              {isShown ? (
                <span
                  data-status={step.status}
                  style={{
                    marginInlineStart: `${((begun - first) / span) * PERCENT}%`,
                    width: `${(took / span) * PERCENT}%`,
                  }}
                />
              ) : null}
            </div>
            <Text size="sm" c="dimmed" style={{ flex: '0 1 16rem', minWidth: 0 }} truncate>
              {wordsOf(step, isShown ? durationText(took) : undefined)}
            </Text>
          </Group>
        );
      })}
    </Stack>
  );
}

function wordsOf({ status, code, rows, adopted_from: from }: Step, took: string | undefined): string {
  if (status === 'skipped' && code === null) return 'nothing has moved';
  if (code !== null) return SKIPPED[code] ?? code;
  return [from === null ? took : 'taken over', rows === null ? undefined : counted(Number(rows), 'row')]
    .filter(Boolean)
    .join(', ');
}
