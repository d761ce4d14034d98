import { Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { CheckCircle2, CircleDashed, CircleHelp, XCircle } from 'lucide-react';
import { useId } from 'react';
import { bytesText, counted } from '../../parts/numbers.ts';
import { type Tone, ToneWord } from '../../parts/status-word.tsx';
import type { PlannedFile } from './plan/load-account.ts';
import { formatWord } from './plan/note-words.ts';

const MAX_SHOWN = 100;
/** Formats of text, which a person can say of a file whose ending says none. */
const TEXT_FORMATS = ['csv', 'json', 'jsonl'] as const;
const UNKNOWN = 'format_unknown';

const SHOWN = {
  planned: { icon: CircleDashed, tone: 'quiet', word: 'To load' },
  loaded: { icon: CheckCircle2, tone: 'good', word: 'Loaded' },
  left_out: { icon: XCircle, tone: 'bad', word: 'Left out' },
  unknown: { icon: CircleHelp, tone: 'warn', word: 'Not known' },
} as const satisfies Record<PlannedFile['status'], { icon: unknown; tone: Tone; word: string }>;

interface FilesListProps {
  files: readonly PlannedFile[];
  bytes: ReadonlyMap<string, number>;
  /** What a person says that a file is; without it nothing can be said. */
  onReadAs?: ((file: string, format: string) => void) | undefined;
}

/** Every file that was given, and what becomes of it or has become of it. */
export function FilesList({ files, bytes, onReadAs }: FilesListProps) {
  const heading = useId();
  const count = (status: PlannedFile['status']) => files.filter((file) => file.status === status).length;
  const parts = (['planned', 'loaded', 'left_out', 'unknown'] as const).flatMap((status) =>
    count(status) === 0 ? [] : [`${count(status)} ${SHOWN[status].word.toLowerCase()}`],
  );
  // Those that are left out come first where not all are shown.
  const ordered = [...files].sort((a, b) => Number(b.status === 'left_out') - Number(a.status === 'left_out'));
  const shown = files.length > MAX_SHOWN ? ordered.slice(0, MAX_SHOWN) : files;
  return (
    <section aria-labelledby={heading}>
      <Title order={2} id={heading} mb="xs" size="md">
        {counted(files.length, 'file')}: {parts.join(', ')}
      </Title>
      <Stack component="ul" gap={0} m={0} p={0} className="panel plain-list">
        {shown.map((file) => (
          <FileLine key={file.name} file={file} bytes={bytes.get(file.name)} onReadAs={onReadAs} />
        ))}
        {files.length > shown.length ? (
          <Text component="li" px="md" py="xs" size="sm">
            {counted(files.length - shown.length, 'more file')}
          </Text>
        ) : null}
      </Stack>
    </section>
  );
}

function FileLine({
  file: { name, status, stream, code, reason },
  bytes,
  onReadAs,
}: { file: PlannedFile; bytes: number | undefined } & Pick<FilesListProps, 'onReadAs'>) {
  return (
    <Group component="li" px="md" py="xs" gap="md" align="flex-start" wrap="nowrap">
      <div className="load-state">
        <ToneWord {...SHOWN[status]} />
      </div>
      <div style={{ flex: 1, minWidth: 0 }}>
        <Text style={{ overflowWrap: 'anywhere' }}>
          {name}
          {bytes === undefined ? null : (
            <Text span size="sm" c="dimmed">
              {' '}
              {bytesText(bytes)}
            </Text>
          )}
        </Text>
        {reason === undefined ? (
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {stream === undefined ? null : `Table ${stream}`}
          </Text>
        ) : (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {reason} ({code})
          </Text>
        )}
        {code === UNKNOWN && onReadAs !== undefined ? (
          <NativeSelect
            size="xs"
            mt={4}
            maw="14rem"
            aria-label={`Read ${name} as`}
            value=""
            data={[
              { value: '', label: 'Leave it out' },
              ...TEXT_FORMATS.map((value) => ({ value, label: `Read it as ${formatWord(value)}` })),
            ]}
            onChange={({ currentTarget: { value } }) => value !== '' && onReadAs(name, value)}
          />
        ) : null}
      </div>
    </Group>
  );
}
