import { Group, Stack, Text, Title } from '@mantine/core';
import type { BackingPreviewView, EntityTypeView, SuggestionsView } from '@weir/plugin-ontology/contract';
import { CheckCircle2, CircleAlert, type LucideIcon, XCircle } from 'lucide-react';
import { counted } from '../../parts/numbers.ts';
import { type Tone, ToneWord } from '../../parts/status-word.tsx';
import { doubtful, type Mapping, unmapped } from './mapping.ts';

type Status = 'pass' | 'warning' | 'fail' | 'wait';

const WORDS: Readonly<Record<Status, [LucideIcon, Tone, string]>> = {
  pass: [CheckCircle2, 'good', 'Fine'],
  warning: [CircleAlert, 'warn', 'Look at it'],
  fail: [XCircle, 'bad', 'Missing'],
  wait: [CircleAlert, 'quiet', 'Not known'],
};

interface BoardChecksProps {
  type: EntityTypeView;
  suggestions: SuggestionsView;
  mapping: Mapping;
  preview: { data: BackingPreviewView | undefined; error: Error | null };
}

/** What a sync of the mapping needs, before it is saved. */
export function BoardChecks(props: BoardChecksProps) {
  const checks = [decided(props), filledOutcome(props), keyOutcome(props), rowsOutcome(props)];
  return (
    <Stack gap="sm" component="section" aria-labelledby="ready">
      <Title order={2} id="ready">
        Readiness
      </Title>
      <Stack gap={0} component="ul" p={0} m={0} className="panel rows plain-list" aria-label="Readiness">
        {checks.map(([status, text]) => {
          const [icon, tone, word] = WORDS[status];
          return (
            <Group key={text} component="li" gap="md" p="xs" align="flex-start" wrap="nowrap">
              <span className="check-state">
                <ToneWord icon={icon} tone={tone} word={word} />
              </span>
              <Text size="sm" className="type-text">
                {text}
              </Text>
            </Group>
          );
        })}
      </Stack>
    </Stack>
  );
}

type Outcome = readonly [Status, string];

function decided({ mapping }: BoardChecksProps): Outcome {
  const open = doubtful(mapping);
  return open === 0
    ? ['pass', 'Every suggestion is decided.']
    : ['warning', `${counted(open, 'suggestion')} to accept or to remove; what is not accepted is not saved.`];
}

function filledOutcome({ type, mapping }: BoardChecksProps): Outcome {
  const missing = unmapped(type, mapping);
  return missing.length === 0
    ? ['pass', 'The key and what is required are filled.']
    : ['fail', `Nothing fills ${missing.join(', ')}.`];
}

/** On the sampled rows, as long as the key is the suggested one. */
function keyOutcome({ type, suggestions, mapping }: BoardChecksProps): Outcome {
  const { key, sample } = suggestions;
  const chosen = type.primary_key.map((code) => mapping.properties[code]?.column);
  const isSame = chosen.length === key.columns.length && chosen.every((one, at) => one === key.columns[at]);
  if (!isSame || key.unique === null) return ['wait', 'Whether the key is unique is seen by a sync.'];
  const rows = `${sample.complete ? '' : 'the first '}${counted(sample.rows, 'row')}`;
  if (!key.unique) return ['fail', `Several of ${rows} have one key.`];
  return (key.nulls ?? 0) > 0
    ? ['fail', `${counted(key.nulls ?? 0, 'row')} of ${rows} without a key.`]
    : ['pass', `The key is unique in ${rows}.`];
}

function rowsOutcome({ preview: { data, error } }: BoardChecksProps): Outcome {
  if (error !== null) return ['fail', 'The mapping does not fit the table: see below.'];
  if (data === undefined) return ['wait', 'Entities are shown once the key and what is required are filled.'];
  const faulty = data.entities.filter(({ faults }) => faults.length > 0).length;
  if (faulty > 0)
    return [
      'warning',
      `${faulty} of ${counted(data.entities.length, 'row')} that were looked at would become no entity.`,
    ];
  return ['pass', `${counted(data.entities.length, 'row')} that were looked at would become entities.`];
}
