import type { Input } from '@weir/kernel/contract';
import {
  changeTransform,
  discardTransformDraft,
  hydrateTransform,
  type TransformView,
} from '@weir/plugin-transforms/contract';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';

type Body = Input<typeof changeTransform>['body'];

/** What is being done to a definition. */
export type Doing = 'save' | 'put' | 'discard';
export type Saving = ReturnType<typeof useSave>;

/** Saves changes of a transform and puts them in force, whichever of its tabs is open when the answers come. */
export function useSave(transform: TransformView) {
  const change = useChange(changeTransform);
  const hydrate = useChange(hydrateTransform);
  const discard = useChange(discardTransformDraft);
  const [doing, setDoing] = useState<Doing>();
  const params = { transform_id: transform.transform_id };
  const act = (what: Doing, work: () => Promise<unknown>): void => {
    for (const one of [change, hydrate, discard]) one.reset();
    setDoing(what);
    void work()
      // What was refused is in `error`.
      .catch(() => undefined)
      .finally(() => setDoing(undefined));
  };
  const changed = (body: Body) => change.mutateAsync({ params, body, headers: { 'if-match': transform.etag } });
  const put = async (draft: TransformView['draft']) => {
    if (draft !== null) await hydrate.mutateAsync({ params, headers: { 'if-match': draft.etag } });
  };
  return {
    /** Keeps a change: as the draft, where it is of the definition. */
    save: (body: Body) => act('save', () => changed(body)),
    /** Puts the draft in force, with a change that is not saved yet. */
    putInForce: (body?: Body) =>
      act('put', async () => put(body === undefined ? transform.draft : (await changed(body)).draft)),
    /** Puts a change in force at once, unless that would take somebody's draft along. */
    apply: (body: Body) =>
      act('save', async () => {
        const { draft } = await changed(body);
        if (transform.draft === null) await put(draft);
      }),
    discard: () =>
      act('discard', () =>
        discard.mutateAsync({ params, headers: { 'if-match': transform.draft?.etag ?? transform.etag } }),
      ),
    error: change.error ?? hydrate.error ?? discard.error,
    doing,
    isPending: doing !== undefined,
  };
}
