import { join, resolve } from 'node:path';
import type { Tenant, TenantDb } from '@weir/kernel';
import {
  createScanner,
  type FileIO,
  type JdbcCatalog,
  jdbcCatalog,
  localFileIO,
  type Scanner,
  toLocation,
} from '@weir/lakehouse';
import type { TableRef } from '../contract/tables.ts';

/** The places where tables live: the catalog's rows, the warehouse's files, and what has been read of them. */
export interface TableStore {
  db(tenant: Tenant): TenantDb;
  catalog: JdbcCatalog;
  io: FileIO;
  scanner: Scanner;
  /** A new table's own folder. `suffix` keeps the folder of a dropped table of the same name apart. */
  locationOf(ref: TableRef, suffix: string): string;
}

/** Opens the store over the platform's database and a local warehouse folder. */
export function tableStore(options: { db: TableStore['db']; catalogName: string; warehouse: string }): TableStore {
  const warehouse = resolve(options.warehouse);
  const io = localFileIO({ root: warehouse });
  return {
    db: options.db,
    catalog: jdbcCatalog({ catalogName: options.catalogName }),
    io,
    scanner: createScanner({ io }),
    locationOf: ({ namespace, table }, suffix) =>
      toLocation(join(warehouse, ...namespace.split('.'), `${table}-${suffix}`)),
  };
}

/** The catalog's name of a table. */
export function identOf({ namespace, table }: TableRef): { namespace: string; name: string } {
  return { namespace, name: table };
}
