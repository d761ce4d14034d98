import { once } from 'node:events';
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bounds, startBounded } from './start-bounded.ts';

const PROBE = fileURLToPath(new URL(`bounds-probe${extname(import.meta.url)}`, import.meta.url));
/** Of nobody else on a usual system: what nobody owns belongs to others, such as containers, too. */
const OWN_UID = 65_533;
const PROBE_MIB = 4_096;
const PROBE_MS = 20_000;

export interface ProbePlan {
  readonly shown: string;
  readonly own: string;
  readonly hidden: string;
  readonly port: number;
}

/** What a process could do within its bounds. */
export interface ProbeFound {
  readonly readsShown: boolean;
  readonly writesOwn: boolean;
  readonly writesShown: boolean;
  readonly readsHidden: boolean;
  readonly connects: boolean;
  readonly starts: boolean;
}

/** It reaches no network; it reads and writes no file that it was not shown; it starts no process. */
export type SystemBound = 'network' | 'files' | 'processes';

/** Which bounds hold on this machine, and how a process gets them. */
export interface ProvenBounds extends Readonly<Record<SystemBound, boolean>> {
  readonly hasView: boolean;
  readonly uid?: number;
}

const NONE: ProvenBounds = { network: false, files: false, processes: false, hasView: false };
let proven: Promise<ProvenBounds> | undefined;

/** The bounds that hold here, each tried once from inside; the first call of a process tries them. */
export function provenBounds(): Promise<ProvenBounds> {
  proven ??= firstThatWorks();
  return proven;
}

/** As much as can be had: with a view and a user of its own, with a view, with limits alone. */
async function firstThatWorks(): Promise<ProvenBounds> {
  if (process.platform !== 'linux') return NONE;
  const isRoot = process.getuid?.() === 0;
  const ways = [...(isRoot ? [{ hasView: true, uid: OWN_UID }] : []), { hasView: true }, { hasView: false }];
  for (const way of ways) {
    const found = await attempt(way).catch(() => undefined);
    // Whoever cannot do its work in it needs another way.
    if (found === undefined || !found.readsShown || !found.writesOwn) continue;
    const { connects, readsHidden, writesShown, starts } = found;
    return { network: !connects, files: !readsHidden && !writesShown, processes: !starts, ...way };
  }
  return NONE;
}

async function attempt({ hasView, uid }: Pick<ProvenBounds, 'hasView' | 'uid'>): Promise<ProbeFound> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-bounds-'));
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const [tables, own, hidden] = ['tables', 'own', 'hidden'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const each of [tables, own, hidden]) await mkdir(each);
    if (uid !== undefined) await chown(own, uid, process.getgid?.() ?? 0);
    const plan = {
      shown: join(tables, 'file'),
      own,
      hidden: join(hidden, 'file'),
      port: (server.address() as AddressInfo).port,
    };
    for (const file of [plan.shown, plan.hidden]) await writeFile(file, '');
    const bounds = {
      ...(hasView && { root: join(folder, 'view') }),
      ...(uid !== undefined && { uid }),
      dataMiB: PROBE_MIB,
      canSeal: true,
    };
    return await ask(bounds, plan, [{ path: tables }, { path: own, writable: true }]);
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function ask(bounds: Bounds, plan: ProbePlan, places: Parameters<Started['show']>[0]): Promise<ProbeFound> {
  const { PATH } = process.env;
  const program = { file: PROBE, args: [], flags: ['--conditions=@weir/source'], env: { PATH }, isQuiet: true };
  const begun = startBounded(program, bounds);
  const { process: child } = begun;
  const late = setTimeout(() => child.kill('SIGKILL'), PROBE_MS);
  try {
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('The probe ended')));
    ended.catch(() => undefined);
    await Promise.race([once(child, 'message'), ended]);
    await begun.show(places);
    // A limit that cannot be set does not hold; that is for the probe to say.
    await begun.seal().catch(() => undefined);
    child.send(plan);
    const [found] = (await Promise.race([once(child, 'message'), ended])) as [ProbeFound];
    return found;
  } finally {
    clearTimeout(late);
    child.kill('SIGKILL');
  }
}

type Started = ReturnType<typeof startBounded>;
