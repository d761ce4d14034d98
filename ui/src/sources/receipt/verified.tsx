import { Group, Stack, Table, Text } from '@mantine/core';
import type { SyncVerificationView, VerificationVerdict, VerifiedStreamView } from '@weir/plugin-sources/contract';
import { CheckCircle2, CircleDashed, type LucideIcon, XCircle } from 'lucide-react';
import { ShowTime } from '../../parts/show-time.tsx';
import { type Tone, ToneWord } from '../../parts/status-word.tsx';
import { WideBox } from '../../parts/wide-box.tsx';
import { FIGURE_WORDS, UNVERIFIABLE_WORDS, verdictSentence } from './verdict-words.ts';

const VERDICTS: Readonly<Record<VerificationVerdict, [LucideIcon, Tone, string]>> = {
  equal: [CheckCircle2, 'good', 'Equal'],
  unverifiable: [CircleDashed, 'quiet', 'Cannot be checked'],
  different: [XCircle, 'bad', 'Different'],
};

/** What a verification has found, figure by figure. */
export function Verified({ outcome }: { outcome: SyncVerificationView }) {
  const [icon, tone, word] = VERDICTS[outcome.verdict];
  return (
    <Stack gap="sm">
      <Group gap="sm" role="status">
        <ToneWord icon={icon} tone={tone} word={word} />
        <Text size="sm">{verdictSentence(outcome)}</Text>
        <Text size="sm" c="dimmed" component="div">
          Checked <ShowTime at={outcome.checked_at} />
        </Text>
      </Group>
      {outcome.streams.map((stream) => (
        <StreamFigures key={stream.stream_id} stream={stream} />
      ))}
    </Stack>
  );
}

function StreamFigures({ stream }: { stream: VerifiedStreamView }) {
  const [icon, tone, word] = VERDICTS[stream.verdict];
  return (
    <Stack gap={4}>
      <Group gap="sm">
        <Text size="sm" fw={560}>
          {stream.name}
        </Text>
        <ToneWord icon={icon} tone={tone} word={word} />
      </Group>
      {stream.reason === null ? null : <Text size="sm">{UNVERIFIABLE_WORDS[stream.reason]}</Text>}
      {stream.superseded_by === null ? null : (
        <Text size="sm">
          A later sync replaced rows, so the rows of this one are not looked for in the table of now.
        </Text>
      )}
      {stream.figures.length === 0 ? null : (
        <WideBox label={`Figures of ${stream.name}`}>
          <Table verticalSpacing={4} miw={520}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Compared</Table.Th>
                <Table.Th>Receipt</Table.Th>
                <Table.Th>Table</Table.Th>
                <Table.Th>Equal</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {stream.figures.map(({ figure, receipt, table, equal }) => (
                <Table.Tr key={figure}>
                  <Table.Td>{FIGURE_WORDS[figure]}</Table.Td>
                  <Table.Td className="figure-text" title={receipt}>
                    {receipt}
                  </Table.Td>
                  <Table.Td className="figure-text" title={table}>
                    {table}
                  </Table.Td>
                  <Table.Td>{equal ? 'Yes' : 'No'}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </WideBox>
      )}
    </Stack>
  );
}
