import type { LinkProps } from '@tanstack/react-router';
import type { NextStepView } from '@weir/kernel/contract';

type Page = (params: Readonly<Record<string, string>>) => LinkProps;

const ofSource =
  (tab?: string): Page =>
  ({ source_id: sourceId = '' }) => ({
    to: '/sources/$sourceId',
    params: { sourceId },
    search: { ...(tab && { tab }) },
  });
const ofTransform =
  (tab?: string): Page =>
  ({ transform_id: transformId = '' }) => ({
    ...{ to: '/transforms/$transformId', params: { transformId } },
    search: { ...(tab && { tab }) },
  });
const ofRun: Page = ({ id, run_id }) => ({ to: '/runs/$runId', params: { runId: run_id ?? id ?? '' } });
const ofDataset =
  (tab?: string): Page =>
  ({ dataset_id: datasetId = '' }) => ({
    ...{ to: '/datasets/$datasetId', params: { datasetId } },
    search: { ...(tab && { tab }) },
  });
const inOperations =
  (tab: string): Page =>
  () => ({ to: '/operations', search: { tab } });
const ofBacking =
  (tab?: string): Page =>
  ({ backing_dataset_id: backingId = '' }) => ({
    to: '/ontology/backing/$backingId',
    params: { backingId },
    search: { ...(tab && { tab }) },
  });
/** The page on which an operation is seen or done. A step of an operation without one is not shown. */
export const PAGES: Readonly<Record<string, Page>> = {
  'datasets.get': ofDataset(),
  'datasets.list': () => ({ to: '/datasets' }),
  'identity.list_api_tokens': inOperations('tokens'),
  'identity.list_policies': inOperations('policies'),
  'ontology.change_backing_dataset': ofBacking(),
  'ontology.get_backing_dataset_health': ofBacking('health'),
  'ontology.list_backing_datasets': () => ({ to: '/ontology', search: { tab: 'backing' } }),
  'ontology.list_entity_types': () => ({ to: '/ontology' }),
  'ontology.sync_backing_dataset': ofBacking(),
  'platform.get_services_health': inOperations('health'),
  'platform.list_plugins': inOperations('plugins'),
  'runs.cancel_run': ofRun,
  'runs.get_run': ofRun,
  'runs.list_runs': ({ status }) => ({ to: '/runs', search: { ...(status && { status }) } }),
  'sources.detach_credentials': ofSource('credentials'),
  'sources.get_inspection': ({ run_id: run }) => ({ to: '/sources/add', search: { ...(run && { run }) } }),
  'sources.get_pattern': ({ pattern_id: patternId = '' }) => ({ to: '/sources/new/$patternId', params: { patternId } }),
  'sources.list_patterns': () => ({ to: '/sources/new' }),
  'sources.list_streams': ofSource('streams'),
  'sources.list_sync_history': ofSource('history'),
  'sources.migrate_credentials': ofSource('credentials'),
  'sources.resume_schedule': ofSource('schedule'),
  'sources.rotate_credentials': ofSource('credentials'),
  'sources.set_credentials': ofSource('credentials'),
  'sources.start_discovery': ofSource('streams'),
  'sources.start_sync': ofSource(),
  'sources.trigger_schedule': ofSource('schedule'),
  'sources.update_source': ofSource('configuration'),
  'transform_patterns.list_transform_patterns': () => ({ to: '/transforms/patterns' }),
  'transforms.cancel_transform_run': ofRun,
  'transforms.change_transform': ofTransform('definition'),
  'transforms.get_transform_detail': ofTransform(),
  'transforms.hydrate_transform': ofTransform('definition'),
  'transforms.list_transform_versions': ofTransform('versions'),
  'transforms.list_transforms': () => ({ to: '/transforms' }),
  'transforms.materialize': ofTransform(),
  'transforms.read_run_checks': (params) => ({ ...ofRun(params), hash: 'checks' }),
  'transforms.read_transform_run_log': ofRun,
  'transforms.resume_schedule': ofTransform('schedule'),
  'transforms.trigger_schedule': ofTransform('schedule'),
  'webhooks.change_webhook': inOperations('webhooks'),
  'workflow_engine.list_workers': inOperations('health'),
};

/** The steps that have a page. */
export const stepsWithPages = (next: readonly NextStepView[] | undefined): NextStepView[] =>
  (next ?? []).filter(({ operation }) => Object.hasOwn(PAGES, operation));
