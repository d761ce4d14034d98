import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { getPattern, type PatternView, type SourceView, updateSource } from '@weir/plugin-sources/contract';
import { Check } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { type SchemaNode, titleOf } from '../../form/schema-node.ts';
import { FactList } from '../../parts/fact-list.tsx';
import { Later, Region } from '../../parts/region.tsx';
import { ToneWord } from '../../parts/status-word.tsx';
import { useMay } from '../../session/person.ts';

/** Read once something is to be changed. */
const ConfigurationForm = lazy(() =>
  import('./configuration-form.tsx').then((module) => ({ default: module.ConfigurationForm })),
);

/** How a source is reached: shown, and changed with the form that made it. */
export function ConfigurationTab({ source }: { source: SourceView }) {
  const pattern = useRead(getPattern, { params: { pattern_id: source.pattern_id } });
  return <Region query={pattern}>{(data) => <Configuration source={source} pattern={data} />}</Region>;
}

function Configuration({ source, pattern }: { source: SourceView; pattern: PatternView }) {
  const { show, field } = useSearch({ from: '/sources/$sourceId' });
  const navigate = useNavigate({ from: '/sources/$sourceId' });
  const mayChange = useMay(updateSource);
  const [isSaved, setSaved] = useState(false);
  const view = (edit: boolean) =>
    void navigate({ search: { tab: 'configuration', ...(edit && { show: 'edit' }) }, replace: true });
  if (show === 'edit' && mayChange)
    return (
      <Suspense fallback={<Later />}>
        <ConfigurationForm
          source={source}
          pattern={pattern}
          field={field}
          close={(saved) => {
            setSaved(saved);
            view(false);
          }}
        />
      </Suspense>
    );
  return (
    <Stack maw={720}>
      <div role="status">{isSaved ? <Saved source={source} /> : null}</div>
      <Values source={source} pattern={pattern} />
      {mayChange ? (
        <Group>
          <Button onClick={() => view(true)}>Edit</Button>
        </Group>
      ) : null}
    </Stack>
  );
}

/** What comes next once a configuration is saved. */
function Saved({ source }: { source: SourceView }) {
  return (
    <Group gap="sm">
      <ToneWord icon={Check} tone="good" word="Saved" />
      <Text size="sm">The next sync uses it. Discover again to see what the source has now.</Text>
      <Button
        size="compact-sm"
        variant="default"
        renderRoot={(props) => (
          <Link
            to="/sources/$sourceId"
            params={{ sourceId: source.source_id }}
            search={{ tab: 'streams' }}
            {...props}
          />
        )}
      >
        Go to streams
      </Button>
    </Group>
  );
}

/** The configuration as it is, by the titles of its form; credentials are said to be stored, and no more. */
function Values({ source, pattern }: { source: SourceView; pattern: PatternView }) {
  const { properties = {} } = pattern.spec as SchemaNode;
  const entries = Object.entries(source.source_config);
  const facts = entries.map(
    ([name, value]) => [titleOf(name, properties[name] ?? {}), <Value key={name} value={value} />] as const,
  );
  const made = `${pattern.name} ${source.pattern_version}`;
  const credentials = source.has_credentials ? 'Stored, never shown' : 'None stored';
  return (
    <FactList
      facts={[
        ['Pattern', made],
        ...facts,
        ...(pattern.credential_fields.length === 0 ? [] : [['Credentials', credentials] as const]),
      ]}
    />
  );
}

function Value({ value }: { value: unknown }) {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return <span className="cell-text">{value}</span>;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return <span className="cell-text">{value.join(', ')}</span>;
  return (
    <Code block tabIndex={0} className="cell-text">
      {JSON.stringify(value, null, 2)}
    </Code>
  );
}
