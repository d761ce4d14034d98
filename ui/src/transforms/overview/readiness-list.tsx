import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReadinessView } from '@weir/kernel/contract';
import { CheckCircle2, CircleAlert, TriangleAlert, type XCircle } from 'lucide-react';
import { useState } from 'react';
import { type Tone, ToneWord } from '../../parts/status-word.tsx';

export type Check = ReadinessView['checks'][number];
const WORDS: Readonly<Record<Check['status'], [typeof XCircle, Tone, string]>> = {
  pass: [CheckCircle2, 'good', 'Yes'],
  warning: [TriangleAlert, 'warn', 'Warning'],
  fail: [CircleAlert, 'bad', 'No'],
};

interface ReadinessListProps {
  readiness: ReadinessView;
  /** What to do about a check right here. */
  fixOf(check: Check): Fix | undefined;
}

/** Something that the page does, or another place. */
export type Fix = { label: string } & ({ act(): void; isPending: boolean } | { link: LinkProps });

/** What must hold before a run may start: one line of what does, and what does not with what to do about it. */
export function ReadinessList({ readiness: { checks, ready }, fixOf }: ReadinessListProps) {
  const [isWhole, setWhole] = useState(false);
  const passing = checks.filter(({ status }) => status === 'pass').length;
  const isAll = passing === checks.length;
  const shown = isWhole ? checks : checks.filter(({ status }) => status !== 'pass');
  return (
    <section aria-labelledby="readiness">
      <Group gap="sm" mb={shown.length === 0 ? 0 : 'sm'} align="baseline">
        <Title order={2} id="readiness">
          {ready ? 'Ready to run' : 'Not ready to run'}
        </Title>
        <Text size="sm" c="dimmed">
          {isAll ? `All ${passing} conditions hold` : `${passing} of ${checks.length} conditions hold`}
        </Text>
        <Button
          variant="default"
          size="compact-sm"
          aria-expanded={isWhole}
          onClick={() => setWhole((before) => !before)}
        >
          {isWhole ? 'Show less' : 'Show all'}
        </Button>
      </Group>
      {shown.length === 0 ? null : (
        <Stack gap={0} className="panel">
          {shown.map((check) => (
            <CheckLine key={check.check} check={check} fix={check.status === 'pass' ? undefined : fixOf(check)} />
          ))}
        </Stack>
      )}
    </section>
  );
}

function CheckLine({ check, fix }: { check: Check; fix: Fix | undefined }) {
  const [icon, tone, word] = WORDS[check.status];
  return (
    <Group px="md" py="xs" gap="md" wrap="nowrap" align="flex-start">
      <div style={{ width: 96, flexShrink: 0 }}>
        <ToneWord icon={icon} tone={tone} word={word} />
      </div>
      <Stack gap={2} flex={1}>
        <Text size="sm" fw={560}>
          {check.title}
        </Text>
        {check.status === 'pass' ? null : <Text size="sm">{check.detail}</Text>}
        {check.status === 'pass' || check.hint === null ? null : (
          <Text size="sm" c="dimmed">
            {check.hint}
          </Text>
        )}
        {check.items.map(({ id, name, code }) => (
          <Text key={`${id} ${code}`} size="sm">
            {name}: {code.replaceAll('_', ' ')}
          </Text>
        ))}
      </Stack>
      {fix === undefined ? null : <FixButton fix={fix} />}
    </Group>
  );
}

function FixButton({ fix }: { fix: Fix }) {
  const look = { size: 'compact-sm', variant: 'default', style: { flexShrink: 0 } } as const;
  if ('link' in fix)
    return (
      <Button {...look} renderRoot={(props) => <Link {...fix.link} {...props} />}>
        {fix.label}
      </Button>
    );
  return (
    <Button {...look} loading={fix.isPending} onClick={fix.act}>
      {fix.label}
    </Button>
  );
}
