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

/** The page on which an operation is seen or done. A step of an operation without one is not shown. */
export const PAGES: Readonly<Record<string, Page>> = {
  'datasets.get': ofDataset(),
  'datasets.list': () => ({ to: '/datasets' }),
  'datasets.list_quarantine': ofDataset('quarantine'),
  'identity.list_api_tokens': inOperations('tokens'),
  'identity.list_policies': inOperations('policies'),
  'identity.list_users': inOperations('users'),
  'platform.get_services_health': inOperations('health'),
  'platform.list_plugins': inOperations('plugins'),
  'runs.get_run': ofRun,
  'runs.cancel_run': ofRun,
  'runs.list_runs': ({ status }) => ({ to: '/runs', search: { ...(status && { status }) } }),
  'runs.read_log': ofRun,
  'sources.get_source': ofSource(),
  'transform_patterns.list_transform_patterns': () => ({ to: '/transforms/patterns' }),
  'transform_patterns.get_transform_pattern': ({ pattern_id: patternId = '' }) => ({
    ...{ to: '/transforms/patterns/$patternId', params: { patternId } },
  }),
  'transforms.get_transform': ofTransform(),
  'transforms.get_transform_detail': ofTransform(),
  'transforms.change_transform': ofTransform('definition'),
  'transforms.list_transform_versions': ofTransform('versions'),
  'transforms.read_run_checks': ofRun,
  'webhooks.list_webhooks': inOperations('webhooks'),
};

/** The steps that have a page. */
export const stepsWithPages = (next: readonly NextStepView[] | undefined): NextStepView[] =>
  (next ?? []).filter(({ operation }) => Object.hasOwn(PAGES, operation));
