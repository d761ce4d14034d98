import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Tenant } from '@weir/kernel';
import { v7 as uuidv7 } from 'uuid';
import { uploadProblems } from '../../contract.ts';
import { uploadFolder } from '../../model/upload/upload-location.ts';
import type { UploadLedger } from './upload-ledger.ts';

/** Files that still arrive; no upload has this name, and no connector reads below a dot. */
const PARTS = '.parts';
const PRIVATE = { recursive: true, mode: 0o700 } as const;

export type UploadStore = ReturnType<typeof uploadStore>;

/**
 * The folder of uploads: one folder for each tenant, in it one for each upload. A file is there whole or not at all, and
 * counts from the moment at which it arrives.
 */
export function uploadStore(dir: string, ledger: UploadLedger) {
  const arriving = new Map<string, number>();
  const ofTenant = ({ tenantId }: Tenant) => join(dir, tenantId);
  const folderOf = ({ tenantId }: Tenant, uploadId: string) => uploadFolder(dir, tenantId, uploadId);

  /** Counts what arrives against the quota; bytes of all requests of this process count while they arrive. */
  async function* counted(tenant: Tenant, content: Readable): AsyncGenerator<Buffer> {
    const held = await ledger.held(tenant);
    let own = 0;
    const add = (bytes: number) => {
      own += bytes;
      arriving.set(tenant.tenantId, (arriving.get(tenant.tenantId) ?? 0) + bytes);
    };
    try {
      for await (const chunk of content as AsyncIterable<Buffer>) {
        add(chunk.length);
        ledger.assertRoom(held, arriving.get(tenant.tenantId) ?? 0);
        yield chunk;
      }
      if (own === 0) throw uploadProblems.uploadEmpty();
    } finally {
      add(-own);
      if (arriving.get(tenant.tenantId) === 0) arriving.delete(tenant.tenantId);
    }
  }

  return {
    /** Takes a file into an upload, which is made unless it is there. Leaves nothing of one that does not end. */
    async write(tenant: Tenant, { uploadId, name }: { uploadId: string; name: string }, content: Readable) {
      const parts = join(ofTenant(tenant), PARTS);
      const part = join(parts, uuidv7());
      await mkdir(parts, PRIVATE);
      try {
        await pipeline(counted(tenant, content), createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }));
        const { size: bytes } = await stat(part);
        await ledger.place(tenant, { uploadId, name, bytes }, async () => {
          await mkdir(folderOf(tenant, uploadId), PRIVATE);
          await rename(part, join(folderOf(tenant, uploadId), name));
        });
      } finally {
        await rm(part, { force: true });
      }
    },

    remove: (tenant: Tenant, uploadId: string): Promise<void> =>
      rm(folderOf(tenant, uploadId), { recursive: true, force: true }),

    /** Removes what was left by requests or removals that ended with their process: parts, and folders that no row names. */
    async removeLeft(tenant: Tenant, before: Date): Promise<void> {
      const old = async (folder: string) => {
        const names = (await readdir(folder).catch(absent)) ?? [];
        const facts = await Promise.all(names.map((name) => stat(join(folder, name)).catch(absent)));
        return names.filter((_, at) => (facts[at]?.mtime ?? before) < before);
      };
      const parts = join(ofTenant(tenant), PARTS);
      for (const name of await old(parts)) await rm(join(parts, name), { recursive: true, force: true });
      for (const name of (await old(ofTenant(tenant))).filter((one) => one !== PARTS)) {
        const isKept = UUID.test(name) && (await ledger.find(tenant, name)) !== undefined;
        if (!isKept) await rm(join(ofTenant(tenant), name), { recursive: true, force: true });
      }
    },
  };
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** What is not there, or no longer, is no fault. */
function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
