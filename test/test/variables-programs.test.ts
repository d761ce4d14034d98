import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { toolCache } from '@weir/embedded';
import type { Endpoint, Input } from '@weir/kernel/contract';
import { testDatabase } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { cancelSync } from '@weir/plugin-sources/contract';
import { Client } from 'pg';
import t from 'tap';
import { commandLine } from '../../cli/test/command-line.ts';
import { readCapacity } from '../../workers/src/process/capacity.ts';
import { lineSource } from '../crash/line-source.ts';
import { testPlatform } from '../platform.ts';
import { until } from '../until.ts';
import { startWorker } from '../worker-process.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const NODE_ARGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];

const CAPACITY = {
  source: {
    WORKFLOW_SOURCE_ACTIVITY_MAX_WORKERS: 'activityWorkers',
    WORKFLOW_SOURCE_MAX_CONCURRENT_ACTIVITIES: 'activities',
    WORKFLOW_SOURCE_MAX_CONCURRENT_WORKFLOW_TASKS: 'workflowTasks',
    WORKFLOW_SOURCE_MAX_CONCURRENT_ACTIVITY_TASK_POLLS: 'activityPolls',
    WORKFLOW_SOURCE_MAX_CONCURRENT_WORKFLOW_TASK_POLLS: 'workflowPolls',
  },
  discovery: {
    WORKFLOW_DISCOVERY_ACTIVITY_MAX_WORKERS: 'activityWorkers',
    WORKFLOW_DISCOVERY_MAX_CONCURRENT_ACTIVITIES: 'activities',
    WORKFLOW_DISCOVERY_MAX_CONCURRENT_WORKFLOW_TASKS: 'workflowTasks',
    WORKFLOW_DISCOVERY_MAX_CONCURRENT_ACTIVITY_TASK_POLLS: 'activityPolls',
    WORKFLOW_DISCOVERY_MAX_CONCURRENT_WORKFLOW_TASK_POLLS: 'workflowPolls',
  },
  general: {
    WORKFLOW_GENERAL_ACTIVITY_MAX_WORKERS: 'activityWorkers',
    WORKFLOW_GENERAL_MAX_CONCURRENT_ACTIVITIES: 'activities',
    WORKFLOW_GENERAL_MAX_CONCURRENT_WORKFLOW_TASKS: 'workflowTasks',
    WORKFLOW_GENERAL_MAX_CONCURRENT_ACTIVITY_TASK_POLLS: 'activityPolls',
    WORKFLOW_GENERAL_MAX_CONCURRENT_WORKFLOW_TASK_POLLS: 'workflowPolls',
  },
  maintenance: {
    WORKFLOW_MAINTENANCE_ACTIVITY_MAX_WORKERS: 'activityWorkers',
    WORKFLOW_MAINTENANCE_MAX_CONCURRENT_ACTIVITIES: 'activities',
    WORKFLOW_MAINTENANCE_MAX_CONCURRENT_WORKFLOW_TASKS: 'workflowTasks',
    WORKFLOW_MAINTENANCE_MAX_CONCURRENT_ACTIVITY_TASK_POLLS: 'activityPolls',
    WORKFLOW_MAINTENANCE_MAX_CONCURRENT_WORKFLOW_TASK_POLLS: 'workflowPolls',
  },
  'ontology-sync': {
    WORKFLOW_ONTOLOGY_SYNC_ACTIVITY_MAX_WORKERS: 'activityWorkers',
    WORKFLOW_ONTOLOGY_SYNC_MAX_CONCURRENT_ACTIVITIES: 'activities',
    WORKFLOW_ONTOLOGY_SYNC_MAX_CONCURRENT_WORKFLOW_TASKS: 'workflowTasks',
    WORKFLOW_ONTOLOGY_SYNC_MAX_CONCURRENT_ACTIVITY_TASK_POLLS: 'activityPolls',
    WORKFLOW_ONTOLOGY_SYNC_MAX_CONCURRENT_WORKFLOW_TASK_POLLS: 'workflowPolls',
  },
  'ontology-sync-v2': {
    WORKFLOW_ONTOLOGY_SYNC_V2_ACTIVITY_MAX_WORKERS: 'activityWorkers',
    WORKFLOW_ONTOLOGY_SYNC_V2_MAX_CONCURRENT_ACTIVITIES: 'activities',
    WORKFLOW_ONTOLOGY_SYNC_V2_MAX_CONCURRENT_WORKFLOW_TASKS: 'workflowTasks',
    WORKFLOW_ONTOLOGY_SYNC_V2_MAX_CONCURRENT_ACTIVITY_TASK_POLLS: 'activityPolls',
    WORKFLOW_ONTOLOGY_SYNC_V2_MAX_CONCURRENT_WORKFLOW_TASK_POLLS: 'workflowPolls',
  },
  transform: {
    WORKFLOW_TRANSFORM_ACTIVITY_MAX_WORKERS: 'activityWorkers',
    WORKFLOW_TRANSFORM_MAX_CONCURRENT_ACTIVITIES: 'activities',
    WORKFLOW_TRANSFORM_MAX_CONCURRENT_WORKFLOW_TASKS: 'workflowTasks',
    WORKFLOW_TRANSFORM_MAX_CONCURRENT_ACTIVITY_TASK_POLLS: 'activityPolls',
    WORKFLOW_TRANSFORM_MAX_CONCURRENT_WORKFLOW_TASK_POLLS: 'workflowPolls',
  },
} as const;

for (const [role, variables] of Object.entries(CAPACITY)) {
  t.test(`${Object.keys(variables).join(', ')}: each sets its own bound of a worker`, async (t) => {
    const least = { [`WORKFLOW_${role.toUpperCase().replaceAll('-', '_')}_MAX_CONCURRENT_ACTIVITIES`]: '3' };
    for (const [name, field] of Object.entries(variables)) {
      const read = readCapacity(role, { ...least, [name]: '4' });
      t.strictSame(read, { ...readCapacity(role, least), [field]: 4 }, name);
      for (const wrong of ['0', '100000', '1.5', 'many', ''])
        t.throws(() => readCapacity(role, { [name]: wrong }), { message: new RegExp(name) }, `${name}=${wrong}`);
    }
  });
}

t.test('WEIR_STATE_DIR, WEIR_CACHE_DIR, WEIR_WORK_DIR: a worker keeps its files there', async (t) => {
  // No folder of tap's: that is removed before the teardown, while the worker still writes.
  const folder = await mkdtemp(join(tmpdir(), 'weir-variables-'));
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  for (const name of ['warehouse', 'states']) await mkdir(join(folder, name));
  const world = await testPlatform(t, folder, {
    ...{ WEIR_PLATFORM: join(ROOT, 'test/crash/platform.json'), WEIR_SYNC_MAX_SILENT_SECONDS: '1' },
  });
  const [states, stateDir] = [join(folder, 'states'), join(folder, 's')];
  const pointTo = async (target: string) => {
    await symlink(target, `${stateDir}.next`);
    await rename(`${stateDir}.next`, stateDir);
  };
  await pointTo(states);
  const environment = { ...world.environment, WEIR_STATE_DIR: stateDir, WEIR_CACHE_DIR: join(folder, 'c') };
  const small = { NODE_OPTIONS: '--import=data:text/javascript,process.constrainedMemory=()=>2**30' };
  const worker = await startWorker(t, { ...environment, ...small, WEIR_WORK_DIR: join(folder, 'w') });
  const warned = worker.log().find(({ msg }) => msg === 'this worker has more slots than its memory holds');
  t.match(warned, {
    faults: [/SOURCE_MAX_CONCURRENT_ACTIVITIES is 8, .* the 1024 MiB of this worker.*: (?:1|not one) of them do/],
  });
  const stateFile = `worker-${worker.pid}.json`;
  const hasState = async () => (await readdir(states)).includes(stateFile);
  t.ok(await hasState());
  const cached = await readdir(join(folder, 'c'));
  t.same(cached.map((name) => name.replace(/-\w+/, '')).sort(), ['workflows.cjs', 'workflows.json']);
  const who = { token: await world.token('acme'), tenant: 'acme' };
  const call = async <E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}) => {
    const answer = await world.call(who, endpoint, input);
    if (!answer.ok) throw new Error(answer.problem.code);
    return answer.body;
  };
  await pointTo('/dev/full');
  const hanging = { schema: { type: 'object' }, steps: [{ until: join(folder, 'never') }] };
  const source = await lineSource({ folder, workerPid: worker.pid, database: world.database, call }, 'hangs', hanging);
  t.ok((await readdir(folder)).includes('w'), 'the workspace of the connector');
  const untold = () => worker.log().filter(({ msg }) => /cannot say that it lives/.test(String(msg))).length;
  await until('a worker that says that its state cannot be written', () => untold() > 0);
  await rm(join(states, stateFile));
  await pointTo(states);
  await until('a worker that goes on, and beats again when it can', hasState);
  t.equal(untold(), 1);

  await t.test('WEIR_SYNC_MAX_SILENT_SECONDS: a connector that is silent for longer ends the attempt', async (t) => {
    const { run_id } = await source.start();
    const failure = await until('the failure of an attempt', async () => {
      const run = await source.status(run_id);
      return run.streams[0]?.failure ?? undefined;
    });
    t.match(failure, { code: /^connector_(?:never_spoke|silent)$/, hint: /WEIR_SYNC_MAX_SILENT_SECONDS/ });
    await call(cancelSync, { params: { sync_run_id: run_id } });
  });
});

t.test(
  'WEIR_DB_SUPERUSER_URL, WEIR_DB_OWNER_USER, WEIR_DB_OWNER_PASSWORD, WEIR_DB_SYSTEM_PASSWORD, WEIR_DB_DEVELOPMENT_PASSWORD: the release step uses them',
  async (t) => {
    const { name, owner, app, system, superuserUrl } = await testDatabase(t, tools);
    const place = { DB_HOST: owner.host, DB_PORT: String(owner.port), DB_NAME: name };
    const all: Record<string, string> = {
      ...place,
      DB_PASSWORD: app.password,
      WEIR_DB_SUPERUSER_URL: superuserUrl,
      WEIR_DB_OWNER_USER: owner.user,
      WEIR_DB_OWNER_PASSWORD: owner.password,
      WEIR_DB_SYSTEM_PASSWORD: system.password,
      WEIR_DB_DEVELOPMENT_PASSWORD: 'test-development',
    };
    const run = (words: string[], env: Record<string, string>) =>
      new Promise<string>((said) => {
        const program = [...NODE_ARGS, join(ROOT, 'migrations/src/main.ts'), ...words];
        execFile(process.execPath, program, { env }, (_error, stdout, stderr) => said(stdout + stderr));
      });
    const without = (missing: string) => Object.fromEntries(Object.entries(all).filter(([key]) => key !== missing));
    t.match(await run(['bootstrap'], all), /"bootstrapped":true/);
    for (const missing of ['WEIR_DB_SUPERUSER_URL', 'WEIR_DB_OWNER_PASSWORD', 'WEIR_DB_SYSTEM_PASSWORD'])
      t.match(await run(['bootstrap'], without(missing)), new RegExp(`${missing} or ${missing}_FILE is required`));
    t.match(await run(['up'], all), /"nothing_to_do":true/);
    t.match(await run(['up'], { ...all, WEIR_DB_OWNER_USER: app.user, WEIR_DB_OWNER_PASSWORD: app.password }), /fatal/);
    t.match(await run(['development-reader'], all), /"role":"weir_dev"/);
    const reader = new Client({
      ...place,
      host: owner.host,
      port: owner.port,
      database: name,
      user: 'weir_dev',
      password: 'test-development',
    });
    await reader.connect();
    await reader.end();
  },
);

t.test('WEIR_URL, WEIR_PROFILE: the CLI goes to that server', async (t) => {
  const { weir } = commandLine(t);
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    response.setHeader('content-type', 'application/json').end('{"items":[],"next_page_token":null,"total":0}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => server.close().closeAllConnections());
  const env = {
    WEIR_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    WEIR_TOKEN: 'x',
    WEIR_TENANT: 'a',
  };
  t.equal((await weir('sources list', { env })).code, 0);
  t.equal(seen.length, 1);
  t.match((await weir('sources list', { env: { ...env, WEIR_PROFILE: 'absent' } })).stderr, /no profile absent/);
  t.equal(seen.length, 1);
});

t.test('WEIR_TOOL_CACHE: programs of the embedded services are kept there', async (t) => {
  const folder = join(t.testdir({}), 'tools');
  t.equal(toolCache({ WEIR_TOOL_CACHE: folder }), folder);
  t.not(toolCache({ HOME: folder }), folder);
});
