import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { listDatasets } from '@weir/plugin-datasets/contract';
import { useRead } from '../api/queries.ts';
import { counted } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';

const MAX_TABLES = 500;
const MAX_SHOWN = 6;
/** People ask for what was made of the data first. */
const LAYERS = ['gold', 'silver', 'bronze'];

/** How fresh the tables are: those of gold first, then the newest. */
export function FreshTables() {
  const query = useRead(listDatasets, { query: { limit: MAX_TABLES } });
  return (
    <section aria-labelledby="tables">
      <Title order={2} id="tables" mb="sm">
        Tables
      </Title>
      <Region query={query} lines={4}>
        {({ items, next_page_token }) => (
          <Stack gap={0} className="panel rows">
            {byWeight(items)
              .slice(0, MAX_SHOWN)
              .map(({ dataset_id, total_records, updated_at }) => (
                <Group key={dataset_id} justify="space-between" px="md" py="xs" gap="xs">
                  <Anchor
                    fw={560}
                    renderRoot={(props) => (
                      <Link to="/datasets/$datasetId" params={{ datasetId: dataset_id }} {...props} />
                    )}
                  >
                    {dataset_id}
                  </Anchor>
                  <Group gap="md">
                    <Anchor
                      size="sm"
                      aria-label={`Lineage of ${dataset_id}`}
                      renderRoot={(props) => (
                        <Link
                          to="/datasets/$datasetId"
                          params={{ datasetId: dataset_id }}
                          search={{ tab: 'lineage' }}
                          {...props}
                        />
                      )}
                    >
                      Lineage
                    </Anchor>
                    <Text size="sm">{total_records === null ? '' : counted(Number(total_records), 'row')}</Text>
                    {updated_at === null ? null : <ShowTime at={updated_at} size="sm" c="dimmed" />}
                  </Group>
                </Group>
              ))}
            {items.length === 0 ? <Text p="md">No table yet. The first sync makes one.</Text> : null}
            {items.length > MAX_SHOWN ? (
              <Text px="md" py="xs" size="sm">
                <Anchor renderRoot={(props) => <Link to="/datasets" {...props} />}>
                  {next_page_token === null ? `All ${counted(items.length, 'table')}` : 'All tables'}
                </Anchor>
              </Text>
            ) : null}
          </Stack>
        )}
      </Region>
    </section>
  );
}

function byWeight<T extends { dataset_id: string; updated_at: string | null }>(tables: readonly T[]): T[] {
  const layerOf = ({ dataset_id }: T) => {
    const at = LAYERS.indexOf(dataset_id.split('.')[0] ?? '');
    return at < 0 ? LAYERS.length : at;
  };
  return tables.toSorted(
    (one, other) => layerOf(one) - layerOf(other) || (other.updated_at ?? '').localeCompare(one.updated_at ?? ''),
  );
}
