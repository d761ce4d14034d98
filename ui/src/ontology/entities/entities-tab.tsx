import { Anchor, Button, Stack, Table, Text } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { type EntityTypeView, type EntityView, listEntities } from '@weir/plugin-ontology/contract';
import { given } from '../../api/given.ts';
import { useReadPages } from '../../api/read-pages.ts';
import { counted } from '../../parts/numbers.ts';
import { Empty, Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { LongTable } from '../../table/long-table.tsx';
import { EntityFilter } from './entity-filter.tsx';
import { conditionsIn, filterText, valueText } from './filter.ts';
import '../ontology.css';

const PAGE = 100;
/** Columns beside key and title; all properties are on the page of an entity. */
const MAX_COLUMNS = 4;
const COLUMN_PX = 150;

/** The entities of a type by their keys, or those that have values of indexed properties. */
export function EntitiesTab({ type }: { type: EntityTypeView }) {
  if (type.status === 'retired')
    return <Empty words="The type is retired. Its entities are kept; they show again once it is brought back." />;
  return <Shown type={type} />;
}

type Property = EntityTypeView['properties'][number];

/** What tells entities from each other at a glance: indexed ones first, nothing that takes much room. */
function columnsOf({ properties, primary_key: key, title_property: title }: EntityTypeView): Property[] {
  const small = properties.filter(
    ({ code, value_type }) =>
      code !== title && !(key.length === 1 && key.includes(code)) && !['json', 'geometry', 'text'].includes(value_type),
  );
  return small.toSorted((a, b) => Number(b.indexed) - Number(a.indexed)).slice(0, MAX_COLUMNS);
}

function Shown({ type }: { type: EntityTypeView }) {
  const { code, properties } = type;
  const { filter = '' } = useSearch({ from: '/ontology/types/$code' });
  const indexed = properties.filter((one) => one.indexed);
  const conditions = conditionsIn(
    filter,
    indexed.map((one) => one.code),
  );
  const query = given({ limit: PAGE, filter: filterText(conditions) });
  const pages = useReadPages(listEntities, { params: { code }, query }, { keep: true });
  return (
    <Stack gap="sm">
      <EntityFilter indexed={indexed} conditions={conditions} />
      <Region
        query={pages}
        empty={([first]) =>
          first?.items.length === 0 && conditions.length === 0
            ? {
                words: `No ${type.name} yet. Entities come from tables: a backing dataset says which table fills the type, and its sync brings them.`,
                docs: '/docs',
                action: (
                  <Button
                    renderRoot={(props) => (
                      <Link
                        to="/ontology/types/$code"
                        params={{ code: type.code }}
                        search={{ tab: 'filled' }}
                        {...props}
                      />
                    )}
                  >
                    What fills it
                  </Button>
                ),
              }
            : undefined
        }
      >
        {(all) => <Entities type={type} entities={all.flatMap(({ items }) => items)} pages={pages} />}
      </Region>
    </Stack>
  );
}

interface EntitiesProps {
  type: EntityTypeView;
  entities: readonly EntityView[];
  pages: ReturnType<typeof useReadPages<typeof listEntities>>;
}

function Entities({ type, entities, pages }: EntitiesProps) {
  const columns = columnsOf(type);
  const hasTitle = type.title_property !== null && type.title_property !== type.primary_key.join();
  return (
    <LongTable
      label={`Entities of ${type.name}`}
      minWidth={420 + columns.length * COLUMN_PX}
      spacing={6}
      head={
        <>
          <Table.Th w="26%">{hasTitle ? 'Entity' : 'Key'}</Table.Th>
          {columns.map(({ code, name, unit }) => (
            <Table.Th key={code}>
              {name}
              {unit === null ? '' : `, ${unit}`}
            </Table.Th>
          ))}
          <Table.Th w={130}>Written</Table.Th>
        </>
      }
      rows={entities}
      keyOf={({ key }) => key}
      pages={pages}
      foot={
        entities.length === 0
          ? 'No entity has these values.'
          : pages.hasNextPage
            ? `The first ${counted(entities.length, 'entity', 'entities')}, by their keys`
            : counted(entities.length, 'entity', 'entities')
      }
    >
      {({ key, title, properties, updated_at: at }) => (
        <>
          <Table.Td className="type-name">
            <Anchor
              inherit
              fw={560}
              data-row
              renderRoot={(props) => (
                <Link to="/ontology/types/$code/entity" params={{ code: type.code }} search={{ key }} {...props} />
              )}
            >
              {title}
            </Anchor>
            {hasTitle && title !== key ? (
              <Text size="xs" className="mono-id type-code">
                {key}
              </Text>
            ) : null}
          </Table.Td>
          {columns.map(({ code }) => (
            <Table.Td key={code}>
              <Text size="sm" lineClamp={2} className="type-text">
                {valueText(properties[code]) ?? '–'}
              </Text>
            </Table.Td>
          ))}
          <Table.Td>
            <ShowTime at={at} size="sm" />
          </Table.Td>
        </>
      )}
    </LongTable>
  );
}
