import {
  Button,
  Kbd,
  SegmentedControl,
  Select,
  Stack,
  Switch,
  Table,
  Text,
  Title,
  useMantineColorScheme,
} from '@mantine/core';
import { KEYS, useLetterKeys } from '../keys/keys.ts';
import { Dialog } from '../parts/dialog.tsx';
import { usePerson } from '../session/person.ts';
import { useZone } from './zone.tsx';

const SCHEMES = [
  { value: 'auto', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

/** What a person sets for this browser, the keys, and the way out. */
export function Settings({ onClose }: { onClose(): void }) {
  const { me, signOut } = usePerson();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [letters, setLetters] = useLetterKeys();
  const [zone, setZone, zones] = useZone();
  return (
    <Dialog onClose={onClose} title={me.name ?? me.subject}>
      <Stack>
        <div>
          <Text size="sm" fw={500} mb={4} id="appearance">
            Appearance
          </Text>
          <SegmentedControl
            fullWidth
            data={[...SCHEMES]}
            value={colorScheme}
            onChange={(value) => setColorScheme(value as typeof colorScheme)}
            aria-labelledby="appearance"
          />
        </div>
        <Select
          label="Time zone"
          description="Of every time on these pages"
          data={zones}
          value={zone}
          onChange={setZone}
          allowDeselect={false}
          searchable
        />
        <Switch
          label="Single letters are commands"
          checked={letters}
          onChange={(event) => setLetters(event.currentTarget.checked)}
        />
        <Title order={2} size="sm">
          Keys
        </Title>
        <Table withRowBorders={false} verticalSpacing={4}>
          <Table.Tbody>
            {KEYS.map(([keys, what]) => (
              <Table.Tr key={keys}>
                <Table.Td w={90}>
                  <Kbd>{keys}</Kbd>
                </Table.Td>
                <Table.Td>{what}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Button variant="default" onClick={() => signOut()}>
          Sign out
        </Button>
      </Stack>
    </Dialog>
  );
}
