/** A long proof beside `npm test`: the same laws at length, or on other servers. */
export interface Lane {
  /** Test files, as globs from the root, all without it, that the runner runs with `WEIR_TEST_LANE` set to the lane's name. */
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

const ENGINE_ROOM = [
  'kernel/src',
  'workers/src',
  'engine/src',
  'plugins/sources/src',
  'plugins/datasets/src',
  'lakehouse/src',
];
const CONTAINERS = ['connectors/runtime', 'connectors/images', 'deploy', 'test/engines'];

export const LANES = {
  crashes: {
    files: ['test/test/*crash*.soak.ts', 'test/test/bad-surroundings*.test.ts'],
    inputs: [...ENGINE_ROOM, 'test/crash'],
  },
  containers: { files: ['**/container*.soak.ts'], inputs: [...CONTAINERS, 'plugins/sources/src'] },
  'docs-pages': {
    files: ['test/test/docs-pages.soak.ts', 'test/test/template.test.ts'],
    inputs: ['docs', 'cli/src', 'test/docs', 'plugin-template'],
  },
  'proof-both': {
    files: ['test/test/prove.test.ts'],
    inputs: ['kernel/src', 'vault/src', 'plugins', 'workers/src', 'test/prove'],
  },
  'fuzz-long': { program: ['test/fuzz/main.ts'], inputs: ['kernel/src', 'plugins', 'documents/src', 'test/fuzz'] },
  'interop-all': {
    program: ['test/interop.ts', '--spark', '--rest'],
    inputs: ['lakehouse', 'parquet'],
    wants: 'Java 17 and Maven',
  },
  'postgres-15': {
    files: ['kernel/test/persistence*.test.ts', 'migrations/test/*.test.ts', 'test/test/access-matrix.test.ts'],
    env: { WEIR_TEST_POSTGRES: 'debian' },
    inputs: ['migrations/src', 'kernel/src/persistence', 'kernel/src/tenancy'],
  },
  'matrix-all': { files: ['test/test/access-matrix.test.ts'], inputs: ['kernel/src', 'plugins', 'test/access'] },
  properties: {
    files: ['**/test/**/*.test.ts'],
    holding: 'fc.assert(',
    newSeed: true,
    inputs: [
      'kernel/src',
      'plugins',
      'lakehouse/src',
      'connectors',
      'documents/src',
      'parquet/src',
      'egress/src',
      'engine/src',
    ],
  },
  simulator: { program: ['engine/test/soak.ts', '200000'], inputs: ['engine/src'] },
  load: { hog: true, inputs: ['**'] },
  idp: {
    program: ['test/keycloak/main.ts', '--keycloak'],
    inputs: ['kernel/src/auth', 'cli/src/connection', 'test/keycloak'],
    wants: 'Java 17 and Maven',
  },
  'idp-outage': { program: ['test/access/outage.ts'], inputs: ['kernel/src/auth'] },
  loki: { files: ['test/loki/loki.test.ts'], inputs: ['run-logs/src', 'test/loki'], wants: 'Go 1.26' },
  foreign: {
    files: ['test/foreign/foreign.test.ts'],
    inputs: ['connectors', 'test/foreign'],
    wants: 'root and Debian',
  },
} as const satisfies Record<string, Lane>;

export type LaneName = keyof typeof LANES;
