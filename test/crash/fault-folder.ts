import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FaultPoint } from '@weir/kernel';
import { until } from '../until.ts';

/** The folder through which processes are held at fault points. */
export interface FaultFolder {
  readonly path: string;
  /** The next process that comes to the point is held there. */
  arm(point: FaultPoint): Promise<void>;
  /** Waits until one is; its pid. */
  held(point: FaultPoint): Promise<number>;
  /** Lets go whoever is held, and whoever comes. */
  release(points: readonly FaultPoint[]): Promise<void>;
  /** As if nothing had ever been armed. */
  clear(): Promise<void>;
}

/** Makes the folder. */
export async function faultFolder(path: string): Promise<FaultFolder> {
  await mkdir(path, { recursive: true });
  const file = (point: FaultPoint, what: 'arm' | 'hit' | 'go') => join(path, `${point}.${what}`);
  return {
    path,
    async arm(point) {
      await rm(file(point, 'hit'), { force: true });
      await writeFile(file(point, 'arm'), '');
    },
    held: (point) =>
      until(`a process at ${point}`, async () => {
        const text = await readFile(file(point, 'hit'), 'utf8').catch(() => '');
        return text === '' ? undefined : Number(text);
      }),
    async release(points) {
      for (const point of points) await writeFile(file(point, 'go'), '');
    },
    async clear() {
      await rm(path, { recursive: true });
      await mkdir(path);
    },
  };
}
