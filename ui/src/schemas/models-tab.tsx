import { Anchor, NavLink, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import {
  getSmartDataModels,
  listDomainSchemas,
  listDomains,
  listLibraries,
  searchLibraries,
} from '@weir/plugin-schema-registry/contract';
import { given } from '../api/given.ts';
import { useRead } from '../api/queries.ts';
import { useReadPages } from '../api/read-pages.ts';
import { counted, countText } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { LongTable } from '../table/long-table.tsx';
import '../datasets/datasets.css';
import './schemas.css';

const PAGE = 200;
const MAX_HITS = 50;
const TYPING_MS = 250;

/** The models of all libraries, by library and domain or by words. */
export function ModelsTab() {
  const search = useSearch({ from: '/schemas' });
  const navigate = useNavigate({ from: '/schemas' });
  const [word] = useDebouncedValue((search.q ?? '').trim(), TYPING_MS);
  const { library, domain } = search;
  return (
    <div className="browse">
      <Libraries />
      <Stack gap="sm">
        <TextInput
          aria-label="Find models by words"
          placeholder="Find models, typos allowed  /"
          data-filter
          size="sm"
          maw={360}
          value={search.q ?? ''}
          onChange={({ currentTarget: { value } }) =>
            void navigate({ search: (before) => ({ ...before, q: value }), replace: true })
          }
        />
        {word !== '' ? (
          <Hits word={word} library={library} domain={domain} />
        ) : library === undefined || domain === undefined ? (
          <Text size="sm" c="dimmed" p="md" className="panel">
            Choose a domain, or write some words such as “custmer invoice”. A model says which members documents have,
            with its licence.
          </Text>
        ) : (
          <DomainModels library={library} domain={domain} />
        )}
      </Stack>
    </div>
  );
}

/** Libraries with their domains, as a filter. */
function Libraries() {
  const query = useRead(listLibraries);
  const sdm = useRead(getSmartDataModels);
  return (
    <nav aria-label="Libraries" className="panel browse-side">
      <Region query={query}>
        {({ items }) => items.map((one) => <Domains key={one.library_id} library={one.library_id} name={one.name} />)}
      </Region>
      {sdm.data === undefined || sdm.data.hint === null ? null : (
        <Text size="xs" c="dimmed" px="sm" py="xs" className="schema-text">
          {sdm.data.hint}
        </Text>
      )}
    </nav>
  );
}

function Domains({ library, name }: { library: string; name: string }) {
  const search = useSearch({ from: '/schemas' });
  const query = useRead(listDomains, { params: { library_id: library } });
  return (
    <div>
      <Text size="sm" c="dimmed" px="sm" pt="sm" pb={2}>
        {name}
      </Text>
      <Region query={query} lines={2}>
        {({ items }) =>
          items.map(({ domain, title, schemas }) => {
            const isChosen = search.library === library && search.domain === domain;
            return (
              <NavLink
                key={domain}
                active={isChosen}
                aria-current={isChosen ? 'true' : undefined}
                py={5}
                label={title === '' ? domain : title}
                rightSection={
                  <Text size="sm" component="span">
                    {countText(schemas)}
                  </Text>
                }
                renderRoot={(props) => (
                  <Link to="/schemas" search={{ tab: 'models', library, domain }} replace {...props} />
                )}
              />
            );
          })
        }
      </Region>
    </div>
  );
}

function DomainModels({ library, domain }: { library: string; domain: string }) {
  const pages = useReadPages(
    listDomainSchemas,
    { params: { library_id: library, domain }, query: { limit: PAGE } },
    { keep: true },
  );
  return (
    <Region query={pages}>
      {(all) => {
        const models = all.flatMap(({ items }) => items);
        return (
          <LongTable
            label="Models"
            minWidth={640}
            head={
              <>
                <Table.Th w="32%">Model</Table.Th>
                <Table.Th>What it is</Table.Th>
                <Table.Th w={90}>Version</Table.Th>
                <Table.Th w={100} ta="right">
                  Members
                </Table.Th>
              </>
            }
            rows={models}
            keyOf={({ full_id }) => full_id}
            pages={pages}
            foot={counted(models.length, 'model')}
          >
            {({ full_id, schema_id, title, description, version, properties }) => (
              <>
                <Table.Td className="schema-name">
                  <ModelLink fullId={full_id} words={schema_id} />
                  {title === '' || title === schema_id ? null : (
                    <Text size="xs" c="dimmed" className="schema-text">
                      {title}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>
                  <Text size="sm" lineClamp={2}>
                    {description}
                  </Text>
                </Table.Td>
                <Table.Td>{version}</Table.Td>
                <Table.Td ta="right">{countText(properties)}</Table.Td>
              </>
            )}
          </LongTable>
        );
      }}
    </Region>
  );
}

interface HitsProps {
  word: string;
  library: string | undefined;
  domain: string | undefined;
}

function Hits({ word, library, domain }: HitsProps) {
  const query = { q: word, ...given({ limit: MAX_HITS, library_id: library, domain }) };
  const hits = useRead(searchLibraries, { query }, { keep: true });
  return (
    <Region
      query={hits}
      empty={({ items }) => (items.length === 0 ? { words: `No model fits “${word}”.` } : undefined)}
    >
      {({ items }) => (
        <LongTable
          label="Models found"
          minWidth={560}
          head={
            <>
              <Table.Th w="40%">Model</Table.Th>
              <Table.Th>Found in</Table.Th>
            </>
          }
          rows={items}
          keyOf={({ full_id }) => full_id}
          foot={items.length === MAX_HITS ? `The first ${MAX_HITS}` : counted(items.length, 'model')}
        >
          {({ full_id, title, highlights }) => (
            <>
              <Table.Td className="schema-name">
                <ModelLink fullId={full_id} words={full_id} />
                <Text size="xs" c="dimmed" className="schema-text">
                  {title}
                </Text>
              </Table.Td>
              <Table.Td>
                {highlights.slice(0, 2).map(({ field, text }) => (
                  <Text key={`${field} ${text}`} size="sm" lineClamp={2}>
                    {field}: {text}
                  </Text>
                ))}
              </Table.Td>
            </>
          )}
        </LongTable>
      )}
    </Region>
  );
}

function ModelLink({ fullId, words }: { fullId: string; words: string }) {
  return (
    <Anchor
      fw={560}
      data-row
      renderRoot={(props) => <Link to="/schemas/models/$fullId" params={{ fullId }} {...props} />}
    >
      {words}
    </Anchor>
  );
}
