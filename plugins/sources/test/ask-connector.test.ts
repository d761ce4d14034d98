import { Readable } from 'node:stream';
import type { ConnectorProcess, ConnectorRun } from '@weir/connector-runtime';
import { RunFailed } from '@weir/work';
import t from 'tap';
import type { HydratedConfig } from '../src/service/vault/hydrate.ts';
import { askConnector } from '../src/work/discovery/ask-connector.ts';
import { knownSpecs } from '../src/work/discovery/known-specs.ts';

const TOKEN = 'Zq8-ASKED/9+token';
const IMAGE = 'weir-test/asked:1';
const SPEC = { type: 'SPEC', spec: { connectionSpecification: { type: 'object' } } };
const fine = { type: 'CONNECTION_STATUS', connectionStatus: { status: 'SUCCEEDED' } };
const json_schema = { type: 'object', properties: { id: { type: 'integer' } } };
const CATALOG = { type: 'CATALOG', catalog: { streams: [{ name: 'rows', json_schema, supported_sync_modes: [] }] } };
type Said = {
  pattern: object;
  settings: object;
  silent: string;
  spec: unknown[];
  check: unknown[];
  discover: unknown[];
  digest: string;
  code: number;
};

/** A connector that says such messages, asked by one process again and again. */
function asker() {
  const specs = knownSpecs();
  let rotated: Record<string, unknown> | undefined;
  const noted: (readonly string[])[] = [];
  const ask = async (said: Partial<Said>) => {
    const { digest = 'sha256:1', code = 0, pattern = {}, settings = {}, silent, ...more } = said;
    const says: Record<string, unknown[]> = { spec: [SPEC], check: [fine], discover: [CATALOG], ...more };
    const phases: string[] = [];
    const asked: Pick<ConnectorRun, 'verb' | 'inputs' | 'pinned'>[] = [];
    const run = async ({ verb, inputs, pinned, admit }: ConnectorRun): Promise<ConnectorProcess> => {
      const image = { digest, id: digest, architecture: 'any' };
      admit?.(image);
      asked.push({ verb, ...(inputs && { inputs }), ...(pinned && { pinned }) });
      const text = (says[verb] ?? []).map((message) => `${JSON.stringify(message)}\n`).join('');
      const exit = Promise.resolve({ code, signal: undefined, oomKilled: false, stopped: false });
      const stdout = verb === silent ? new Readable({ read: () => undefined }) : Readable.from([Buffer.from(text)]);
      const stop = () => {
        stdout.push(null);
        return exit;
      };
      return { name: verb, pid: undefined, image, stdout, stderrTail: () => '', exit, stop };
    };
    const hydrated: HydratedConfig = { config: { token: TOKEN }, secrets: [TOKEN] };
    const deps = {
      kernel: { settings: { WEIR_DISCOVERY_MAX_SECONDS: 3_600, WEIR_CHECK_MAX_SECONDS: 60, ...settings } as never },
      runtime: { run },
      children: { started: () => undefined, ended: () => undefined },
      rotations: {
        take: (config: unknown) => {
          rotated = config as typeof rotated;
        },
        kept: async () => undefined,
      },
      specs,
      pattern,
      noteTold: async (pointers: readonly string[]) => void noted.push(pointers),
      log: { write: () => undefined, take: async () => undefined },
      beat: () => undefined,
      phase: { enter: (phase: string) => void phases.push(phase), pulling: () => undefined },
      maxLogLines: 10,
    };
    const labels = { tenant: 't', source: 's', execution: 'e', attempt: '1' };
    const request = { image: IMAGE, role: 'discovery', labels };
    const found = await askConnector(deps, request, {
      hydrated,
      again: async () => ({ config: rotated ?? {}, secrets: [TOKEN] }),
      textOf: ({ config }) => JSON.stringify(config),
    }).catch((error: unknown) => (error instanceof RunFailed ? error.failure : Promise.reject(error)));
    return { found, asked, verbs: asked.map(({ verb }) => verb), noted, phases };
  };
  return ask;
}

const failed = (connectionStatus: object) => ({
  type: 'CONNECTION_STATUS',
  connectionStatus: { status: 'FAILED', ...connectionStatus },
});

t.test('specification and check come before the streams, of one image; its specification once', async (t) => {
  const ask = asker();
  const first = await ask({});
  t.match(first.found, { streams: [{ name: 'rows' }], image: { digest: 'sha256:1' } });
  const inputs = { config: JSON.stringify({ token: TOKEN }) };
  t.strictSame(first.asked, [
    { verb: 'spec' },
    { verb: 'check', inputs, pinned: 'sha256:1' },
    { verb: 'discover', inputs, pinned: 'sha256:1' },
  ]);
  t.strictSame(first.phases, ['preparing', 'checking', 'describing'], 'who waits sees which it is');
  t.strictSame((await ask({})).verbs, ['check', 'discover']);
  const moved = await ask({ digest: 'sha256:2' });
  t.strictSame(moved.verbs, ['spec', 'check', 'discover'], 'another image under the name is asked for its own first');
  t.strictSame((await ask({ digest: 'sha256:2' })).verbs, ['check', 'discover']);
});

t.test('a specification that is none ends a discovery each time, before the configuration is handed out', async (t) => {
  const ask = asker();
  const junk = [{ type: 'SPEC', spec: { connectionSpecification: 'any' } }];
  for (const spec of [junk, junk, [{ type: 'SPEC' }]]) {
    const { found, verbs } = await ask({ spec });
    t.match(found, { code: 'connector_spec_invalid', origin: 'source', retryable: false });
    t.strictSame(verbs, ['spec']);
  }
  t.match((await ask({ spec: [] })).found, { code: 'connector_no_answer' });
});

const secret = { type: 'string', airbyte_secret: true };
const text = { type: 'string' };
const specOf = (properties: object) => [
  { type: 'SPEC', spec: { connectionSpecification: { type: 'object', properties } } },
];
const ways = (auth: object) => ({ auth: { oneOf: [{ properties: { token: auth } }, { properties: { user: text } }] } });

t.test(
  'a field that the image calls a credential and the pattern does not ends a discovery before check',
  async (t) => {
    const told = specOf({ password: secret, ...ways(secret), keys: { type: 'array', items: secret }, hidden: secret });
    const open = { password: text, ...ways(text), keys: { type: 'array', items: text } };
    const patternOf = (properties: object, more = {}) => ({
      pattern: { spec: { type: 'object', properties }, ...more },
    });
    const ask = asker();
    for (const _ of ['once', 'again']) {
      const { found, verbs, noted } = await ask({ spec: told, ...patternOf(open) });
      t.match(found, { code: 'credential_fields_undeclared', origin: 'config', retryable: false });
      t.match(found, { detail: /The fields: \/auth\/token, \/keys, \/password\.$/ }, 'each that can be given is named');
      t.strictSame(verbs, ['spec']);
      t.strictSame(noted.at(-1), ['/auth/token', '/keys', '/password']);
    }
    const closed = { password: secret, ...ways(secret), keys: { type: 'array', items: secret } };
    const marked = {
      fields: ['/auth', '/keys', 'password'].map((path) => ({ path, type: 'string', credential: true })),
    };
    for (const [pattern, why] of [
      [patternOf(closed), 'marked in its spec'],
      [patternOf(open, marked), 'marked in its fields, one of them as a whole'],
      [patternOf({ user: text }), 'they cannot be given'],
    ] as const) {
      const { verbs } = await asker()({ spec: told, ...pattern });
      t.strictSame(verbs, ['spec', 'check', 'discover'], why);
    }
    const moving = asker();
    t.strictSame((await moving({ spec: specOf(open), ...patternOf(open) })).verbs, ['spec', 'check', 'discover']);
    const moved = await moving({ spec: told, ...patternOf(open), digest: 'sha256:2' });
    t.match(moved.found, { code: 'credential_fields_undeclared' }, 'also when the image has changed');
    t.strictSame(moved.verbs, ['spec']);
  },
);

t.test('a check that fails ends a discovery by a stable code, in the masked words of the connector', async (t) => {
  const ask = asker();
  const error = { message: 'm', internal_message: 'a traceback', failure_type: 'transient_error' };
  const traced = { type: 'TRACE', trace: { type: 'ERROR', emitted_at: 1, error } };
  const long = `${'x'.repeat(495)}${TOKEN}`;
  const cases: readonly (readonly [unknown[], object])[] = [
    [
      [failed({ message: `wrong password\nfor ${TOKEN}` })],
      { code: 'connector_check_failed', retryable: false, detail: /It says: wrong password for \[secret\]\.$/ },
    ],
    [[failed({ message: `Zq8-ASK\u001b[1mED/9+token` })], { detail: /It says: \[secret\]\.$/ }],
    [[failed({ message: long })], { detail: /It says: x{495}/ }],
    [[failed({})], { code: 'connector_check_failed', detail: 'The connector cannot work with this configuration.' }],
    [[failed({ message: { token: TOKEN } })], { code: 'connector_check_failed', detail: /configuration\.$/ }],
    [[traced, failed({ message: 'later' })], { code: 'connector_check_failed', origin: 'source', retryable: true }],
    [
      [
        failed({
          message: 'No.',
          code: 'login_refused',
          hint: 'Ask.',
          failure_type: 'transient_error',
          origin: 'source',
        }),
      ],
      { code: 'login_refused', origin: 'source', retryable: true, hint: 'Ask.', detail: /^No\.$/ },
    ],
    [[failed({ message: 'No.', code: TOKEN })], { code: 'connector_check_failed', origin: 'config' }],
    [[traced], { code: 'connector_transient_error', retryable: true }],
    [[{ type: 'CONNECTION_STATUS' }], { code: 'connector_no_answer' }],
    [[], { code: 'connector_no_answer' }],
  ];
  for (const [check, failure] of cases) {
    const { found, verbs } = await ask({ check });
    t.match(found, failure, JSON.stringify(check));
    t.notMatch(JSON.stringify(found), 'ASKED');
    t.equal(verbs.at(-1), 'check');
  }
});

t.test('a check that says nothing is stopped after its own short time, whatever a discovery may take', async (t) => {
  const { found, verbs } = await asker()({ silent: 'check', settings: { WEIR_CHECK_MAX_SECONDS: 1 } });
  t.match(found, { code: 'connector_run_too_long', origin: 'source', hint: /WEIR_CHECK_MAX_SECONDS/ });
  t.strictSame(verbs, ['spec', 'check']);
});

t.test('a token that a check renews is what the streams are asked for with', async (t) => {
  const control = { type: 'CONNECTOR_CONFIG', emitted_at: 1, connectorConfig: { config: { token: 'next' } } };
  const { asked } = await asker()({ check: [{ type: 'CONTROL', control }, fine] });
  t.match(asked.at(-1), { verb: 'discover', inputs: { config: '{"token":"next"}' } });
});
