import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReadinessView } from '@weir/kernel/contract';
import { CheckCircle2, CircleAlert, TriangleAlert, type XCircle } from 'lucide-react';
import { useState } from 'react';
import { MarkedText } from '../../faults/marked-text.tsx';
import { NextLinks } from '../../faults/next-links.tsx';
import { type Tone, ToneWord } from '../../parts/status-word.tsx';
import './readiness.css';

export type Check = ReadinessView['checks'][number];
const WORDS: Readonly<Record<Check['status'], [typeof XCircle, Tone, string]>> = {
  pass: [CheckCircle2, 'good', 'Yes'],
  warning: [TriangleAlert, 'warn', 'Warning'],
  fail: [CircleAlert, 'bad', 'No'],
};

/** Checks of the version in force. */
const OF_VERSION: ReadonlySet<string> = new Set(['runtime', 'inputs', 'lineage']);

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
  const open = checks.filter(({ status }) => status !== 'pass');
  // Without a version in force there is nothing that the others could look at.
  const isBare = open.some(({ check, status }) => check === 'hydrated' && status === 'fail');
  const shown = folded(isWhole ? checks : open.filter(({ check }) => !(isBare && OF_VERSION.has(check))));
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
          {shown.map((alike) => (
            <CheckLine key={alike[0].check} alike={alike} fixOf={fixOf} />
          ))}
        </Stack>
      )}
    </section>
  );
}

type Alike = readonly [Check, ...Check[]];

/** Checks that do not hold for the same reason are one line. */
const folded = (checks: readonly Check[]): Alike[] => [
  ...(Map.groupBy(checks, ({ check, status, detail }) =>
    status === 'pass' ? check : detail,
  ).values() as Iterable<Alike>),
];

function CheckLine({ alike, fixOf }: { alike: Alike } & Pick<ReadinessListProps, 'fixOf'>) {
  const [check] = alike;
  const [icon, tone, word] = WORDS[check.status];
  const isOpen = check.status !== 'pass';
  const fix = isOpen ? fixOf(check) : undefined;
  return (
    <div className="readiness-check">
      <ToneWord icon={icon} tone={tone} word={word} />
      <Stack gap={2} align="flex-start">
        <Text size="sm" fw={560}>
          {alike.map(({ title }) => title).join(' · ')}
        </Text>
        {isOpen ? (
          <Text size="sm">
            <MarkedText text={check.detail} />
          </Text>
        ) : null}
        {check.items.map(({ id, name, code }) => (
          <Text key={`${id} ${code}`} size="sm">
            {name}: {code.replaceAll('_', ' ')}
          </Text>
        ))}
        {isOpen && fix === undefined ? <NextLinks next={check.next} hint={check.hint} /> : null}
      </Stack>
      {fix === undefined ? null : <FixButton fix={fix} />}
    </div>
  );
}

function FixButton({ fix }: { fix: Fix }) {
  const look = { size: 'compact-sm', variant: 'default', className: 'readiness-fix' } as const;
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
