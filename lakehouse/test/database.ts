import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Sql } from '../src/index.ts';

export type TestCatalog = {
  readonly schema: string;
  readonly url: string;
  readonly pool: pg.Pool;
  readonly sql: Sql;
  close(): Promise<void>;
};

/** Why a test of the catalog does not run, or false when it can. */
export const noDatabase = process.env.WEIR_TEST_DATABASE_URL ? false : 'WEIR_TEST_DATABASE_URL is not set';

/** The tables of a JDBC catalog in a schema of their own on the test server. */
export async function openTestCatalog(): Promise<TestCatalog> {
  const url = process.env.WEIR_TEST_DATABASE_URL ?? '';
  const schema = `lake_${randomUUID().replaceAll('-', '')}`;
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  await pool.query(`create schema ${schema}`);
  await pool.query(`create table ${schema}.iceberg_tables (catalog_name varchar(255) not null,
    table_namespace varchar(255) not null, table_name varchar(255) not null, metadata_location varchar(1000),
    previous_metadata_location varchar(1000), iceberg_type varchar(5),
    primary key (catalog_name, table_namespace, table_name))`);
  await pool.query(`create table ${schema}.iceberg_namespace_properties (catalog_name varchar(255) not null,
    namespace varchar(255) not null, property_key varchar(255) not null, property_value varchar(1000),
    primary key (catalog_name, namespace, property_key))`);
  return {
    schema,
    url,
    pool,
    sql: (text, params) => pool.query(text, params),
    async close() {
      await pool.query(`drop schema ${schema} cascade`);
      await pool.end();
    },
  };
}
