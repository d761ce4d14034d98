import { Button, Stack } from '@mantine/core';
import { fixCiFailure } from '@weir/plugin-ai/contract';
import { getTransform } from '@weir/plugin-transforms/contract';
import { useState } from 'react';
import { useChange, useRead } from '../api/queries.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { useMay } from '../session/person.ts';
import { useHasPlugin } from '../session/with-plugin.tsx';
import { candidateOf } from '../transforms/draft/definition.ts';
import { type Proposal, ProposalView } from './proposal-view.tsx';

interface WhyFailedProps {
  runId: string;
  /** The transform whose run it is. */
  transformId: string | undefined;
}

/** Why a run failed and what would help, for those who may ask. */
export function WhyFailed({ runId, transformId }: WhyFailedProps) {
  const [proposal, setProposal] = useState<Proposal>();
  const mayAsk = useMay(fixCiFailure);
  const hasAi = useHasPlugin()('ai') === true;
  const ask = useChange(fixCiFailure);
  const params = { transform_id: transformId ?? '' };
  const transform = useRead(getTransform, { params }, { enabled: transformId !== undefined && proposal !== undefined });
  if (!mayAsk || !hasAi) return null;
  return (
    <Stack gap="sm" w="100%" align="flex-start">
      <Button
        variant="default"
        size="sm"
        loading={ask.isPending}
        onClick={() => ask.mutate({ body: { run_id: runId } }, { onSuccess: setProposal })}
      >
        Why, and what would help
      </Button>
      {ask.error === null ? null : <FaultNote error={ask.error} />}
      {proposal === undefined ? null : (
        <ProposalView
          proposal={proposal}
          before={transform.data === undefined ? undefined : candidateOf(transform.data).sql}
          done={() => setProposal(undefined)}
        />
      )}
    </Stack>
  );
}
