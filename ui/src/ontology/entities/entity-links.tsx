import { Anchor, Group, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Output } from '@weir/kernel/contract';
import {
  type EntityLinkView,
  type EntityTypeView,
  type getEntity,
  keyInPath,
  listEntityLinks,
} from '@weir/plugin-ontology/contract';
import { useReadPages } from '../../api/read-pages.ts';
import { counted, countText } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { LongTable } from '../../table/long-table.tsx';
import '../ontology.css';

const PAGE = 50;
/** Links are counted up to here. */
const MOST_COUNTED = 10_000;

type Entity = Output<typeof getEntity>;
type Direction = Entity['links'][number]['direction'];

/** The links of a relationship in one direction, whichever types are at the other end. */
interface Bundle {
  relationship: string;
  direction: Direction;
  count: number;
}

function bundlesOf(links: Entity['links']): Bundle[] {
  const bundles = new Map<string, Bundle>();
  for (const { relationship, direction, count } of links) {
    const at = `${direction} ${relationship}`;
    bundles.set(at, { relationship, direction, count: (bundles.get(at)?.count ?? 0) + count });
  }
  return [...bundles.values()].toSorted((a, b) => b.direction.localeCompare(a.direction));
}

/** Where an entity leads, and what leads to it. */
export function EntityLinks({ type, entity }: { type: EntityTypeView; entity: Entity }) {
  const bundles = bundlesOf(entity.links);
  return (
    <Stack gap="sm" component="section" aria-labelledby="links">
      <Title order={2} id="links">
        Links
      </Title>
      {bundles.length === 0 ? (
        <Text size="sm" c="dimmed" p="md" className="panel">
          It is linked with nothing, in neither direction.
        </Text>
      ) : (
        bundles.map((bundle) => (
          <Links
            key={`${bundle.direction} ${bundle.relationship}`}
            type={type}
            entityKey={entity.key}
            bundle={bundle}
          />
        ))
      )}
    </Stack>
  );
}

interface LinksProps {
  type: EntityTypeView;
  entityKey: string;
  bundle: Bundle;
}

function Links({ type, entityKey, bundle: { relationship, direction, count } }: LinksProps) {
  const params = { code: type.code, key: keyInPath(entityKey), relationship };
  const pages = useReadPages(listEntityLinks, { params, query: { direction, limit: PAGE } });
  const name = type.relationships.find(({ code }) => code === relationship)?.name ?? relationship;
  const many = count >= MOST_COUNTED ? `${countText(MOST_COUNTED)} or more` : countText(count);
  const title = direction === 'out' ? name : `Led to by ${relationship}`;
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Title order={3} size="h5">
          {title}
        </Title>
        <Text size="sm" c="dimmed">
          {many}
        </Text>
      </Group>
      <Region query={pages} lines={2}>
        {(all) => {
          const links = all.flatMap(({ items }) => items);
          return (
            <LongTable
              label={title}
              minWidth={420}
              spacing={6}
              head={
                <>
                  <Table.Th w="60%">Entity</Table.Th>
                  <Table.Th>Type</Table.Th>
                </>
              }
              rows={links}
              keyOf={({ type_code: code, key }) => `${code} ${key}`}
              pages={pages}
              foot={pages.hasNextPage ? `The first ${links.length}` : counted(links.length, 'link')}
            >
              {(link) => <Cells link={link} />}
            </LongTable>
          );
        }}
      </Region>
    </Stack>
  );
}

function Cells({ link: { type_code: code, key, exists, title } }: { link: EntityLinkView }) {
  return (
    <>
      <Table.Td className="type-name">
        {exists ? (
          <Anchor
            inherit
            fw={560}
            data-row
            renderRoot={(props) => (
              <Link to="/ontology/types/$code/entity" params={{ code }} search={{ key }} {...props} />
            )}
          >
            {title ?? key}
          </Anchor>
        ) : (
          <span>
            {key} <span className="type-code">missing: no entity has this key</span>
          </span>
        )}
        {exists && title !== null && title !== key ? (
          <Text size="xs" className="mono-id type-code">
            {key}
          </Text>
        ) : null}
      </Table.Td>
      <Table.Td className="type-name">
        <Anchor inherit renderRoot={(props) => <Link to="/ontology/types/$code" params={{ code }} {...props} />}>
          {code}
        </Anchor>
      </Table.Td>
    </>
  );
}
