import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { planPlatform, Refusal } from '@weir/kernel/boot';
import { testDatabase, testIssuer } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import t from 'tap';
import { platformEnvironment } from '../platform.ts';

const API = fileURLToPath(new URL('../../kernel/src/main.ts', import.meta.url));
const WORKER = fileURLToPath(new URL('../../workers/src/main.ts', import.meta.url));

interface FixturePlugin {
  name: string;
  weir: Record<string, unknown>;
}

/** Writes a deployment of fixture plugins, as an operator's folder would hold them, and returns its platform.json. */
function deployment(folder: string, plugins: FixturePlugin[]): string {
  for (const { name, weir } of plugins) {
    const home = join(folder, 'node_modules', name);
    mkdirSync(home, { recursive: true });
    writeFileSync(
      join(home, 'package.json'),
      JSON.stringify({ name, version: '1.0.0', type: 'module', exports: './index.js', weir }),
    );
    writeFileSync(join(home, 'index.js'), 'throw new Error("a plan never runs a plugin")');
  }
  const file = join(folder, 'platform.json');
  writeFileSync(file, JSON.stringify({ plugins: plugins.map(({ name }) => name), migrations: 'none' }));
  return file;
}

const weir = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  kernel: '>=0.1.0',
  tenancy: 'always',
  prefixes: [`/${id}`],
  ...more,
});

const faultsOf = (file: string): readonly string[] => {
  try {
    planPlatform(file);
    return [];
  } catch (error) {
    return error instanceof Refusal ? error.faults : [`not a refusal: ${(error as Error).message}`];
  }
};

t.test('faults of plugins are refused at boot by name, all in one message, without running any plugin', async (t) => {
  const file = deployment(t.testdir(), [
    { name: 'too-new', weir: weir('too-new', { kernel: '^99.0.0' }) },
    { name: 'needy', weir: weir('needy', { requires: ['missing.things@1'] }) },
    {
      name: 'first',
      weir: weir('first', { prefixes: ['/shared'], provides: ['first.s@1'], requires: ['second.s@1'] }),
    },
    {
      name: 'second',
      weir: weir('second', { prefixes: ['/shared'], provides: ['second.s@1'], requires: ['first.s@1'] }),
    },
  ]);
  const faults = faultsOf(file);
  t.equal(faults.length, 4);
  t.match(faults, [
    /plugin too-new 1\.0\.0 needs kernel \^99\.0\.0, this kernel is/,
    /prefix \/shared is claimed by both first and second/,
    /plugin needy requires service missing\.things@1, but no plugin provides it/,
    /plugins require each other in a circle: first -> second/,
  ]);
});

t.test('a manifest that does not fit its schema, or a plugin that is not installed, is refused by name', async (t) => {
  const folder = t.testdir();
  const file = deployment(folder, [{ name: 'odd', weir: weir('Odd', { surprise: true }) }]);
  writeFileSync(file, JSON.stringify({ plugins: ['odd', 'absent'], migrations: 'none' }));
  const faults = faultsOf(file);
  t.ok(faults.some((fault) => fault.startsWith('odd: manifest')));
  t.ok(faults.some((fault) => fault.includes('plugin absent is named in platform.json but not installed')));
});

t.test(
  'the API refuses to start as superuser or owner, or on another schema: exit 78, one line, no port',
  async (t) => {
    const folder = t.testdir({ data: { 'secrets.json': '{}', 'identity-provider': {} } });
    const database = await testDatabase(t, tools);
    const issuer = await testIssuer(t);
    const start = async (changes: Record<string, string>, program = [API]) => {
      const env = { ...process.env, ...platformEnvironment({ database, issuer, folder }), ...changes };
      const run = promisify(execFile)(process.execPath, ['--conditions=@weir/source', ...program], { env });
      const { code, stderr, stdout } = await run.then(
        () => ({ code: 0, stderr: '', stdout: '' }),
        (error: { code: number; stderr: string; stdout: string }) => error,
      );
      const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
      t.equal(lines.length, 1, 'one line');
      t.notMatch(stdout, /listening/);
      return { code, line: lines[0] ?? '' };
    };
    const superuser = new URL(database.superuserUrl);
    const asSuperuser = await start({ DB_USER: superuser.username, DB_PASSWORD: superuser.password });
    t.match(asSuperuser, { code: 78, line: /is superuser/ });
    const asOwner = await start({ DB_USER: database.owner.user, DB_PASSWORD: database.owner.password });
    t.match(asOwner, { code: 78, line: /owns tables/ });
    const faulty = await start({ WEIR_HTTP_PORT: 'x', IDP_ISSUER: 'y', WEIR_MODE: 'z' });
    t.match(faulty, { code: 78, line: /WEIR_HTTP_PORT.*IDP_ISSUER|IDP_ISSUER.*WEIR_HTTP_PORT/ });
    t.match(faulty.line, /WEIR_MODE must be one of/);
    const uploads = join(folder, 'data', 'uploads');
    const development = await start({ WEIR_MODE: 'production', WEIR_UPLOAD_DIR: uploads });
    t.equal(development.code, 78);
    const refused = [
      'WEIR_RELEASE_SHA',
      'WEIR_IMAGE_DIGEST',
      'IDP_ISSUER',
      'WEIR_CREDENTIAL_KEY_FILE',
      'WEIR_UPLOAD_DIR',
    ];
    for (const name of refused) {
      t.match(development.line, new RegExp(`${name} (must|is)`), 'all development defaults in one line');
    }
    const work = { WEIR_MODE: 'production', WEIR_WORK_DIR: join(folder, 'data', 'work') };
    const worker = await start(work, [WORKER, '--roles', 'general']);
    t.match(worker, { code: 78, line: /WEIR_WORK_DIR must not lie in the data folder/ }, 'and its own of a worker');
    await database.peek(
      'delete from kernel.schema_ledger where ordinal = (select max(ordinal) from kernel.schema_ledger)',
    );
    t.match(await start({}), { code: 78, line: /the database is behind/ });
  },
);
