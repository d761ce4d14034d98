import { holdAt } from '@weir/processes';

/** Places of a run, or of a change of credentials, at which a test may hold a process, to kill it or one that it talks to exactly there. */
export type FaultPoint =
  | `${'O' | 'S'}${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14}`
  | `${'M' | 'T'}${1 | 2 | 3 | 4 | 5}`
  | CredentialPoint;

/**
 * Of a write to the secret store: its intent is noted, it is written, it is verified, its transaction is about to commit. Of
 * credentials that a connector renewed: they are about to be kept, they are kept.
 */
type CredentialPoint = `C${1 | 2 | 3 | 4 | 5 | 6}`;

/** The folder through which a crash test and the processes under it agree; no product setting. */
let folder: string | undefined;

/** Arms the points of this process. The boot does so in development only; undefined disarms them. */
export function armFaultpoints(place: string | undefined): void {
  folder = place;
}

/** The folder by which the points of this process are armed, for the processes that it starts. */
export const armedFaultpoints = (): string | undefined => folder;

/** Nothing, unless a crash test armed the points with its folder: then this process is held at its armed points. */
export async function faultpoint(point: FaultPoint): Promise<void> {
  if (folder !== undefined) await holdAt(folder, point);
}
