import type { TSchema } from '@sinclair/typebox';
import { schemaFaults } from '@weir/documents';
import type { FieldFault } from '@weir/kernel/contract';
import { Ajv, type ValidateFunction } from 'ajv';
import { identityProblems } from '../contract.ts';
import type { PolicyDocumentBody } from './policy-kind.ts';

const ROOT = '/document';
const MAX_FAULTS = 20;

/** Throws `policy_invalid` for some faults of a document, with pointers below `/document`; nothing when there is none. */
export function refuseFaults(faults: readonly FieldFault[], members: Record<string, unknown> = {}): void {
  if (faults.length > 0) throw identityProblems.policyInvalid({ errors: faults.slice(0, MAX_FAULTS), members });
}

/** Makes the check of the shape of one kind's documents. Throws `policy_invalid`. */
export function checkShape(schema: TSchema): (document: PolicyDocumentBody) => void {
  let validate: ValidateFunction | undefined;
  return (document) => {
    validate ??= new Ajv({ strict: false, allErrors: false, verbose: true }).compile(schema);
    if (!validate(document)) {
      refuseFaults(schemaFaults(validate.errors ?? [], ROOT));
    }
  };
}
