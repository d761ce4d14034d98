import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import {
  activatePipeline,
  type PipelineView,
  pausePipeline,
  sandboxPipeline,
  type ValidationView,
  validateDag,
} from '@weir/plugin-pipelines/contract';
import { CheckCircle2, CircleDashed } from 'lucide-react';
import type { ReactNode } from 'react';
import { useChange } from '../api/queries.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { useMay } from '../session/person.ts';
import './pipelines.css';

interface StageBarProps {
  pipeline: PipelineView;
  /** What validating found last. */
  found: ValidationView | undefined;
  setFound(found: ValidationView): void;
}

/** The four steps from a change to runs that carry it out: the next one is the one button. */
export function StageBar({ pipeline, found, setFound }: StageBarProps) {
  const { status, draft_state: draft, sandboxed, active_version: version } = pipeline;
  const { next, fault, pause } = useStages(pipeline, setFound);
  const isOld = draft !== 'same_as_active' && version !== null;
  return (
    <Stack gap="sm">
      <ol className="pipeline-stages panel">
        <Stage isDone label="Steps">
          <ShowTime at={pipeline.updated_at} size="sm" c="dimmed" />
        </Stage>
        <Stage isDone={draft !== 'draft'} label="Validated">
          <Noted noted={pipeline.validated} />
        </Stage>
        <Stage isDone={draft === 'sandboxed' || draft === 'same_as_active'} label="Rehearsed">
          {sandboxed === null ? (
            <Noted noted={null} />
          ) : (
            <Anchor
              size="sm"
              renderRoot={(props) => <Link to="/runs/$runId" params={{ runId: sandboxed.run_id }} {...props} />}
            >
              See the rehearsal
            </Anchor>
          )}
        </Stage>
        <Stage isDone={version !== null && status !== 'paused'} label={status === 'paused' ? 'Paused' : 'Active'}>
          <Text size="sm" c="dimmed">
            {version === null ? 'no version yet' : `version ${version}${isOld ? ', not these steps' : ''}`}
          </Text>
        </Stage>
        <li className="pipeline-next">
          <Group gap="xs">
            {pause === undefined ? null : <StageButton act={pause} variant="default" />}
            {next === undefined ? null : <StageButton act={next} />}
          </Group>
        </li>
      </ol>
      {pipeline.paused?.reason ? <Text size="sm">Paused: {pipeline.paused.reason}</Text> : null}
      {fault === null ? null : <FaultNote error={fault} />}
      {found === undefined || found.fingerprint !== pipeline.fingerprint ? null : <Found found={found} />}
    </Stack>
  );
}

/** Something that this person may do now. */
interface Act {
  label: string;
  isPending: boolean;
  run(): void;
}

function StageButton({
  act: { label, isPending, run },
  variant = 'filled',
}: {
  act: Act;
  variant?: 'default' | 'filled';
}) {
  return (
    <Button size="xs" variant={variant} loading={isPending} onClick={run}>
      {label}
    </Button>
  );
}

/** The next step of a pipeline and the way to pause it, where this person may, and what went wrong last. */
function useStages(pipeline: PipelineView, setFound: StageBarProps['setFound']) {
  const { pipeline_id, draft_state: draft, status, active_version: version } = pipeline;
  const navigate = useNavigate();
  const params = { pipeline_id };
  const validate = useChange(validateDag);
  const rehearse = useChange(sandboxPipeline);
  const activate = useChange(activatePipeline);
  const pause = useChange(pausePipeline);
  const may = { validate: useMay(validateDag), rehearse: useMay(sandboxPipeline), activate: useMay(activatePipeline) };
  const mayPause = useMay(pausePipeline);
  const isResumed = status === 'paused' && (draft === 'same_as_active' || version === null);
  const open = ({ run_id }: { run_id: string }) => void navigate({ to: '/runs/$runId', params: { runId: run_id } });
  const acts: Readonly<Record<NonNullable<Next>, Act>> = {
    validate: {
      label: 'Validate',
      isPending: validate.isPending,
      run: () => validate.mutate({ body: { pipeline_id } }, { onSuccess: setFound }),
    },
    rehearse: {
      label: 'Rehearse',
      isPending: rehearse.isPending,
      run: () => rehearse.mutate({ params }, { onSuccess: open }),
    },
    activate: {
      label: isResumed ? 'Resume' : 'Activate',
      isPending: activate.isPending,
      run: () => activate.mutate({ params }),
    },
  };
  const next = nextOf(pipeline);
  const stop: Act = { label: 'Pause', isPending: pause.isPending, run: () => pause.mutate({ params }) };
  return {
    next: next !== undefined && may[next] ? acts[next] : undefined,
    pause: status === 'activated' && mayPause ? stop : undefined,
    fault: [validate, rehearse, activate, pause].map(({ error }) => error).find((error) => error !== null) ?? null,
  };
}

type Next = 'validate' | 'rehearse' | 'activate' | undefined;

/** The next step that the rules allow. */
function nextOf({ draft_state: draft, status, steps }: PipelineView): Next {
  if (draft === 'draft') return steps.length === 0 ? undefined : 'validate';
  if (draft === 'validated') return 'rehearse';
  return draft === 'sandboxed' || status === 'paused' ? 'activate' : undefined;
}

function Stage({ isDone, label, children }: { isDone: boolean; label: string; children: ReactNode }) {
  const Icon = isDone ? CheckCircle2 : CircleDashed;
  return (
    <li data-done={isDone}>
      <span className="status" data-tone={isDone ? 'good' : 'quiet'}>
        <Icon size={14} aria-hidden />
        {label}
      </span>
      {children}
    </li>
  );
}

function Noted({ noted }: { noted: { at: string; by: string } | null }) {
  if (noted === null)
    return (
      <Text size="sm" c="dimmed">
        not yet
      </Text>
    );
  return (
    <Text size="sm" c="dimmed">
      <ShowTime at={noted.at} inherit /> by {noted.by}
    </Text>
  );
}

/** Every fault with the step that has it. */
function Found({ found: { faults, waves } }: { found: ValidationView }) {
  if (faults.length === 0)
    return (
      <Text size="sm" role="status">
        No fault. The steps run in {waves.length === 1 ? 'one wave' : `${waves.length} waves`}.
      </Text>
    );
  return (
    <section className="panel" aria-label="Faults">
      <ul className="pipeline-faults">
        {faults.map(({ code, pointer, step_id: step, detail }) => (
          <li key={`${code} ${pointer} ${detail}`}>
            {step === null ? null : <strong>{step}: </strong>}
            {detail}
          </li>
        ))}
      </ul>
    </section>
  );
}
