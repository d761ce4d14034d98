import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type PostgresBinaries, type RunningPostgres, startPostgres } from '@weir/embedded';
import { serverFolder } from '@weir/embedded/testing';
import pg from 'pg';
import t from 'tap';

const PASSWORD = 'weir-test';
const SETTINGS = {
  ...{ wal_level: 'logical', hot_standby_feedback: 'on', fsync: 'off', full_page_writes: 'off' },
  // So little of the log is kept that little of it is much.
  ...{ max_wal_size: '32MB', min_wal_size: '32MB' },
};

export type ServerPair = { readonly primary: RunningPostgres; readonly standby: RunningPostgres };

/** A primary and a standby that follows it, of one release; both go with the test. */
export async function serverPair(binaries: PostgresBinaries): Promise<ServerPair> {
  const folder = await serverFolder('weir-postgres-');
  const running: RunningPostgres[] = [];
  t.teardown(async () => {
    await Promise.all(running.map((server) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  });
  const start = async (name: string, settings: Readonly<Record<string, string>> = {}, port?: number) => {
    const server = await startPostgres({
      ...{ dataDir: join(folder, name), logFile: join(folder, `${name}.log`), superuserPassword: PASSWORD, binaries },
      settings: { ...SETTINGS, ...settings },
      ...(port === undefined ? {} : { port }),
    });
    running.push(server);
    return server;
  };
  const first = await start('primary');
  await first.stop();
  const copied = join(folder, 'standby');
  // With the owner, who may be another user than ours; any file of his that is there says that it is a standby.
  await promisify(execFile)('cp', ['-a', first.dataDir, copied]);
  await promisify(execFile)('cp', ['-a', join(copied, 'PG_VERSION'), join(copied, 'standby.signal')]);
  const primary = await start('primary', {}, first.port);
  const admin = new pg.Client({ connectionString: primary.url });
  await admin.connect();
  await admin.query(`SELECT pg_create_physical_replication_slot('standby')`);
  await admin.end();
  const conninfo = `host=127.0.0.1 port=${primary.port} user=postgres password=${PASSWORD} dbname=postgres`;
  return { primary, standby: await start('standby', { primary_conninfo: conninfo, primary_slot_name: 'standby' }) };
}
