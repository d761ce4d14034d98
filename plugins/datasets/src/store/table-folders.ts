import type { Kernel } from '@weir/kernel';
import {
  isBelow,
  LakehouseError,
  type LoadedTable,
  type Scanner,
  type TableMetadata,
  toLocation,
} from '@weir/lakehouse';
import type { TableRef } from '../contract.ts';
import { datasetId, SHARED_NAMESPACES, TENANT_LAYERS } from '../dataset/dataset-id.ts';

/** Where the tables of a tenant may lie beside its own folders, by its scope; each in the one spelling of locations. */
export type ForeignFolders = ReadonlyMap<string, readonly string[]>;

/** Where all tables lie, and what an operator has opened. */
export interface Folders {
  /** In the one spelling of locations. */
  warehouse: string;
  foreign: ForeignFolders;
}

/** Finds the files of tables; the metadata of one is read only where the tables of its tenant lie. */
export interface TableScanner extends Pick<Scanner, 'files' | 'manifests'> {
  /** The metadata file of a table. Throws `table_outside_tenant` unless it and the table's folder lie in a folder of the tenant. */
  metadata(ref: TableRef, location: string): Promise<TableMetadata>;
  /** Takes a table as a catalog shows it, or as it was just written; throws as `metadata` does. */
  remember(ref: TableRef, table: LoadedTable): void;
}

const OUTSIDE = 'table_outside_tenant';

export interface TableScannerDeps {
  scanner: Scanner;
  folders: Folders;
  /** Told of each table that is not read. */
  log: Pick<Kernel['log'], 'warn'>;
}

/** A scanner that reads no table outside of the folders of the tenant that its name belongs to. */
export function tableScanner({ scanner, folders, log }: TableScannerDeps): TableScanner {
  const assertOwn = (ref: TableRef, location: string): void => {
    if (foldersOf(folders, ref).some((folder) => isBelow(folder, location))) return;
    log.warn({ dataset_id: datasetId(ref), reason: OUTSIDE }, 'a table is not read: it lies outside of its tenant');
    throw new LakehouseError(OUTSIDE, 'The table lies outside of the folders of its tenant');
  };
  return {
    files: scanner.files,
    manifests: scanner.manifests,
    async metadata(ref, location) {
      assertOwn(ref, location);
      const metadata = await scanner.metadata(location);
      assertOwn(ref, metadata.location);
      return metadata;
    },
    remember(ref, { metadata, metadataLocation }) {
      assertOwn(ref, metadataLocation);
      assertOwn(ref, metadata.location);
      scanner.remember(metadataLocation, metadata);
    },
  };
}

/** A table may be renamed into another layer, and stays where it lies. */
function foldersOf({ warehouse, foreign }: Folders, { namespace }: TableRef): readonly string[] {
  const [, scope = ''] = namespace.split('.');
  const below = (path: string) => toLocation(`${warehouse}/${path}`);
  if (SHARED_NAMESPACES.includes(namespace)) return [below(namespace.replace('.', '/'))];
  return [...TENANT_LAYERS.map((layer) => below(`${layer}/${scope}`)), ...(foreign.get(scope) ?? [])];
}

/** The layers below the warehouse: what lies in one belongs to the scope that is named next. */
const LAYERS: readonly string[] = [...TENANT_LAYERS, ...SHARED_NAMESPACES.flatMap((name) => name.split('.')[0] ?? [])];

/**
 * Reads `WEIR_FOREIGN_FOLDERS`: a JSON object of lists of locations by scope. A folder that is no list of locations below the
 * warehouse, holds folders of another tenant or lies in one is a fault. Pure.
 */
export function foreignFolders(text: string | undefined, warehouse: string, faults: string[]): ForeignFolders {
  const found = new Map<string, readonly string[]>();
  if (text === undefined) return found;
  const refuse = (sentence: string) => faults.push(`WEIR_FOREIGN_FOLDERS ${sentence}`);
  for (const [scope, folders] of parsed(text, refuse)) {
    const places = folders.flatMap((folder) => placeOf(folder) ?? []);
    if (places.length < folders.length)
      refuse(`names no location for ${scope}; write absolute paths or s3:// locations`);
    for (const place of places) {
      const fault = faultOf(place, { scope, warehouse, others: found });
      if (fault !== undefined) refuse(`opens a folder to ${scope} that ${fault}`);
    }
    found.set(scope, places);
  }
  return found;
}

const FORM = 'must be a JSON object of lists of locations by the scope of a tenant';
const SCOPE = /^[a-z][a-z0-9_]{0,47}$/;

function parsed(text: string, refuse: (sentence: string) => void): [scope: string, folders: string[]][] {
  try {
    const entries = Object.entries(JSON.parse(text) as object);
    const isForm =
      !Array.isArray(JSON.parse(text)) && entries.every(([scope, list]) => SCOPE.test(scope) && isTexts(list));
    if (isForm) return entries;
  } catch {
    // Refused below, as any other text.
  }
  refuse(FORM);
  return [];
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string');

function placeOf(location: string): string | undefined {
  try {
    return toLocation(location);
  } catch {
    return undefined;
  }
}

function faultOf(
  place: string,
  { scope, warehouse, others }: { scope: string; warehouse: string; others: ForeignFolders },
): string | undefined {
  if (!isBelow(warehouse, place)) {
    return place === warehouse || isBelow(place, warehouse)
      ? 'holds the folders of all tenants; name one below WEIR_WAREHOUSE'
      : 'lies outside of WEIR_WAREHOUSE';
  }
  const [layer = '', owner] = place.slice(warehouse.length + 1).split('/');
  if (LAYERS.includes(layer) && owner === undefined) return 'holds folders of other tenants';
  if (LAYERS.includes(layer) && !(TENANT_LAYERS.includes(layer) && owner === scope))
    return 'lies in one of another tenant';
  const taken = [...others].some(([, folders]) =>
    folders.some((one) => one === place || isBelow(one, place) || isBelow(place, one)),
  );
  return taken ? 'is open to another tenant too' : undefined;
}
