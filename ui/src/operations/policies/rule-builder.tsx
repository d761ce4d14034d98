import { Autocomplete, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { listUsers } from '@weir/plugin-identity/contract';
import { listPlugins } from '@weir/plugin-platform/contract';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { type RuleDraft, ruleText, WHO } from './policy-draft.ts';

const NO_RULE: RuleDraft = { who: 'everybody', person: '', what: '', where: '' };
const MAX_PEOPLE = 100;

/** Makes a statement of who may no longer do what, and where. */
export function RuleBuilder({ add }: { add(statement: string): void }) {
  const [rule, setRule] = useState(NO_RULE);
  const plugins = useRead(listPlugins);
  const users = useRead(listUsers, { query: { limit: MAX_PEOPLE } }, { enabled: rule.who === 'person' });
  const permissions = plugins.data?.items.flatMap((plugin) => plugin.permissions) ?? [];
  const known = permissions.find(({ permission }) => permission === rule.what);
  const set = (change: Partial<RuleDraft>) => setRule((before) => ({ ...before, ...change }));
  const send = () => {
    add(ruleText({ ...rule, person: rule.person.trim(), what: rule.what.trim(), where: rule.where.trim() }));
    setRule(NO_RULE);
  };
  const isReady = rule.who !== 'person' || rule.person.trim() !== '';
  return (
    <Stack gap="xs" role="group" aria-label="New rule">
      <Group gap="sm" align="flex-end">
        <Select
          label="Who may not"
          w={190}
          allowDeselect={false}
          data={Object.entries(WHO).map(([value, [label]]) => ({ value, label }))}
          value={rule.who}
          onChange={(who) => set({ who: who ?? 'everybody' })}
        />
        {rule.who === 'person' ? (
          <Autocomplete
            label="Subject"
            w={190}
            data={users.data?.items.map(({ sub }) => sub) ?? []}
            value={rule.person}
            onChange={(person) => set({ person })}
          />
        ) : null}
        <Autocomplete
          label="Do what"
          placeholder="anything, or sources:write"
          w={250}
          data={['write', 'read', ...permissions.map(({ permission }) => permission)]}
          value={rule.what}
          onChange={(what) => set({ what })}
        />
        <TextInput
          label="Where"
          placeholder="anywhere, or /sources/<id>"
          w={230}
          value={rule.where}
          onChange={(event) => set({ where: event.currentTarget.value })}
        />
        <Button variant="default" disabled={!isReady} onClick={send}>
          Add the rule
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        {known?.description ??
          'An operation has a dot, as sources.delete_source; a permission a colon, as sources:write.'}
      </Text>
    </Stack>
  );
}
