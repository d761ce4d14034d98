import type { LiveFile } from '../manifest/live-file.ts';
import type { ManifestFile } from '../manifest/manifest.ts';
import { expirableSnapshots } from '../metadata/expire-snapshots.ts';
import { currentSchema, findSnapshot, type Snapshot, type TableMetadata } from '../metadata/metadata.ts';
import { partitionSpec, typedPartitionFields } from '../partition/partition-type.ts';
import { allFields, fixedLength } from '../schema/types.ts';
import {
  MAX_DELETED_SHARE,
  MAX_MANIFESTS,
  type MaintenanceRule,
  MIN_BIN_FILES,
  SMALL_MANIFEST_BYTES,
  targetBytesOf,
} from './maintenance-rule.ts';
import { type Bin, planBins, type WaitingBin } from './plan-bins.ts';

/** Why a table is due: the value that was found and the bound that it passes. */
export type MaintenanceReason = {
  readonly code: 'small_files' | 'deleted_rows' | 'manifests' | 'snapshots';
  readonly value: number;
  readonly bound: number;
};

export type MaintenancePlan = {
  readonly compact: readonly Bin[];
  readonly waiting: readonly WaitingBin[];
  /** Whether small manifests are to be joined. A rewrite of files does so as well. */
  readonly manifests: boolean;
  readonly expire: readonly Snapshot[];
  readonly reasons: readonly MaintenanceReason[];
  /** What the rewrites read. */
  readonly cost: { readonly bytes: number; readonly files: number };
  readonly targetBytes: number;
  /** The table as it is. */
  readonly figures: {
    readonly files: number;
    readonly bytes: number;
    readonly smallFiles: number;
    readonly deleteFiles: number;
    readonly deletedRows: number;
    readonly manifests: number;
  };
};

/** A table with the live files and manifests of its newest snapshot. */
export type SurveyedTable = {
  readonly metadata: TableMetadata;
  readonly files: readonly LiveFile[];
  readonly manifests: readonly ManifestFile[];
};

/** What maintenance a table needs, with reasons. The table's own properties go before the rule. Pure. */
export function planMaintenance({ metadata, files, manifests }: SurveyedTable, rule: MaintenanceRule): MaintenancePlan {
  const targetBytes = targetBytesOf(metadata, rule.targetBytes);
  const writable = files.filter(isWritable(metadata));
  const planned = planBins(writable, timesOf(metadata), { ...rule, targetBytes });
  const { bins, waiting } = planned;
  const { now, keepSince, keepAtLeast, held } = rule;
  const expire =
    keepSince === undefined ? [] : expirableSnapshots(metadata, { since: keepSince, atLeast: keepAtLeast, held, now });
  const small = manifests.filter((one) => Number(one.manifest_length) < SMALL_MANIFEST_BYTES).length;
  const deletes = new Set(files.flatMap((file) => file.deletes.map(({ location }) => location)));
  const rows = files.reduce((sum, file) => sum + Number(file.recordCount), 0);
  const binned = bins.flatMap((bin) => bin.files);
  const worn = bins.reduce((sum, bin) => sum + bin.deletedRows, 0);
  const reasons: MaintenanceReason[] = [];
  if (bins.some((bin) => bin.files.length >= MIN_BIN_FILES)) {
    reasons.push({ code: 'small_files', value: planned.smallFiles, bound: MIN_BIN_FILES });
  }
  if (worn > 0) {
    reasons.push({ code: 'deleted_rows', value: worn, bound: Math.round(rows * MAX_DELETED_SHARE) });
  }
  if (small > MAX_MANIFESTS) reasons.push({ code: 'manifests', value: small, bound: MAX_MANIFESTS });
  if (expire.length > 0) {
    reasons.push({
      code: 'snapshots',
      value: metadata.snapshots.length,
      bound: metadata.snapshots.length - expire.length,
    });
  }
  return {
    compact: bins,
    waiting,
    manifests: small > MAX_MANIFESTS,
    expire,
    reasons,
    cost: { bytes: bins.reduce((sum, bin) => sum + bin.bytes, 0), files: binned.length },
    targetBytes,
    figures: {
      files: files.length,
      bytes: files.reduce((sum, file) => sum + Number(file.sizeBytes), 0),
      smallFiles: planned.smallFiles,
      deleteFiles: deletes.size,
      deletedRows: Math.round(planned.deletedRows),
      manifests: manifests.length,
    },
  };
}

/** Whether a file may be rewritten: of a spec that we know, and of a schema that we can write. */
function isWritable(metadata: TableMetadata): (file: LiveFile) => boolean {
  const isFixed = allFields(currentSchema(metadata).fields).some(({ type }) => fixedLength(type) !== undefined);
  const specs = new Map<number, boolean>();
  const isKnown = (specId: number): boolean => {
    try {
      return typedPartitionFields(metadata, partitionSpec(metadata, specId)) !== undefined;
    } catch {
      return false;
    }
  };
  return ({ specId }) => {
    if (isFixed) return false;
    if (!specs.has(specId)) specs.set(specId, isKnown(specId));
    return specs.get(specId) === true;
  };
}

function timesOf({ snapshots }: TableMetadata) {
  return {
    byId: new Map(snapshots.map((one) => [one['snapshot-id'], one['timestamp-ms']])),
    bySequence: new Map(snapshots.map((one) => [one['sequence-number'], one['timestamp-ms']])),
  };
}

/** The sequence number at which the newest snapshot is read; 0 for a table without one. */
export const sequenceOf = (metadata: TableMetadata): bigint => findSnapshot(metadata)?.['sequence-number'] ?? 0n;
