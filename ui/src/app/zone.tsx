import { useLocalStorage } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { ZoneContext } from '../parts/zone-context.ts';
import { allZones, OWN_ZONE } from '../parts/zones.ts';

/** The chosen time zone, its setter, and all there are. */
export function useZone(): [string, (zone: string | null) => void, string[]] {
  const [zone, setZone] = useLocalStorage({ key: 'weir.zone', defaultValue: OWN_ZONE });
  return [zone, (chosen) => chosen !== null && setZone(chosen), allZones()];
}

export function ZoneProvider({ children }: { children: ReactNode }) {
  const [zone] = useZone();
  return <ZoneContext value={zone}>{children}</ZoneContext>;
}
