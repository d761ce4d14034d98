/** Keeps a renewed credential, or writes what waits, in a process that a test can kill. Its one argument is `RotateOrder`. */

import { armFaultpoints, type Kernel, type Tenant } from '@weir/kernel';
import { openDatabase } from '@weir/kernel/testing';
import { openVault } from '@weir/vault';
import { pino } from 'pino';
import { CredentialEntity } from '../src/model/credential/entity.ts';
import { SourceEntity } from '../src/model/source/entity.ts';
import { rotationKeeper } from '../src/service/credential/keep-rotated.ts';
import { writeRotations } from '../src/service/credential/write-rotated.ts';
import { patternCatalog } from '../src/service/pattern/catalog.ts';
import { liveSource } from '../src/service/row/live-source.ts';

/** What the process is told: with a report it keeps that, without one it writes. */
export interface RotateOrder {
  database: { host: string; port: number; user: string; password: string; database: string };
  tenant: Tenant;
  sourceId: string;
  /** Those of its vault. */
  settings: Record<string, string>;
  given?: Record<string, unknown>;
  reported?: object;
}

const order = JSON.parse(process.argv[2] ?? '{}') as RotateOrder;
const { tenant, sourceId, given, reported } = order;
const log = pino({ level: 'silent' });
armFaultpoints(process.env.WEIR_FAULTPOINTS);
const entities = [SourceEntity, CredentialEntity];
const database = await openDatabase({ ...order.database, name: order.database.database, entities, log });
const { vault } = openVault(order.settings, {});
const kernel = { db: database.db, log, vault } as unknown as Kernel;
if (given === undefined) {
  await writeRotations(kernel, tenant);
} else {
  const source = await kernel.db(tenant).transaction((tx) => liveSource(tx, sourceId));
  const pattern = await patternCatalog(database.sql).ofKnown(source);
  await rotationKeeper(kernel, { tenant, sourceId, pattern, config: given })(reported);
}
await database.close();
