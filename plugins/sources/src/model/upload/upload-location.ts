import { join } from 'node:path';

const SCHEME = 'upload:';
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** How a configuration names an upload, as its `path`. */
export const uploadLocation = (uploadId: string): string => `${SCHEME}${uploadId}`;

/** The upload that a configuration names: its id, '' for one that cannot be, undefined for none. */
export function namedUpload(config: Readonly<Record<string, unknown>>): string | undefined {
  const { path } = config;
  if (typeof path !== 'string' || !path.startsWith(SCHEME)) return undefined;
  const id = path.slice(SCHEME.length);
  return ID.test(id) ? id : '';
}

/** Where the files of an upload lie: below the tenant's own folder, so that no id leads to another tenant. */
export const uploadFolder = (dir: string, tenantId: string, uploadId: string): string => join(dir, tenantId, uploadId);

/** A configuration as its connector reads it: an upload is a folder. Undefined when it names none. */
export function placedUpload<C extends Readonly<Record<string, unknown>>>(
  dir: string | undefined,
  tenantId: string,
  config: C,
): { config: C; folder: string } | undefined {
  const id = namedUpload(config);
  if (!id || dir === undefined) return undefined;
  const folder = uploadFolder(dir, tenantId, id);
  return { config: { ...config, path: folder }, folder };
}
