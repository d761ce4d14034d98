import { Anchor, Button, Menu, Stack, Table } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { changeSchemaVersion, type SchemaVersionView } from '@weir/plugin-schema-registry/contract';
import { ChevronDown } from 'lucide-react';
import { useChange } from '../api/queries.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { counted } from '../parts/numbers.ts';
import { ShowTime } from '../parts/show-time.tsx';
import { useMay } from '../session/person.ts';
import { LongTable } from '../table/long-table.tsx';
import type { Pages } from '../table/more-button.tsx';
import { StatusWord } from './status-word.tsx';
import { OutcomeWord } from './verdict.tsx';

type Status = SchemaVersionView['status'];
const CHANGES: readonly (readonly [Status, string])[] = [
  ['active', 'Put in force'],
  ['deprecated', 'Deprecate'],
  ['draft', 'Make it a draft'],
];

/** The versions of a subject, newest first; those who may change their status here. */
export function SubjectVersions({ versions, pages }: { versions: readonly SchemaVersionView[]; pages: Pages }) {
  const change = useChange(changeSchemaVersion);
  const mayChange = useMay(changeSchemaVersion);
  const search = useSearch({ from: '/schemas/subjects/$subject' });
  const set = ({ subject, version, etag }: SchemaVersionView, status: Status) =>
    change.mutate({ params: { subject, version }, body: { status }, headers: { 'if-match': etag } });
  return (
    <Stack gap="sm">
      {change.error === null ? null : <FaultNote error={change.error} />}
      <LongTable
        label="Versions"
        minWidth={720}
        head={
          <>
            <Table.Th w={130}>Version</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>Beside the one before</Table.Th>
            <Table.Th w={150}>Registered</Table.Th>
            <Table.Th>By</Table.Th>
            <Table.Th w={130}>
              <span className="unseen">Change the status</span>
            </Table.Th>
          </>
        }
        rows={versions}
        keyOf={({ version }) => version}
        pages={pages}
        moreWords="Show older versions"
        foot={counted(versions.length, 'version')}
        rowProps={({ version }) => ({ 'data-chosen': search.version === String(version) })}
      >
        {(row) => <Cells row={row} set={mayChange ? (status) => set(row, status) : undefined} />}
      </LongTable>
    </Stack>
  );
}

interface CellsProps {
  row: SchemaVersionView;
  /** Absent for those who may not. */
  set: ((status: Status) => void) | undefined;
}

function Cells({ row: { subject, version, status, verdict, created_at: at, registered_by: by }, set }: CellsProps) {
  return (
    <>
      <Table.Td>
        <Anchor
          fw={560}
          data-row
          renderRoot={(props) => (
            <Link
              to="/schemas/subjects/$subject"
              params={{ subject }}
              search={(before: object) => ({ ...before, version: String(version) })}
              hash="schema"
              {...props}
            />
          )}
        >
          {version}
        </Anchor>
      </Table.Td>
      <Table.Td>
        <StatusWord status={status} />
      </Table.Td>
      <Table.Td>
        {verdict.compared_with.length === 0 ? 'compared with nothing' : <OutcomeWord outcome={verdict.outcome} />}
      </Table.Td>
      <Table.Td>
        <ShowTime at={at} size="sm" />
      </Table.Td>
      <Table.Td className="schema-name">{by}</Table.Td>
      <Table.Td ta="right">
        {set === undefined ? null : (
          <Menu position="bottom-end" withinPortal={false}>
            <Menu.Target>
              <Button
                size="compact-sm"
                variant="default"
                rightSection={<ChevronDown size={14} aria-hidden />}
                aria-label={`Change the status of version ${version}`}
              >
                Status
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {CHANGES.filter(([to]) => to !== status).map(([to, words]) => (
                <Menu.Item key={to} onClick={() => set(to)}>
                  {words}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
      </Table.Td>
    </>
  );
}
