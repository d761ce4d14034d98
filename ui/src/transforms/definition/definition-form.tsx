import { Button, Group, Stack, Text } from '@mantine/core';
import { Play } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import type { EditorHandle } from '../../editor/editor-props.ts';
import { SqlEditor } from '../../editor/sql-editor.tsx';
import { faultsOf, findingMarks, marksOf } from '../../editor/sql-faults.ts';
import { Outcome } from '../../query/result-pane.tsx';
import { useCatalogue } from '../../query/use-catalogue.ts';
import { useQueryRun } from '../../query/use-query-run.ts';
import { ReviewList } from '../../statement/review-list.tsx';
import { StatementFacts, type StatementView } from '../../statement/statement-facts.tsx';
import type { Definition } from '../draft/definition.ts';
import { DefinitionFields } from './definition-fields.tsx';

const PREVIEW_ROWS = 100;

interface DefinitionFormProps {
  value: Definition;
  change(change: Partial<Definition>): void;
  /** What the server said of the last attempt to save or hydrate. */
  error: Error | null;
  save?: (() => void) | undefined;
  /** What the server finds of it while it is typed. */
  check: StatementView | undefined;
  editor: RefObject<EditorHandle | null>;
  /** The statement first: of a transform that is there. */
  isStatementFirst?: boolean;
  /** Below the editor, beside the preview. */
  actions?: ReactNode;
}

/** What a transform is: its statement, its table, and how its rows get there. */
export function DefinitionForm({ value, change, error, save, check, editor, ...more }: DefinitionFormProps) {
  const { isStatementFirst = false, actions } = more;
  const { names, columns, named } = useCatalogue(value.sql);
  const preview = useQueryRun();
  const run = () => void (value.sql.trim() === '' || preview.run(value.sql, PREVIEW_ROWS));
  const go = (line: number, column: number) => editor.current?.go(line, column);
  const marks =
    check === undefined
      ? [...faultsOf(error, value.sql), ...faultsOf(preview.error, value.sql)]
      : [...marksOf(check.faults, value.sql), ...findingMarks(check.findings)];
  const fields = <DefinitionFields value={value} change={change} error={error} inputs={named} />;
  return (
    <Stack gap="md">
      {isStatementFirst ? null : fields}
      <div>
        <Text size="sm" fw={500} mb={4}>
          Statement
        </Text>
        <SqlEditor
          label="Statement"
          value={value.sql}
          onChange={(sql) => change({ sql })}
          run={run}
          save={save}
          names={names}
          columns={columns}
          faults={marks}
          handle={editor}
          minHeight={220}
        />
      </div>
      {check === undefined ? null : <StatementFacts statement={check} text={value.sql} go={go} />}
      <ReviewList findings={check?.findings} go={go} />
      <Group justify="space-between">
        <Group gap="sm">
          <Button
            variant="default"
            leftSection={<Play size={14} aria-hidden />}
            loading={preview.isRunning}
            disabled={value.sql.trim() === ''}
            onClick={run}
          >
            Preview rows
          </Button>
          <Text size="sm" c="dimmed" visibleFrom="sm">
            Ctrl Enter
          </Text>
        </Group>
        <Group gap="sm">{actions}</Group>
      </Group>
      {preview.result === undefined && preview.error === undefined ? null : (
        <Outcome query={preview} limit={PREVIEW_ROWS} go={go} />
      )}
      {isStatementFirst ? fields : null}
    </Stack>
  );
}
