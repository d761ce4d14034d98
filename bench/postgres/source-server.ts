import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startPostgres } from '@weir/embedded';
import { makePeople } from './people-table.ts';

const PASSWORD = 'weir-bench';

/**
 * `source-server.ts <folder> <address> <rows>`: a Postgres with the table that is read, in the network of this process, for
 * those on `address`. Prints the URL of its database when the table is there, and ends with whoever started it, or when that
 * table cannot be made; the server has ended by then.
 */
async function main([folder = '.', address = '', rows = '']: string[]): Promise<void> {
  const rules = path.join(folder, 'pg_hba.conf');
  await writeFile(rules, 'host all all all scram-sha-256\n', { mode: 0o644 });
  const server = await startPostgres({
    dataDir: path.join(folder, 'postgres'),
    logFile: path.join(folder, 'postgres.log'),
    superuserPassword: PASSWORD,
    settings: { listen_addresses: `127.0.0.1,${address}`, hba_file: rules, fsync: 'off' },
  });
  const over = once(process.stdin.resume(), 'end');
  const told = async () => {
    const url = new URL(await makePeople(server.url, Number(rows)));
    url.hostname = address;
    process.stdout.write(`${url.href}\n`);
    await over;
  };
  try {
    await Promise.race([told(), over]);
  } finally {
    await server.stop();
  }
}

await main(process.argv.slice(2));
