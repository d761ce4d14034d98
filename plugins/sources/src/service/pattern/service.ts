import { decodePageToken, encodePageToken, type Kernel } from '@weir/kernel';
import { type Input, kernelProblems } from '@weir/kernel/contract';
import type { GivenPatternFile } from '../../contract/source/pattern-file.ts';
import { type discoverPatterns, type PatternView, type reconcilePatterns, sourceProblems } from '../../contract.ts';
import { isCredentialField } from '../../model/config/credential-fields.ts';
import { type PatternFault, patternFaults } from '../../model/pattern/pattern-faults.ts';
import { type Pattern, type PatternFile, toPattern } from '../../model/pattern/pattern-file.ts';
import { withManifestSpec } from '../../model/pattern/with-manifest.ts';
import type { PatternCatalog } from './catalog.ts';
import { type PatternChange, storePatterns } from './store-patterns.ts';

const DEFAULT_LIMIT = 50;

/** What can be asked about connector patterns, and done with them. They are the same for every tenant. */
export function patternService(kernel: Pick<Kernel, 'db' | 'mode'>, catalog: PatternCatalog) {
  return {
    async list({ limit = DEFAULT_LIMIT, page_token: token, order }: Input<typeof discoverPatterns>['query']) {
      const by = order ?? 'pattern_id';
      const ids = await catalog.ids();
      const descending = by === '-pattern_id';
      const ordered = descending ? ids.toReversed() : ids;
      const after = token === undefined ? undefined : decodePageToken(['patterns', by], token).id;
      const rest = after === undefined ? ordered : ordered.filter((id) => (descending ? id < after : id > after));
      const items: Pattern[] = [];
      for (const id of rest.slice(0, limit)) {
        const found = await catalog.find(id);
        if (found !== undefined) items.push(found.pattern);
      }
      const last = items.at(-1);
      return {
        items: items.map(summaryOf),
        next_page_token:
          last === undefined || rest.length <= limit
            ? null
            : encodePageToken(['patterns', by], { value: null, id: last.id }),
        total: ids.length,
      };
    },

    async get(patternId: string): Promise<PatternView> {
      const found = await catalog.find(patternId);
      if (found === undefined) throw kernelProblems.notFound();
      const { pattern, status } = found;
      const fields = (pattern.fields ?? []).map((field) => ({ ...field, credential: isCredentialField(field) }));
      const { spec, credentialFields } = pattern;
      const shown = { ...summaryOf(pattern), status, spec, fields };
      return { ...shown, credential_fields: [...credentialFields], egress: pattern.egress ?? [] };
    },

    /** Registers one pattern, or its next version. */
    async register(file: GivenPatternFile, { dryRun = false } = {}): Promise<PatternChange> {
      const pointerOf = () => '/pattern';
      const given = { patterns: usable([file], pointerOf), origin: 'register' as const, pointerOf };
      const [change] = await storePatterns({ kernel }, given, { isWhole: false, dryRun });
      return change as PatternChange;
    },

    /** Brings all patterns to the set that is given. */
    async reconcile({ patterns: files }: Input<typeof reconcilePatterns>['body'], dryRun: boolean) {
      const pointerOf = (index: number) => `/patterns/${index}`;
      const patterns = usable(files, pointerOf);
      const given = { patterns, origin: 'reconcile' as const, pointerOf };
      return { dry_run: dryRun, items: await storePatterns({ kernel }, given, { isWhole: true, dryRun }) };
    },
  };
}

/** The patterns of a request; throws `pattern_invalid` with the place of each that cannot be used. */
function usable(given: readonly GivenPatternFile[], pointerOf: (index: number) => string): Pattern[] {
  const files = given.map(withManifestSpec);
  const faults = files.flatMap((file, index) => {
    const isRepeated = given.findIndex(({ id }) => id === file.id) !== index;
    const repeated: PatternFault[] = isRepeated
      ? [{ pointer: '/id', code: 'repeated', message: 'is given twice' }]
      : [];
    const own = [...repeated, ...patternFaults(file)];
    return own.map((fault) => ({ ...fault, pointer: `${pointerOf(index)}${fault.pointer}` }));
  });
  if (faults.length === 0) return files.map((file) => toPattern(file as PatternFile));
  const errors = faults.map(({ pointer, code }) => ({ pointer, code }));
  const hint = faults.find((fault) => fault.hint !== undefined)?.hint;
  throw sourceProblems.patternInvalid({ errors, ...(hint === undefined ? {} : { hint }) });
}

function summaryOf(pattern: Pattern) {
  return {
    pattern_id: pattern.id,
    version: pattern.version,
    name: pattern.display.name,
    description: pattern.display.description ?? null,
    icon: pattern.display.icon ?? null,
    category: pattern.display.category ?? null,
    image: pattern.image,
    source_name: pattern.source_name,
    docs: pattern.docs ?? null,
    needs_credentials: pattern.credentialFields.length > 0,
  };
}
