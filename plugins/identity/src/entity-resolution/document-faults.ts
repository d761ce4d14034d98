import type { FieldFault } from '@weir/kernel/contract';
import type { EntityResolutionDocumentBody } from '../contract/entity-resolution.ts';
import { patternFault } from './pattern-fault.ts';
import { readProperties } from './properties.ts';

type Level = EntityResolutionDocumentBody['comparisons'][number]['levels'][number];

/**
 * What is wrong with a document of the right shape: names given twice, entries without effect, scores that cannot be
 * reached, patterns that are none of RE2. Pointers are below the document, and no fault holds a word of it.
 */
export function documentFaults(document: EntityResolutionDocumentBody): FieldFault[] {
  const { normalise, blocking, comparisons, canonical_id: id } = document;
  const read = new Set(readProperties(document).map(({ property }) => property));
  return [
    ...repeated(
      normalise.map(({ property }) => property),
      (at) => `/normalise/${at}/property`,
    ),
    ...normalise.flatMap(({ property }, at) =>
      read.has(property) ? [] : [{ pointer: `/normalise/${at}/property`, code: 'unused_property' }],
    ),
    ...patternFaults(document),
    ...repeated(blocking.map(ruleKey), (at) => `/blocking/${at}`),
    ...repeated(
      comparisons.map(({ property }) => property),
      (at) => `/comparisons/${at}/property`,
    ),
    ...comparisons.flatMap(({ levels }, at) =>
      levels.flatMap((level, place) =>
        levels.slice(0, place).some((earlier) => covers(earlier, level))
          ? [{ pointer: `/comparisons/${at}/levels/${place}`, code: 'level_unreachable' }]
          : [],
      ),
    ),
    ...scoreFaults(document),
    ...(id.strategy === 'uuid5' ? repeated(id.keys, (at) => `/canonical_id/keys/${at}`) : []),
  ];
}

function repeated(names: readonly string[], pointer: (at: number) => string): FieldFault[] {
  return names.flatMap((name, at) => (names.indexOf(name) < at ? [{ pointer: pointer(at), code: 'repeated' }] : []));
}

function patternFaults({ normalise }: EntityResolutionDocumentBody): FieldFault[] {
  return normalise.flatMap(({ ops }, at) =>
    ops.flatMap((op, place) => {
      const code = typeof op === 'object' && op.op === 'replace' ? patternFault(op.pattern) : undefined;
      return code === undefined ? [] : [{ pointer: `/normalise/${at}/ops/${place}/pattern`, code }];
    }),
  );
}

/** Equal for rules that bring the same records together: the order of parts says nothing. */
function ruleKey(rule: EntityResolutionDocumentBody['blocking'][number]): string {
  const parts = rule.map((part) => (typeof part === 'string' ? [part] : [part.property, part.op, part.length]));
  return JSON.stringify(parts.map((part) => JSON.stringify(part)).toSorted());
}

/** Whether whatever fits the later level fits the earlier one. */
function covers(earlier: Level, later: Level): boolean {
  if (later.op === 'exact') return ['exact', 'jaro_winkler', 'levenshtein'].includes(earlier.op);
  if (earlier.op === 'exact' || earlier.op !== later.op) return false;
  return later.op === 'jaro_winkler' ? later.threshold >= earlier.threshold : later.threshold <= earlier.threshold;
}

function scoreFaults({ comparisons, accept, review }: EntityResolutionDocumentBody): FieldFault[] {
  const best = comparisons.map(({ levels, otherwise = 0 }) =>
    Math.max(0, otherwise, ...levels.map(({ weight }) => weight)),
  );
  const reachable = best.reduce((sum, weight) => sum + weight, 0);
  return [
    ...(accept > reachable ? [{ pointer: '/accept', code: 'never_reached' }] : []),
    ...(review >= accept ? [{ pointer: '/review', code: 'not_below_accept' }] : []),
  ];
}
