import { Anchor, Badge, Button, Group, SimpleGrid, Text, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { createSource, discoverPatterns, inspectImage } from '@weir/plugin-sources/contract';
import { useRead } from '../../api/queries.ts';
import { NotAllowed } from '../../parts/not-allowed.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Empty, Region } from '../../parts/region.tsx';
import { useMay } from '../../session/person.ts';

const MAX_PATTERNS = 500;

/** What a source can be made of. */
export function CataloguePage() {
  const { q = '' } = useSearch({ from: '/sources/new' });
  const navigate = useNavigate({ from: '/sources/new' });
  const canCreate = useMay(createSource);
  const mayAdd = useMay(inspectImage);
  const query = useRead(discoverPatterns, { query: { limit: MAX_PATTERNS } });
  const word = q.toLowerCase();
  if (!canCreate) return <NotAllowed title="New source" things="sources" />;
  return (
    <>
      <PageHead title="New source">
        {mayAdd ? (
          <Button variant="default" renderRoot={(props) => <Link to="/sources/add" {...props} />}>
            Use a connector by its image…
          </Button>
        ) : null}
      </PageHead>
      <Text mb="sm">Choose what to read from.</Text>
      <TextInput
        aria-label="Filter patterns"
        placeholder="Filter by name  /"
        data-filter
        mb="md"
        maw={360}
        value={q}
        onChange={(event) => void navigate({ search: { q: event.currentTarget.value }, replace: true })}
      />
      <Region
        query={query}
        empty={({ items }) => (items.length === 0 ? { words: 'This platform has no patterns.' } : undefined)}
      >
        {({ items }) => {
          const found = items.filter(({ name, pattern_id, description }) =>
            `${name} ${pattern_id} ${description ?? ''}`.toLowerCase().includes(word),
          );
          if (found.length === 0) return <NothingFound mayAdd={mayAdd} />;
          return (
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
              {found.map((pattern) => (
                <Link
                  key={pattern.pattern_id}
                  to="/sources/new/$patternId"
                  params={{ patternId: pattern.pattern_id }}
                  className="panel card-link"
                  data-row
                >
                  <Group justify="space-between" mb={4}>
                    <Text fw={600}>{pattern.name}</Text>
                    <Badge color="gray">{pattern.version}</Badge>
                  </Group>
                  <Text size="sm">{pattern.description}</Text>
                  <Text size="sm" c="dimmed" mt="xs">
                    {pattern.needs_credentials ? 'Takes credentials' : 'No credentials'}
                  </Text>
                </Link>
              ))}
            </SimpleGrid>
          );
        }}
      </Region>
    </>
  );
}

/** Most published connectors have no pattern here, and each can be had by its image. */
function NothingFound({ mayAdd }: { mayAdd: boolean }) {
  const words = 'No pattern has this name.';
  if (!mayAdd) return <Empty words={`${words} A platform admin adds others, by their images.`} />;
  const link = (
    <Anchor underline="always" renderRoot={(props) => <Link to="/sources/add" {...props} />}>
      Use a connector by its image…
    </Anchor>
  );
  return <Empty words={words} action={link} />;
}
