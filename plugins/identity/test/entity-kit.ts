import { readFile } from 'node:fs/promises';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Teardown } from '@weir/kernel/testing';
import type { EntityResolutionDocumentBody } from '../src/contract/entity-resolution.ts';
import { type AskSample, type Resolution, type ResolutionBounds, resolve } from '../src/entity-resolution/resolve.ts';

export type Row = Readonly<Record<string, string | null>>;

export const BOUNDS: ResolutionBounds = { records: 50_000, candidates: 5_000_000, pairs: 250_000 };

/** A small document over `name`, `born` and `number`; each test changes what it is about. */
export const DOCUMENT: EntityResolutionDocumentBody = {
  entity_type: 'Person',
  normalise: [{ property: 'name', ops: ['lower', 'letters'] }],
  blocking: [['name'], ['born']],
  comparisons: [
    {
      property: 'name',
      levels: [
        { op: 'exact', weight: 3 },
        { op: 'levenshtein', threshold: 1, weight: 2 },
      ],
      otherwise: -1,
    },
    { property: 'born', levels: [{ op: 'date', threshold: 1, weight: 2 }], otherwise: -2 },
    { property: 'number', levels: [{ op: 'numeric', threshold: 0.5, weight: 1 }] },
  ],
  accept: 3,
  review: 1,
  canonical_id: { strategy: 'smallest_key', property: 'key' },
};

/** The document that the how-to shows for people with addresses. */
export async function peopleDocument(): Promise<EntityResolutionDocumentBody> {
  const text = await readFile(new URL('people-policy.json', import.meta.url), 'utf8');
  return JSON.parse(text) as EntityResolutionDocumentBody;
}

/** A database as the sandbox has one: the port of the samples, over rows of text. */
export async function sampleDatabase(t: Teardown) {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  t.teardown(() => {
    connection.closeSync();
    instance.closeSync();
  });
  return {
    connection,
    resolve: async (document: EntityResolutionDocumentBody, rows: readonly Row[], bounds = BOUNDS) =>
      resolve(document, askOf(connection, rows), bounds),
    async resolved(document: EntityResolutionDocumentBody, rows: readonly Row[]): Promise<Resolution> {
      const found = await resolve(document, askOf(connection, rows), BOUNDS);
      if ('tooBroad' in found) throw new Error('too broad');
      return found;
    },
  };
}

function askOf(connection: DuckDBConnection, rows: readonly Row[]): AskSample {
  return async (columns, statements) => {
    const names = columns.map((_, at) => `c${at}`);
    await connection.run(
      `CREATE OR REPLACE TABLE sample (r INTEGER, ${names.map((name) => `${name} VARCHAR`).join(', ')})`,
    );
    const appender = await connection.createAppender('sample');
    for (const [at, row] of rows.entries()) {
      appender.appendInteger(at);
      for (const name of columns) {
        const value = row[name] ?? null;
        if (value === null) appender.appendNull();
        else appender.appendVarchar(value);
      }
      appender.endRow();
    }
    appender.closeSync();
    const results: unknown[][][] = [];
    for (const { sql, as } of statements) {
      if (as === undefined) results.push(await (await connection.run(sql)).getColumns());
      else {
        await connection.run(`CREATE OR REPLACE TABLE ${as} AS ${sql}`);
        results.push([]);
      }
    }
    return { rows: rows.length, more: false, results };
  };
}

/** The records of each cluster, by what `name` makes of them; in an order of its own. */
export function clustersBy(found: Pick<Resolution, 'clusters'>, name: (place: number) => string): string[] {
  const members = Map.groupBy(found.clusters.keys(), (place) => found.clusters[place]);
  return [...members.values()].map((places) => places.map(name).toSorted().join(' ')).toSorted();
}
