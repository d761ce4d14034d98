import { Code, Stack, Table, Text } from '@mantine/core';
import type { TypeChangeView } from '@weir/plugin-ontology/contract';
import { CheckCircle2, type LucideIcon, XCircle } from 'lucide-react';
import { counted } from '../parts/numbers.ts';
import { type Tone, ToneWord } from '../parts/status-word.tsx';
import { LongTable } from '../table/long-table.tsx';
import './ontology.css';

type Verdict = 'compatible' | 'breaking';

const VERDICTS: Readonly<Record<Verdict, [LucideIcon, Tone, string]>> = {
  compatible: [CheckCircle2, 'good', 'Compatible'],
  breaking: [XCircle, 'bad', 'Breaking'],
};

/** Whether readers of the version before can read this one. */
export function VerdictWord({ verdict }: { verdict: Verdict }) {
  const [icon, tone, word] = VERDICTS[verdict];
  return <ToneWord icon={icon} tone={tone} word={word} />;
}

/** Changes whose names say too little to those who do not know them. */
const WORDS: Readonly<Record<string, string>> = {
  required_added: 'Every entity needs a value now',
  required_dropped: 'A value may be absent now',
  unique_added: 'Values must be unique now',
  unique_dropped: 'Values may repeat now',
  indexed_changed: 'Entities are found by it, or no longer',
  sensitive_changed: 'Sensitive, or no longer',
  enum_added: 'Bound to a list of values now',
  enum_dropped: 'Any value is allowed now',
  enum_value_added: 'More values are allowed',
  enum_value_removed: 'Fewer values are allowed',
  missing_target_allowed: 'Links to missing entities are allowed now',
  missing_target_rejected: 'Links to missing entities are refused now',
};

/** A change for people: `property_added` as the beginning of a sentence. */
export const changeWords = (change: string): string =>
  WORDS[change] ?? `${change.charAt(0).toUpperCase()}${change.slice(1).replaceAll('_', ' ')}`;

function sentenceOf(count: number, breaks: number, between: string): string {
  if (count === 0) return `Nothing but names, descriptions and units differs ${between}.`;
  if (breaks === 0)
    return `Readers of the version before can read these entities too: ${counted(count, 'change')} ${between}.`;
  const which =
    breaks < count ? `${breaks} of ${count} changes` : count === 1 ? 'The one change' : `All ${count} changes`;
  return `${which} ${between} ${breaks === 1 ? 'breaks' : 'break'} readers of the version before.`;
}

interface ChangesProps {
  verdict: Verdict;
  changes: readonly TypeChangeView[];
  /** What is compared, as the end of a sentence. */
  between: string;
}

/** A verdict with all that is changed, what breaks readers first. */
export function Changes({ verdict, changes, between }: ChangesProps) {
  const rows = changes.toSorted((a, b) => Number(b.breaking) - Number(a.breaking));
  const breaks = rows.filter(({ breaking }) => breaking).length;
  return (
    <Stack gap="sm">
      <Stack gap={4} p="md" align="flex-start" className="panel" role="status">
        <VerdictWord verdict={verdict} />
        <Text size="sm">{sentenceOf(changes.length, breaks, between)}</Text>
      </Stack>
      {changes.length === 0 ? null : (
        <LongTable
          label="Changes"
          minWidth={560}
          spacing={6}
          head={
            <>
              <Table.Th w={150}>Readers</Table.Th>
              <Table.Th w="34%">Change</Table.Th>
              <Table.Th>Place</Table.Th>
            </>
          }
          rows={rows}
          keyOf={({ pointer, change }) => `${pointer} ${change}`}
          foot={counted(changes.length, 'change')}
        >
          {({ pointer, change, breaking }) => (
            <>
              <Table.Td>
                <VerdictWord verdict={breaking ? 'breaking' : 'compatible'} />
              </Table.Td>
              <Table.Td>{changeWords(change)}</Table.Td>
              <Table.Td className="type-name">
                <Code>{pointer}</Code>
              </Table.Td>
            </>
          )}
        </LongTable>
      )}
    </Stack>
  );
}
