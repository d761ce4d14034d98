import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import t, { type Test } from 'tap';
import type { WorkerRecord } from '../../workers/src/process/process-state.ts';
import type { CliContext } from '../src/command/command.ts';
import { proofReport, reportPage } from '../src/connectors/proof/proof-report.ts';
import { provePollers } from '../src/connectors/proof/prove-pollers.ts';
import { fact } from '../src/connectors/proof/proved-fact.ts';
import { commandLine } from './command-line.ts';
import { fakeApi, problem } from './fake-api.ts';
import { IDS, sources } from './shapes.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** The probe of workers, by whose findings a proof knows their pollers. */
const PROBE = 'workers/src/health.ts';

t.test('a proof of a source that can prove nothing is refused before the engine is restarted', async (t) => {
  const fake = await fakeApi(t, {
    'GET /api/v1/sources': ({ url }) => {
      const items = url.searchParams.get('name') === 'shop' ? [sources(IDS.source, 'shop')] : [];
      return { status: 200, body: { items, next_cursor: null } };
    },
  });
  const closed = await fakeApi(t, { 'GET /api/v1/sources': problem(401, 'unauthorized', { hint: 'Sign in.' }) });
  const { weir } = commandLine(t);
  const roles = {
    ...{ SOURCE_SOCKET_DIR: '/nowhere', WEIR_SOURCE_WORKSPACE_DIR: '/nowhere' },
    ...{ DISCOVERY_SOCKET_DIR: '/nowhere', WEIR_DISCOVERY_WORKSPACE_DIR: '/nowhere' },
  };
  const waived = { WEIR_ENGINE_WAIVERS: 'limits', WEIR_MODE: 'development' };
  const env = { ...roles, ...waived, WEIR_URL: fake.url, WEIR_TENANT: 'demo', WEIR_TOKEN: 'x' };
  const prove = (more: string[] = [], given: Record<string, string> = env) =>
    weir(['connectors', 'prove', '--restart', 'echo restarted', ...more], { env: given });
  for (const nowhere of ['nowhere', randomUUID()])
    t.match(await prove(['--source', nowhere]), {
      ...{ code: 4, stderr: new RegExp(`no source ${nowhere} in tenant demo.*weir sources list`, 's') },
    });
  t.match(await prove(['--source', 'shop'], { ...env, WEIR_URL: closed.url }), { code: 3, stderr: /hint: Sign in/ });
  const { DISCOVERY_SOCKET_DIR: _, ...oneRole } = env;
  t.match(await prove(['--source', 'shop'], oneRole), { code: 2, stderr: /discovery is not configured/ });
  t.match(await prove([], { ...env, WEIR_MODE: 'production' }), { code: 2, stderr: /WEIR_ENGINE_WAIVERS/ });
});

/** What a proof finds of the pollers of the role source, by the probe of a checkout. */
async function pollers(root: string, env: Record<string, string>) {
  const { signal: interrupted } = new AbortController();
  const context = { env, cwd: root, root, interrupted } as unknown as CliContext;
  return provePollers(context, { role: 'source', uid: 0 }, 'now');
}

/** A checkout whose probe prints its findings and, in the first, how it was asked. */
async function checkout(t: Test, findings: readonly object[]): Promise<string> {
  const root = t.testdir({ states: { source: {} }, bare: {} });
  await mkdir(path.join(root, path.dirname(PROBE)), { recursive: true });
  const program = `const asked = [process.env.WEIR_STATE_DIR, ...process.argv.slice(2)].join(' ');
    const findings = ${JSON.stringify(findings)};
    process.stdout.write(JSON.stringify({ findings: findings.map((one) => ({ detail: asked, ...one })) }));`;
  await writeFile(path.join(root, PROBE), program);
  return root;
}

t.test('what the probe of workers finds is held, broken, or unknown where it could not look', async (t) => {
  const side = (check: 'workflow' | 'activity', outcome: string) => ({ check: `${check}_poller`, outcome });
  const lost = { check: 'engine', outcome: 'failed', detail: 'the workflow engine does not answer' };
  const absent = { check: 'event_loop', outcome: 'failed', detail: 'no worker of this role runs here' };
  for (const [findings, statuses, found] of [
    [[side('workflow', 'ok'), side('activity', 'ok')], ['held', 'held'], '/states/source --roles source'],
    [[side('workflow', 'failed'), side('activity', 'ok')], ['broken', 'held'], '--roles source'],
    [[side('workflow', 'ok'), side('activity', 'diagnostic')], ['held', 'unknown'], '--roles source'],
    [[lost], ['unknown', 'unknown'], 'the workflow engine does not answer'],
    [[absent], ['unknown', 'unknown'], 'no worker of this role runs here'],
  ] as const) {
    const root = await checkout(t, findings);
    const facts = await pollers(root, { WEIR_STATE_DIR: path.join(root, 'states') });
    t.strictSame(
      facts.map(({ status }) => status),
      statuses,
    );
    t.match(facts[0], { fact: 'a worker polls for workflows now', found: new RegExp(found) });
    const [bare] = await pollers(root, { WEIR_STATE_DIR: path.join(root, 'bare') });
    if (findings.length > 1) t.match(bare?.found, /\/bare --roles source/, 'one folder for the workers of all roles');
  }
});

t.test('a worker whose queue nobody polls is seen by the real probe', async (t) => {
  const [host = '', port = ''] = (process.env.WEIR_TEST_TEMPORAL_ADDRESS ?? '').split(':');
  const role = { role: 'source', queue: 'q', identity: randomUUID(), slots: 8, in_flight: 0 };
  const record: WorkerRecord = {
    ...{ pid: process.pid, roles: ['source'], queues: ['q'], children: [], workers: [role] },
    beat_ns: String(process.hrtime.bigint()),
  };
  const WEIR_STATE_DIR = t.testdir({ [`worker-${process.pid}.json`]: JSON.stringify(record) });
  const engine = { WORKFLOW_HOST: host, WORKFLOW_PORT: port, WORKFLOW_SOURCE_TASK_QUEUE: `nobody-${randomUUID()}` };
  const facts = await pollers(ROOT, { ...engine, WEIR_STATE_DIR });
  t.match(facts, [
    { status: 'broken', found: /no workflow poller of this worker on nobody-/ },
    { status: 'broken', found: /no activity poller/ },
  ]);
});

t.test('what could not be seen is not proved, and a report says what it is not about', (t) => {
  const scope = { waived: [], left_out: ['the workers'] };
  const verdict = (...statuses: (boolean | 'unknown')[]) =>
    proofReport(
      statuses.map((status) => fact('source', 'a fact', status, '')),
      scope,
    ).verdict;
  t.equal(verdict(true, true), 'proved');
  t.equal(verdict(true, 'unknown'), 'unproved');
  t.equal(verdict('unknown', false), 'failed');
  t.equal(verdict(), 'failed');
  t.match(
    reportPage(proofReport([fact('source', 'a | b', true, '')], scope)),
    /No part of this proof: the workers\..*a \\\| b/s,
  );
  t.end();
});
