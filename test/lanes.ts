/** A long proof beside `npm test`: the same laws at length, or on other servers. */
export interface Lane {
  /**
   * Test files, as globs from the root, which the runner runs with `WEIR_TEST_LANE` set to the lane's name, beside every
   * test file that names the lane in `inLane` or `sample`. All of `npm test` when the lane names none.
   */
  readonly files?: readonly string[];
  /** Of `files`, only those whose text holds this. */
  readonly holding?: string;
  /** A program of its own in place of test files, with its arguments; it fails by its exit code. */
  readonly program?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Folders and files its result depends on. */
  readonly inputs: readonly string[];
  /** Beside programs that keep every core busy. */
  readonly hog?: true;
  /** A new seed for the property tests of each run. */
  readonly newSeed?: true;
  /** What it needs of the machine beyond `npm test`; CI leaves it to people. */
  readonly wants?: string;
}

const SYNC = [
  'lib/sync-machine/src',
  'work/src',
  'lakehouse/src',
  'plugins/datasets/src',
  'plugins/sources/src',
  'workers/src',
];
const CONTAINERS = ['connectors/images/src', 'connectors/runtime/src', 'deploy', 'test/engines'];
const WALLS = ['kernel/src', 'work/src', 'lib', 'migrations/src', 'plugins'];

const groups = (quarter: number) => ({
  files: ['plugins/transforms/test/groups-law.soak.ts'],
  env: { WEIR_TEST_QUARTER: String(quarter) },
  inputs: ['plugins/transforms/src', 'plugins/datasets/src', 'lakehouse/src', 'work/src'],
});

export const LANES = {
  'hostile-sql': {
    files: ['plugins/transforms/test/hostile-sql.test.ts'],
    inputs: ['plugins/transforms/src', 'lib/sql', 'lakehouse/src/select', 'lakehouse/src/duckdb', 'work/src/child'],
  },
  /** The 22 queries of TPC-H at scale factor 1, loaded by a sync and run as transforms. */
  tpch: {
    files: ['plugins/transforms/test/tpch.soak.ts'],
    inputs: ['plugins/transforms/src', 'lib/sql/src', 'lakehouse/src', 'plugins/datasets/src'],
  },
  /** Ten million rows merged by key with the default settings, by a sync and by a transform: updates, inserts and deletes. */
  merges: {
    files: ['plugins/transforms/test/merge-size.soak.ts'],
    inputs: ['plugins/transforms/src', 'plugins/sources/src/child', 'lakehouse/src', 'plugins/datasets/src'],
  },
  /** 200 random graphs of transforms, each as one run and one after the other, in quarters. */
  'groups-1': groups(1),
  'groups-2': groups(2),
  'groups-3': groups(3),
  'groups-4': groups(4),
  /** Wholes that fail, are killed, cancelled or run out of time, at each step and point, with new tables and known ones. */
  'group-faults': {
    files: ['plugins/transforms/test/groups-faults.soak.ts'],
    inputs: ['plugins/transforms/src', 'plugins/datasets/src', 'lakehouse/src', 'work/src'],
  },
  webhooks: {
    files: ['test/test/webhooks.test.ts'],
    inputs: ['plugins/webhooks/src', 'lib/egress/src', 'kernel/src/runs', 'workers/src'],
  },
  /** What the calls of one tenant take while another one, or a stranger, sends all that it can. */
  floods: {
    files: ['test/test/floods.soak.ts'],
    inputs: ['kernel/src', 'lib/turns/src', 'lib/http-limits/src', 'plugins/*/src', 'lakehouse/src/query'],
  },
  crashes: {
    files: ['test/test/crash-{disk,rounds,store}.soak.ts', 'plugins/sources/test/{crash,edited-files}.test.ts'],
    inputs: [...SYNC, 'connectors/files/src', 'kernel/src', 'lib', 'test/crash'],
  },
  /** Every reachable cell of every crash matrix: hours. */
  'crash-cells': { files: ['test/test/crash-cells.soak.ts'], inputs: [...SYNC, 'kernel/src', 'lib', 'test/crash'] },
  containers: {
    files: [
      ...['cli/test/connectors-prove.soak.ts', 'connectors/runtime/test/container-*.soak.ts'],
      ...['plugins/sources/test/container-*.soak.ts', 'plugins/sources/test/containers.test.ts'],
    ],
    inputs: [...CONTAINERS, 'plugins/sources/src', 'workers/src'],
  },
  /** A worker that maintains a table is killed at each of its steps; 200 merges with deletes beside rounds without pause. */
  maintenance: { inputs: ['plugins/datasets/src', 'lakehouse/src', 'work/src', 'workers/src'] },
  /** A worker of the ontology is killed at each step of every mode of a sync. */
  'ontology-crash': {
    files: ['test/test/ontology-sync.test.ts'],
    inputs: ['plugins/ontology/src', 'lakehouse/src', 'work/src', 'workers/src'],
  },
  /** 200 syncs while new ones move to contract 1 and back, and workers of both are killed. */
  'ontology-route': {
    files: ['test/test/ontology-route.soak.ts'],
    inputs: ['plugins/ontology/src', 'work/src', 'workers/src', 'kernel/src/runs'],
  },
  /** The compose file in an engine of its own, with stand-ins of the public images. */
  compose: {
    files: ['test/test/compose.soak.ts'],
    inputs: ['compose.yaml', 'deploy/compose', 'deploy/image', 'connectors/images/src'],
    wants: 'root, Go, Maven and Java 17',
  },
  'docs-pages': {
    files: [
      ...['test/test/docs-pages.soak.ts', 'test/test/first-plugin.soak.ts', 'test/test/back-up.soak.ts'],
      ...['cli/test/dev-once.soak.ts', 'test/test/template.test.ts'],
    ],
    inputs: [
      'docs',
      'cli/src',
      'lib/embedded/src',
      'kernel/src',
      'lib',
      'plugin-template',
      'test/docs',
      'work/src',
      'workers/src',
    ],
  },
  /** Sets of documents at length: planned without a trace, and the same again from another tenant. */
  documents: {
    files: ['plugins/apply/test/{laws,round-trip}.test.ts'],
    inputs: ['plugins/{apply,identity,schedules,sources,transforms,webhooks}/src', 'kernel/src/http'],
  },
  'add-a-domain': {
    files: ['test/test/add-a-domain.soak.ts'],
    inputs: ['docs/how-to/add-a-domain.md', 'kernel/src', 'work/src', 'workers/src', 'migrations/src', 'cli/src'],
  },
  'proof-both': { inputs: [...WALLS, 'lib/vault/src', 'workers/src', 'test/prove'] },
  'fuzz-long': {
    program: ['test/fuzz/main.ts'],
    inputs: [...WALLS, 'lib/documents/src', 'lib/vault/src', 'test/access', 'test/fuzz'],
  },
  'interop-all': {
    program: ['test/interop.ts', '--spark', '--rest'],
    inputs: ['lakehouse', 'lib/parquet/src'],
    wants: 'Java 17 and Maven',
  },
  'postgres-15': {
    files: [
      ...['kernel/test/persistence*.test.ts', 'migrations/test/*.test.ts', 'test/test/access-matrix.test.ts'],
      'connectors/postgres/test/*.test.ts',
    ],
    env: { WEIR_TEST_POSTGRES: 'debian' },
    inputs: [...WALLS, 'connectors/postgres/src'],
  },
  'matrix-all': { inputs: [...WALLS, 'lib/documents/src', 'test/access', 'test/corpora', 'test/fixtures'] },
  properties: {
    files: ['**/test/**/*.test.ts'],
    holding: 'fc.assert(',
    newSeed: true,
    inputs: [
      ...SYNC,
      ...WALLS,
      'connectors',
      'lib/documents/src',
      'lib/egress/src',
      'lib/parquet/src',
      'lib/run-logs/src',
    ],
  },
  /** 500 pairs of schemas, 200 values each: no verdict is refuted. */
  schemas: {
    files: ['plugins/schema-registry/test/refutation.test.ts'],
    inputs: ['plugins/schema-registry/src/model', 'lib/json-schemas/src'],
  },
  /** The same verdicts beside the checker of another registry: they agree, or the difference has a name. */
  'schemas-second': {
    files: ['plugins/schema-registry/test/second-opinion.soak.ts'],
    inputs: ['plugins/schema-registry/src/model', 'lib/json-schemas/src'],
    wants: 'Java 17 and Maven',
  },
  'small-commits': {
    files: ['plugins/datasets/test/old-metadata.test.ts'],
    inputs: ['lakehouse/src', 'plugins/datasets/src'],
  },
  /** Thousands of changes of tables and of syncs, each with its fault: nothing but a commit moves a table. */
  'one-commit': {
    files: ['plugins/datasets/test/one-commit.test.ts', 'plugins/sources/test/tables-law.test.ts'],
    inputs: ['lib/sync-machine/src', 'lakehouse/src', 'plugins/datasets/src', 'plugins/sources/src/work/sync'],
  },
  /** Every tab, link, switch and menu of the web pages, in every role. */
  'web-walk': {
    files: ['test/test/web-walk.test.ts'],
    inputs: ['ui', 'plugins/ui/src', 'plugins/datasets/src', 'plugins/runs/src', 'test/walk'],
  },
  /** Every query of TPC-H and TPC-DS against another reader of SQL. */
  lineage: { files: ['lib/sql/test/tpc.soak.ts'], inputs: ['lib/sql'] },
  openapi: {
    files: ['test/test/openapi.soak.ts'],
    inputs: ['plugins/platform/src/docs', 'kernel/src/contract', 'plugins'],
  },
  simulator: { program: ['lib/sync-machine/test/soak.ts', '100000'], inputs: ['lib/sync-machine'] },
  /** 200 random files of JSON lines, as their own bytes and as RECORD lines. */
  'line-runs': {
    files: ['connectors/files/test/line-runs.test.ts'],
    inputs: ['connectors/files/src', 'connectors/sdk/src', 'lakehouse/src/spool', 'lakehouse/src/stage'],
  },
  /** 200 folders of files of other people: every file and every row has its number. */
  accounts: {
    files: ['cli/test/load-account.test.ts'],
    inputs: ['connectors/files', 'cli/src/commands/load', ...SYNC],
  },
  load: { hog: true, inputs: ['**'] },
  idp: {
    program: ['test/keycloak/main.ts', '--keycloak'],
    inputs: ['kernel/src/auth', 'cli/src/connection', 'test/keycloak'],
    wants: 'Java 17 and Maven',
  },
  'idp-outage': { program: ['test/access/outage.ts'], inputs: ['kernel/src/auth'] },
  loki: { files: ['test/loki/loki.test.ts'], inputs: ['lib/run-logs/src', 'test/loki'], wants: 'Go 1.26' },
  foreign: {
    files: ['test/foreign/foreign.test.ts'],
    inputs: ['connectors', 'test/foreign'],
    wants: 'root and Debian',
  },
  /** Published connectors, each added and read by commands alone and by pages alone. */
  published: {
    files: ['test/foreign/published.soak.ts'],
    inputs: ['connectors/runtime/src', 'plugins/sources/src', 'ui/src/sources', 'test/foreign'],
    wants: 'root and Debian',
  },
} as const satisfies Record<string, Lane>;

export type LaneName = keyof typeof LANES;
