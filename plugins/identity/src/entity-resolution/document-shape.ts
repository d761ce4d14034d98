import type { FieldFault } from '@weir/kernel/contract';
import { Ajv, type ErrorObject } from 'ajv';
import { EntityResolutionDocument, type EntityResolutionDocumentBody } from '../contract/entity-resolution.ts';

/** The branch of a union that a fault was found in: the schema path of the union, and the number of the branch. */
const BRANCH = /^(.*\/anyOf)\/(\d+)\//;

export type DocumentShape = ReturnType<typeof documentShape>;

/** Reads documents: one of the right shape comes back as it is, any other as its faults, with pointers below it. */
export function documentShape() {
  const fits = new Ajv({ allErrors: true }).compile<EntityResolutionDocumentBody>(EntityResolutionDocument);
  return (document: unknown): EntityResolutionDocumentBody | FieldFault[] => {
    if (fits(document)) return document;
    return meantFaults(fits.errors ?? []).map(({ instancePath, keyword, params }) => {
      const missing = (params as { missingProperty?: string }).missingProperty;
      return { pointer: `${instancePath}${missing === undefined ? '' : `/${missing}`}`, code: keyword };
    });
  };
}

/**
 * The faults of the branch that was meant, for each union: the one branch that its member `op` or `strategy` tells. Where
 * none or several are left, the fault of the union alone.
 */
function meantFaults(errors: readonly ErrorObject[]): ErrorObject[] {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf');
  const dropped = new Set<ErrorObject>();
  for (const union of unions) {
    const inside = errors.filter((one) => BRANCH.exec(one.schemaPath)?.[1] === union.schemaPath);
    const here = inside.filter(({ instancePath }) => instancePath.startsWith(union.instancePath));
    const branches = Map.groupBy(here, ({ schemaPath }) => BRANCH.exec(schemaPath)?.[2] ?? '');
    const meant = [...branches.values()].filter((faults) => !faults.some((fault) => isOther(fault, union)));
    const kept = meant.length === 1 ? new Set(meant[0]) : new Set<ErrorObject>();
    for (const one of here) if (!kept.has(one)) dropped.add(one);
    if (kept.size > 0) dropped.add(union);
  }
  return errors.filter((one) => !dropped.has(one));
}

/** Whether a fault tells that the value is of another branch: of another type, or another word where its kind is told. */
function isOther({ instancePath, keyword }: ErrorObject, union: ErrorObject): boolean {
  if (instancePath === union.instancePath) return keyword === 'type' || keyword === 'enum';
  const member = instancePath.slice(union.instancePath.length);
  return (member === '/op' || member === '/strategy') && (keyword === 'const' || keyword === 'enum');
}
