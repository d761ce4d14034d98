import { chmod, chown, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Engine, engineSettings, programImage, startRootful } from '../../test/engines/index.ts';

/** An engine of a bench, with an image of one program. */
export interface BenchEngine {
  engine: Engine;
  /** How a platform finds it. */
  environment: Record<string, string>;
  stop(): Promise<void>;
}

/** Starts an engine whose limits hold on any machine, and builds the image. */
export async function benchEngine(entry: string, image: string): Promise<BenchEngine> {
  const engine = await startRootful();
  try {
    await programImage(engine, { name: image, entry });
    const folders = ['source', 'discovery'].map((role) => path.join(engine.workspaceRoot, role));
    for (const folder of folders) {
      await mkdir(folder);
      await chown(folder, -1, engine.inputGroup);
      await chmod(folder, 0o711);
    }
    const [source = '', discovery = ''] = folders;
    return { engine, environment: engineSettings(engine, { source, discovery }), stop: engine.stop };
  } catch (error) {
    await engine.stop();
    throw error;
  }
}
