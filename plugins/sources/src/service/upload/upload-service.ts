import type { Readable } from 'node:stream';
import { type Kernel, type Repetition, repeat, type Tenant } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { v7 as uuidv7 } from 'uuid';
import { type UploadView, uploadProblems } from '../../contract.ts';
import { namedUpload, uploadLocation } from '../../model/upload/upload-location.ts';
import { uploadName } from '../../model/upload/upload-name.ts';
import { settingsOf } from '../../settings.ts';
import { type StoredUpload, UPLOAD_LIFE_MS, type UploadStore, uploadStore } from './upload-store.ts';

const SWEEP_EVERY_MS = 10 * 60_000;
/** Longer than a request may take. */
const PART_LIFE_MS = 6 * 60 * 60_000;

export type UploadService = ReturnType<typeof uploadService>;

/** Files that tenants bring, and who may name them. */
export function uploadService(kernel: Kernel) {
  const { WEIR_UPLOAD_DIR: dir, WEIR_UPLOAD_QUOTA_MIB: quota } = settingsOf(kernel);
  const configured = dir === undefined ? undefined : uploadStore(dir, quota);
  const store = (): UploadStore => {
    if (configured === undefined) throw uploadProblems.uploadsNotConfigured();
    return configured;
  };
  const view = async (tenant: Tenant, uploadId: string): Promise<UploadView> => {
    const [found, named] = await Promise.all([store().read(tenant, uploadId), namedUploads(kernel, tenant)]);
    if (found === undefined) throw kernelProblems.notFound();
    return viewOf(found, named);
  };
  return {
    async create(tenant: Tenant, query: { name: string; upload_id?: string | undefined }, content: Readable) {
      const name = uploadName(query.name);
      if (name === '') throw uploadProblems.uploadNameInvalid();
      const { upload_id: uploadId = uuidv7() } = query;
      if (query.upload_id !== undefined && !(await store().touch(tenant, uploadId))) throw kernelProblems.notFound();
      await store().write(tenant, { uploadId, name }, content);
      return view(tenant, uploadId);
    },

    async list(tenant: Tenant) {
      const [found, named] = await Promise.all([store().list(tenant), namedUploads(kernel, tenant)]);
      return { items: found.map((upload) => viewOf(upload, named)), next_page_token: null, total: found.length };
    },

    get: view,

    async remove(tenant: Tenant, uploadId: string): Promise<undefined> {
      if ((await store().read(tenant, uploadId)) === undefined) throw kernelProblems.notFound();
      const isKept = async () => (await namedUploads(kernel, tenant)).has(uploadId);
      if (!(await store().remove(tenant, uploadId, isKept))) throw uploadProblems.uploadInUse();
      return undefined;
    },

    /** Throws `upload_unknown` for a configuration that names an upload which the tenant does not have. */
    async assertOwn(tenant: Tenant, config: Readonly<Record<string, unknown>> | undefined): Promise<void> {
      const id = namedUpload(config ?? {});
      if (id === undefined) return;
      if (id === '' || !(await configured?.touch(tenant, id))) {
        throw uploadProblems.uploadUnknown({ errors: [{ pointer: '/source_config/path', code: 'upload_unknown' }] });
      }
    },

    /** One sweep: removes what no source has named for a day. */
    async sweep(now: Date): Promise<void> {
      if (configured === undefined) return;
      const before = now.getTime() - UPLOAD_LIFE_MS;
      for (const tenant of await kernel.tenants.list()) {
        await configured.removeLeft(tenant, new Date(now.getTime() - PART_LIFE_MS));
        for (const { uploadId, usedAt } of await configured.list(tenant)) {
          if (usedAt.getTime() >= before) continue;
          const isKept = async (at: Date) =>
            at.getTime() >= before || (await namedUploads(kernel, tenant)).has(uploadId);
          await configured.remove(tenant, uploadId, isKept);
        }
      }
    },
  };
}

/** Sweeps until it is stopped. */
export function startUploadSweeper(kernel: Kernel): Repetition {
  const uploads = uploadService(kernel);
  return repeat(
    SWEEP_EVERY_MS,
    () => uploads.sweep(new Date()),
    (err) => kernel.log.warn({ err }, 'expired uploads could not be removed; tried again in ten minutes'),
  );
}

function viewOf({ uploadId, files, bytes, usedAt }: StoredUpload, named: ReadonlySet<string>): UploadView {
  const expires_at = named.has(uploadId) ? null : new Date(usedAt.getTime() + UPLOAD_LIFE_MS).toISOString();
  return { upload_id: uploadId, location: uploadLocation(uploadId), files, bytes, expires_at };
}

/** The uploads that sources, or discoveries that may become one, name. */
async function namedUploads(kernel: Kernel, tenant: Tenant): Promise<ReadonlySet<string>> {
  const { rows } = await kernel.db(tenant).transaction((tx) =>
    tx.sql(
      `select source_config->>'path' as path from sources.source
         where tenant_id = $1 and status <> 'retired' and source_config->>'path' like 'upload:%'
       union select source_config->>'path' from sources.discovery
         where tenant_id = $1 and source_config->>'path' like 'upload:%'`,
      [tenant.tenantId],
    ),
  );
  return new Set(rows.map(({ path }) => namedUpload({ path }) ?? ''));
}
