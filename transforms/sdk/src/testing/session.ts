import { DuckDBInstance } from '@duckdb/node-api';
import { ident, literal } from '../sql-text.ts';
import type { FixtureInput } from './fixture.ts';

/** A DuckDB in memory that knows the inputs of one fixture. */
export interface Session {
  /** Makes these the only inputs. */
  load(inputs: Readonly<Record<string, FixtureInput>>): Promise<void>;
  /** The rows of a statement, their values as text. */
  rows(sql: string): Promise<{ columns: string[]; rows: (string | null)[][] }>;
  /** How many rows a statement has that reads `result`, the rows of another one. */
  broken(check: string, sql: string): Promise<number>;
  /** The syntax tree of a statement, as the gate reads it. */
  parse(sql: string): Promise<unknown>;
  close(): void;
}

export async function openSession(): Promise<Session> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  let attached: string[] = [];
  return {
    async load(inputs) {
      for (const layer of attached) await connection.run(`detach ${ident(layer).text}`);
      attached = [...new Set(Object.keys(inputs).map((id) => id.split('.')[0] ?? ''))];
      for (const layer of attached) await connection.run(`attach ':memory:' as ${ident(layer).text}`);
      for (const [id, input] of Object.entries(inputs)) await connection.run(tableOf(id, input));
    },
    async rows(sql) {
      const reader = await connection.runAndReadAll(`select columns(*)::varchar from (${sql}\n)`);
      return { columns: reader.columnNames(), rows: reader.getRowsJson() as (string | null)[][] };
    },
    async broken(check, sql) {
      for (const name of ['result', 'written']) await connection.run(`create or replace temp view ${name} as ${sql}`);
      const reader = await connection.runAndReadAll(`select count(*)::integer from (${check}\n)`);
      return Number(reader.getRows()[0]?.[0]);
    },
    async parse(sql) {
      const reader = await connection.runAndReadAll(`select json_serialize_sql(${literal(sql).text})::varchar`);
      return JSON.parse(String(reader.getRows()[0]?.[0]));
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

function tableOf(id: string, { columns, rows }: FixtureInput): string {
  const [layer, scope, table] = id.split('.').map((segment) => ident(segment).text);
  const name = `${layer}.${scope}.${table}`;
  const declared = Object.entries(columns).map(([column, type]) => `${ident(column).text} ${type}`);
  const values = rows.map((row) => `(${row.map((value) => literal(value).text).join(', ')})`);
  const insert = values.length === 0 ? '' : `insert into ${name} values ${values.join(', ')};`;
  return `create schema if not exists ${layer}.${scope}; create table ${name} (${declared.join(', ')}); ${insert}`;
}
