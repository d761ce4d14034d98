import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Type } from '@sinclair/typebox';
import { readSettings } from '@weir/kernel/boot';

/** Where a worker writes; each in the folder for temporary files when it is not set. */
export const folderSettings = Type.Object({
  WEIR_WORK_DIR: Type.Optional(Type.String({ minLength: 1 })),
  WEIR_CACHE_DIR: Type.Optional(Type.String({ minLength: 1 })),
  WEIR_STATE_DIR: Type.Optional(Type.String({ minLength: 1 })),
});

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
  const owner = 'worker';
  const values = readSettings([{ owner, schema: folderSettings }], environment).get(owner) ?? {};
  const at = (name: keyof typeof folderSettings.properties, standard: string) =>
    resolve(String(values[name] ?? join(tmpdir(), standard)));
  return {
    work: at('WEIR_WORK_DIR', 'weir'),
    cache: at('WEIR_CACHE_DIR', 'weir-cache'),
    state: at('WEIR_STATE_DIR', `weir-state-${process.getuid?.() ?? 'user'}`),
  };
}
