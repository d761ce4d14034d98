import { provide } from '@weir/kernel';
import { type PluginUnderTest, type Teardown, testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { Audits, Producers, Tables } from '@weir/plugin-datasets/contract';
import type { Vault } from '@weir/vault';
import { createSource, type SourceView } from '../src/contract.ts';
import plugin from '../src/plugin.ts';
import { noSchedules } from './no-schedules.ts';
import { VAULTED_CONFIG, VAULTED_PLATFORM, vaultedValues } from './vaulted-source.ts';

type Api = ReturnType<PluginUnderTest['as']>['call'];

/** The plugin with a vault of the test's, on a real database; nothing of it asks for tables. */
export async function credentialsWorld(t: Teardown, vault: Vault): Promise<PluginUnderTest> {
  const none = () => ({}) as never;
  return testPlugin(t, plugin, {
    tools: tools as unknown as Parameters<typeof testPlugin>[2]['tools'],
    settings: { WEIR_PLATFORM: VAULTED_PLATFORM },
    vault,
    services: () => [provide(Tables, none()), provide(Producers, none()), provide(Audits, none()), noSchedules],
  });
}

/** A source of pattern `vaulted` with a new credential of the same name. */
export async function vaultedSource(api: Api, name: string, mark: string): Promise<SourceView> {
  const values = { credential_values: vaultedValues(mark), credential_name: name };
  const body = { name, pattern_id: 'vaulted', source_config: VAULTED_CONFIG, ...values };
  const made = await api(createSource, { body });
  if (!made.ok) throw new Error(JSON.stringify(made.problem));
  return made.body;
}

const TABLES = `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
  where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;

/** A digest of every row of every table, by the name of the table. */
export async function hashOfTables({ database }: PluginUnderTest): Promise<Record<string, string>> {
  const tables = await database.peek(TABLES);
  const hashes = tables.map(async ({ name }) => {
    const [row] = await database.peek(
      `select md5(coalesce(string_agg(t::text, ',' order by t::text), '')) from ${name} t`,
    );
    return [String(name), String(row?.md5)] as const;
  });
  return Object.fromEntries(await Promise.all(hashes));
}

/** The tables whose rows have changed. */
export function changedTables(before: Record<string, string>, after: Record<string, string>): string[] {
  return Object.keys(after)
    .filter((name) => before[name] !== after[name])
    .sort();
}
