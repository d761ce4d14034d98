import { Group, Stack, Text, Title } from '@mantine/core';
import { type CheckReportView, readRunChecks } from '@weir/plugin-transforms/contract';
import { useRead } from '../api/queries.ts';
import { DataGrid } from '../grid/data-grid.tsx';
import { countText, durationText } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { CHECK_WORDS, CheckWord } from './check-word.tsx';

const SAMPLE_PX = 220;

const isBroken = ({ status }: CheckReportView) => status !== 'passed';

/** The checks of a run, broken ones first, each with rows that break it. */
export function RunChecks({ runId }: { runId: string }) {
  const query = useRead(readRunChecks, { params: { run_id: runId } });
  return (
    <section aria-labelledby="checks">
      <Title order={2} id="checks" mb="sm">
        Checks
      </Title>
      <Region query={query} lines={2}>
        {({ checks }) => (
          <Stack gap="sm">
            {[...checks.filter(isBroken), ...checks.filter((one) => !isBroken(one))].map((check) => (
              <Report key={check.name} check={check} />
            ))}
          </Stack>
        )}
      </Region>
    </section>
  );
}

function Report({
  check: { name, kind, status, severity, failing_rows: failing, duration_ms: ms, sample },
}: ReportProps) {
  return (
    <Stack gap="xs" p="md" className="panel">
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <CheckWord status={status} />
          <Text fw={560}>{name}</Text>
          <Text size="sm" c="dimmed">
            {CHECK_WORDS[kind]}
            {severity === 'warn' ? '; only warns' : ''}
          </Text>
        </Group>
        <Text size="sm" c="dimmed">
          {failing === null || failing === '0' ? '' : `${countText(Number(failing))} broken · `}
          {durationText(ms)}
        </Text>
      </Group>
      {sample === null || sample.rows.length === 0 ? null : (
        <DataGrid label={`Rows that break ${name}`} columns={sample.columns} rows={sample.rows} maxHeight={SAMPLE_PX} />
      )}
    </Stack>
  );
}

interface ReportProps {
  check: CheckReportView;
}
