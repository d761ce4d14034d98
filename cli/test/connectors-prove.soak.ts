import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import t, { type Test } from 'tap';
import { imageMaker, ownWorkspace, runs } from '../../connectors/runtime/test/container-kit.ts';
import { OTHER_USER } from '../../connectors/runtime/test/other-user.ts';
import { getSyncStatus } from '../../plugins/sources/src/contract.ts';
import { containedPlatform } from '../../plugins/sources/test/contained-platform.ts';
import { ok } from '../../plugins/sources/test/platform.ts';
import { readySource } from '../../plugins/sources/test/ready-source.ts';
import { type Engine, engineJson, engineSettings, ownEngine, testEngine } from '../../test/engines/index.ts';
import { PATIENT_MS, until } from '../../test/until.ts';
import type { CliContext } from '../src/command/command.ts';
import { openApi } from '../src/connection/api.ts';
import { ENGINE_ROLES, rolePlaces } from '../src/connectors/engine/engine-role.ts';
import { openSourceProof } from '../src/connectors/proof/open-source-proof.ts';
import { proveEngine } from '../src/connectors/proof/prove-engine.ts';
import { commandLine } from './command-line.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const IMAGE = 'weir-test/rests:1';
/** What a reading gives; it rests after the first, and ends after every later one. */
const ROWS = 1_000;

/** Goes on from its state; without one it gives its rows, says so again and again, and does not end. */
const PROGRAM = `
  const fs = require('node:fs');
  const [verb, ...flags] = process.argv.slice(1);
  const say = (message) => fs.writeSync(1, JSON.stringify(message) + '\\n');
  const descriptor = { name: 'rows' };
  const status = (status) => say({ type: 'TRACE', trace: { type: 'STREAM_STATUS', emitted_at: 1, stream_status: { stream_descriptor: descriptor, status } } });
  if (verb === 'discover') {
    const json_schema = { type: 'object', properties: { id: { type: 'integer' } } };
    const cursor = { source_defined_cursor: true, default_cursor_field: ['id'] };
    say({ type: 'CATALOG', catalog: { streams: [{ ...descriptor, ...cursor, json_schema, supported_sync_modes: ['full_refresh', 'incremental'] }] } });
  } else {
    const at = flags.indexOf('--state');
    const known = at < 0 ? [] : JSON.parse(fs.readFileSync(flags[at + 1], 'utf8'));
    const from = known[0]?.stream?.stream_state?.at ?? 0;
    status('STARTED');
    for (let id = from + 1; id <= from + ${ROWS}; id += 1) say({ type: 'RECORD', record: { stream: 'rows', data: { id }, emitted_at: 1 } });
    const state = (recordCount) => say({ type: 'STATE', state: { type: 'STREAM', stream: { stream_descriptor: descriptor, stream_state: { at: from + ${ROWS} } }, sourceStats: { recordCount } } });
    state(${ROWS});
    if (from === 0) setInterval(state, 500, 0);
    else status('COMPLETE');
  }
`.replaceAll(/\s+/g, ' ');

/** Of a role whose worker is somebody else, as an operator has it who proves as root. */
const OTHERS = { uid: OTHER_USER, mode: 0o2751 };

/** A folder for each role in which its workers say that they live, as their units have it. */
async function statesOf(state: string, folder: string): Promise<string> {
  const states = path.join(folder, 'states');
  await mkdir(states);
  for (const role of ENGINE_ROLES) await symlink(state, path.join(states, role));
  return states;
}

/** A command that has this work done and ends well when it was; and how often it was asked. */
async function commandOf(t: Test, work: () => Promise<void>) {
  let asked = 0;
  const server = createServer((_, answer) => {
    asked += 1;
    work().then(
      () => answer.end(),
      () => answer.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { command: `curl --silent --fail --noproxy '*' http://127.0.0.1:${port}/`, asked: () => asked };
}

const engine = await ownEngine(t, 'rootless');
if (typeof engine === 'string') t.plan(0, engine);
else {
  t.test('a proof that is given up leaves nothing in the engine of its roles', async (t) => {
    const others = await ownWorkspace(t, engine, OTHERS);
    const images = async () => {
      const found = await engineJson<{ RepoTags: string[] }[]>(engine.socketPath, { path: '/images/json' });
      return found.flatMap(({ RepoTags: tags }) => tags).filter((tag) => tag.startsWith('weir/connector-probe'));
    };
    const seen: string[] = [];
    const given = proveEngine({
      places: rolePlaces(engineSettings(engine, others), undefined),
      waivers: ['limits'],
      restart: () => Promise.reject(new Error('restarted before anything was seen')),
      source: {
        async look() {
          seen.push(...(await images()));
          throw new Error('given up');
        },
        ...{ begin: async () => undefined, stillRuns: async () => undefined, end: async () => [] },
      },
      say() {},
    });
    await t.rejects(given, { message: 'given up' });
    t.equal(seen.length, 1, 'both roles have one image');
    t.strictSame(await images(), []);
    t.strictSame(await readdir(others), []);
  });

  t.test(
    'a proof goes through workers, discovery, a sync that the restart interrupts, and its rows in the table',
    async (t) => {
      const workspace = await ownWorkspace(t, engine);
      await (await imageMaker(engine))(IMAGE, [runs(PROGRAM)]);
      const waivers = { WEIR_ENGINE_WAIVERS: 'limits' };
      const patterns = [{ image: IMAGE, fast_path: [] }];
      const platform = await containedPlatform(t, patterns, { ...engineSettings(engine, workspace), ...waivers });
      await platform.startWorker();
      const api = await platform.as('demo');
      const body = { name: 'shop', pattern_id: 'contained', source_config: { path: 'x' } };
      const source_id = await readySource(api, body, { sync_mode: 'incremental', write_mode: 'append' });

      const { weir, home, root } = commandLine(t);
      await symlink(ROOT, root);
      const others = await ownWorkspace(t, engine, OTHERS);
      const login = { WEIR_URL: platform.url, WEIR_TENANT: 'demo', WEIR_TOKEN: await platform.token('demo') };
      const settings = (of: Engine, folder: string): Record<string, string> => ({
        ...platform.environment,
        ...engineSettings(of, folder),
        ...waivers,
      });
      const states = await statesOf(platform.environment.WEIR_STATE_DIR ?? '', home);
      const env: Record<string, string> = { ...settings(engine, others), ...login, WEIR_STATE_DIR: states };
      const params = { source_id };
      const restart = await commandOf(t, async () => {
        // What was committed must not come again, and what was not must.
        await until('the first rows in the table', async () => {
          const { run } = ok(await api(getSyncStatus, { params }));
          return (run?.rows_written ?? 0) >= ROWS;
        });
        await engine.daemon.stop();
        await engine.daemon.start();
      });
      const { code, stdout, stderr } = await weir(
        ['connectors', 'prove', '--restart', restart.command, '--source', 'shop', '--out', 'report.md', '-o', 'json'],
        { env },
      );
      t.equal(code, 0, stderr);
      const report = JSON.parse(stdout) as { facts: { role: string; fact: string; status: string; found: string }[] };
      t.match(report, { verdict: 'proved', waived: [/limits/], left_out: [] });
      t.strictSame(
        report.facts.filter(({ status }) => status !== 'held'),
        [],
      );
      const found = (words: string) => report.facts.filter((one) => one.fact === words).map((one) => one.found);
      for (const when of ['before', 'after'])
        for (const what of ['workflows', 'activities'])
          t.match(found(`a worker polls for ${what} ${when} the restart`), [/^polls source-/, /^polls discovery-/]);
      t.match(found('the interrupted attempt of the sync is no success'), [
        /^attempt 1 in container \w{12}, container \w{12}/,
      ]);
      t.match(found('the interrupted sync ends well by itself'), [/^run \S+ succeeded at attempt (?!1$)\d+$/]);
      t.match(found('the sync ran in a container of this engine'), [/^image sha256:\w+, containers \w{12}, \w{12}/]);
      const rows = `${2 * ROWS} rows of 1 streams, 0 lost; verification: equal`;
      t.strictSame(found('its rows are in its tables, as the receipt counts them'), [rows]);
      t.match(found('discovery of the source as before'), [/^succeeded, 1 streams, 1 before, container \w{12}$/]);
      t.strictSame(found('nothing of these runs is left'), ['0 containers']);
      t.match(await readFile(path.join(home, 'report.md'), 'utf8'), `| ${rows} |`);
      t.equal(restart.asked(), 1);

      const { signal: interrupted } = new AbortController();
      const context = { env, cwd: home, root, interrupted } as unknown as CliContext;
      const through = async (of: Engine) =>
        openSourceProof({
          context,
          api: openApi(
            { url: platform.url, tenant: 'demo', token: env.WEIR_TOKEN ?? '' },
            { interrupted, timeoutMs: PATIENT_MS },
          ),
          source: 'shop',
          places: rolePlaces(settings(of, others), undefined),
          watching: async () => ({ timeoutMs: PATIENT_MS, interrupted, progress: { show() {}, end() {} } }),
          say() {},
        });
      const another = await testEngine(t, 'rootless');
      if (typeof another === 'string') throw new Error(another);
      const hint = /SOURCE_SOCKET_DIR/;
      await t.rejects((await through(another)).look(), {
        message: /in no container of this engine/,
        details: { hint },
      });
      const quick = await through(engine);
      await quick.look();
      const tooShort = { message: /over before the engine could be restarted/, details: { hint: /a minute or more/ } };
      const begun = await quick.begin().catch((fault: Error) => fault);
      if (begun !== undefined) t.match(begun, tooShort);
      await until('the end of a sync that is quick now', async () => {
        const { run } = ok(await api(getSyncStatus, { params }));
        return run?.is_terminal;
      });
      if (begun === undefined) await t.rejects(quick.stillRuns(), tooShort);
    },
  );
}
