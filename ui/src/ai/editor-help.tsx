import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { fixCiFailure, generateTransform, reviewSql } from '@weir/plugin-ai/contract';
import { useState } from 'react';
import { useChange } from '../api/queries.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { counted } from '../parts/numbers.ts';
import type { StatementView } from '../statement/statement-facts.tsx';
import { type Proposal, ProposalView } from './proposal-view.tsx';

interface EditorHelpProps {
  transformId: string;
  /** The statement as it is typed, and as it was saved last. */
  sql: string;
  saved: string;
  check: StatementView | undefined;
}

/** Help beside a statement: write it from words, correct it, explain it. What comes is a proposal. */
export function EditorHelp({ transformId, sql, saved, check }: EditorHelpProps) {
  const [words, setWords] = useState('');
  const [proposal, setProposal] = useState<Proposal>();
  const generate = useChange(generateTransform);
  const fix = useChange(fixCiFailure);
  const review = useChange(reviewSql);
  const inputs = check?.inputs.map(({ dataset_id }) => dataset_id) ?? [];
  const begin = () => {
    for (const one of [generate, fix, review]) one.reset();
    setProposal(undefined);
  };
  const write = () => {
    begin();
    const body = { description: words, inputs, transform_id: transformId };
    generate.mutate({ body }, { onSuccess: setProposal });
  };
  const correct = () => {
    begin();
    fix.mutate({ body: { artifact: { sql }, transform_id: transformId } }, { onSuccess: setProposal });
  };
  const explain = () => {
    begin();
    review.mutate({ body: { sql } });
  };
  const error = generate.error ?? fix.error ?? review.error;
  const isFaulty = check !== undefined && check.faults.length > 0;
  return (
    <section aria-label="Help with the statement">
      <Stack gap="sm">
        <Group gap="sm" align="flex-end">
          <TextInput
            label="What the table should hold"
            description={
              inputs.length === 0 ? 'Name the tables to read in the statement first.' : `Reads ${inputs.join(', ')}.`
            }
            placeholder="sum of total by country where status is paid"
            flex="1 1 280px"
            value={words}
            onChange={({ currentTarget }) => setWords(currentTarget.value)}
          />
          <Button
            variant="default"
            loading={generate.isPending}
            disabled={words.trim() === '' || inputs.length === 0}
            onClick={write}
          >
            Write it
          </Button>
          <Button variant="default" loading={fix.isPending} disabled={!isFaulty} onClick={correct}>
            Fix it
          </Button>
          <Button variant="default" loading={review.isPending} disabled={sql.trim() === ''} onClick={explain}>
            Explain it
          </Button>
        </Group>
        {error === null ? null : <FaultNote error={error} />}
        {review.data === undefined ? null : <Explained review={review.data.result} />}
        {proposal === undefined ? null : (
          <ProposalView
            proposal={proposal}
            before={saved}
            kept={sql === saved ? undefined : 'Save or undo what is typed first: accepting replaces the draft.'}
            done={() => setProposal(undefined)}
          />
        )}
      </Stack>
    </section>
  );
}

interface ExplainedProps {
  review: {
    verdict: string;
    tables: readonly string[];
    columns: readonly { name: string; sources: readonly { dataset_id: string; column: string }[] }[];
    explain: { ok: boolean; error: string | null };
  };
}

const VERDICTS: Readonly<Record<string, string>> = {
  pass: 'The review found nothing to look at.',
  warn: 'The review found places to look at.',
  fail: 'It does not do what it says.',
};

/** What a statement reads and where its columns come from. */
function Explained({ review: { verdict, tables, columns, explain } }: ExplainedProps) {
  if (!explain.ok) return <Text size="sm">It cannot run: {explain.error}.</Text>;
  return (
    <Stack gap={4}>
      <Text size="sm" role="status">
        Reads {tables.length === 0 ? 'no table' : tables.join(', ')}, and gives {counted(columns.length, 'column')}.{' '}
        {VERDICTS[verdict]}
      </Text>
      <ul className="column-list">
        {columns.slice(0, 60).map(({ name, sources }) => (
          <li key={name}>
            {name}
            {sources.length === 0 ? '' : ` from ${sources.map(({ column }) => column).join(', ')}`}
          </li>
        ))}
      </ul>
    </Stack>
  );
}
