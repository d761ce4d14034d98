/** Who brings a part of the platform: a plugin of `plugins/`, or a room that is no plugin. */
export type Owner =
  | 'kernel'
  | 'lineage'
  | 'platform'
  | 'runs'
  | 'schedules'
  | 'webhooks'
  | 'sources'
  | 'datasets'
  | 'workflow-engine'
  | 'transforms'
  | 'transform-patterns'
  | 'ui'
  | 'pipelines'
  | 'orchestrator'
  | 'apply'
  | 'ai'
  | 'schema-registry'
  | 'ontology'
  | 'identity'
  | 'connectors'
  | 'workers'
  | 'cli'
  | 'release';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One method and path as the specification writes them: below `/api/v1` unless it is `/health`; `{name}` is a parameter. */
export type Route = `${Method} /${string}`;

/** The routes of one area of the specification that one owner brings. */
export interface RouteArea {
  area: string;
  owner: Owner;
  routes: readonly Route[];
}

/** One environment variable: its owner and the folder of the package that reads it. */
export interface VariableRow {
  name: string;
  owner: Owner;
  package: string;
}

/** A test by its file and its name, which says that a row holds. */
export interface Proof {
  file: string;
  test: string;
}

/** A bound of the specification; it is kept when a test says so. */
export interface LimitRow {
  name: string;
  value: string;
  owner: Owner;
  proof?: Proof;
}

/** A promise of the specification; it is kept when a test says so, or when the CLI has the command. */
export interface PromiseRow {
  area: string;
  name: string;
  owner: Owner;
  proof?: Proof;
  command?: string;
}

/** A family of metrics with the names and labels that it must show. */
export interface MetricRow {
  name: string;
  suffixes: readonly string[];
  labels: readonly string[];
  owner: Owner;
}
