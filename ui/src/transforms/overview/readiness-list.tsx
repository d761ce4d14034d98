import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReadinessView } from '@weir/kernel/contract';
import { CheckCircle2, CircleAlert, TriangleAlert, type XCircle } from 'lucide-react';
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

/** What must hold before a run may start, each with what to do where it does not. */
export function ReadinessList({ readiness: { checks, ready }, fixOf }: ReadinessListProps) {
  return (
    <section aria-labelledby="readiness">
      <Title order={2} id="readiness" mb="sm">
        {ready ? 'Ready to run' : 'Not ready to run'}
      </Title>
      <Stack gap={0} className="panel">
        {checks.map((check) => {
          const [icon, tone, word] = WORDS[check.status];
          const fix = check.status === 'pass' ? undefined : fixOf(check);
          return (
            <Group key={check.check} px="md" py="xs" gap="md" wrap="nowrap" align="flex-start">
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
        })}
      </Stack>
    </section>
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
