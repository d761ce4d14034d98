import { Group, NativeSelect, Stack, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import {
  type DefinitionView,
  getTransformVersion,
  type TransformVersionFactsView,
  type TransformView,
} from '@weir/plugin-transforms/contract';
import { useRead } from '../../api/queries.ts';
import { Region } from '../../parts/region.tsx';
import { DefinitionDifference } from '../draft/definition-difference.tsx';

const DRAFT = 'draft';

interface VersionDifferenceProps {
  detail: TransformView;
  versions: readonly TransformVersionFactsView[];
}

/** The difference of any two versions, or of one and the draft; the address holds which. */
export function VersionDifference({ detail, versions }: VersionDifferenceProps) {
  const search = useSearch({ from: '/transforms/$transformId' });
  const navigate = useNavigate({ from: '/transforms/$transformId' });
  const { draft, version: inForce } = detail;
  const numbers = versions.map(({ version }) => String(version));
  const names = draft === null || inForce === null ? numbers : [DRAFT, ...numbers];
  const [newest = '', second = newest] = names;
  const after = names.find((name) => name === search.version) ?? newest;
  const before = names.find((name) => name === search.against) ?? names[names.indexOf(after) + 1] ?? second;
  if (names.length < 2) return null;
  const options = names.map((value) => ({ value, label: wordsOf(value) }));
  const choose = (change: { version?: string; against?: string }) =>
    void navigate({ search: (found) => ({ ...found, ...change }), replace: true });
  return (
    <Stack gap="sm" component="section" aria-labelledby="version-difference">
      <Title order={2} id="version-difference">
        What changed
      </Title>
      <Group gap="sm" align="flex-end">
        <NativeSelect
          label="From"
          size="sm"
          data={options}
          value={before}
          onChange={(event) => choose({ against: event.currentTarget.value })}
        />
        <NativeSelect
          label="To"
          size="sm"
          data={options}
          value={after}
          onChange={(event) => choose({ version: event.currentTarget.value })}
        />
      </Group>
      <Loaded detail={detail} name={before}>
        {(one) => (
          <Loaded detail={detail} name={after}>
            {(other) => (
              <DefinitionDifference
                before={one}
                after={other}
                label={`Difference of ${wordsOf(before)} and ${wordsOf(after)}`}
              />
            )}
          </Loaded>
        )}
      </Loaded>
    </Stack>
  );
}

const wordsOf = (name: string) => (name === DRAFT ? 'the draft' : `version ${name}`);

interface LoadedProps {
  detail: TransformView;
  /** `draft`, or the number of a version. */
  name: string;
  children(definition: DefinitionView): React.ReactNode;
}

function Loaded({ detail: { transform_id, draft }, name, children }: LoadedProps) {
  const params = { transform_id, version: Number(name) };
  const query = useRead(getTransformVersion, { params }, { enabled: name !== DRAFT });
  if (name === DRAFT) return draft === null ? null : children(draft);
  return <Region query={query}>{children}</Region>;
}
