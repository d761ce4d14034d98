import { Anchor, Button, Code, Group, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { AUDIT_RESULTS, type AuditEventView, type AuditResult, listAudit } from '@weir/plugin-platform/contract';
import { Ban, CheckCircle2, CircleAlert, CircleHelp, type LucideIcon, XCircle } from 'lucide-react';
import { use, useState } from 'react';
import { useReadPages } from '../api/read-pages.ts';
import { counted } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { type Tone, ToneWord } from '../parts/status-word.tsx';
import { ZoneContext } from '../parts/zone-context.ts';
import { instantOf, wallOf } from '../parts/zones.ts';
import { LongTable } from '../table/long-table.tsx';
import type { Pages } from '../table/more-button.tsx';

const PAGE = 100;
const TYPING_MS = 300;
const RESULTS: Readonly<Record<AuditResult, [LucideIcon, Tone, string]>> = {
  done: [CheckCircle2, 'good', 'Done'],
  denied: [Ban, 'warn', 'Denied'],
  refused: [XCircle, 'quiet', 'Refused'],
  failed: [CircleAlert, 'bad', 'Failed'],
  unknown: [CircleHelp, 'quiet', 'Unknown'],
};

type Filter = { [N in 'actor' | 'action' | 'object' | 'result' | 'from' | 'to']?: string | undefined };

/** Who changed what and when, and who was denied. Each filter is in the address. */
export function AuditTab() {
  const search = useSearch({ from: '/operations' });
  const navigate = useNavigate({ from: '/operations' });
  const [typed] = useDebouncedValue(search, TYPING_MS);
  const { result } = search;
  const query = {
    limit: PAGE,
    ...given('actor', typed.actor),
    ...given('action', typed.action),
    ...given('object', typed.object),
    ...given('from', typed.from),
    ...given('to', typed.to),
    ...(result === undefined ? {} : { result }),
  };
  const pages = useReadPages(listAudit, { query }, { keep: true });
  const filter = (change: Filter) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <Stack gap="sm">
      <Filters search={search} filter={filter} />
      <Region query={pages}>{(all) => <Events events={all.flatMap(({ items }) => items)} pages={pages} />}</Region>
    </Stack>
  );
}

interface FiltersProps {
  search: Filter;
  filter(change: Filter): void;
}

/** Who, what, on which id, how it ended, and when, by the clocks of the one zone. */
function Filters({ search, filter }: FiltersProps) {
  const zone = use(ZoneContext);
  const field = (
    name: 'actor' | 'action' | 'object',
    label: string,
    { hint, width }: { hint: string; width: number },
  ) => (
    <TextInput
      label={label}
      placeholder={hint}
      size="sm"
      w={width}
      {...(name === 'actor' ? { 'data-filter': true } : {})}
      value={search[name] ?? ''}
      onChange={(event) => filter({ [name]: event.currentTarget.value })}
    />
  );
  const time = (name: 'from' | 'to', label: string) => (
    <TextInput
      type="datetime-local"
      label={label}
      size="sm"
      w={215}
      value={wallOf(search[name], zone)}
      onChange={(event) => filter({ [name]: instantOf(event.currentTarget.value, zone) })}
    />
  );
  const isFiltered = [search.actor, search.action, search.object, search.result, search.from, search.to].some(Boolean);
  return (
    <Group gap="xs" align="flex-end">
      {field('actor', 'Who', { hint: 'a subject', width: 160 })}
      {field('action', 'What', { hint: 'sources.create_source', width: 220 })}
      {field('object', 'On which id', { hint: 'of a source, a table, …', width: 260 })}
      <Select
        label="Result"
        placeholder="Any"
        size="sm"
        w={130}
        clearable
        clearButtonProps={{ 'aria-label': 'Any result' }}
        data={AUDIT_RESULTS}
        value={search.result ?? null}
        onChange={(value) => filter({ result: value ?? '' })}
      />
      {time('from', `From, in ${zone}`)}
      {time('to', 'Until')}
      {isFiltered ? (
        <Button
          size="sm"
          variant="default"
          onClick={() => filter({ actor: '', action: '', object: '', result: '', from: '', to: '' })}
        >
          Show all
        </Button>
      ) : null}
    </Group>
  );
}

const given = (name: string, value: string | undefined) =>
  value === undefined || value === '' ? {} : { [name]: value };

function Events({ events, pages }: { events: readonly AuditEventView[]; pages: Pages }) {
  const [opened, setOpened] = useState<string>();
  return (
    <LongTable
      label="Events"
      minWidth={860}
      spacing={6}
      head={
        <>
          <Table.Th w={170}>When</Table.Th>
          <Table.Th>Who</Table.Th>
          <Table.Th>What</Table.Th>
          <Table.Th>On</Table.Th>
          <Table.Th w={120}>Result</Table.Th>
          <Table.Th w={90}>
            <span className="unseen">Details</span>
          </Table.Th>
        </>
      }
      rows={withDetails(events, opened)}
      keyOf={({ event, isDetail }) => `${event.seq}${isDetail ? ' details' : ''}`}
      pages={pages}
      moreWords="Show older events"
      foot={events.length === 0 ? 'No event fits the filter.' : counted(events.length, 'event')}
    >
      {({ event, isDetail }) =>
        isDetail ? (
          <Table.Td colSpan={6}>
            <Code block className="cell-text" tabIndex={0}>
              {detailsOf(event)}
            </Code>
          </Table.Td>
        ) : (
          <EventRow
            event={event}
            isOpen={opened === event.seq}
            toggle={() => setOpened(opened === event.seq ? undefined : event.seq)}
          />
        )
      }
    </LongTable>
  );
}

/** The events, and behind the one that is open a row with all that is known of it. */
const withDetails = (events: readonly AuditEventView[], opened: string | undefined) =>
  events.flatMap((event) => [{ event, isDetail: false }, ...(event.seq === opened ? [{ event, isDetail: true }] : [])]);

interface EventRowProps {
  event: AuditEventView;
  isOpen: boolean;
  toggle(): void;
}

function EventRow({ event, isOpen, toggle }: EventRowProps) {
  const known = AUDIT_RESULTS.find((one) => one === event.result) ?? 'unknown';
  const [icon, tone, word] = RESULTS[known];
  return (
    <>
      <Table.Td>
        <ShowTime at={event.at} how="clock" size="sm" className="one-line" />
      </Table.Td>
      <Table.Td>
        <Text size="sm">{event.subject ?? event.kind}</Text>
        {event.kind === 'user' ? null : (
          <Text size="xs" c="dimmed">
            {event.kind.replaceAll('_', ' ')}
          </Text>
        )}
      </Table.Td>
      <Table.Td className="mono-id">{event.action}</Table.Td>
      <Table.Td maw={260}>
        {Object.entries(event.object).map(([name, id]) => (
          <Text key={name} size="xs" className="ellipsis" title={`${name} ${id}`}>
            {name.replace(/_id$/, '').replaceAll('_', ' ')}{' '}
            <Anchor
              inherit
              underline="always"
              renderRoot={(props) => <Link to="/operations" search={{ tab: 'audit', object: id }} {...props} />}
            >
              <span className="mono-id">{id}</span>
            </Anchor>
          </Text>
        ))}
      </Table.Td>
      <Table.Td>
        <ToneWord icon={icon} tone={tone} word={event.count > 1 ? `${word} × ${event.count}` : word} />
        {event.code === null ? null : (
          <Text size="xs" c="dimmed">
            {event.code}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Button
          size="compact-xs"
          variant="default"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Less' : 'More'} of event ${event.seq}`}
          data-row
          onClick={toggle}
        >
          {isOpen ? 'Less' : 'More'}
        </Button>
      </Table.Td>
    </>
  );
}

const detailsOf = ({ seq, location, client, address, permission, request_id, hash, previous_hash }: AuditEventView) =>
  Object.entries({ number: seq, made: location, client, address, permission, trace: request_id, hash, previous_hash })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.padEnd(14)} ${value}`)
    .join('\n');
