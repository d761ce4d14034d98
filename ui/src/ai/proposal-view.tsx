import { Badge, Button, Group, List, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FixView, type GeneratedTransformView, publishTransform, refuseProposal } from '@weir/plugin-ai/contract';
import { lazy, Suspense } from 'react';
import { readAgain, useChange } from '../api/queries.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { useMay } from '../session/person.ts';
import './ai.css';

const SqlDifference = lazy(() =>
  import('../transforms/draft/sql-difference.tsx').then((module) => ({ default: module.SqlDifference })),
);

/** A proposal, as far as a person decides on it. */
export interface Proposal {
  execution_id: string;
  digest: string | null;
  degraded: boolean;
  provider: string;
  warnings: readonly { code: string; detail: string }[];
  result: Partial<Pick<GeneratedTransformView, 'explanation'> & FixView> & { artifact: { sql: string } | null };
}

interface ProposalViewProps {
  proposal: Proposal;
  /** The statement as it was saved. */
  before: string | undefined;
  /** What keeps it from being accepted. */
  kept?: string | undefined;
  /** After it was accepted or refused. */
  done(): void;
}

/** What was proposed: what differs, what was found, and the two answers to it. Nothing is changed before. */
export function ProposalView({ proposal, before, kept, done }: ProposalViewProps) {
  const queries = useQueryClient();
  const publish = useChange(publishTransform);
  const refuse = useChange(refuseProposal);
  const mayPublish = useMay(publishTransform);
  const { execution_id, digest, result, warnings } = proposal;
  const accept = () =>
    publish.mutate(
      { body: { execution_id, expected_digest: digest ?? '' } },
      { onSuccess: () => void readAgain(queries, 'transforms').then(done) },
    );
  const sql = result.artifact?.sql;
  const error = publish.error ?? refuse.error;
  return (
    <section aria-label="Proposal" className="panel ai-proposal">
      <Stack gap="sm">
        <Group gap="xs">
          <Text size="sm" fw={500}>
            Proposal
          </Text>
          <Badge variant="default" size="sm">
            {proposal.provider === 'embedded' ? 'by rules' : 'by the assistant'}
          </Badge>
          {proposal.degraded ? <Text size="sm">The assistant could not answer; rules did.</Text> : null}
        </Group>
        <Words result={result} />
        <Warnings warnings={warnings} />
        {sql === undefined || before === undefined ? null : (
          <Suspense fallback={null}>
            <SqlDifference before={before} after={sql} label="What the proposal changes" />
          </Suspense>
        )}
        {error === null ? null : <FaultNote error={error} />}
        <Group justify="flex-end" gap="sm">
          {kept === undefined || sql === undefined ? null : (
            <Text size="sm" id="ai-kept" flex={1}>
              {kept}
            </Text>
          )}
          <Button
            variant="default"
            size="sm"
            loading={refuse.isPending}
            onClick={() => refuse.mutate({ params: { execution_id } }, { onSuccess: done })}
          >
            Refuse
          </Button>
          {mayPublish && sql !== undefined && before !== undefined ? (
            <Button
              size="sm"
              disabled={kept !== undefined}
              aria-describedby={kept === undefined ? undefined : 'ai-kept'}
              loading={publish.isPending}
              onClick={accept}
            >
              Accept as draft
            </Button>
          ) : null}
        </Group>
      </Stack>
    </section>
  );
}

function Warnings({ warnings }: Pick<Proposal, 'warnings'>) {
  if (warnings.length === 0) return null;
  return (
    <List size="sm">
      {warnings.map(({ code, detail }) => (
        <List.Item key={code}>{detail}</List.Item>
      ))}
    </List>
  );
}

/** The explanation, or the diagnosis with the lines that show it. */
function Words({ result: { explanation, diagnosis, needs_human } }: Pick<Proposal, 'result'>) {
  if (diagnosis === undefined) return <Text size="sm">{explanation}</Text>;
  return (
    <>
      <Text size="sm">
        {diagnosis.detail} {diagnosis.hint}
      </Text>
      {diagnosis.evidence_lines.length === 0 ? null : (
        <pre className="ai-lines">{diagnosis.evidence_lines.join('\n')}</pre>
      )}
      {needs_human ? (
        <Text size="sm" c="dimmed">
          No change of the statement helps by itself.
        </Text>
      ) : null}
    </>
  );
}
