import { useSyncExternalStore } from 'react';
import { usePerson } from '../session/person.ts';

const MAX_RECENT = 5;
const NONE: readonly string[] = [];
/** Pages of single things by tenant, the last one first; in memory alone, since addresses hold names. */
const seen = new Map<string, readonly string[]>();
const listeners = new Set<() => void>();

/** Remembers the page of a source, table, transform, pipeline or pattern. */
export function sawPage(tenant: string, address: string): void {
  if (!/^\/(?:datasets|pipelines|sources|transforms)\/[^/]/.test(address)) return;
  const before = (seen.get(tenant) ?? NONE).filter((one) => one !== address);
  seen.set(tenant, [address, ...before].slice(0, MAX_RECENT + 1));
  for (const changed of listeners) changed();
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

/** Addresses of pages that were seen last in this tab, the shown one first. */
export function useRecent(): readonly string[] {
  const { tenant } = usePerson();
  return useSyncExternalStore(subscribe, () => seen.get(tenant) ?? NONE);
}
