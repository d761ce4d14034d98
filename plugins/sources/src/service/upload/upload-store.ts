import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Tenant } from '@weir/kernel';
import { v7 as uuidv7 } from 'uuid';
import { uploadProblems } from '../../contract.ts';
import { uploadFolder } from '../../model/upload/upload-location.ts';

/** Files that still arrive; no upload has this name, and no connector reads below a dot. */
const PARTS = '.parts';
const GONE = '.gone-';
const PRIVATE = { recursive: true, mode: 0o700 } as const;
export const UPLOAD_LIFE_MS = 24 * 60 * 60_000;
const MIB = 2 ** 20;

export interface StoredUpload {
  uploadId: string;
  files: { name: string; bytes: number }[];
  bytes: number;
  /** When it was last written or named. */
  usedAt: Date;
}

export type UploadStore = ReturnType<typeof uploadStore>;

/** The folder of uploads: one folder for each tenant, in it one for each upload. A file is there whole or not at all. */
export function uploadStore(dir: string, quotaMiB: number) {
  const arriving = new Map<string, number>();
  const overQuota = () => uploadProblems.uploadQuotaExceeded({ values: { quota: quotaMiB } });
  /** Files take their places one after the other, each seeing what the ones before it hold. */
  let lastPlaced: Promise<void> = Promise.resolve();
  const ofTenant = ({ tenantId }: Tenant) => join(dir, tenantId);

  async function read(tenant: Tenant, uploadId: string): Promise<StoredUpload | undefined> {
    const folder = uploadFolder(dir, tenant.tenantId, uploadId);
    const names = await readdir(folder).catch(absent);
    const facts = await stat(folder).catch(absent);
    if (names === undefined || facts === undefined) return undefined;
    const files = await Promise.all(
      names.sort().map(async (name) => ({ name, bytes: (await stat(join(folder, name)).catch(absent))?.size ?? 0 })),
    );
    return { uploadId, files, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), usedAt: facts.mtime };
  }

  async function list(tenant: Tenant): Promise<StoredUpload[]> {
    const names = (await readdir(ofTenant(tenant)).catch(absent)) ?? [];
    const ids = names.filter((name) => !name.startsWith('.')).sort();
    return (await Promise.all(ids.map((id) => read(tenant, id)))).filter((found) => found !== undefined);
  }

  const bytesOf = async (tenant: Tenant) => (await list(tenant)).reduce((sum, { bytes }) => sum + bytes, 0);

  /** Counts what arrives against the quota; bytes of all requests of this process count while they arrive. */
  async function* counted(tenant: Tenant, content: Readable, held: number): AsyncGenerator<Buffer> {
    let own = 0;
    const add = (bytes: number) => {
      own += bytes;
      arriving.set(tenant.tenantId, (arriving.get(tenant.tenantId) ?? 0) + bytes);
    };
    try {
      for await (const chunk of content as AsyncIterable<Buffer>) {
        add(chunk.length);
        const isOver = held + (arriving.get(tenant.tenantId) ?? 0) > quotaMiB * MIB;
        if (isOver) throw overQuota();
        yield chunk;
      }
      if (own === 0) throw uploadProblems.uploadEmpty();
    } finally {
      add(-own);
    }
  }

  return {
    read,
    list,

    /** Takes a file into an upload, which is made unless it is there. Leaves nothing of one that does not end. */
    async write(tenant: Tenant, { uploadId, name }: { uploadId: string; name: string }, content: Readable) {
      const parts = join(ofTenant(tenant), PARTS);
      const part = join(parts, uuidv7());
      const held = await bytesOf(tenant);
      await mkdir(parts, PRIVATE);
      try {
        await pipeline(
          counted(tenant, content, held),
          createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }),
        );
        const { size } = await stat(part);
        const placed = lastPlaced.then(async () => {
          if ((await bytesOf(tenant)) + size > quotaMiB * MIB) throw overQuota();
          const folder = uploadFolder(dir, tenant.tenantId, uploadId);
          await mkdir(folder, PRIVATE);
          await rename(part, join(folder, name));
        });
        lastPlaced = placed.catch(() => undefined);
        await placed;
      } finally {
        await rm(part, { force: true });
      }
    },

    /** Lets an upload live another day; false when there is none. */
    async touch(tenant: Tenant, uploadId: string): Promise<boolean> {
      const now = new Date();
      const folder = uploadFolder(dir, tenant.tenantId, uploadId);
      return utimes(folder, now, now).then(
        () => true,
        () => false,
      );
    },

    /**
     * Removes an upload unless `isKept`. It is taken aside first: who names it before is seen by `isKept`, who names it after
     * finds none.
     */
    async remove(tenant: Tenant, uploadId: string, isKept: (usedAt: Date) => Promise<boolean>): Promise<boolean> {
      const folder = uploadFolder(dir, tenant.tenantId, uploadId);
      const aside = join(ofTenant(tenant), `${GONE}${uploadId}`);
      if ((await rename(folder, aside).then(() => true, absent)) === undefined) return false;
      const kept = await isKept((await stat(aside)).mtime);
      if (kept) await rename(aside, folder);
      else await rm(aside, { recursive: true, force: true });
      return !kept;
    },

    /** Removes what was left by requests or removals that ended with their process. */
    async removeLeft(tenant: Tenant, before: Date): Promise<void> {
      const folder = ofTenant(tenant);
      const parts = ((await readdir(join(folder, PARTS)).catch(absent)) ?? []).map((name) => join(PARTS, name));
      for (const name of parts) {
        const facts = await stat(join(folder, name)).catch(absent);
        if (facts !== undefined && facts.mtime < before) await rm(join(folder, name), { recursive: true, force: true });
      }
      const gone = ((await readdir(folder).catch(absent)) ?? []).filter((name) => name.startsWith(GONE));
      for (const name of gone) await rename(join(folder, name), join(folder, name.slice(GONE.length))).catch(absent);
    },
  };
}

/** What is not there, or no longer, is no fault. */
function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTEMPTY') return undefined;
  throw error;
}
