import type { KeptStream } from '../discovery/entity.ts';
import { destinationTable } from './destination-name.ts';

/** What a discovery asks for: streams to be made with defaults, and known ones whose facts are brought up to date. */
export interface StreamRefresh {
  create: { stream: KeptStream; table: string }[];
  refresh: { streamId: string; stream: KeptStream }[];
}

/**
 * Plans how the streams of a source follow a discovery. Streams are matched by name; only what the connector says of
 * a known one changes, its namespace, routing and settings stay. New ones get a table of their own, which then never
 * changes by itself. Pure; `takenTables` are the tables that other streams and producers have.
 */
export function planRefresh(
  sourceName: string,
  known: readonly { streamId: string; name: string }[],
  discovered: readonly KeptStream[],
  takenTables: ReadonlySet<string>,
): StreamRefresh {
  const byName = new Map(known.map((stream) => [stream.name, stream.streamId]));
  const tables = new Set(takenTables);
  const plan: StreamRefresh = { create: [], refresh: [] };
  for (const stream of discovered) {
    const streamId = byName.get(stream.name);
    if (streamId !== undefined) {
      plan.refresh.push({ streamId, stream });
      continue;
    }
    const place = { sourceName, namespace: stream.namespace ?? undefined, stream: stream.name };
    const table = destinationTable(place, (name) => tables.has(name));
    tables.add(table);
    plan.create.push({ stream, table });
  }
  return plan;
}
