import { useLocalStorage } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { ZoneContext } from '../parts/zone-context.ts';

const OWN = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The chosen time zone, its setter, and all there are. */
export function useZone(): [string, (zone: string | null) => void, string[]] {
  const [zone, setZone] = useLocalStorage({ key: 'weir.zone', defaultValue: OWN });
  const zones = [...new Set([OWN, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
  return [zone, (chosen) => chosen !== null && setZone(chosen), zones];
}

export function ZoneProvider({ children }: { children: ReactNode }) {
  const [zone] = useZone();
  return <ZoneContext value={zone}>{children}</ZoneContext>;
}
