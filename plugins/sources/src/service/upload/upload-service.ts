import type { Readable } from 'node:stream';
import { type Duty, duty, type Kernel, type Tenant } from '@weir/kernel';
import { type Input, kernelProblems, type Output } from '@weir/kernel/contract';
import { v7 as uuidv7 } from 'uuid';
import { uploadName } from '../../contract/upload/upload-name.ts';
import { type listUploads, type UploadView, uploadProblems } from '../../contract.ts';
import type { UploadRow } from '../../model/upload/entity.ts';
import { namedUpload, uploadLocation } from '../../model/upload/upload-location.ts';
import { fileRoots, settingsOf } from '../../settings.ts';
import { uploadLedger } from './upload-ledger.ts';
import { uploadStore } from './upload-store.ts';

/** Longer than a request may take. */
const PART_LIFE_MS = 6 * 60 * 60_000;
const UPLOAD_LIFE_MS = 24 * 60 * 60_000;

export type UploadService = ReturnType<typeof uploadService>;

/** Files that tenants bring, and who may name them. */
export function uploadService(kernel: Kernel) {
  const { WEIR_UPLOAD_DIR: dir, WEIR_UPLOAD_QUOTA_MIB: quota } = settingsOf(kernel);
  const ledger = uploadLedger(kernel, quota);
  const configured = dir === undefined ? undefined : uploadStore(dir, ledger);
  const store = () => {
    if (configured === undefined) throw uploadProblems.uploadsNotConfigured();
    return configured;
  };
  const view = async (tenant: Tenant, uploadId: string): Promise<UploadView> => {
    store();
    const [found, named] = await Promise.all([ledger.find(tenant, uploadId), ledger.named(tenant)]);
    if (found === undefined) throw kernelProblems.notFound();
    return viewOf(found, named);
  };
  return {
    async create(tenant: Tenant, query: { name: string; upload_id?: string | undefined }, content: Readable) {
      const name = uploadName(query.name);
      if (name === '') throw uploadProblems.uploadNameInvalid();
      const { upload_id: uploadId = uuidv7() } = query;
      const files = store();
      if (query.upload_id !== undefined && !(await ledger.touch(tenant, uploadId))) throw kernelProblems.notFound();
      await files.write(tenant, { uploadId, name }, content);
      return view(tenant, uploadId);
    },

    async list(tenant: Tenant, request: Input<typeof listUploads>['query'] = {}): Promise<Output<typeof listUploads>> {
      store();
      const { items, next_page_token, total, named } = await ledger.page(tenant, request);
      return { items: items.map((row) => viewOf(row, named)), next_page_token, total };
    },

    /** What sources may read beside uploads. */
    roots: async () => ({ roots: fileRoots(settingsOf(kernel), kernel.mode) }),

    get: view,

    async remove(tenant: Tenant, uploadId: string): Promise<undefined> {
      const files = store();
      if ((await ledger.find(tenant, uploadId)) === undefined) throw kernelProblems.notFound();
      if (!(await ledger.drop(tenant, uploadId))) throw uploadProblems.uploadInUse();
      await files.remove(tenant, uploadId);
      return undefined;
    },

    /** Throws `upload_unknown` for a configuration that names an upload which the tenant does not have. */
    async assertOwn(tenant: Tenant, config: Readonly<Record<string, unknown>> | undefined): Promise<void> {
      const id = namedUpload(config ?? {});
      if (id === undefined) return;
      if (id === '' || configured === undefined || !(await ledger.touch(tenant, id))) {
        throw uploadProblems.uploadUnknown({ errors: [{ pointer: '/source_config/path', code: 'upload_unknown' }] });
      }
    },

    /** One sweep: removes what no source has named for a day. */
    async sweep(tenant: Tenant, now: Date): Promise<void> {
      if (configured === undefined) return;
      const before = new Date(now.getTime() - UPLOAD_LIFE_MS);
      for (const uploadId of await ledger.unusedSince(tenant, before)) {
        if (await ledger.drop(tenant, uploadId, before)) await configured.remove(tenant, uploadId);
      }
      await configured.removeLeft(tenant, new Date(now.getTime() - PART_LIFE_MS));
    },
  };
}

/** Removes expired uploads. */
export function uploadSweep(kernel: Kernel): Duty {
  const uploads = uploadService(kernel);
  return duty({
    name: 'sources.uploads',
    everyMs: 10 * 60_000,
    where: 'api',
    perTenant: (tenant) => uploads.sweep(tenant, new Date()),
  });
}

function viewOf({ uploadId, files, bytes, usedAt }: UploadRow, named: ReadonlySet<string>): UploadView {
  const expires_at = named.has(uploadId) ? null : new Date(usedAt.getTime() + UPLOAD_LIFE_MS).toISOString();
  const listed = Object.entries(files).map(([name, size]) => ({ name, bytes: size }));
  const sorted = listed.sort((one, other) => (one.name < other.name ? -1 : 1));
  return { upload_id: uploadId, location: uploadLocation(uploadId), files: sorted, bytes: Number(bytes), expires_at };
}
