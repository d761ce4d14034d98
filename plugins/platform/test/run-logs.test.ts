import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refusal, Secret, type Tenant } from '@weir/kernel';
import type { Problem } from '@weir/kernel/contract';
import { fakeLoki, runLogConformance } from '@weir/run-logs/testing';
import t from 'tap';
import { type ReadableRun, RunLogs, type RunLogsService } from '../src/contract.ts';
import { openStore } from '../src/run-log/open-store.ts';
import { removeOldLogs } from '../src/run-log/retention.ts';
import { runLogService } from '../src/run-log/service.ts';
import { world } from './kit.ts';

const root = await mkdtemp(join(tmpdir(), 'weir-run-logs-'));
const loki = await fakeLoki({ token: 'let-me-in' });
t.teardown(async () => {
  await loki.close();
  await rm(root, { recursive: true });
});
const settings = { WEIR_RUN_LOG_DIR: root, WEIR_RUN_LOG_RETENTION_DAYS: 30, WEIR_RUN_LOG_MAX_LINES: 1_000 };
const under = await world(t, settings);
const tenant = await under.tenant('acme');
const provided = under.registration.services?.find(({ id }) => id === RunLogs.id)?.implementation as RunLogsService;

let made = 0;
const newRun = (): ReadableRun => {
  made += 1;
  const time = Date.now().toString(16).padStart(12, '0');
  const runId = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(made).padStart(12, '0')}`;
  return { runId, isTerminal: false };
};
async function wrote(
  service: RunLogsService,
  of: Tenant,
  run: ReadableRun,
  messages: readonly string[],
): Promise<void> {
  const log = service.open(of, { runId: run.runId, attempt: 1, part: 'work' });
  await log.take(messages.map((message) => ({ level: 'info', step: 'plan', message })));
  await log.close();
}
const signal = new AbortController().signal;
const page = (service: RunLogsService, of: Tenant, run: ReadableRun, query = {}) =>
  service.page(of, query, { find: async () => run, signal });
const messagesOf = async (service: RunLogsService, of: Tenant, run: ReadableRun) =>
  (await page(service, of, run)).items.map(({ message }) => message);

t.test('files with their index in the database keep the rules of a log store', async (t) => {
  const store = openStore(under.kernel, settings);
  const others = await under.tenant('umbrella');
  // Rows of the index belong to tenants that exist.
  const known = [tenant, others, await under.tenant('hooli')];
  const real = new Map<string, string>();
  const tenantId = (given: string) => {
    const found = real.get(given) ?? known[real.size % known.length]?.tenantId ?? '';
    real.set(given, found);
    return found;
  };
  const own = <R extends { tenantId: string }>(run: R): R => ({ ...run, tenantId: tenantId(run.tenantId) });
  runLogConformance(t, {
    append: (run, lines) => store.append(own(run), lines),
    end: (run, attempt, part) => store.end(own(run), attempt, part),
    read: (run, request) => store.read(own(run), request),
    count: (run) => store.count(own(run)),
    remove: (run) => store.remove(own(run)),
  });
});

t.test('logs of runs are kept in the folder, or in the log store, that the settings name', async (t) => {
  const run = newRun();
  await wrote(provided, tenant, run, ['in a file']);
  t.strictSame(await messagesOf(provided, tenant, run), ['in a file']);
  t.strictSame(await readdir(join(root, tenant.tenantId, run.runId)), ['1000000001.jsonl']);
  const remote = { LOG_STORE_URL: loki.url, LOG_STORE_AUTH_TOKEN: new Secret('let-me-in') };
  const store = openStore(under.kernel, remote);
  const service = runLogService({ log: under.kernel.log, store, maxLines: 1, retentionDays: 1 });
  await wrote(service, tenant, run, ['in Loki']);
  t.strictSame(await messagesOf(service, tenant, run), ['in Loki']);
  t.equal(loki.streams(tenant.tenantId).length, 1);
  loki.failing = 503;
  const code = await page(service, tenant, run).catch((error: unknown) => (error as Problem).entry.code);
  t.equal(code, 'dependency_unavailable');
  loki.failing = undefined;
});

t.test(
  'settings that do not fit each other are refused by name, and so is no place at all outside of development',
  async (t) => {
    const faults = (given: object, mode: 'development' | 'production' = 'development') => {
      try {
        openStore({ ...under.kernel, mode }, given);
        return [];
      } catch (error) {
        return error instanceof Refusal ? error.faults : [String(error)];
      }
    };
    const token = new Secret('x');
    t.match(faults({ LOG_STORE_AUTH_TOKEN: token }), [/^LOG_STORE_AUTH_TOKEN needs a LOG_STORE_URL/]);
    for (const url of ['loki:3100', 'ftp://loki', 'http://user:pass@loki', 'http://loki?x=1', 'http://loki#x']) {
      t.match(faults({ LOG_STORE_URL: url }), [/^LOG_STORE_URL must be/], url);
      t.notMatch(faults({ LOG_STORE_URL: url }).join(), /pass/);
    }
    t.match(faults({ WEIR_RUN_LOG_DIR: 'here' }), [/^WEIR_RUN_LOG_DIR must be an absolute path/]);
    t.match(faults({}, 'production'), [/^WEIR_RUN_LOG_DIR or LOG_STORE_URL is required/]);
    t.strictSame(faults({ LOG_STORE_URL: loki.url, LOG_STORE_AUTH_TOKEN: token }, 'production'), []);
    t.strictSame(faults({}), []);
  },
);

t.test('a log goes when it was kept for as many days as it is to be, and a reader is told so', async (t) => {
  const run = newRun();
  await wrote(provided, tenant, run, ['old']);
  const store = openStore(under.kernel, settings);
  const days = (n: number) => Date.now() + n * 86_400_000;
  await removeOldLogs({ ...under.kernel, store, days: 30 }, tenant, days(29));
  t.strictSame(await messagesOf(provided, tenant, run), ['old']);
  await removeOldLogs({ ...under.kernel, store, days: 30 }, tenant, days(31));
  const ended = { ...run, isTerminal: true, endedAt: new Date(days(-31)) };
  t.match(await page(provided, tenant, ended), { items: [], ended: true, expired: true });
  t.match(await page(provided, tenant, { ...ended, endedAt: new Date() }), { items: [], expired: false });
  t.notOk((await readdir(join(root, tenant.tenantId))).includes(run.runId), 'and nothing is left of it');
});

t.test('a reader waits for the next line, and goes home when the API stops', async (t) => {
  const run = newRun();
  const waiting = page(provided, tenant, run, { after: 0, wait_seconds: 25 });
  await wrote(provided, tenant, run, ['at last']);
  t.strictSame(
    (await waiting).items.map(({ message }) => message),
    ['at last'],
  );
  const service = runLogService({
    ...{ log: under.kernel.log, store: openStore(under.kernel, settings), maxLines: 1, retentionDays: 1 },
  });
  const idle = page(service, tenant, newRun(), { after: 0, wait_seconds: 25 });
  service.close();
  t.match(await idle, { items: [], ended: false, next_page_token: null });
});
