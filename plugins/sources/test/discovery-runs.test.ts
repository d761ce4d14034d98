import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { HASTY_MS, PATIENT_MS, until } from '../../../test/until.ts';
import {
  createSource,
  getDiscoveryStatus,
  getSource,
  readDiscoveryLogs,
  readRunLogs,
  startDiscovery,
} from '../src/contract.ts';
import { discovering } from '../src/work/discovery/run-discovery.ts';
import { discoveryKit } from '../src/work/kits.ts';
import { killedAttempt } from './killed-attempt.ts';
import { discovered, ok, refusal, type TestPlatform, testPlatform } from './platform.ts';

/** A limit of the product that a hanging connector is to reach. */
const HASTY = { WEIR_DISCOVERY_MAX_SECONDS: String(Math.ceil(HASTY_MS / 1_000)) };
const TOKEN = 'Zq8-DESCRIBE/9+token';

t.test('a discovery', async (t) => {
  const platform = await testPlatform(t, async (folder) => {
    const file = join(folder, 'credential.key');
    await writeFile(file, randomBytes(32), { mode: 0o400 });
    return {
      WEIR_PLATFORM: join(import.meta.dirname, 'fixtures/platform-describing.json'),
      WEIR_CREDENTIAL_KEY_FILE: file,
      ...HASTY,
    };
  });
  const patient = { WEIR_DISCOVERY_MAX_SECONDS: String(PATIENT_MS / 1_000) };
  const api = await platform.as('demo');
  /** A folder whose connector says what its files say, and what names it. */
  const place = async (name: string) => {
    const folder = join(platform.folder, name);
    await mkdir(folder);
    const write = (file: string, text: string) => writeFile(join(folder, file), text);
    await write('token', TOKEN);
    const body = { pattern_id: 'describing', source_config: { folder }, credential_values: { token: TOKEN } };
    return { write, body, token: () => readFile(join(folder, 'token'), 'utf8') };
  };
  const shop = await place('shop');
  const { source_id } = ok(await api(createSource, { body: { name: 'shop', ...shop.body } }));

  await t.test('whose connector hangs ends, and the run says how it hung', async (t) => {
    const { write, body } = await place('hung');
    await write('how', 'says nothing');
    const { run_id } = ok(await api(startDiscovery, { body, query: { queue: true } }));
    t.match(await discoveryAttempt(platform, run_id), {
      failure: {
        code: 'connector_never_spoke',
        origin: 'source',
        detail: /\w/,
        // The pattern's place to reach is a folder here, and no host: nothing is shown unfilled.
        hint: /WEIR_DISCOVERY_MAX_SECONDS [^{]*$/,
      },
    });
    await write('how', '');
  });

  /** Starts a discovery that waits for a worker, and has its first attempt killed. */
  const renewedAndKilled = async (asked: object) => {
    const { run_id, workflow_id } = ok(await api(startDiscovery, { body: asked, query: { queue: true } }));
    await killedAttempt(platform, { run_id }, { points: ['C6'], environment: patient });
    return workflow_id;
  };

  await t.test('that is killed when its connector has renewed a single-use token goes on with that', async (t) => {
    const next = await place('next');
    const ofSource = await renewedAndKilled({ source_id });
    const ofConfig = await renewedAndKilled(next.body);
    t.strictSame(
      await Promise.all([shop.token(), next.token()]),
      [`${TOKEN}+`, `${TOKEN}+`],
      'the first counts no more',
    );
    await platform.startWorker(patient);
    for (const workflow_id of [ofSource, ofConfig]) {
      const run = await until('a discovery', async () => {
        const status = ok(await api(getDiscoveryStatus, { params: { workflow_id } }));
        return status.is_terminal ? status : undefined;
      });
      t.match(run, { status: 'succeeded' });
    }
    t.match(await discovered(api, source_id), { status: 'succeeded' });

    const { run_id } = await discovered(api, source_id);
    const params = { source_id, run_id };
    const { items, ended: isOver } = ok(await api(readRunLogs, { params }));
    const lines = items.map(
      ({ level, step, message, untrusted }) => `${level} ${step}${untrusted ? '|' : ':'} ${message}`,
    );
    t.equal(isOver, true);
    t.strictSame(
      lines.filter((line) => line.includes('|')).sort(),
      [
        'info connector| looking with [secret]',
        'info connector| renewed to [secret]',
        'warn connector| WARNING on stderr, [secret] in it',
      ],
      'neither the credential nor the renewed one is in it',
    );
    t.strictSame(
      lines.filter((line) => !line.includes('|')),
      [
        'info attempt: attempt 1 started',
        'info connector: the connector starts: weir-test/connector-describing:1.0.0',
        'info check: the connector accepts the configuration',
        'info discover: streams found: 1',
        'info end: the run has ended: succeeded',
      ],
    );
    t.notOk(JSON.stringify(items).includes('DESCRIBE'));

    const ofNone = { params: { workflow_id: ofConfig } };
    const found = ok(
      await api(readDiscoveryLogs, { ...ofNone, query: { search: 'LOOKING', level: 'info', attempt: 2 } }),
    );
    t.strictSame(
      found.items.map(({ attempt, message }) => [attempt, message]),
      [[2, 'looking with [secret]']],
    );
    const page = ok(await api(readDiscoveryLogs, { ...ofNone, query: { limit: 1, order: '-seq' } }));
    t.match(page, { items: [{ step: 'end', fields: { status: 'succeeded' } }], next_page_token: String });
    t.equal(refusal(await (await platform.as('other'))(readDiscoveryLogs, ofNone)), '404 not_found');
    const { pattern_id, source_config } = next.body;
    const body = { name: 'next', pattern_id, source_config, workflow_id: ofConfig };
    const made = ok(await api(createSource, { body }));
    t.match(await discovered(api, made.source_id), { status: 'succeeded' }, 'a source that is made of it has it too');
  });

  await t.test(
    'whose connector refuses the configuration fails with its words, and its source stays a draft',
    async (t) => {
      const { write, body } = await place('shut');
      await write('how', 'refuses');
      const { source_id } = ok(await api(createSource, { body: { name: 'shut', ...body } }));
      const detail = 'The connector cannot work with this configuration. It says: no door opens to [secret].';
      const refused = await discovered(api, source_id);
      t.match(refused, {
        ...{ status: 'failed', phase: 'ended', waits_for: null },
        failure: {
          code: 'connector_check_failed',
          origin: 'config',
          retryable: false,
          detail,
          hint: /^Correct what it names[^{]*$/,
        },
      });
      const rows = await platform.database.peek('select phase from sources.discovery where run_id = $1', [
        refused.run_id,
      ]);
      t.strictSame(rows, [{ phase: 'checking' }], 'where it ended is what it waited for');
      t.match(ok(await api(getSource, { params: { source_id } })), { status: 'draft' });
      await write('how', '');
      t.match(await discovered(api, source_id), { status: 'succeeded' });
    },
  );
});

/** How one attempt of a waiting discovery ends that is carried out in this process. */
async function discoveryAttempt(platform: TestPlatform, runId: string): Promise<unknown> {
  const kernel = platform.kernel.plugins.find(({ manifest }) => manifest.id === 'sources')?.kernel;
  if (kernel === undefined) throw new Error('the plugin is not there');
  const children = { started: () => undefined, ended: () => undefined };
  const kit = discoveryKit({ kernel, children, workDir: platform.environment.WEIR_WORK_DIR ?? '', slotMiB: 512 });
  const { tenantId: tenant_id } = await platform.tenant('demo');
  return discovering.attempt(kit, { tenant_id, run_id: runId }).catch((fault: unknown) => fault);
}
