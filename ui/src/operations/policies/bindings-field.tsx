import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { TENANT_ROLES, type TenantRole } from '@weir/kernel/contract';
import { CLAIMS, type Claim } from '@weir/plugin-identity/contract';
import { ROLE_WORDS } from '../../session/person.ts';
import type { BindingDraft } from './policy-draft.ts';
import { CLAIM_WORDS } from './policy-words.ts';

interface BindingsFieldProps {
  bindings: readonly BindingDraft[];
  onChange(bindings: BindingDraft[]): void;
}

/** What callers keep of their roles here. */
export function BindingsField({ bindings, onChange }: BindingsFieldProps) {
  const set = (key: number, change: Partial<BindingDraft>) =>
    onChange(bindings.map((one) => (one.key === key ? { ...one, ...change } : one)));
  const add = () => {
    const key = Math.max(-1, ...bindings.map((one) => one.key)) + 1;
    onChange([...bindings, { key, claim: 'sub', values: '', roles: ['viewer'], rest: {} }]);
  };
  return (
    <Stack gap="sm" role="group" aria-label="Limits of roles">
      <Text fw={560}>Limits of roles</Text>
      <Text size="sm" c="dimmed">
        {bindings.length === 0
          ? 'None: everybody keeps the roles of the identity provider.'
          : 'Nobody gains a role. Whoever fits no line keeps none.'}
      </Text>
      {bindings.map((one, i) => (
        <Group
          key={one.key}
          gap="sm"
          align="flex-end"
          className="panel"
          p="sm"
          role="group"
          aria-label={`Limit ${i + 1}`}
        >
          <NativeSelect
            label="Whose"
            data={CLAIMS.map((value) => ({ value, label: CLAIM_WORDS[value] }))}
            value={one.claim}
            onChange={(event) => set(one.key, { claim: event.currentTarget.value as Claim })}
          />
          <TextInput
            label="is one of"
            placeholder="ada@example.com, eve@example.com"
            flex={1}
            miw={200}
            value={one.values}
            onChange={(event) => set(one.key, { values: event.currentTarget.value })}
          />
          <Checkbox.Group
            label="keeps at most"
            value={one.roles}
            onChange={(roles) => set(one.key, { roles: roles as TenantRole[] })}
          >
            <Group gap="sm" h={36}>
              {TENANT_ROLES.map((role) => (
                <Checkbox key={role} value={role} label={ROLE_WORDS[role]} />
              ))}
            </Group>
          </Checkbox.Group>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Remove limit ${i + 1}`}
            onClick={() => onChange(bindings.filter(({ key }) => key !== one.key))}
          >
            Remove
          </Button>
        </Group>
      ))}
      <div>
        <Button size="xs" variant="default" onClick={add}>
          Add a limit
        </Button>
      </div>
    </Stack>
  );
}
