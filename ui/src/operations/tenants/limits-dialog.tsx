import { Button, Group, NativeSelect, NumberInput, Stack, Text } from '@mantine/core';
import { getTenantLimits, setTenantLimits, type TenantLimitsView } from '@weir/plugin-platform/contract';
import { type FormEvent, useState } from 'react';
import { useChange, useRead } from '../../api/queries.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { Region } from '../../parts/region.tsx';
import { draftOf, LIMIT_WORDS, LIMITS, type LimitDraft, type LimitName, limitOf, usedText } from './limit-draft.ts';

/** Sets what a tenant may use. */
export function LimitsDialog({ alias, onClose }: { alias: string; onClose(): void }) {
  const query = useRead(getTenantLimits, { params: { alias } });
  return (
    <Dialog title={`Limits of ${alias}`} onClose={onClose}>
      <Region query={query}>{(limits) => <LimitsForm limits={limits} onClose={onClose} />}</Region>
    </Dialog>
  );
}

const HOW_WORDS = [
  { value: 'default', label: 'As the deployment has it' },
  { value: 'none', label: 'No limit' },
  { value: 'number', label: 'At most' },
];

type Drafts = Record<LimitName, LimitDraft>;

function LimitsForm({ limits, onClose }: { limits: TenantLimitsView; onClose(): void }) {
  const [drafts, setDrafts] = useState<Drafts>({
    runs_per_day: draftOf('runs_per_day', limits.runs_per_day),
    concurrent_runs: draftOf('concurrent_runs', limits.concurrent_runs),
    storage_bytes: draftOf('storage_bytes', limits.storage_bytes),
  });
  const set = useChange(setTenantLimits);
  const wanted = {
    runs_per_day: limitOf('runs_per_day', drafts.runs_per_day),
    concurrent_runs: limitOf('concurrent_runs', drafts.concurrent_runs),
    storage_bytes: limitOf('storage_bytes', drafts.storage_bytes),
  };
  const { runs_per_day, concurrent_runs, storage_bytes } = wanted;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (runs_per_day === undefined || concurrent_runs === undefined || storage_bytes === undefined) return;
    const body = { runs_per_day, concurrent_runs, storage_bytes };
    set.mutate({ params: { alias: limits.tenant }, body }, { onSuccess: onClose });
  };
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        {LIMITS.map((name) => (
          <LimitField
            key={name}
            name={name}
            used={usedText(name, limits)}
            draft={drafts[name]}
            change={(draft) => setDrafts((before) => ({ ...before, [name]: draft }))}
          />
        ))}
        <Text size="sm" c="dimmed">
          They hold from the next run on; runs that are open continue.
        </Text>
        {set.error === null ? null : <FaultNote error={set.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={Object.values(wanted).includes(undefined)} loading={set.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface LimitFieldProps {
  name: LimitName;
  used: string;
  draft: LimitDraft;
  change(draft: LimitDraft): void;
}

function LimitField({ name, used, draft, change }: LimitFieldProps) {
  const { label, unit } = LIMIT_WORDS[name];
  return (
    <Group align="flex-end" gap="xs">
      <NativeSelect
        label={label}
        description={`Now ${used}`}
        data={HOW_WORDS}
        value={draft.how}
        onChange={(event) => change({ ...draft, how: event.currentTarget.value as LimitDraft['how'] })}
      />
      {draft.how === 'number' ? (
        <NumberInput
          aria-label={`${label}, at most, in ${unit}`}
          w={170}
          min={0}
          suffix={` ${unit}`}
          allowDecimal={name === 'storage_bytes'}
          value={draft.value}
          onChange={(value) => change({ ...draft, value })}
        />
      ) : null}
    </Group>
  );
}
