import type { Kernel, PageOrders, PageRequest, Tenant, TenantTransaction } from '@weir/kernel';
import { uploadProblems } from '../../contract.ts';
import { UploadEntity, type UploadRow } from '../../model/upload/entity.ts';
import { namedUpload } from '../../model/upload/upload-location.ts';

/** Uploads of one tenant, and files of one upload: bytes alone would let files of one byte use up what a disk can name. */
const MAX_UPLOADS = 1_000;
const MAX_FILES = 1_000;
const MIB = 2 ** 20;
/** Expired uploads that one round takes. */
const SWEPT = 500;
const ORDERS: PageOrders = { orders: { upload_id: 'uploadId' }, first: 'upload_id', id: 'uploadId' };

/** What the uploads of a tenant hold. */
export interface Held {
  bytes: number;
  uploads: number;
}

/** A file that has arrived and is to take its place. */
export interface Placed {
  uploadId: string;
  name: string;
  bytes: number;
}

export type UploadLedger = ReturnType<typeof uploadLedger>;

/** The rows of uploads: what a call costs does not grow with what is stored. */
export function uploadLedger({ db }: Pick<Kernel, 'db'>, quotaMiB: number) {
  const assertRoom = ({ bytes }: Held, more: number): void => {
    if (bytes + more > quotaMiB * MIB) throw uploadProblems.uploadQuotaExceeded({ values: { quota: quotaMiB } });
  };
  return {
    assertRoom,

    held: (tenant: Tenant): Promise<Held> => db(tenant).transaction(heldBy),

    find: (tenant: Tenant, uploadId: string): Promise<UploadRow | undefined> =>
      db(tenant).transaction((tx) => tx.findOne(UploadEntity, { uploadId })),

    page: (tenant: Tenant, request: PageRequest) =>
      db(tenant).transaction(async (tx) => ({
        ...(await tx.page(UploadEntity, {}, request, ORDERS)),
        total: (await heldBy(tx)).uploads,
        named: await namedUploads(tx),
      })),

    named: (tenant: Tenant): Promise<ReadonlySet<string>> => db(tenant).transaction(namedUploads),

    /** Notes a file and has it moved to its place, each after the ones before it of the tenant. Throws where there is no room. */
    place: (tenant: Tenant, { uploadId, name, bytes }: Placed, move: () => Promise<void>): Promise<void> =>
      db(tenant).transaction(async (tx) => {
        await tx.sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`sources.uploads/${tenant.tenantId}`]);
        const [held, row] = [await heldBy(tx), await tx.findOne(UploadEntity, { uploadId })];
        const files = { ...row?.files, [name]: bytes };
        assertRoom(held, bytes - (row?.files[name] ?? 0));
        if (row === undefined && held.uploads >= MAX_UPLOADS) throw tooMany('uploads', MAX_UPLOADS);
        if (Object.keys(files).length > MAX_FILES) throw tooMany('files in one upload', MAX_FILES);
        const total = Object.values(files).reduce((sum, one) => sum + one, 0);
        await tx.sql(PLACE, [tenant.tenantId, uploadId, JSON.stringify(files), total]);
        await move();
      }),

    /** Lets an upload live another day; false when there is none. */
    touch: (tenant: Tenant, uploadId: string): Promise<boolean> =>
      db(tenant).transaction(async (tx) => (await tx.sql(TOUCH, [tenant.tenantId, uploadId])).rowCount === 1),

    /** Forgets an upload unless a source names it, or it was used since a time; false where it is kept. */
    drop: (tenant: Tenant, uploadId: string, since?: Date): Promise<boolean> =>
      db(tenant).transaction(async (tx) => {
        const row = await tx.findOne(UploadEntity, { uploadId }, { lock: true });
        if (since !== undefined && row !== undefined && row.usedAt >= since) return false;
        if ((await namedUploads(tx)).has(uploadId)) return false;
        await tx.sql('delete from sources.upload where tenant_id = $1 and upload_id = $2', [tenant.tenantId, uploadId]);
        return true;
      }),

    /** Uploads that nobody has used since a time, nor names: the longest unused first. */
    unusedSince: (tenant: Tenant, since: Date): Promise<string[]> =>
      db(tenant).transaction(async (tx) => {
        const { rows } = await tx.sql(UNUSED, [tenant.tenantId, since, SWEPT]);
        return rows.map(({ upload_id: id }) => String(id));
      }),
  };
}

const PLACE = `insert into sources.upload (tenant_id, upload_id, files, bytes) values ($1, $2, $3, $4)
  on conflict (tenant_id, upload_id) do update set files = excluded.files, bytes = excluded.bytes, used_at = now()`;
const TOUCH = 'update sources.upload set used_at = now() where tenant_id = $1 and upload_id = $2';
/** The paths by which sources, and discoveries that may become one, name uploads. */
const NAMED = `select source_config->>'path' as path from sources.source
    where tenant_id = $1 and status <> 'retired' and source_config->>'path' like 'upload:%'
  union select source_config->>'path' from sources.discovery
    where tenant_id = $1 and source_config->>'path' like 'upload:%'`;
const UNUSED = `select upload_id from sources.upload
  where tenant_id = $1 and used_at < $2 and 'upload:' || upload_id not in (${NAMED})
  order by used_at limit $3`;

const tooMany = (what: string, limit: number) => uploadProblems.tooManyUploads({ values: { what, limit } });

async function heldBy(tx: TenantTransaction): Promise<Held> {
  const sql = 'select coalesce(sum(bytes), 0) as bytes, count(*) as uploads from sources.upload where tenant_id = $1';
  const { rows } = await tx.sql(sql, [tx.tenant.tenantId]);
  return { bytes: Number(rows[0]?.bytes), uploads: Number(rows[0]?.uploads) };
}

async function namedUploads(tx: TenantTransaction): Promise<ReadonlySet<string>> {
  const { rows } = await tx.sql(NAMED, [tx.tenant.tenantId]);
  return new Set(rows.map(({ path }) => namedUpload({ path }) ?? ''));
}
