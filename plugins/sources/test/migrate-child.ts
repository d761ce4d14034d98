/** Migrates the credentials of all tenants of a database, in a process that a test can kill. Its one argument is `ChildOrder`. */

import { armFaultpoints, type Kernel, type Tenant } from '@weir/kernel';
import { openDatabase } from '@weir/kernel/testing';
import { openVault } from '@weir/vault';
import { pino } from 'pino';
import { CredentialEntity } from '../src/model/credential/entity.ts';
import { SourceEntity } from '../src/model/source/entity.ts';
import { migrateAll } from '../src/service/credential/migrate-all.ts';
import { patternCatalog } from '../src/service/pattern/catalog.ts';
import { fileSecretStore } from './file-secret-store.ts';

/** What the process is told. */
export interface ChildOrder {
  database: { host: string; port: number; user: string; password: string; database: string };
  tenants: Tenant[];
  keyFile: string;
  storeFolder: string;
}

const order = JSON.parse(process.argv[2] ?? '{}') as ChildOrder;
const log = pino({ level: 'silent' });
armFaultpoints(process.env.WEIR_FAULTPOINTS);
const entities = [SourceEntity, CredentialEntity];
const database = await openDatabase({ ...order.database, name: order.database.database, entities, log });
const { vault } = openVault({ SOURCE_CREDENTIAL_MODE: 'legacy_inline', WEIR_CREDENTIAL_KEY_FILE: order.keyFile }, {});
const stored = { ...vault, mode: 'secret_store' as const, store: fileSecretStore(order.storeFolder) };
const kernel = { db: database.db, log, vault: stored } as unknown as Kernel;
const { ofKnown: patternOf } = patternCatalog(database.sql);
await migrateAll({ kernel, patternOf }, order.tenants);
await database.close();
