import type { TSchema } from '@sinclair/typebox';
import { schemaFaults } from '@weir/documents';
import type { FieldFault } from '@weir/kernel/contract';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { EntityResolutionDocument, type EntityResolutionDocumentBody } from '../contract/entity-resolution.ts';

/** The members that tell which form of several a value has. */
const FORMS = ['op', 'strategy'] as const;

/**
 * Reads documents: one of the right shape comes back as it is, any other as its first fault, with a pointer below it.
 * Where a value may have one of several forms, the fault is that of the form which it names.
 */
export function documentShape() {
  // The first fault ends the check, so that it takes no longer than the document is long.
  const ajv = new Ajv({ verbose: true });
  // Made when it is first asked for: every program that starts sets this up, and few ever meet such a document.
  let fits: ValidateFunction<EntityResolutionDocumentBody> | undefined;
  const meant = (fault: ErrorObject): ErrorObject => {
    const form = formOf(fault.schema as TSchema[], fault.data);
    const check = form && ajv.compile(form);
    if (check === undefined || check(fault.data)) return fault;
    const [inside] = check.errors ?? [];
    return inside === undefined ? fault : { ...inside, instancePath: `${fault.instancePath}${inside.instancePath}` };
  };
  return (document: unknown): EntityResolutionDocumentBody | FieldFault[] => {
    fits ??= ajv.compile<EntityResolutionDocumentBody>(EntityResolutionDocument);
    if (fits(document)) return document;
    const errors = fits.errors ?? [];
    const choice = errors.find(({ keyword }) => keyword === 'anyOf');
    return schemaFaults(choice === undefined ? errors : [meant(choice)]);
  };
}

/** What the schema of a member says of the words that it may be. */
interface Words {
  const?: unknown;
  enum?: readonly unknown[];
}

/** The form that a value names, among those that it may have. */
function formOf(forms: readonly TSchema[], value: unknown): TSchema | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return forms.find(({ properties = {} }) =>
    FORMS.some((member) => {
      const { const: word, enum: words = [word] } = (properties as Record<string, Words>)[member] ?? {};
      return words[0] !== undefined && words.includes((value as Record<string, unknown>)[member]);
    }),
  );
}
