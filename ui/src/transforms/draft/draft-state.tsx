import { Text } from '@mantine/core';
import type { TransformView } from '@weir/plugin-transforms/contract';
import { ShowTime } from '../../parts/show-time.tsx';

/** Which definition runs carry out, and whether another one was saved beside it. */
export function DraftState({ transform }: { transform: TransformView }) {
  const { version, hydrated_at: at, draft } = transform;
  if (version === null)
    return (
      <Text size="sm" role="status">
        <strong>Draft.</strong> Nothing is in force yet: the transform runs once you put it in force.
      </Text>
    );
  const inForce = (
    <>
      version {version}
      {at === null ? null : (
        <>
          {' '}
          of <ShowTime at={at} how="clock" />
        </>
      )}
    </>
  );
  if (draft === null)
    return (
      <Text size="sm" role="status">
        In force: {inForce}.
      </Text>
    );
  return (
    <Text size="sm" role="status">
      <strong>Draft, not in force:</strong> runs use {inForce}. Saved by {draft.updated_by}{' '}
      <ShowTime at={draft.updated_at} />: {draft.changes.join(', ')}.
    </Text>
  );
}
