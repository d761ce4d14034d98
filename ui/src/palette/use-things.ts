import type { SpotlightActionData } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import { listDatasets } from '@weir/plugin-datasets/contract';
import { listPipelines } from '@weir/plugin-pipelines/contract';
import { listRuns } from '@weir/plugin-runs/contract';
import { listSources } from '@weir/plugin-sources/contract';
import { listTransformPatterns } from '@weir/plugin-transform-patterns/contract';
import { listTransforms } from '@weir/plugin-transforms/contract';
import { useRead } from '../api/queries.ts';
import { counted } from '../parts/numbers.ts';
import { agoText } from '../parts/show-time.tsx';
import { kindWord } from '../runs/run-kinds.ts';
import { shownRun } from '../runs/shown-run.ts';

/** Of each kind; a tenant with more finds the rest by the search of its page. */
const MAX_FOUND = 500;
/** Older ones are found on the page of runs. */
const MAX_RUNS = 50;

/** Things of one kind. */
export interface Things {
  group: string;
  actions: SpotlightActionData[];
}

/** What the tenant has, by kind; the id of each is the address of its page. */
export function useThings(enabled: boolean): Things[] {
  const navigate = useNavigate();
  const limit = MAX_FOUND;
  const tables = useRead(listDatasets, { query: { limit } }, { enabled });
  const transforms = useRead(listTransforms, { query: { limit, order: 'name' } }, { enabled });
  const pipelines = useRead(listPipelines, { query: { limit, order: 'name' } }, { enabled });
  const sources = useRead(listSources, { query: { limit, order: 'name' } }, { enabled });
  const patterns = useRead(listTransformPatterns, { query: { limit } }, { enabled });
  const runs = useRead(listRuns, { query: { limit: MAX_RUNS } }, { enabled });
  const now = new Date();
  return [
    {
      group: 'Tables',
      actions: (tables.data?.items ?? []).map(({ dataset_id: id, table }) => ({
        id: `/datasets/${id}`,
        label: table,
        description: id,
        onClick: () => void navigate({ to: '/datasets/$datasetId', params: { datasetId: id } }),
      })),
    },
    {
      group: 'Transforms',
      actions: (transforms.data?.items ?? []).map(({ transform_id: id, name, output }) => ({
        id: `/transforms/${id}`,
        label: name,
        description: `Transform, makes ${output}`,
        keywords: 'run schedule',
        onClick: () => void navigate({ to: '/transforms/$transformId', params: { transformId: id } }),
      })),
    },
    {
      group: 'Pipelines',
      actions: (pipelines.data?.items ?? []).map(({ pipeline_id: id, name, steps }) => ({
        id: `/pipelines/${id}`,
        label: name,
        description: `Pipeline of ${counted(steps.length, 'step')}`,
        keywords: 'run schedule',
        onClick: () => void navigate({ to: '/pipelines/$pipelineId', params: { pipelineId: id } }),
      })),
    },
    {
      group: 'Sources',
      actions: (sources.data?.items ?? []).map(({ source_id: id, name, pattern_id }) => ({
        id: `/sources/${id}`,
        label: name,
        description: `Source, ${pattern_id}`,
        keywords: 'sync streams schedule',
        onClick: () => void navigate({ to: '/sources/$sourceId', params: { sourceId: id } }),
      })),
    },
    {
      group: 'Transform patterns',
      actions: (patterns.data?.items ?? []).map(({ pattern_id: id, title }) => ({
        id: `/transforms/patterns/${id}`,
        label: title,
        description: `Pattern ${id}`,
        onClick: () => void navigate({ to: '/transforms/patterns/$patternId', params: { patternId: id } }),
      })),
    },
    {
      group: 'Newest runs',
      actions: (runs.data?.items ?? []).map(shownRun).map(({ run_id: id, kind, subject, status, created_at }) => ({
        id: `/runs/${id}`,
        label: subject.name === null ? kindWord(kind) : `${kindWord(kind)}: ${subject.name}`,
        description: `${status}, ${agoText(new Date(created_at), now)}`,
        keywords: 'run',
        onClick: () => void navigate({ to: '/runs/$runId', params: { runId: id } }),
      })),
    },
  ];
}
