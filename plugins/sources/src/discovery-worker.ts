import { workerDoor } from '@weir/work';
import { discovering } from './work/discovery/run-discovery.ts';
import { inspecting } from './work/inspection/run-inspection.ts';
import { discoveryKit } from './work/kits.ts';

/** The worker side of discoveries: a role of its own, with its own queue, engine socket and workspaces. */
export const worker = workerDoor({ at: import.meta.url, kit: discoveryKit, runs: [discovering, inspecting] });
