import { fault } from '../fault.ts';
import { formatLsn, parseLsn } from './lsn.ts';

/** Until where the changes of a stream were read: of the log of this server, by this slot. */
export type ChangeState = {
  readonly lsn: bigint;
  readonly systemId: string;
  /** Undefined in states of earlier versions. */
  readonly timeline: string | undefined;
  /** By what the table was published; undefined in states of earlier versions. */
  readonly published: readonly string[] | undefined;
  readonly slot: string;
  /** The table by its oid, as another one may get its name; undefined in states of earlier versions. */
  readonly table: string | undefined;
};

/** The state as it is stored. */
export function storedState({ lsn, systemId, timeline, published, slot, table }: ChangeState): object {
  return { method: 'cdc', lsn: formatLsn(lsn), system_id: systemId, timeline, published, slot, table };
}

/** Whether a stored state is of change data, whatever else is wrong with it. */
export function isChangeState(value: unknown): boolean {
  return (value as { method?: unknown } | null | undefined)?.method === 'cdc';
}

/**
 * The state that was stored; undefined when there is none. `stored_state_invalid` when it is of another kind, `slot_lost` when it is of
 * another slot, which has not kept what comes behind it.
 */
export function parseChangeState(value: unknown, slot: string): ChangeState | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object') throw fault('stored_state_invalid');
  const { method, lsn, system_id: systemId, timeline, published, slot: of, table } = value as Record<string, unknown>;
  const at = typeof lsn === 'string' ? parseLsn(lsn) : undefined;
  if (method !== 'cdc' || at === undefined || typeof systemId !== 'string') throw fault('stored_state_invalid');
  if (of !== slot) throw fault('slot_lost', 'slot');
  return {
    ...{ lsn: at, systemId, slot },
    timeline: typeof timeline === 'string' ? timeline : undefined,
    published: Array.isArray(published) ? published.map(String) : undefined,
    table: typeof table === 'string' ? table : undefined,
  };
}
