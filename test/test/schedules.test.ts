import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call, type Endpoint, type Input, type Output } from '@weir/kernel/contract';
import { testDatabase, testIssuer } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import {
  createSource,
  createStream,
  deleteSchedule,
  getDiscoveryStatus,
  pauseSchedule,
  putSchedule,
  startDiscovery,
} from '@weir/plugin-sources/contract';
import { createWebhook } from '@weir/plugin-webhooks/contract';
import t from 'tap';
import { receiver } from '../../plugins/webhooks/test/kit.ts';
import { apiProcess } from '../api-process.ts';
import { keyFile } from '../key-file.ts';
import { platformEnvironment } from '../platform.ts';
import { until } from '../until.ts';
import { startWorker } from '../worker-process.ts';

const KILLS = 2;
const EVERY_SECONDS = 2;
const ROLES = 'source,discovery,general';

interface Firing {
  scheduled_at: string;
  outcome: string;
  run_id: string | null;
  status: string | null;
}

const timeOf = (one: Firing | undefined) => new Date(one?.scheduled_at ?? Number.NaN).getTime();

type Ask = <E extends Endpoint>(endpoint: E, input: Partial<Input<E>>) => Promise<Output<E>>;

/** A source that may be synced, each time in vain: no file has its stream. */
async function failingSource(ask: Ask, path: string): Promise<string> {
  const body = { name: 'shop', pattern_id: 'files', source_config: { path } };
  const { source_id } = await ask(createSource, { body });
  const { workflow_id } = await ask(startDiscovery, { body: { source_id } });
  await until('a discovery', async () => {
    const { status } = await ask(getDiscoveryStatus, { params: { workflow_id } });
    return status === 'succeeded';
  });
  const schema = { type: 'object', properties: { id: { type: 'integer' } } };
  await ask(createStream, { params: { source_id }, body: { name: 'absent', schema, enabled: true } });
  return source_id;
}

t.test(
  'API and worker killed while times come → each time fires once, and its failed run reaches a webhook',
  async (t) => {
    const folder = t.testdir({ warehouse: {}, data: {} });
    await writeFile(join(folder, 'data', 'orders.csv'), 'id\n1\n');
    const there = await receiver(t);
    const [database, issuer] = [await testDatabase(t, tools), await testIssuer(t)];
    const { tenantId } = await database.tenant('acme');
    const environment = {
      ...platformEnvironment({ database, issuer, folder }),
      ...{ WEIR_CREDENTIAL_KEY_FILE: keyFile(folder), WEIR_SCHEDULE_MIN_SECONDS: '1' },
      ...{ WEIR_EGRESS_ALLOW: '127.0.0.0/8', WEIR_EGRESS_PORTS: String(there.port) },
    };
    let [api, worker] = [await apiProcess(t, environment), await startWorker(t, environment, ROLES)];
    const token = await issuer.userToken({ subject: 'admin@acme', organizations: ['acme'], roles: ['admin'] });
    const ask: Ask = async (endpoint, input) => {
      const answer = await call(endpoint, input, { url: api.url, token, tenant: 'acme' });
      if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
      return answer.body;
    };
    const firings = async () =>
      (await database.peek(
        `select scheduled_at, outcome, f.run_id, status from schedules.firing f left join kernel.run r using (run_id)
       where f.tenant_id = '${tenantId}' order by scheduled_at`,
      )) as unknown as Firing[];

    const params = { source_id: await failingSource(ask, join(folder, 'data')) };
    await ask(createWebhook, { body: { name: 'chat', url: there.url, events: ['run.failed', 'run.failed_again'] } });
    await ask(putSchedule, { params, body: { interval_seconds: EVERY_SECONDS } });

    const started = async () => (await firings()).filter(({ outcome }) => outcome === 'started').length;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const had = await started();
      await until('a time that starts a run', async () => (await started()) > had);
      await worker.end('SIGKILL');
      await api.end();
      const killed = Date.now();
      await until('a time to come', () => Date.now() - killed > EVERY_SECONDS * 1_000);
      api = await apiProcess(t, environment);
      worker = await startWorker(t, environment, ROLES);
    }
    const had = await started();
    await until('a run after the last kill', async () => (await started()) > had);
    const { last_firings } = await ask(pauseSchedule, { params, body: {} });
    t.ok(last_firings.length > 0);
    const found = await until('every time up to the last, and the end of all runs', async () => {
      const all = await firings();
      const [first, last] = [timeOf(all[0]), timeOf(all.at(-1))];
      const wanted = (last - first) / (EVERY_SECONDS * 1_000) + 1;
      const isWhole = new Set(all.map(timeOf)).size === wanted;
      return isWhole && all.every(({ status }) => status !== 'running' && status !== 'pending') && all;
    });
    const times = found.map(timeOf);
    t.strictSame(times, [...new Set(times)], 'each time once');
    const runs = found.flatMap(({ run_id }) => run_id ?? []);
    const made = await database.peek(
      `select run_id from kernel.run where tenant_id = '${tenantId}' and requested_by = 'schedule'`,
    );
    t.strictSame(made.map(({ run_id }) => run_id).sort(), [...runs].sort(), 'each run belongs to one time');
    const failed = found.filter(({ status }) => status === 'failed').map(({ run_id }) => run_id);
    t.ok(failed.length > 0, `${failed.length} failed runs of ${found.length} times`);
    const told = () => new Set(there.got.map(({ body }) => (body.run as { run_id: string }).run_id));
    await until('an event of every failed run', () => failed.every((run_id) => told().has(run_id ?? '')));
    t.match(there.got[0]?.body, { type: 'run.failed', run: { kind: 'source-sync', subject: { name: 'shop' } } });
    await ask(deleteSchedule, { params });
  },
);
