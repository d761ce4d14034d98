import { randomUUID } from 'node:crypto';
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { ChildRegistry } from '@weir/kernel';
import type { PinnedInput } from '@weir/plugin-datasets/contract';
import type { FileIO } from '@weir/plugin-datasets/stage';
import { removeTree } from '@weir/processes';
import { goneOfCall, type Turns, takeForCall } from '@weir/turns';
import { type BegunChild, type SpareChild, spareChild } from '@weir/work';
import type { RowsAsk, SelectAsk, SelectBounds } from '../../model/select/messages.ts';
import { SelectFailed } from '../../model/select/select-errors.ts';
import { type Ask, type Read, type ReadSelect, type SelectAsks, type SelectedRows, selectAsks } from './select-asks.ts';
import { reserveOf, type SelectPlace, selectPlace } from './select-place.ts';
import { askSelect, beginSelect, type SelectAnswer } from './select-process.ts';
import { localFiles, type ReadRows, selectStores, storeCode } from './stores.ts';
import { type RunsLeft, type WorkOwner, workProcess } from './work-process.ts';

export interface SelectsOptions {
  children?: ChildRegistry;
  /** A folder of its own, for what statements spill. */
  scratch: string;
  bounds: SelectBounds;
  /** Whose turn it is; as many at a time as are asked for unless set. Calls that nobody waits for are ended. */
  turns?: Turns;
  /** What a statement that is only read may take, in milliseconds; as much as one that runs unless set. */
  readDeadlineMs?: number;
  yieldsAfterMs?: number;
}

export interface AskedQuery extends Pick<RowsAsk, 'sql' | 'limit' | 'maxBytes'> {
  pin(read: ReadSelect): Promise<readonly PinnedInput[]>;
  arrow?: (pins: readonly PinnedInput[]) => Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

/** Runs statements of users in bounded processes: a process for each question, or for those of one piece of work. */
export interface Selects extends SelectAsks {
  /** The first rows of a statement whose inputs are pinned once it is known what it reads; `arrow` labels them. */
  query(asked: AskedQuery): Promise<SelectedRows & { pins: readonly PinnedInput[] }>;
  /** Has one process answer all questions of a piece of work. */
  within<T>(asked: AskedWork, work: (asks: SelectAsks) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface AskedWork extends WorkOwner {
  signal?: AbortSignal | undefined;
}

export function createSelects({
  children,
  scratch,
  bounds,
  turns,
  readDeadlineMs,
  yieldsAfterMs,
}: SelectsOptions): Selects {
  const stores = selectStores();
  const place = selectPlace(scratch, bounds);
  let waiting: Promise<SpareChild> | undefined;
  const spares = (): Promise<SpareChild> => {
    waiting ??= place.bounds().then((found) => spareChild(() => beginSelect(found, children)));
    return waiting;
  };
  const readBounds = { ...bounds, deadlineMs: Math.min(bounds.deadlineMs, readDeadlineMs ?? bounds.deadlineMs) };
  const running = new Set<AbortController>();

  const left: RunsLeft = new WeakMap();

  const within: Selects['within'] = async ({ signal: asked, ...of }, work) => {
    const give = await (turns === undefined ? undefined : takeForCall(turns));
    const closing = new AbortController();
    running.add(closing);
    const ends = [closing.signal, asked, goneOfCall()];
    const held = workProcess({ spare: await spares(), left }, { ...of, most: reserveOf(bounds) });
    const ask: Ask = (what, { pins = [], store, signal: own } = {}) => {
      const signal = AbortSignal.any([...ends, own].filter((one) => one !== undefined));
      const { reserve } = held;
      return held.answer(what.kind, (begun) => askOnce({ begun, what, pins, signal, store, reserve }));
    };
    try {
      return await work(selectAsks(ask, stores));
    } finally {
      await held.end(closing.signal.aborted);
      running.delete(closing);
      give?.();
    }
  };

  const askOnce = async ({ begun, what, pins, signal, store, reserve }: Asking): Promise<SelectAnswer> => {
    const folder = join(scratch, randomUUID());
    const output = store === undefined ? undefined : outputOf(stores.of(store), what, { folder, place });
    const files = await localFiles(pins.map((pin) => ({ io: stores.of(pin.store), rows: pin.plan as ReadRows }))).catch(
      (error) => {
        throw new SelectFailed(storeCode(error));
      },
    );
    try {
      const drafts = output?.drafts ?? join(folder, 'drafts');
      await place.show(begun, { own: [folder, drafts], files: files.paths });
      const isRead = what.kind === 'read' || what.kind === 'describe';
      const limits = { bounds: isRead ? readBounds : bounds, reserve };
      const plan = { ask: what, ...limits, paths: files.paths, scratch: folder, drafts };
      const upload = output?.upload ?? (() => Promise.reject(new SelectFailed('stage_failed')));
      return await askSelect(begun, plan, { signal, upload, codeOf: storeCode, yieldsAfterMs });
    } catch (error) {
      // It may still write: what it leaves is removed behind its end.
      await begun.discard();
      throw error;
    } finally {
      files.release();
      if (output !== undefined) await removeTree(output.drafts);
      await removeTree(folder);
    }
  };

  const alone = <T>(signal: AbortSignal | undefined, work: (asks: SelectAsks) => Promise<T>) =>
    within({ signal }, work);
  return {
    read: (...asked) => alone(undefined, (asks) => asks.read(...asked)),
    describe: (asked) => alone(asked.signal, (asks) => asks.describe(asked)),
    rows: (asked) => alone(asked.signal, (asks) => asks.rows(asked)),
    run: (asked) => alone(asked.signal, (asks) => asks.run(asked)),
    merge: (asked) => alone(asked.signal, (asks) => asks.merge(asked)),
    query: ({ pin, arrow, signal, ...asked }) =>
      alone(signal, async (asks) => {
        const pins = await pin(await asks.read(asked.sql));
        const labels = arrow === undefined ? {} : { arrow: arrow(pins) };
        return { ...(await asks.rows({ ...asked, ...labels, inputs: pins })), pins };
      }),
    within,
    async close() {
      for (const one of running) one.abort();
      await (await waiting)?.drop();
      await stores.close();
      await removeTree(scratch);
    },
  };
}

interface Asking {
  begun: BegunChild;
  what: SelectAsk;
  pins: readonly Read[];
  signal: AbortSignal;
  store: object | undefined;
  reserve: number;
}

/** Where a process writes drafts of a result, and how they get into the table's store: plain files of the drafts alone. */
function outputOf(io: FileIO, what: SelectAsk, { folder, place }: { folder: string; place: SelectPlace }) {
  const table = what.kind === 'run' || what.kind === 'merge' ? what.folder : '';
  const drafts = io.draftPath(`${table}/${randomUUID()}`) ?? join(folder, 'drafts');
  return {
    drafts,
    async upload(path: string, location: string): Promise<void> {
      const [file, real, within] = await Promise.all([lstat(path), realpath(path), realpath(drafts)]);
      const isDraft = file.isFile() && real.startsWith(within + sep);
      if (!isDraft || dirname(location) !== table) throw new SelectFailed('stage_failed');
      await place.takeBack(path);
      await io.upload(path, location);
    },
  };
}
