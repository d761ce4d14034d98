import { Button, Group, Input, Text } from '@mantine/core';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { ToneWord } from '../parts/status-word.tsx';

interface StoredSecretProps {
  label: string;
  /** What is known of it, such as `Stored, version 3`. */
  known: string;
  replace(): void;
}

/** A secret that is stored already: it is never shown, and stays unless it is replaced. */
export function StoredSecret({ label, known, replace }: StoredSecretProps) {
  return (
    <div>
      <Input.Label component="div">{label}</Input.Label>
      <Group gap="sm">
        <ToneWord icon={Check} tone="good" word={known} />
        <Button size="compact-sm" variant="default" onClick={replace} aria-label={`Replace ${label}`}>
          Replace
        </Button>
      </Group>
    </div>
  );
}

/** The input of a secret that takes the place of a stored one, and the way back. */
export function ReplacedSecret({ label, keep, children }: { label: string; keep(): void; children: ReactNode }) {
  return (
    <div>
      {children}
      <Group gap="xs" mt={4}>
        <Text size="sm" c="dimmed">
          Takes the place of the stored one.
        </Text>
        <Button size="compact-xs" variant="subtle" onClick={keep} aria-label={`Keep the stored ${label}`}>
          Keep the stored one
        </Button>
      </Group>
    </div>
  );
}
