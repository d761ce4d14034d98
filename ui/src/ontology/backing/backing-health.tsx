import { Group, Stack, Text } from '@mantine/core';
import { type BackingDatasetView, getBackingHealth } from '@weir/plugin-ontology/contract';
import { CheckCircle2, CircleAlert, type LucideIcon, XCircle } from 'lucide-react';
import { useRead } from '../../api/queries.ts';
import { MarkedText } from '../../faults/marked-text.tsx';
import { Region } from '../../parts/region.tsx';
import { type Tone, ToneWord } from '../../parts/status-word.tsx';

type Status = 'pass' | 'warning' | 'fail';

const WORDS: Readonly<Record<Status, [LucideIcon, Tone, string]>> = {
  pass: [CheckCircle2, 'good', 'Fine'],
  warning: [CircleAlert, 'warn', 'Look at it'],
  fail: [XCircle, 'bad', 'Missing'],
};
const CHECK_WORDS: Readonly<Record<string, string>> = {
  binding: 'Ontology tenant',
  table: 'Table',
  columns: 'Columns',
  type_version: 'Version of the type',
  key_mapped: 'Key',
  relationships: 'Relationships',
  store_reachable: 'Store of entities',
  last_run: 'Last sync',
  lag_snapshots: 'Behind the table',
};

/** What a sync needs, and how the last one ended. */
export function BackingHealth({ backing: { backing_dataset_id } }: { backing: BackingDatasetView }) {
  const query = useRead(getBackingHealth, { params: { backing_dataset_id } });
  return (
    <Region query={query}>
      {({ checks }) => (
        <Stack gap={0} component="ul" p={0} m={0} className="panel rows plain-list" aria-label="Checks">
          {checks.map(({ check, status, detail, hint }) => {
            const [icon, tone, word] = WORDS[status];
            return (
              <Group key={check} component="li" gap="md" p="sm" align="flex-start" wrap="nowrap">
                <span className="check-state">
                  <ToneWord icon={icon} tone={tone} word={word} />
                </span>
                <div>
                  <Text size="sm" fw={560}>
                    {CHECK_WORDS[check] ?? check}
                  </Text>
                  <Text size="sm" className="type-text">
                    <MarkedText text={detail} />
                  </Text>
                  {hint === null ? null : (
                    <Text size="sm" c="dimmed" className="type-text">
                      <MarkedText text={hint} />
                    </Text>
                  )}
                </div>
              </Group>
            );
          })}
        </Stack>
      )}
    </Region>
  );
}
