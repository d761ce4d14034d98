import { Button, Group, Stack, Text } from '@mantine/core';
import { FileUp } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';

interface DropZoneProps {
  onFiles(files: readonly File[]): void;
  /** Beside other things of a page. */
  isSmall?: boolean;
}

/** A place for files: they are dropped here, or chosen by the keyboard or the mouse. */
export function DropZone({ onFiles, isSmall = false }: DropZoneProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (given: readonly File[]) => {
    if (given.length > 0) onFiles(given);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take([...event.dataTransfer.files]);
  };
  return (
    <Stack
      component="section"
      aria-label="Load files"
      className="drop-zone"
      data-over={isOver}
      align="center"
      gap="xs"
      p={isSmall ? 'md' : 'xl'}
      onDragOver={(event: DragEvent) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Group gap="sm" justify="center">
        <FileUp size={isSmall ? 18 : 24} aria-hidden />
        <Text fw={560}>Drop files here</Text>
        <Button variant={isSmall ? 'default' : 'filled'} size="sm" onClick={() => chooser.current?.click()}>
          Choose files
        </Button>
      </Group>
      <Text size="sm" c="dimmed" ta="center">
        CSV, JSON, JSON lines or Parquet, each also with .gz or .zst. They are sent to this platform; you see what they
        will become before anything is loaded.
      </Text>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange={({ currentTarget }) => {
          take([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
    </Stack>
  );
}
