import { Code, Group, Stack, Text } from '@mantine/core';
import type { SchemaChangeView, VerdictView } from '@weir/plugin-schema-registry/contract';
import { CheckCircle2, CircleHelp, type LucideIcon, XCircle } from 'lucide-react';
import { type Tone, ToneWord } from '../parts/status-word.tsx';
import './schemas.css';

const OUTCOMES: Readonly<Record<VerdictView['outcome'], [LucideIcon, Tone, string]>> = {
  compatible: [CheckCircle2, 'good', 'Compatible'],
  breaking: [XCircle, 'bad', 'Breaking'],
  undetermined: [CircleHelp, 'warn', 'Undetermined'],
};
const POLICY_WORDS: Readonly<Record<VerdictView['policy'], string>> = {
  optional_friendly: 'optional members may come and go',
  strict: 'strict',
};
const WHO: Readonly<Record<SchemaChangeView['breaks'], string>> = {
  readers: 'Readers of the new version cannot read an old document',
  writers: 'Readers of the old version cannot read a new document',
};
const MAX_VALUE = 4_000;
const JSON_INDENT = 2;

/** Icon and word of an outcome. */
export function OutcomeWord({ outcome }: { outcome: VerdictView['outcome'] }) {
  const [icon, tone, word] = OUTCOMES[outcome];
  return <ToneWord icon={icon} tone={tone} word={word} />;
}

/** What a comparison found, and a document that shows each break. */
export function Verdict({ verdict, changes }: { verdict: VerdictView; changes: readonly SchemaChangeView[] }) {
  return (
    <Stack gap="sm">
      <Stack gap={4} p="md" align="flex-start" className="panel" role="status">
        <OutcomeWord outcome={verdict.outcome} />
        <Text size="sm">{sentenceOf(verdict)}</Text>
        {verdict.other_policy === null ? null : (
          <Text size="sm" c="dimmed">
            By the other policy, {POLICY_WORDS[verdict.other_policy.policy]}, it is {verdict.other_policy.outcome}.
          </Text>
        )}
      </Stack>
      {changes.map((change, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change
        <Change key={at} change={change} />
      ))}
    </Stack>
  );
}

function sentenceOf({ outcome, compatibility, policy, compared_with: versions }: VerdictView): string {
  const rule = `${compatibility}, ${POLICY_WORDS[policy]}`;
  if (compatibility === 'NONE') return 'By the rule NONE nothing is compared.';
  if (versions.length === 0) return `No version is in force yet, so nothing was compared (${rule}).`;
  const with_ = `version${versions.length === 1 ? '' : 's'} ${versions.join(', ')}`;
  if (outcome === 'compatible') return `Proved by rules against ${with_} (${rule}).`;
  if (outcome === 'breaking') return `Shown by a document against ${with_} (${rule}).`;
  return `Neither proved nor shown against ${with_} (${rule}); it counts as breaking. Simplify the schema at the places below.`;
}

function Change({ change }: { change: SchemaChangeView }) {
  const { pointer, rule, change: words, breaks, version, counter_example: example } = change;
  return (
    <Stack
      gap="xs"
      p="md"
      className="panel"
      component="section"
      aria-label={`Change at ${pointer === '' ? 'the top' : pointer}`}
    >
      <Group gap="xs">
        <Code>{pointer === '' ? 'the whole document' : pointer}</Code>
        <Text size="sm">
          rule <Code>{rule}</Code>
          {version === null ? '' : `, compared with version ${version}`}
        </Text>
      </Group>
      <Text size="sm">{words}</Text>
      <Text size="sm" c="dimmed">
        {WHO[breaks]}.
      </Text>
      {example === null ? null : (
        <>
          <Text size="sm">
            For example, the {example.accepted_by} version accepts this document and the {example.refused_by} one
            refuses it:
          </Text>
          <Code block className="schema-value">
            {valueText(example.value)}
          </Code>
        </>
      )}
    </Stack>
  );
}

/** A value as JSON, cut where it is long. */
export function valueText(value: unknown): string {
  const text = JSON.stringify(value, undefined, JSON_INDENT) ?? 'undefined';
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
