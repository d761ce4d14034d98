import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { previewDataset } from '@weir/plugin-datasets/contract';
import { openVault, secretValues } from '@weir/vault';
import t from 'tap';
import { testMount } from '../../../test/secret-mount.ts';
import { createSource, rotateCredentials, startSync, updateSource } from '../src/contract.ts';
import { splitConfig } from '../src/model/credential/read-values.ts';
import { loadPatterns } from '../src/service/pattern/load-patterns.ts';
import { discovered, enableAll, ended, ok, synced, type TestPlatform, testPlatform } from './platform.ts';
import { digestOf, VAULTED_CONFIG, VAULTED_PLATFORM, vaultedValues, vaultedWhole } from './vaulted-source.ts';

const MARK = 'CNRY-life';
const OPERATOR = resolve(import.meta.dirname, '../../../workers/src/operator.ts');
const ALL_TABLES = `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
  where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;

/** Runs the operator's program with the settings of the API. */
async function operate(environment: Readonly<Record<string, string>>, words: string[]) {
  const args = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning', OPERATOR, ...words];
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...environment };
  const run = promisify(execFile)(process.execPath, args, { env });
  return run.then(
    ({ stdout }) => ({ code: 0, said: JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') }),
    ({ code, stdout, stderr }) => ({ code, said: JSON.parse((stdout || stderr).trim().split('\n').at(-1) ?? '{}') }),
  );
}

/** Puts the credentials of a source where a process that keeps them inline would have. */
async function sealInline({ database, environment }: TestPlatform, sourceId: string, keyFile: string) {
  const { sealer } = openVault(
    { SOURCE_CREDENTIAL_MODE: 'legacy_inline', WEIR_CREDENTIAL_KEY_FILE: keyFile },
    {},
  ).vault;
  const { patterns } = loadPatterns(environment.WEIR_PLATFORM ?? '', { error: () => undefined } as never);
  const pattern = patterns.get('vaulted');
  if (sealer === undefined || pattern === undefined) throw new Error('key and pattern are there');
  const { values } = splitConfig(vaultedWhole(`${MARK}-sealed`), pattern);
  const [row] = await database.peek('select tenant_id from sources.source where source_id = $1', [sourceId]);
  const place = { tenantId: String(row?.tenant_id), subjectId: sourceId, purpose: 'source' as const };
  const kept = secretValues(Array.from(values, ([pointer, value]) => [pointer, value.reveal()] as const));
  await database.peek('update sources.source set sealed = $2 where source_id = $1', [
    sourceId,
    sealer.seal(kept, place),
  ]);
}

t.test(
  'credentials in a real secret store reach the connector alone, through a worker that may only read',
  async (t) => {
    const mount = await testMount(t);
    const keys = t.testdir();
    const keyFile = join(keys, 'key');
    await writeFile(keyFile, randomBytes(32), { mode: 0o400 });
    const platform = await testPlatform(t, async () => ({
      ...mount.environment('api'),
      WEIR_PLATFORM: VAULTED_PLATFORM,
      WEIR_CREDENTIAL_KEY_FILE: keyFile,
    }));
    const { database } = platform;
    const api = await platform.as('demo');
    await platform.startWorker(mount.environment('worker'));
    const make = async (name: string, more: object) => {
      const body = { name, pattern_id: 'vaulted', source_config: VAULTED_CONFIG, ...more };
      return ok(await api(createSource, { body })).source_id;
    };
    const digest = async (name: string) => {
      const params = { dataset_id: `bronze.demo.${name}__rows` };
      const { rows } = ok(await api(previewDataset, { params, query: { columns: 'digest' } }));
      return rows.at(-1)?.[0];
    };
    const stored = async (): Promise<string> => {
      const tables = await database.peek(ALL_TABLES);
      return JSON.stringify(
        await Promise.all(tables.map(({ name }) => database.peek(`select t::text from ${name} t`))),
      );
    };
    const first = await make('first', { credential_values: vaultedValues(MARK), credential_name: 'first' });
    const params = { source_id: first };

    await t.test('a discovery and a sync', async (t) => {
      t.match(await discovered(api, first), { status: 'succeeded' });
      await enableAll(api, first, { sync_mode: 'incremental', write_mode: 'append' });
      t.match(await synced(api, first), { status: 'succeeded' });
      t.equal(await digest('first'), digestOf(vaultedWhole(MARK)));
      t.notMatch(await stored(), /CNRY|730411927/);
      t.strictSame(await readdir(join(platform.folder, 'work', 'attempts')), [], 'the configuration is gone after it');
    });

    await t.test('after a rotation the next sync has the new version', async (t) => {
      ok(await api(rotateCredentials, { params, body: { credential_values: vaultedValues(`${MARK}-2`) } }));
      t.match(await synced(api, first), { status: 'succeeded' });
      t.equal(await digest('first'), digestOf(vaultedWhole(`${MARK}-2`)));
    });

    await t.test('a state with a credential in it is not kept', async (t) => {
      ok(await api(updateSource, { params, body: { source_config: { tell: ['state', 'output'] } } }));
      const { run_id } = ok(await api(startSync, { params }));
      t.match(await ended(api, first, run_id), { status: 'failed', failure: { code: 'state_holds_credential' } });
      t.notMatch(await stored(), /CNRY|730411927/);
      ok(await api(updateSource, { params, body: { source_config: { tell: null } } }));
    });

    await t.test('an operator moves what is still inline, of all tenants, and checks what is stored', async (t) => {
      const second = await make('second', {});
      await sealInline(platform, second, keyFile);
      t.match(await operate(platform.environment, ['credentials-migrate', 'nobody']), { code: 78 });
      const moved = await operate(platform.environment, ['credentials-migrate']);
      t.strictSame(moved, { code: 0, said: { told: { tenants: 1, sources: 1 } } });
      t.match(await discovered(api, second), { status: 'succeeded' });
      await enableAll(api, second, { sync_mode: 'incremental', write_mode: 'append' });
      t.match(await synced(api, second), { status: 'succeeded' });
      t.equal(await digest('second'), digestOf(vaultedWhole(`${MARK}-sealed`)));
      const checked = await operate(platform.environment, ['credentials-check']);
      t.strictSame(checked, { code: 0, said: { told: { credentials: 2, faults: [] } } });
      const [row] = await database.peek("select tenant_id, credential_id from sources.credential where name = 'first'");
      const at = `${mount.mount}/destroy/src/${row?.tenant_id}/${row?.credential_id}`;
      await mount.operator('PUT', at, { versions: [2] });
      t.match(await operate(platform.environment, ['credentials-check']), {
        code: 1,
        said: { told: { credentials: 2, faults: [{ tenant: 'demo', version: 2, fault: 'version_missing' }] } },
      });
    });

    await t.test('from then on nothing starts that keeps credentials inline', async (t) => {
      const inline = { ...platform.environment, SOURCE_CREDENTIAL_MODE: 'legacy_inline' };
      const refused = await operate(inline, ['credentials-check']);
      t.match(refused, { code: 78, said: { msg: /SOURCE_CREDENTIAL_MODE is legacy_inline/ } });
    });
  },
);
