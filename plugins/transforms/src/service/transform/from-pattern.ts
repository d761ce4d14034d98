import type { Kernel } from '@weir/kernel';
import type { Input } from '@weir/kernel/contract';
import {
  type changeTransform,
  type createTransform,
  type DefinitionView,
  type NewTransform,
  PatternMakers,
  type TransformOriginView,
  transformProblems,
} from '../../contract.ts';

type Body = Input<typeof createTransform>['body'];
type Patch = Input<typeof changeTransform>['body'];

/** What a pattern says itself, so that a request with a pattern does not. */
const MADE = ['sql', 'materialization', 'key', 'partition_by', 'incremental'] as const;

/** Turns requests that name a transform pattern into definitions. */
export function fromPattern({ contributions }: Pick<Kernel, 'contributions'>) {
  const make = async (given: Body | Patch, patternId: string | undefined) => {
    const both = MADE.filter((member) => given[member] !== undefined);
    if (both.length > 0) throw unclear(both);
    const [maker] = contributions(PatternMakers);
    if (maker === undefined || patternId === undefined) throw unclear(['pattern_id']);
    const { definition, origin } = await maker.make(patternId, given.parameters ?? {});
    const { checks = [] } = definition;
    const names = checks.map(({ name }) => name);
    return { ...definition, checks, origin: names.length === 0 ? origin : { ...origin, checks: names } };
  };
  return {
    /** Throws `statement_unclear` unless there is either a statement or a pattern. */
    async body({ pattern_id, parameters, ...rest }: Body): Promise<NewTransform> {
      if (pattern_id !== undefined) {
        const made = await make({ ...rest, parameters } as Body, pattern_id);
        return { ...rest, ...made, checks: [...made.checks, ...(rest.checks ?? [])] };
      }
      if (parameters !== undefined) throw unclear(['parameters']);
      if (rest.sql === undefined) throw unclear(['sql']);
      return { ...rest, sql: rest.sql };
    },

    /** The patch, with the definition of the pattern that it or the transform names; checks that no pattern made stay. */
    async patch(
      { pattern_id, parameters, ...rest }: Patch,
      { origin, checks: saved }: Pick<DefinitionView, 'origin' | 'checks'>,
    ): Promise<Omit<Patch, 'pattern_id' | 'parameters'> & { origin?: TransformOriginView }> {
      if (pattern_id === undefined && parameters === undefined) return rest;
      const patternId = pattern_id ?? (origin?.kind === 'transform_pattern' ? origin.pattern_id : undefined);
      const made = await make({ ...rest, parameters } as Patch, patternId);
      const patterned = new Set([...(origin?.checks ?? []), ...made.checks.map(({ name }) => name)]);
      const own = (rest.checks === undefined ? saved : (rest.checks ?? [])).filter(({ name }) => !patterned.has(name));
      return { ...rest, ...WRITTEN, ...made, checks: [...made.checks, ...own] };
    },
  };
}

/** How rows are written unless a pattern says otherwise. */
const WRITTEN: Pick<Patch, 'materialization' | 'key' | 'partition_by' | 'incremental'> = {
  materialization: 'full',
  key: [],
  partition_by: [],
  incremental: null,
};

function unclear(members: readonly string[]) {
  const errors = members.map((member) => ({ pointer: `/${member}`, code: 'not_with_the_others' }));
  return transformProblems.statementUnclear({ errors });
}
