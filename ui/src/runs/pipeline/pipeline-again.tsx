import { Button, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { PIPELINE_SANDBOX, runPipeline, sandboxPipeline } from '@weir/plugin-pipelines/contract';
import type { RunView } from '@weir/plugin-runs/contract';
import { RotateCcw } from 'lucide-react';
import { useChange } from '../../api/queries.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { useMay } from '../../session/person.ts';

/** Starts a pipeline again, where a person may: a run that did not end well takes over what its steps have written. */
export function PipelineAgain({ run }: { run: RunView }) {
  const navigate = useNavigate();
  const mayRun = useMay(runPipeline);
  const start = useChange(runPipeline);
  const rehearse = useChange(sandboxPipeline);
  if (!mayRun) return null;
  const isSandbox = run.kind === PIPELINE_SANDBOX;
  const isUnfinished = !isSandbox && (run.status === 'failed' || run.status === 'cancelled');
  const params = { pipeline_id: run.subject.id };
  const onSuccess = ({ run_id }: { run_id: string }) =>
    void navigate({ to: '/runs/$runId', params: { runId: run_id } });
  const act = () => {
    if (isSandbox) rehearse.mutate({ params }, { onSuccess });
    else start.mutate({ params, body: isUnfinished ? { resume_run_id: run.run_id } : { force: true } }, { onSuccess });
  };
  const fault = start.error ?? rehearse.error;
  return (
    <Stack gap="xs">
      <Button
        leftSection={<RotateCcw size={14} aria-hidden />}
        loading={start.isPending || rehearse.isPending}
        onClick={act}
      >
        {isSandbox ? 'Rehearse again' : isUnfinished ? 'Resume' : 'Run again'}
      </Button>
      {fault === null ? null : <FaultNote error={fault} />}
    </Stack>
  );
}
