import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { checksOf, type EngineCheck, type EngineVerdict } from './engine-check.ts';
import type { RolePlace } from './engine-role.ts';
import type { EngineOwner } from './examine-bounds.ts';
import { userName } from './examine-socket.ts';
import { judgeFence } from './judge-fence.ts';

const COMMAND_TIMEOUT_MS = 10_000;
const RESTART = 'systemctl restart weir-connector-fence, which restarts the engine';
const NARROW =
  'name in /etc/weir/connector-egress.allow the addresses of the sources, then systemctl reload weir-connector-fence';

/** What `nft` said of the table: its text, that there is none, that there is no `nft`, or nothing in its time. */
export type FenceListing = { text: string } | 'no table' | 'no nft' | 'no answer';

/** Whether the egress fence holds the users of the engines, by what its table does; only root sees it. */
export async function examineFence(
  places: readonly RolePlace[],
  list: () => Promise<FenceListing> = () => listTable(),
): Promise<EngineCheck> {
  const check = (isOk: EngineVerdict, found: string, next: string) =>
    checksOf('machine')('egress fence', isOk, found, next);
  if (process.getuid?.() !== 0) return check('unknown', 'only root sees it', 'run this as root too');
  const listing = await list();
  if (listing === 'no nft') return check(false, 'nft is not installed', `install nftables, then ${RESTART}`);
  if (listing === 'no answer') return check('unknown', 'nft does not answer', 'run this again when less is going on');
  if (listing === 'no table') return check(false, 'is not there', RESTART);
  const owners = await ownersOf(places);
  if (owners.length === 0) return check('unknown', 'whom it must hold is not known', 'start the engine');
  const seen: string[] = [];
  const wide = new Set<string>();
  for (const owner of owners) {
    const judged = judgeFence(listing.text, owner);
    if ('found' in judged) return check(false, judged.found, judged.next_step);
    for (const opening of judged.wide) wide.add(opening);
    seen.push(`holds ${owner.name} (${owner.uid}); ${judged.allowed} allowed, ${judged.resolvers} name servers`);
  }
  if (wide.size === 0) return check(true, seen.join('; '), '');
  seen.push(`opens more than a /16 of private addresses, or a /48 of IPv6: ${[...wide].join(', ')}`);
  return check('doubtful', seen.join('; '), NARROW);
}

/** The users of the engines that these roles use: whose the sockets are. */
async function ownersOf(places: readonly RolePlace[]): Promise<EngineOwner[]> {
  const found = await Promise.all(places.map(({ socketPath }) => lstat(socketPath).catch(() => undefined)));
  const uids = new Set(found.flatMap((socket) => (socket === undefined ? [] : [socket.uid])));
  return Promise.all([...uids].map(async (uid) => ({ uid, name: await userName(uid) })));
}

/** Asks `nft`, or another program in its place, for the table. */
export function listTable(program = 'nft', timeoutMs = COMMAND_TIMEOUT_MS): Promise<FenceListing> {
  const { promise, resolve } = Promise.withResolvers<FenceListing>();
  const words = ['-j', 'list', 'table', 'inet', 'weir_connectors'];
  execFile(program, words, { timeout: timeoutMs }, (fault, text) => {
    if (fault?.code === 'ENOENT') resolve('no nft');
    // One that was ended has said nothing of the table, whatever it had printed.
    else if (fault?.killed) resolve('no answer');
    // A table that is there and cannot be listed ends `nft` in another way.
    else resolve(fault !== null && text === '' ? 'no table' : { text });
  });
  return promise;
}
