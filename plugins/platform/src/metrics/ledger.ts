import type { Kernel, PlatformService } from '@weir/kernel';
import { type Sample, samplesOf } from './samples.ts';

const FLUSH_EVERY_MS = 5_000;

export interface LedgerDeps {
  metrics: Pick<PlatformService['metrics'], 'counted'>;
  sql: PlatformService['sql'];
  log: Pick<Kernel['log'], 'warn'>;
}

/** Where this process adds what it has counted to what all others have. */
export interface MetricLedger {
  /** Adds what was counted since the last time; throws when the database does not take it: nothing is lost by that. */
  flush(): Promise<void>;
  /** The sums over all processes. */
  sums(): Promise<Sample[]>;
  start(): void;
  /** Flushes a last time; never throws. */
  stop(): Promise<void>;
}

/**
 * Adds increments to the table of sums, so that no sum ever falls: not when a process starts again, nor when there are
 * several. A flush whose outcome stays unknown is repeated and may count twice; a process that is killed takes what it
 * counted since its last flush with it.
 */
export function metricLedger({ metrics, sql, log }: LedgerDeps): MetricLedger {
  const sent = new Map<string, number>();
  let last: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const flushNow = async () => {
    const now = samplesOf(await metrics.counted()).map((sample) => ({
      ...sample,
      key: `${sample.name} ${sample.labels}`,
    }));
    const news = now.flatMap(({ key, name, labels, value }) => {
      const by = value - (sent.get(key) ?? 0);
      // A figure that is still zero is written once, so that its series is there before it counts.
      return by !== 0 || !sent.has(key) ? [{ key, name, labels, value, by }] : [];
    });
    if (news.length === 0) return;
    await sql(ADD, [news.map(({ name }) => name), news.map(({ labels }) => labels), news.map(({ by }) => by)]);
    for (const { key, value } of news) sent.set(key, value);
  };
  const flush = () => {
    last = last.catch(() => undefined).then(flushNow);
    return last;
  };
  const tryFlush = () =>
    flush().catch((error: unknown) =>
      log.warn({ err: error }, 'figures could not be written; they are kept and tried again'),
    );
  return {
    flush,
    async sums() {
      const { rows } = await sql('select name, labels, value from platform.metric', []);
      return rows.map(({ name, labels, value }) => ({
        name: String(name),
        labels: String(labels),
        value: Number(value),
      }));
    },
    start() {
      timer = setInterval(() => void tryFlush(), FLUSH_EVERY_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      await tryFlush();
    },
  };
}

/** In one order for all, so that two processes never wait for each other in a circle. */
const ADD = `
insert into platform.metric (name, labels, value)
select * from unnest($1::text[], $2::text[], $3::float8[]) as news (name, labels, value) order by 1, 2
on conflict (name, labels) do update set value = metric.value + excluded.value`;
