import { Anchor, Code, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { BackingDatasetView } from '@weir/plugin-ontology/contract';
import { CopyText } from '../../parts/copy-text.tsx';
import { FactList } from '../../parts/fact-list.tsx';
import { counted, countText } from '../../parts/numbers.ts';
import { ShowTime } from '../../parts/show-time.tsx';
import { LongTable } from '../../table/long-table.tsx';
import { shortFingerprint } from '../sync/sync-words.tsx';
import '../ontology.css';

/** What is applied, and which columns become what. */
export function BackingOverview({ backing }: { backing: BackingDatasetView }) {
  return (
    <Stack gap="lg">
      <Applied backing={backing} />
      <Mappings backing={backing} />
      {backing.relationship_mappings.length === 0 ? null : <Relationships backing={backing} />}
      <Rules backing={backing} />
    </Stack>
  );
}

function Applied({ backing }: { backing: BackingDatasetView }) {
  const { applied, current_sync_spec_fingerprint: current, dataset_id: datasetId } = backing;
  if (applied === null)
    return (
      <Text size="sm" c="dimmed" p="md" className="panel">
        Nothing is applied yet: the first sync reads every row of the table.
      </Text>
    );
  const { snapshot_id_exact: snapshot, sync_spec_fingerprint: fingerprint, run_id: runId, at } = applied;
  const isSame = current === fingerprint;
  return (
    <FactList
      facts={[
        ['Applied', <ShowTime key="at" at={at} />],
        [
          'Snapshot',
          snapshot === null ? (
            'the table had none'
          ) : (
            <Anchor
              key="snapshot"
              inherit
              renderRoot={(props) => (
                <Link to="/datasets/$datasetId" params={{ datasetId }} search={{ snapshot }} {...props} />
              )}
            >
              <span className="mono-id">{snapshot}</span>
            </Anchor>
          ),
        ],
        [
          'By',
          <Anchor key="run" inherit renderRoot={(props) => <Link to="/runs/$runId" params={{ runId }} {...props} />}>
            a run
          </Anchor>,
        ],
        ['What was applied', <Fingerprint key="applied" text={fingerprint} what="applied fingerprint" />],
        [
          'A sync now would do',
          current === null ? (
            'not known: the table or the type cannot be read'
          ) : isSame ? (
            'the same'
          ) : (
            <Fingerprint key="current" text={current} what="current fingerprint" />
          ),
        ],
      ]}
    />
  );
}

function Fingerprint({ text, what }: { text: string; what: string }) {
  return (
    <span title={text}>
      <span className="mono-id">{shortFingerprint(text)}</span> <CopyText text={text} what={what} />
    </span>
  );
}

function Mappings({ backing }: { backing: BackingDatasetView }) {
  const { property_mappings: mappings, primary_key_mapping: keys } = backing;
  const keyColumns = new Map(keys.map(({ property, column }) => [property, column]));
  const mapped = new Set(mappings.map(({ property }) => property));
  const rows = [
    ...keys.filter(({ property }) => !mapped.has(property)).map((one) => ({ ...one, expression: undefined })),
    ...mappings,
  ];
  return (
    <Stack gap="sm" component="section" aria-labelledby="mappings">
      <Title order={2} id="mappings">
        Columns and properties
      </Title>
      <LongTable
        label="Mappings"
        minWidth={520}
        spacing={6}
        head={
          <>
            <Table.Th w="50%">From the table</Table.Th>
            <Table.Th>Property</Table.Th>
            <Table.Th w={90}>Key</Table.Th>
          </>
        }
        rows={rows}
        keyOf={({ property }) => property}
        foot={counted(rows.length, 'property', 'properties')}
      >
        {({ column, expression, property }) => (
          <>
            <Table.Td className="type-name">
              {column === undefined ? <Code>{expression}</Code> : <span className="mono-id">{column}</span>}
            </Table.Td>
            <Table.Td className="type-name">{property}</Table.Td>
            <Table.Td>{keyColumns.has(property) ? 'key' : ''}</Table.Td>
          </>
        )}
      </LongTable>
    </Stack>
  );
}

function Relationships({ backing: { relationship_mappings: rows } }: { backing: BackingDatasetView }) {
  return (
    <Stack gap="sm" component="section" aria-labelledby="links">
      <Title order={2} id="links">
        Columns and relationships
      </Title>
      <LongTable
        label="Relationships"
        minWidth={520}
        spacing={6}
        head={
          <>
            <Table.Th w="36%">From the table</Table.Th>
            <Table.Th w="28%">Relationship</Table.Th>
            <Table.Th>Leads to</Table.Th>
          </>
        }
        rows={rows}
        keyOf={({ relationship }) => relationship}
        foot={counted(rows.length, 'relationship')}
      >
        {({ columns, many, relationship, target_type: code, target_key: key }) => (
          <>
            <Table.Td className="type-name">
              <span className="mono-id">{columns.join(', ')}</span>
              {many === null ? null : (
                <Text size="xs" c="dimmed">
                  {many === 'list' ? 'a list of keys' : 'keys with commas between them'}
                </Text>
              )}
            </Table.Td>
            <Table.Td className="type-name">{relationship}</Table.Td>
            <Table.Td className="type-name">
              <Anchor
                inherit
                underline="always"
                renderRoot={(props) => <Link to="/ontology/types/$code" params={{ code }} {...props} />}
              >
                {code}
              </Anchor>{' '}
              by {key.join(', ')}
            </Table.Td>
          </>
        )}
      </LongTable>
    </Stack>
  );
}

function Rules({ backing }: { backing: BackingDatasetView }) {
  const { row_filter, delete_policy: deletes, duplicate_keys: doubles, null_keys, merge_mode, sync } = backing;
  return (
    <Stack gap="sm" component="section" aria-labelledby="rules">
      <Title order={2} id="rules">
        Rules
      </Title>
      <FactList
        facts={[
          ['A sync starts', sync === 'manual' ? 'on request' : 'when the table has new data'],
          ['Rows', row_filter === null ? 'every row' : <Code key="filter">{row_filter}</Code>],
          [
            'A row that is gone',
            deletes === 'mirror'
              ? 'takes its entity along'
              : deletes === 'never'
                ? 'leaves its entity'
                : `is one where ${deletes.column} says so`,
          ],
          ['Two rows of one key', doubles === 'fail' ? 'fail the sync' : `the greatest ${doubles.last_by} wins`],
          ['A row without a key', null_keys === 'fail' ? 'fails the sync' : 'is left out'],
          ['Owns', merge_mode === 'replace' ? 'whole entities' : 'the properties above'],
          ['May be refused', backing.max_rejected_rows === 0 ? 'no row' : countText(backing.max_rejected_rows)],
        ]}
      />
    </Stack>
  );
}
