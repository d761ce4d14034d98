import { jdbcCatalog } from '../../src/index.ts';
import { type RestCatalogServer, startRestCatalog } from '../../src/testing.ts';
import { openTestCatalog } from '../database.ts';
import type { Places } from './engine.ts';
import type { Sample } from './rounds.ts';
import type { TableAt } from './table-keeper.ts';
import type { Workshop } from './workshop.ts';

const NAMESPACE = 'bronze.demo';

/** The addresses of one Postgres database for engines of other languages, with the schema that our catalog is in. */
function addresses(url: string, schema: string) {
  const { hostname, port, pathname, username, password } = new URL(url);
  const place = `${hostname}:${port}${pathname}`;
  return {
    sqlalchemy: `postgresql+psycopg2://${username}:${password}@${place}?options=-csearch_path%3D${schema}`,
    jdbc: `jdbc:postgresql://${place}?currentSchema=${schema}&user=${username}&password=${password}`,
  };
}

/** A JDBC catalog that several engines commit to, and a REST catalog of the same tables for one that knows no other. */
export async function openSharedCatalog(shop: Workshop) {
  const database = await openTestCatalog();
  const { sql } = database;
  const catalog = jdbcCatalog({ catalogName: 'weir', schema: database.schema });
  const identOf = ({ name }: { name: string }) => ({ namespace: NAMESPACE, name });
  const restName = ({ name }: { name: string }): string => `${NAMESPACE}.${name}`;
  await catalog.ensureNamespace(sql, NAMESPACE);
  let server: RestCatalogServer | undefined;
  const pointer = (sample: Sample) => catalog.loadPointer(sql, identOf(sample));
  const places: Places = {
    namespace: NAMESPACE,
    warehouse: `file://${shop.root}`,
    catalog: addresses(database.url, database.schema),
    rest: () => server?.uri ?? '',
  };
  return {
    places,
    add: (sample: Sample) => catalog.insertTable(sql, identOf(sample), sample.at.metadataLocation),
    /** Shows the tables as they are now; a REST catalog does not follow them any further. */
    async show(samples: readonly Sample[], { rest }: { rest: boolean }): Promise<void> {
      for (const sample of samples) {
        const before = await pointer(sample);
        const { metadataLocation } = sample.at;
        if (!(await catalog.swapPointer(sql, identOf(sample), before ?? '', metadataLocation)))
          throw new Error('moved');
      }
      const tables = new Map(samples.map((sample) => [restName(sample), sample.at]));
      await server?.close();
      server = rest ? await startRestCatalog({ io: shop.io, warehouse: shop.root, tables }) : undefined;
    },
    /** A table as the engine that wrote last left it. */
    async moved(sample: Sample): Promise<TableAt> {
      return server?.tables.get(restName(sample)) ?? shop.load((await pointer(sample)) ?? '');
    },
    async close(): Promise<void> {
      await server?.close();
      await database.close();
    },
  };
}
