import { Type } from '@sinclair/typebox';
import { Refusal } from '@weir/kernel';
import { localPath } from '@weir/lakehouse';

/** Environment variables of the datasets plugin. */
export const datasetSettings = Type.Object({
  TABLE_CATALOG: Type.String({
    minLength: 1,
    maxLength: 255,
    default: 'weir',
    description: 'Name of the table catalog',
  }),
  TABLE_CATALOG_URI: Type.Optional(
    Type.String({ description: 'Store of the table catalog; the service database when absent' }),
  ),
  WEIR_WAREHOUSE: Type.String({ minLength: 1, description: 'Folder of the tables, as an absolute path or file URI' }),
});

const POSTGRES_SCHEMES: readonly string[] = ['postgresql', 'postgres'];

/** Checks what a schema cannot: the catalog's kind and the warehouse's place. Throws a `Refusal` with all faults. */
export function checkSettings(settings: { TABLE_CATALOG_URI?: string; WEIR_WAREHOUSE: string }): { warehouse: string } {
  const faults: string[] = [];
  const { TABLE_CATALOG_URI: uri, WEIR_WAREHOUSE: folder } = settings;
  const scheme = uri === undefined ? undefined : (/^([a-z][a-z0-9.-]*)(\+[a-z0-9]+)?:/i.exec(uri)?.[1] ?? 'no');
  if (scheme !== undefined && !POSTGRES_SCHEMES.includes(scheme.toLowerCase())) {
    faults.push(`TABLE_CATALOG_URI has the scheme ${scheme}, but this release keeps tables in postgresql only`);
  }
  const warehouse = folderOf(folder);
  if (warehouse === undefined) faults.push('WEIR_WAREHOUSE must be an absolute path or a file URI');
  if (warehouse === undefined || faults.length > 0) throw new Refusal('configuration refused', faults);
  return { warehouse };
}

function folderOf(text: string): string | undefined {
  try {
    return localPath(text);
  } catch {
    return undefined;
  }
}
