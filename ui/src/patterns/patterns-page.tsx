import { Badge, Button, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Output } from '@weir/kernel/contract';
import { listTransformPatterns } from '@weir/plugin-transform-patterns/contract';
import { createTransform } from '@weir/plugin-transforms/contract';
import { useRead } from '../api/queries.ts';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { counted } from '../parts/numbers.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Empty, Region } from '../parts/region.tsx';
import { useMay } from '../session/person.ts';

const MAX_PATTERNS = 500;

type PatternList = Output<typeof listTransformPatterns>;
type Summary = PatternList['items'][number];

/** The patterns that a transform can be made of. */
export function PatternsPage() {
  const { q = '', category = '' } = useSearch({ from: '/transforms/patterns' });
  const navigate = useNavigate({ from: '/transforms/patterns' });
  const canCreate = useMay(createTransform);
  const query = useRead(listTransformPatterns, { query: { limit: MAX_PATTERNS } });
  const change = (next: { q?: string; category?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  if (!canCreate) return <NotAllowed title="New transform" things="transforms" />;
  const sql = (
    <Button variant="default" renderRoot={(props) => <Link to="/transforms/new" {...props} />}>
      Write SQL instead
    </Button>
  );
  return (
    <>
      <PageHead title="New transform">{sql}</PageHead>
      <Text mb="sm">
        Choose what becomes of the rows. A form asks for the rest, and the statement is written for you.
      </Text>
      <Region
        query={query}
        empty={({ items }) =>
          items.length === 0 ? { words: 'This platform has no patterns.', action: sql } : undefined
        }
      >
        {({ items, faults }) => (
          <Stack gap="md">
            <Group gap="md">
              <TextInput
                aria-label="Filter patterns"
                placeholder="Filter  /"
                data-filter
                size="sm"
                w={260}
                value={q}
                onChange={(event) => change({ q: event.currentTarget.value })}
              />
              <NativeSelect
                aria-label="Category"
                size="sm"
                data={[{ value: '', label: 'all categories' }, ...categoriesOf(items)]}
                value={category}
                onChange={(event) => change({ category: event.currentTarget.value })}
              />
            </Group>
            <Cards patterns={items.filter((one) => fits(one, q, category))} />
            <Faults faults={faults} />
          </Stack>
        )}
      </Region>
    </>
  );
}

const categoriesOf = (items: readonly Summary[]) => [...new Set(items.map(({ category }) => category))].sort();

const fits = ({ category: own, ...one }: Summary, q: string, category: string) =>
  (category === '' || own === category) &&
  `${one.title} ${one.pattern_id} ${one.description} ${own}`.toLowerCase().includes(q.toLowerCase());

function Cards({ patterns }: { patterns: readonly Summary[] }) {
  if (patterns.length === 0) return <Empty words="No pattern fits the filter." />;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
      {patterns.map(({ pattern_id, title, description, category, layer, version }) => (
        <Link
          key={pattern_id}
          to="/transforms/patterns/$patternId"
          params={{ patternId: pattern_id }}
          className="panel card-link"
          data-row
        >
          <Group justify="space-between" mb={4} wrap="nowrap" align="flex-start">
            <Text fw={600}>{title}</Text>
            <Badge color="gray">{category}</Badge>
          </Group>
          <Text size="sm">{description}</Text>
          <Text size="sm" c="dimmed" mt="xs">
            {layer}, version {version}
          </Text>
        </Link>
      ))}
    </SimpleGrid>
  );
}

/** Packages that cannot be used hide no other one, and are not kept quiet. */
function Faults({ faults }: Pick<PatternList, 'faults'>) {
  if (faults.length === 0) return null;
  return (
    <Text size="sm" c="var(--weir-warn)">
      {counted(faults.length, 'fault')} in packages keep patterns away:{' '}
      {faults.map(({ package: name, pointer, message }) => `${name}${pointer}: ${message}`).join('; ')}
    </Text>
  );
}
