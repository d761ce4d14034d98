import { decoderOf } from './answer/decode.ts';
import type { Row } from './answer/row.ts';
import { selectorOf } from './answer/select-records.ts';
import { type DatetimeCursor, datetimeCursorOf } from './cursor/datetime-cursor.ts';
import { partitionKeeper, type StateKeeper, singleKeeper } from './cursor/state-keeper.ts';
import { fault } from './fault.ts';
import { flagIn, type Part, partIn, partsIn, textIn } from './manifest/part.ts';
import { loopGuard, type Paginator, paginatorOf } from './page/paginator.ts';
import { parentPages } from './partition/parent-pages.ts';
import { type Partition, type Router, routerOf } from './partition/router.ts';
import { mergeOptions } from './request/request-options.ts';
import { requesterOf } from './request/requester.ts';
import type { SendDeps } from './request/send-deps.ts';
import type { Dictionary, Value } from './template/value.ts';
import type { Instant } from './time/instant.ts';

/** What a stream of a manifest is made of, for one run. */
export type HttpStream = {
  readonly name: string;
  readonly part: Part;
  readonly cursor: DatetimeCursor | undefined;
  /** Reads it from a state; `onRows` takes each page of records, `onState` each state that reading may go on from. */
  readonly read: (reading: Reading) => Promise<void>;
};

export type Reading = {
  readonly state: unknown;
  readonly signal: AbortSignal;
  readonly onRows: (rows: readonly Row[], partition: Dictionary) => Promise<void>;
  readonly onState: (state: Dictionary) => Promise<void>;
};

type Slice = { readonly partition: Partition; readonly window: Dictionary; readonly floor: Instant | undefined };
type Page = { readonly rows: Row[]; readonly isEnd: boolean };

export type StreamDeps = SendDeps & { readonly concurrency: number };

/** Puts a stream together; faults of its part of the manifest are told now. */
export function httpStream(part: Part, config: Dictionary, deps: StreamDeps): HttpStream {
  const name = textIn(part, 'name', config) ?? String(part.fields.name ?? '');
  const retriever = partIn(part, 'retriever') as Part;
  const sync = partIn(part, 'incremental_sync');
  const cursor = sync === undefined ? undefined : datetimeCursorOf(sync, config);
  const routerParts = partsIn(retriever, 'partition_router');
  const router = routerOf(routerParts, config, (parent) => {
    const stream = httpStream(parent, config, deps);
    let last: Dictionary | undefined;
    return {
      name: stream.name,
      pages: (state, signal) =>
        parentPages(stream.read, state, signal, (at) => {
          last = at;
        }),
      state: () => last,
    };
  });
  const pages = pageReader(part, retriever, { config, cursor, router, deps });
  return {
    name,
    part,
    cursor,
    async read(reading) {
      const keeper = keeperOf(cursor, routerParts.length > 0, reading.state);
      await readSlices({ cursor, router, keeper, concurrency: deps.concurrency, now: deps.now }, reading, pages);
    },
  };
}

function keeperOf(
  cursor: DatetimeCursor | undefined,
  hasPartitions: boolean,
  stored: unknown,
): StateKeeper | undefined {
  if (cursor === undefined) return undefined;
  return hasPartitions ? partitionKeeper(cursor, stored) : singleKeeper(cursor, stored);
}

type Plan = {
  readonly cursor: DatetimeCursor | undefined;
  readonly router: Router;
  readonly keeper: StateKeeper | undefined;
  readonly concurrency: number;
  readonly now: () => number;
};
type ReadPages = (slice: Slice, signal: AbortSignal) => AsyncGenerator<Page>;

/** How many of the partitions may be read anew after a failure, as a share of those that are known. */
const STATE_SHARE = 50;

/**
 * Reads slices, some at once, batch by batch: a state is told only when every slice that was begun is read whole, so that
 * what is before it is neither lost nor read again.
 */
async function readSlices(plan: Plan, reading: Reading, pages: ReadPages): Promise<void> {
  const { cursor, router, keeper, concurrency, now } = plan;
  const begun = now();
  let untold = 0;
  for await (const batch of batches(slicesOf(plan, reading), concurrency)) {
    const most = await Promise.all(batch.map((slice) => readSlice(slice, { cursor, pages, reading })));
    reading.signal.throwIfAborted();
    batch.forEach(({ partition }, index) => {
      keeper?.close(partition.values, most[index]);
    });
    untold += batch.length;
    const state = keeper === undefined || untold * STATE_SHARE < keeper.count() ? undefined : keeper.state();
    if (state === undefined) continue;
    untold = 0;
    await reading.onState(state);
  }
  const seconds = Math.ceil((now() - begun) / 1000);
  const state = keeper?.state({ seconds, parent: router.parentState() });
  if (state !== undefined) await reading.onState(state);
}

async function* batches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* slicesOf({ cursor, router, keeper }: Plan, { state, signal }: Reading): AsyncGenerator<Slice> {
  const parentState = (state as { parent_state?: unknown } | undefined)?.parent_state;
  const seen = new Set<string>();
  for await (const partition of router.partitions(parentState, signal)) {
    if (cursor === undefined || keeper === undefined) {
      yield { partition, window: {}, floor: undefined };
      continue;
    }
    const key = JSON.stringify(partition.values);
    if (seen.has(key)) continue;
    seen.add(key);
    const { at, behindMs } = keeper.reached(partition.values);
    for (const window of cursor.windows(at, behindMs)) {
      yield { partition, window: cursor.slice(window), floor: cursor.floor(at) };
    }
  }
}

type SliceReading = {
  readonly cursor: DatetimeCursor | undefined;
  readonly pages: ReadPages;
  readonly reading: Reading;
};

/** Reads one slice to its end; gives the latest moment of its records. */
async function readSlice(slice: Slice, { cursor, pages, reading }: SliceReading): Promise<Instant | undefined> {
  let most: Instant | undefined;
  for await (const { rows } of pages(slice, reading.signal)) {
    for (const row of rows) {
      const at = cursor?.of(row);
      if (at !== undefined && (most === undefined || at.micros > most.micros)) most = at;
    }
    if (rows.length > 0) await reading.onRows(rows, slice.partition.values);
  }
  return most;
}

type PageDeps = {
  readonly config: Dictionary;
  readonly cursor: DatetimeCursor | undefined;
  readonly router: Router;
  readonly deps: SendDeps;
};

type PageScope = { readonly stream_slice: Dictionary; readonly next_page_token: Value };

/** Reads the pages of a slice, one after the other. */
function pageReader(stream: Part, retriever: Part, { config, cursor, router, deps }: PageDeps): ReadPages {
  const requester = requesterOf(partIn(retriever, 'requester') as Part, config, deps);
  const selectorPart = partIn(retriever, 'record_selector') as Part;
  const decode = decoderOf(partIn(retriever, 'decoder'), config, selectorPart.at);
  const selector = selectorOf(stream, selectorPart, config);
  const paginatorPart = partIn(retriever, 'paginator');
  const paginator: Paginator = paginatorOf(paginatorPart, config);
  const onFirstOnly = flagIn(retriever, 'ignore_stream_slicer_parameters_on_paginated_requests', config);
  return async function* pagesOfSlice(slice, signal) {
    const scope = { stream_slice: scopeOf(slice), next_page_token: null as Value };
    const guard = loopGuard(paginatorPart?.at ?? retriever.at);
    let token = paginator.first();
    for (let isFirst = true; ; isFirst = false) {
      signal.throwIfAborted();
      const inner: PageScope = { ...scope, next_page_token: token === null ? null : { next_page_token: token } };
      const given = { ...slice.partition.values, ...slice.window };
      const own = isFirst || !onFirstOnly ? [router.options(given), cursor?.options(given)] : [];
      const extra = mergeOptions([paginator.options(token), ...own.filter((options) => options !== undefined)]);
      const address = paginator.address(token);
      const answer = await requester.send({
        scope: inner,
        signal,
        extra,
        ...(address === undefined ? {} : { address }),
      });
      if (answer === undefined) return;
      const found = selector.extract(decode(answer.body));
      const rows = selector.refine(found, { config, ...inner });
      const wanted = wantedRows(rows, cursor, slice.floor);
      const page = { answer, count: found.length, last: rows.at(-1) ?? null, slice: inner.stream_slice };
      token = paginator.next(token, page);
      const isEnd = token === null || isBehind(rows, cursor, slice.floor);
      yield { rows: wanted, isEnd };
      if (isEnd) return;
      guard(token, page);
    }
  };
}

/** What expressions see of a slice. */
function scopeOf({ partition, window }: Slice): Dictionary {
  return {
    partition: partition.values,
    cursor_slice: window,
    extra_fields: partition.extra,
    ...partition.values,
    ...window,
  };
}

/** Without the records that were read before, where the server sends them all the same. */
function wantedRows(rows: Row[], cursor: DatetimeCursor | undefined, floor: Instant | undefined): Row[] {
  if (cursor === undefined || floor === undefined || !(cursor.isClientSide || cursor.isDataFeed)) return rows;
  return rows.filter((row) => {
    const at = cursor.of(row);
    return at === undefined || at.micros >= floor.micros;
  });
}

/** Whether a feed, newest first, has come to records that were read before. */
function isBehind(rows: readonly Row[], cursor: DatetimeCursor | undefined, floor: Instant | undefined): boolean {
  const last = rows.at(-1);
  if (cursor?.isDataFeed !== true || floor === undefined || last === undefined) return false;
  const at = cursor.of(last);
  return at !== undefined && at.micros < floor.micros;
}

/** The streams of a manifest by their names; `manifest_invalid` for a name that two have. */
export function streamParts(manifest: Part, config: Dictionary): Map<string, Part> {
  const streams = new Map<string, Part>();
  for (const part of partsIn(manifest, 'streams')) {
    const name = textIn(part, 'name', config);
    if (name === undefined) throw fault('manifest_invalid', { at: part.at, what: 'name is missing' });
    if (streams.has(name)) throw fault('manifest_invalid', { at: part.at, what: 'its name is taken' });
    streams.set(name, part);
  }
  return streams;
}
