import { Anchor, Stack, Table, Text, Title } from '@mantine/core';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { Output } from '@weir/kernel/contract';
import { type EntityTypeView, getEntity, getEntityType, keyInPath } from '@weir/plugin-ontology/contract';
import { ProblemError } from '../../api/problem-error.ts';
import { useRead } from '../../api/queries.ts';
import { CopyText } from '../../parts/copy-text.tsx';
import { FactList } from '../../parts/fact-list.tsx';
import { counted } from '../../parts/numbers.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Empty, Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { RunLink } from '../../runs/run-link.tsx';
import { LongTable } from '../../table/long-table.tsx';
import { typeWords } from '../property-words.ts';
import { WithOntology } from '../with-ontology.tsx';
import { EntityLinks } from './entity-links.tsx';
import { valueText } from './filter.ts';
import '../ontology.css';

const NOT_FOUND = 404;

/** One entity: its values, and where it leads and is led to from. */
export function EntityPage() {
  const { code } = useParams({ from: '/ontology/types/$code/entity' });
  const { key } = useSearch({ from: '/ontology/types/$code/entity' });
  return (
    <WithOntology title={key ?? code}>
      {key === undefined ? <Nothing code={code} words="The address names no entity." /> : null}
      {key === undefined ? null : <Loaded key={`${code} ${key}`} code={code} entityKey={key} />}
    </WithOntology>
  );
}

function Nothing({ code, words }: { code: string; words: string }) {
  return (
    <>
      <PageHead title={code} />
      <Empty words={words} action={<TypeAnchor code={code}>Entities of {code}</TypeAnchor>} />
    </>
  );
}

const TypeAnchor = ({ code, children }: { code: string; children: React.ReactNode }) => (
  <Anchor
    inherit
    renderRoot={(props) => (
      <Link to="/ontology/types/$code" params={{ code }} search={{ tab: 'entities' }} {...props} />
    )}
  >
    {children}
  </Anchor>
);

function Loaded({ code, entityKey }: { code: string; entityKey: string }) {
  const type = useRead(getEntityType, { params: { code }, query: { include: 'retired' } });
  const query = useRead(getEntity, { params: { code, key: keyInPath(entityKey) } });
  if (query.error instanceof ProblemError && query.error.problem.status === NOT_FOUND)
    return <Nothing code={code} words={`There is no ${type.data?.name ?? code} of the key ${entityKey}.`} />;
  return (
    <>
      {query.data === undefined || type.data === undefined ? <PageHead title={entityKey} /> : null}
      <Region query={type}>
        {(found) => <Region query={query}>{(entity) => <Shown type={found} entity={entity} />}</Region>}
      </Region>
    </>
  );
}

interface ShownProps {
  type: EntityTypeView;
  entity: Output<typeof getEntity>;
}

function Shown({ type, entity }: ShownProps) {
  const { key, title, type_version: version, run_id: run, updated_at: at } = entity;
  return (
    <Stack gap="md">
      <PageHead title={title} />
      <FactList
        facts={[
          [
            'Type',
            <TypeAnchor key="type" code={type.code}>
              {type.name}
            </TypeAnchor>,
          ],
          [
            'Key',
            <span key="key">
              <span className="mono-id">{key}</span> <CopyText text={key} what="key" />
            </span>,
          ],
          ['Written by version', version === type.version ? version : `${version}, the newest is ${type.version}`],
          ['Written', <ShowTime key="at" at={at} />],
          ['By', <RunLink key="run" runId={run} />],
        ]}
      />
      <Values type={type} values={entity.properties} />
      <EntityLinks type={type} entity={entity} />
    </Stack>
  );
}

/** A value that the newest version does not know was written by another one. */
interface Value {
  code: string;
  name: string;
  words: string;
  isSensitive: boolean;
  text: string | undefined;
}

function valuesOf(type: EntityTypeView, values: Readonly<Record<string, unknown>>): Value[] {
  const known = type.properties.map((property) => ({
    code: property.code,
    name: property.name,
    words: typeWords(property),
    isSensitive: property.sensitive,
    text: valueText(values[property.code]),
  }));
  const codes = new Set(known.map(({ code }) => code));
  const others = Object.entries(values).filter(([code]) => !codes.has(code));
  return [
    ...known,
    ...others.map(([code, value]) => ({
      code,
      name: code,
      words: 'of another version',
      isSensitive: false,
      text: valueText(value),
    })),
  ];
}

function Values({ type, values }: { type: EntityTypeView; values: Readonly<Record<string, unknown>> }) {
  const rows = valuesOf(type, values);
  return (
    <Stack gap="sm" component="section" aria-labelledby="values">
      <Title order={2} id="values">
        Values
      </Title>
      <LongTable
        label="Values by property"
        minWidth={480}
        spacing={6}
        head={
          <>
            <Table.Th w="30%">Property</Table.Th>
            <Table.Th>Value</Table.Th>
            <Table.Th w="20%">Type</Table.Th>
          </>
        }
        rows={rows}
        keyOf={({ code }) => code}
        foot={counted(rows.length, 'property', 'properties')}
      >
        {({ code, name, words, isSensitive, text }) => (
          <>
            <Table.Td className="type-name">
              <Text size="sm" fw={560}>
                {name}
              </Text>
              {name === code ? null : <span className="mono-id type-code">{code}</span>}
            </Table.Td>
            <Table.Td>
              {text === undefined ? (
                <span className="type-code">no value</span>
              ) : (
                <Text size="sm" className="type-value">
                  {text}
                </Text>
              )}
            </Table.Td>
            <Table.Td>
              <span className="mono-id type-code">{words}</span>
              {isSensitive ? (
                <Text size="xs" c="dimmed">
                  sensitive
                </Text>
              ) : null}
            </Table.Td>
          </>
        )}
      </LongTable>
    </Stack>
  );
}
