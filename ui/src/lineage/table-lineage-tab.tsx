import { Stack, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { getLineage } from '@weir/plugin-lineage/contract';
import type { Dataset } from '../api/dataset-shapes.ts';
import { useRead } from '../api/queries.ts';
import { Region } from '../parts/region.tsx';
import { LineageControls } from './lineage-controls.tsx';
import { LineagePicture, pageOf } from './lineage-picture.tsx';
import { lineageQuery } from './lineage-query.ts';

/** What a table comes from and what is made of it. */
export function TableLineageTab({ dataset: { dataset_id } }: { dataset: Dataset }) {
  const { depth, direction, column } = useSearch({ from: '/datasets/$datasetId' });
  const navigate = useNavigate({ from: '/datasets/$datasetId' });
  const choice = { depth, direction, column };
  const lineage = useRead(getLineage, { query: { dataset_id, ...lineageQuery(choice) } }, { keep: true });
  return (
    <Stack gap="sm">
      <LineageControls
        datasetId={dataset_id}
        choice={choice}
        choose={(change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true })}
      />
      <Region query={lineage}>
        {(data) => (
          <>
            {data.nodes.length === 1 ? (
              <Text size="sm">Nothing in force reads this table, or makes it of others.</Text>
            ) : null}
            <LineagePicture lineage={data} column={column} linkTo={pageOf} />
          </>
        )}
      </Region>
    </Stack>
  );
}
