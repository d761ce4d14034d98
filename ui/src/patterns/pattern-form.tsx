import { Grid, Stack } from '@mantine/core';
import type { ShownFault } from '@weir/kernel/contract';
import type { TransformPatternView } from '@weir/plugin-transform-patterns/contract';
import { type ReactNode, useMemo } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { aloneSentence } from '../faults/problem-faults.ts';
import { composeConfig, type FormValues } from '../form/compose-config.ts';
import { ErrorCount } from '../form/error-count.tsx';
import { type FieldContext, SchemaFields } from '../form/schema-fields.tsx';
import type { SchemaNode } from '../form/schema-node.ts';
import { useSuggested } from '../query/use-catalogue.ts';
import { MadePane } from './made-pane.tsx';
import { usePatternCheck } from './use-pattern-check.ts';

export interface ParameterValues {
  config: FormValues;
}

/** The parameters that a form holds, without what was left empty. */
export const parametersOf = (pattern: TransformPatternView, values: FormValues): Record<string, unknown> =>
  composeConfig(pattern.parameters as SchemaNode, values, []).config;

/** The field of a parameter by its JSON pointer in a request. */
export function parameterPath(pointer: string): string | undefined {
  const [first, ...rest] = pointer.slice(1).split('/');
  return first === 'parameters' ? ['config', ...rest].join('.') : undefined;
}

/** Where a request has the parameters. */
const ROOT = '/parameters';
/** Said once the form is sent; before that they would only say that it is being filled. */
const UNFILLED = new Set(['required', 'min_items', 'min_length']);
const isCredential = () => false;

/** What is wrong of each parameter, by its JSON pointer. */
const faultsAt = (faults: readonly ShownFault[]): Map<string, string> =>
  new Map(
    faults
      .filter(({ pointer, code }) => pointer.startsWith(`${ROOT}/`) && !UNFILLED.has(code))
      .map((fault) => [fault.pointer.slice(ROOT.length), aloneSentence(fault)]),
  );

interface PatternFormProps {
  pattern: TransformPatternView;
  /** Above the parameters. */
  head?: ReactNode;
  actions?: ReactNode;
  onSubmit(event: React.FormEvent): void;
}

/** The parameters of a pattern, and beside them what it makes of them. Within the context of its form. */
export function PatternForm({ pattern, head, actions, onSubmit }: PatternFormProps) {
  const { formState } = useFormContext<ParameterValues>();
  const typed = useWatch({ name: 'config' }) as FormValues;
  const parameters = parametersOf(pattern, typed);
  const check = usePatternCheck(pattern.pattern_id, parameters);
  const suggested = useSuggested(JSON.stringify(parameters));
  const { data } = check.query;
  const faults = useMemo(() => faultsAt(check.isCurrent ? (data?.faults ?? []) : []), [check.isCurrent, data]);
  const context = useMemo<FieldContext>(() => ({ isCredential, suggested, faults }), [suggested, faults]);
  return (
    <Grid gap="xl">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <form onSubmit={onSubmit} noValidate>
          <Stack>
            <ErrorCount errors={formState.errors} />
            {head}
            <SchemaFields
              node={pattern.parameters as SchemaNode}
              place={{ path: 'config', pointer: '' }}
              context={context}
            />
            {actions}
          </Stack>
        </form>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <MadePane pattern={pattern} check={check} isUntouched={Object.keys(parameters).length === 0} />
      </Grid.Col>
    </Grid>
  );
}
