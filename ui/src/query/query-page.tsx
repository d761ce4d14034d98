import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { Link, useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { createTransform, DEFAULT_QUERY_ROWS, MAX_QUERY_ROWS } from '@weir/plugin-transforms/contract';
import { Play, Save, Square } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { ProblemError } from '../api/problem-error.ts';
import type { EditorHandle } from '../editor/editor-props.ts';
import { SqlEditor } from '../editor/sql-editor.tsx';
import { faultsOf, marksOf } from '../editor/sql-faults.ts';
import { countText } from '../parts/numbers.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Region } from '../parts/region.tsx';
import { useMay } from '../session/person.ts';
import { StatementFacts } from '../statement/statement-facts.tsx';
import { useStatementCheck } from '../statement/use-statement-check.ts';
import { CatalogueTree } from './catalogue-tree.tsx';
import { useQueryHistory } from './query-history.ts';
import { ResultPane } from './result-pane.tsx';
import { sqlHash, sqlOfHash } from './sql-hash.ts';
import { useCatalogue } from './use-catalogue.ts';
import { useQueryRun } from './use-query-run.ts';

/** Longer statements would make addresses that some programs cut off. */
const MAX_ADDRESS_CHARS = 6_000;
const LIMITS = [100, DEFAULT_QUERY_ROWS, MAX_QUERY_ROWS];

/** One statement over the tables of the tenant, and its rows. */
export function QueryPage() {
  const { hash } = useLocation();
  const { show, limit: asked, ...chart } = useSearch({ from: '/query' });
  const navigate = useNavigate({ from: '/query' });
  const editor = useRef<EditorHandle>(null);
  const [sql, setSql] = useState(sqlOfHash(hash) ?? '');
  const { list, names, columns } = useCatalogue(sql);
  const [past, remember] = useQueryHistory();
  const query = useQueryRun();
  const check = useStatementCheck({ sql });
  const limit = LIMITS.find((one) => String(one) === asked) ?? DEFAULT_QUERY_ROWS;
  useEffect(() => {
    const given = sqlOfHash(hash);
    if (given !== undefined) setSql(given);
  }, [hash]);
  const run = () => {
    if (sql.trim() === '') return;
    const isShort = sql.length <= MAX_ADDRESS_CHARS;
    void navigate({ search: (before) => ({ ...before, show: undefined }), hash: isShort ? sqlHash(sql) : '' });
    void query.run(sql, limit).then(({ result, error }) => {
      const code = error instanceof ProblemError ? error.problem.code : error?.message;
      remember({
        sql,
        at: new Date().toISOString(),
        ...(result === undefined ? {} : { rows: result.rows.length }),
        ...(code === undefined ? {} : { code }),
      });
    });
  };
  const go = (line: number, column: number) => editor.current?.go(line, column);
  const change = (next: Record<string, string | undefined>) =>
    void navigate({ search: (before) => ({ ...before, ...next }), hash: true, replace: true });
  return (
    <>
      <PageHead title="SQL">
        <SaveLink sql={sql} />
      </PageHead>
      <div className="sql-page">
        <Region query={list}>
          {({ items, next_page_token }) => (
            <CatalogueTree
              tables={items}
              isPart={next_page_token !== null}
              insert={(text) => editor.current?.insert(text)}
            />
          )}
        </Region>
        <Stack gap="sm">
          <SqlEditor
            label="Statement"
            value={sql}
            onChange={setSql}
            run={run}
            names={names}
            columns={columns}
            faults={check === undefined ? faultsOf(query.error, sql) : marksOf(check.faults, sql)}
            handle={editor}
          />
          <RunBar sql={sql} query={query} run={run} limit={limit} setLimit={(next) => change({ limit: next })} />
          {check === undefined || (query.error !== undefined && query.sql === sql) ? null : (
            <StatementFacts statement={check} text={sql} go={go} />
          )}
          <ResultPane
            query={query}
            go={go}
            past={past}
            limit={limit}
            show={show}
            chart={chart}
            change={change}
            take={setSql}
          />
        </Stack>
      </div>
    </>
  );
}

/** Leads to the form of a transform with this statement, for those who may make one. */
function SaveLink({ sql }: { sql: string }) {
  const maySave = useMay(createTransform);
  if (!maySave) return null;
  return (
    <Button
      variant="default"
      leftSection={<Save size={14} aria-hidden />}
      disabled={sql.trim() === ''}
      renderRoot={(props) => <Link to="/transforms/new" hash={sqlHash(sql)} {...props} />}
    >
      Save as transform
    </Button>
  );
}

interface RunBarProps {
  sql: string;
  query: ReturnType<typeof useQueryRun>;
  run(): void;
  limit: number;
  setLimit(limit: string): void;
}

function RunBar({ sql, query, run, limit, setLimit }: RunBarProps) {
  return (
    <Group justify="space-between" gap="sm">
      <Group gap="sm">
        {query.isRunning ? (
          <Button variant="default" leftSection={<Square size={14} aria-hidden />} onClick={query.cancel}>
            Stop waiting
          </Button>
        ) : (
          <Button leftSection={<Play size={14} aria-hidden />} disabled={sql.trim() === ''} onClick={run}>
            Run
          </Button>
        )}
        <Text size="sm" c="dimmed" visibleFrom="sm">
          Ctrl Enter
        </Text>
      </Group>
      <NativeSelect
        aria-label="Rows at most"
        size="xs"
        data={LIMITS.map((one) => ({ value: String(one), label: `at most ${countText(one)} rows` }))}
        value={String(limit)}
        onChange={(event) => setLimit(event.currentTarget.value)}
      />
    </Group>
  );
}
