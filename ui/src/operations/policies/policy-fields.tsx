import { List, Stack, Text, Textarea } from '@mantine/core';
import { ProblemError } from '../../api/problem-error.ts';
import { BindingsField } from './bindings-field.tsx';
import type { PolicyDraft } from './policy-draft.ts';
import { RuleBuilder } from './rule-builder.tsx';

interface PolicyFieldsProps {
  draft: PolicyDraft;
  onChange(draft: PolicyDraft): void;
  error: Error | null;
}

/** The document of a policy, by its kind. */
export function PolicyFields({ draft, onChange, error }: PolicyFieldsProps) {
  if (draft.kind === 'entity_resolution')
    return (
      <>
        <Textarea
          label="Document"
          description="Which rows are of one entity, as JSON"
          autosize
          minRows={12}
          maxRows={30}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={draft.json}
          onChange={(event) => onChange({ ...draft, json: event.currentTarget.value })}
        />
        <DocumentFaults error={error} />
      </>
    );
  return (
    <Stack gap="md">
      <RuleBuilder
        add={(statement) => onChange({ ...draft, cedar: [draft.cedar.trim(), statement].filter(Boolean).join('\n\n') })}
      />
      <Textarea
        label="Rules"
        description="Statements in Cedar. A policy can only forbid"
        autosize
        minRows={4}
        maxRows={24}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={draft.cedar}
        onChange={(event) => onChange({ ...draft, cedar: event.currentTarget.value })}
      />
      <DocumentFaults error={error} />
      <BindingsField bindings={draft.bindings} onChange={(bindings) => onChange({ ...draft, bindings })} />
    </Stack>
  );
}

interface Position {
  code?: string;
  line?: number;
  column?: number;
}

/** Where a document cannot be put in force as it is. */
function DocumentFaults({ error }: { error: Error | null }) {
  if (!(error instanceof ProblemError)) return null;
  const { errors = [], positions = [] } = error.problem as {
    errors?: typeof error.problem.errors;
    positions?: Position[];
  };
  const lines = [
    ...positions.map(({ code = '', line, column }) => `Line ${line}, column ${column}: ${words(code)}`),
    ...(positions.length > 0 ? [] : (errors.map(({ pointer, code }) => `${pointer}: ${words(code)}`) ?? [])),
  ];
  if (lines.length === 0) return null;
  return (
    <List size="sm" c="var(--mantine-color-error)">
      {lines.map((line) => (
        <List.Item key={line}>
          <Text size="sm">{line}</Text>
        </List.Item>
      ))}
    </List>
  );
}

const words = (code: string): string => code.replaceAll('_', ' ');
