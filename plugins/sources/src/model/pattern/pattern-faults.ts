import { isSchema, schemaNodes } from '@weir/json-schemas';
import { type GivenPatternFile, PATTERN_PROTOCOL } from '../../contract/source/pattern-file.ts';
import { credentialFields, namedCredentials } from '../config/credential-fields.ts';
import { pointerMatcher } from '../config/walk-config.ts';
import { isUsable } from './spec-document.ts';

/** A member of a pattern that cannot be as it is: for programs a code, for people words, and what to do where there is more to say. */
export interface PatternFault {
  pointer: string;
  code: string;
  message: string;
  hint?: string;
}

const WRAP =
  'The image of a Singer tap has the Singer bridge as its entrypoint and speaks airbyte then: say airbyte; docs/how-to/run-a-singer-tap.md makes one';

const INNER =
  'Give its member connectionSpecification as spec, or have the pattern made of the image: docs/how-to/use-a-published-connector.md';

/** What an image prints for `spec` describes no field of a configuration: every source of such a pattern would be refused. */
const isWholeSpec = ({ properties, ...spec }: Readonly<Record<string, unknown>>) =>
  properties === undefined && (isSchema(spec.connectionSpecification) || isSchema(spec.spec));

/** What is wrong with a pattern whose members have the right form. Pure. */
export function patternFaults(file: GivenPatternFile): PatternFault[] {
  const { protocol, spec, stream_defaults: defaults = {} } = file;
  const faults: PatternFault[] = [];
  if (protocol !== PATTERN_PROTOCOL) {
    const message = `must be ${PATTERN_PROTOCOL}`;
    faults.push({ pointer: '/protocol', code: 'not_supported', message, hint: WRAP });
  }
  if (defaults.sync_mode === 'incremental' && (defaults.write_mode ?? 'overwrite') === 'overwrite') {
    const message = 'must be append, merge or soft_delete beside the sync_mode incremental';
    faults.push({ pointer: '/stream_defaults/write_mode', code: 'not_with_incremental', message });
  }
  if (spec === undefined) return [...faults, { pointer: '/spec', code: 'required', message: 'is required' }];
  if (isWholeSpec(spec)) {
    const message = 'is a whole SPEC document';
    return [...faults, { pointer: '/spec', code: 'whole_spec_document', message, hint: INNER }];
  }
  if (!isUsable(spec)) return [...faults, { pointer: '/spec', code: 'not_a_schema', message: 'is not a JSON Schema' }];
  return [...faults, ...egressFaults({ ...file, spec }), ...exclusiveFaults({ ...file, spec })];
}

/** A hint is shown to everybody, so it names what the configuration has and what is no credential. */
function egressFaults({ spec, fields, egress = [] }: GivenPatternFile & { spec: Record<string, unknown> }) {
  const nodesOf = schemaNodes(spec);
  const isCredential = pointerMatcher(credentialFields(spec, namedCredentials(fields)));
  return egress.flatMap((place, index): PatternFault[] => {
    const pointer = `/egress/${index}`;
    const names = [...place.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);
    const unknown = names.some((name) => nodesOf.member(nodesOf.root, name).length === 0);
    if (unknown) return [{ pointer, code: 'unknown_field', message: 'names no member of the specification' }];
    const hidden = names.some((name) => isCredential(`/${name}`));
    return hidden ? [{ pointer, code: 'credential_field', message: 'names a credential' }] : [];
  });
}

/** What is used is compared in the open, so no credential is part of it. */
function exclusiveFaults({ spec, fields, exclusive = [] }: GivenPatternFile & { spec: Record<string, unknown> }) {
  const nodesOf = schemaNodes(spec);
  const isCredential = pointerMatcher(credentialFields(spec, namedCredentials(fields)));
  return exclusive.flatMap(({ fields: names, when = {} }, index): PatternFault[] => {
    const pointer = `/exclusive/${index}`;
    const all = [...names, ...Object.keys(when)];
    const isUnknown = all.some((name) => nodesOf.member(nodesOf.root, name).length === 0);
    if (isUnknown) return [{ pointer, code: 'unknown_field', message: 'names no member of the specification' }];
    const isHidden = all.some((name) => isCredential(`/${name}`));
    return isHidden ? [{ pointer, code: 'credential_field', message: 'names a credential' }] : [];
  });
}
