import * as ai from '@weir/plugin-ai/contract';
import * as apply from '@weir/plugin-apply/contract';
import * as datasets from '@weir/plugin-datasets/contract';
import * as identity from '@weir/plugin-identity/contract';
import * as lineage from '@weir/plugin-lineage/contract';
import * as ontology from '@weir/plugin-ontology/contract';
import * as pipelines from '@weir/plugin-pipelines/contract';
import * as platform from '@weir/plugin-platform/contract';
import * as runs from '@weir/plugin-runs/contract';
import * as schemaRegistry from '@weir/plugin-schema-registry/contract';
import * as sources from '@weir/plugin-sources/contract';
import * as transformPatterns from '@weir/plugin-transform-patterns/contract';
import * as transforms from '@weir/plugin-transforms/contract';
import * as webhooks from '@weir/plugin-webhooks/contract';
import * as engine from '@weir/plugin-workflow-engine/contract';

/** The contracts of our plugins: each endpoint with words of `cli` is a command. */
export const CONTRACTS = [
  sources,
  runs,
  datasets,
  identity,
  platform,
  engine,
  transforms,
  transformPatterns,
  pipelines,
  lineage,
  webhooks,
  apply,
  schemaRegistry,
  ontology,
  ai,
];
