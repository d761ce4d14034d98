import { join } from 'node:path';
import type { Place } from '../proof.ts';
import { lookThroughFolder } from './files.ts';

/**
 * The files of the servers themselves: tables with rows that are dead, the write-ahead log, and the workflow engine's
 * database, so that what was there only for a while is found too.
 */
export const dataFiles: Place = {
  name: 'data files of the servers',
  about: 'all files of Postgres, its write-ahead log included, and of the workflow engine',
  async leak({ platform }, control) {
    await platform.sql('create table public.prove_control (value text)');
    await platform.sql('insert into public.prove_control values ($1)', [control.text]);
    await platform.sql('drop table public.prove_control');
  },
  async lookAfter({ platform }, look) {
    await lookThroughFolder(look, platform.services.postgres.dataDir, 'postgres');
    await lookThroughFolder(look, join(platform.folder.root, 'temporal'), 'workflow engine');
  },
};
