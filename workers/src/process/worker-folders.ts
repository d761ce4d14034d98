import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Type } from '@sinclair/typebox';
import { readSettings } from '@weir/kernel/boot';

/** Where a worker writes; each in the folder for temporary files when it is not set. */
const folder = Type.Optional(Type.String({ minLength: 1, format: 'folder' }));
export const folderSettings = Type.Object({ WEIR_WORK_DIR: folder, WEIR_CACHE_DIR: folder, WEIR_STATE_DIR: folder });
/** They are read before the boot, which looks at them once more with the settings of all. */
export const folders = { owner: 'worker', schema: folderSettings };

export interface WorkerFolders {
  /** Scratch files. */
  work: string;
  /** Compiled workflows. */
  cache: string;
  /** Where each worker of this user says that it lives. */
  state: string;
}

/** Throws a `Refusal` for values that do not fit. */
export function workerFolders(environment: Readonly<Record<string, string | undefined>>): WorkerFolders {
  const values = readSettings([folders], environment).get(folders.owner) ?? {};
  const at = (name: keyof typeof folderSettings.properties, standard: string) =>
    resolve(String(values[name] ?? join(tmpdir(), standard)));
  return {
    work: at('WEIR_WORK_DIR', 'weir'),
    cache: at('WEIR_CACHE_DIR', 'weir-cache'),
    state: at('WEIR_STATE_DIR', `weir-state-${process.getuid?.() ?? 'user'}`),
  };
}
