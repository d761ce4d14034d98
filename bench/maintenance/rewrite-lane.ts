// One bin of small files, rewritten as the worker of maintenance does it, in a process of its own with its proofs.

import { mkdir, rm } from 'node:fs/promises';
import { createScanner, currentSchema, openStore, readMetadata } from '@weir/lakehouse';
import { rewriteProcess } from '../../plugins/datasets/src/rewrite/rewrite-process.ts';

const MEMORY_MIB = 384;
const TARGET_BYTES = 128 * 1024 * 1024;
const [metadataLocation = '', folder = '', warehouse = ''] = process.argv.slice(2);
const store = { warehouse, scratch: `${folder}/copies` };
const io = openStore(store);
const table = await readMetadata(io, metadataLocation);
const files = await createScanner({ io }).files(table);
const root = `${folder}/work`;
const folders = {
  root,
  async make(name: string) {
    const made = `${root}/${name}`;
    await mkdir(made, { recursive: true });
    return made;
  },
  remove: (made: string) => rm(made, { recursive: true, force: true }),
};
const children = { started: () => undefined, ended: () => undefined };
const rewrite = rewriteProcess({ store }, { children, folders, memoryMiB: MEMORY_MIB });
const place = `${table.location}/data/${process.pid}`;
const request = { files, schema: currentSchema(table), table, sortBy: [], targetBytes: TARGET_BYTES, folder: place };
const { before, after } = await rewrite(request, new AbortController().signal);
if (before.rows !== after.rows || before.checksum !== after.checksum) throw new Error('a rewrite changed rows');
