import { Button, Group, Radio, Stack, Text, TextInput, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { createUpload, listSources } from '@weir/plugin-sources/contract';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { NotAllowed } from '../../parts/not-allowed.tsx';
import { bytesText, counted } from '../../parts/numbers.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { useMay } from '../../session/person.ts';
import { NAME, NAME_RULE } from '../create/source-name.ts';
import { DropZone } from './drop-zone.tsx';
import { useHandedFiles } from './handed-files.ts';
import type { ToLoad } from './load-files.ts';
import { isLoadable, proposedName, type Tables } from './load-plan.ts';
import { LoadProgress } from './load-progress.tsx';

/** From files of this machine to rows of tables. */
export function LoadPage() {
  const { files, hand } = useHandedFiles();
  const mayLoad = useMay(createUpload);
  const [toLoad, setToLoad] = useState<ToLoad>();
  if (!mayLoad) return <NotAllowed title="Load files" things="sources" />;
  const again = () => {
    setToLoad(undefined);
    hand([]);
  };
  return (
    <>
      <PageHead title="Load files">
        <Button variant="default" renderRoot={(props) => <Link to="/sources/new" {...props} />}>
          Read from somewhere else
        </Button>
      </PageHead>
      {toLoad !== undefined ? (
        <LoadProgress toLoad={toLoad} again={again} />
      ) : !files.some(isLoadable) ? (
        <DropZone onFiles={hand} />
      ) : (
        <Plan key={files.map(({ name }) => name).join('/')} files={files} onLoad={setToLoad} again={again} />
      )}
    </>
  );
}

interface PlanProps {
  files: readonly File[];
  onLoad(toLoad: ToLoad): void;
  again(): void;
}

/** What will be loaded, and under which name. */
function Plan({ files: given, onLoad, again }: PlanProps) {
  const files = given.filter(isLoadable);
  const [name, setName] = useState(() => proposedName(files));
  const [tables, setTables] = useState<Tables>(files.length === 1 ? 'one' : 'each');
  const isName = NAME.test(name);
  const known = useRead(listSources, { query: { name } }, { enabled: isName, keep: true });
  const isTaken = known.data?.items.some((source) => source.name === name) === true;
  const fault = !isName ? NAME_RULE : isTaken ? 'A source has this name already. Choose another one.' : undefined;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (fault === undefined) onLoad({ files, name, tables });
      }}
    >
      <Stack maw={640}>
        <section aria-labelledby="files">
          <Title order={2} id="files" mb="xs">
            {counted(files.length, 'file')}, {bytesText(bytes)}
          </Title>
          <Stack component="ul" gap={0} m={0} p={0} className="panel plain-list">
            {files.map((file) => (
              <Group component="li" key={file.name} justify="space-between" px="md" py="xs" wrap="nowrap">
                <Text className="ellipsis" title={file.name}>
                  {file.name}
                </Text>
                <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                  {bytesText(file.size)}
                </Text>
              </Group>
            ))}
          </Stack>
        </section>
        <TextInput
          label="Name of the source"
          description="Its tables are called after it"
          withAsterisk
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fault}
        />
        {files.length < 2 ? null : (
          <Radio.Group label="Tables" value={tables} onChange={(value) => setTables(value as Tables)}>
            <Stack gap="xs" mt={4}>
              <Radio value="each" label="A table of each file" />
              <Radio value="one" label="One table of all files, which have the same columns" />
            </Stack>
          </Radio.Group>
        )}
        <Group>
          <Button type="submit" disabled={fault !== undefined}>
            Load {counted(files.length, 'file')}
          </Button>
          <Button variant="default" onClick={again}>
            Choose others
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
