import type { Input } from '@weir/kernel/contract';
import { changeTransform, hydrateTransform, type TransformView } from '@weir/plugin-transforms/contract';
import { useChange } from '../../api/queries.ts';

/** Saves changes of a transform and hydrates it, whichever of its tabs is open when the answers come. */
export function useSave({ transform_id, etag }: TransformView) {
  const change = useChange(changeTransform);
  const hydrate = useChange(hydrateTransform);
  const params = { transform_id };
  const save = (body: Input<typeof changeTransform>['body']): void => {
    hydrate.reset();
    void change
      .mutateAsync({ params, body, headers: { 'if-match': etag } })
      .then(() => hydrate.mutateAsync({ params }))
      // What was refused is in `error`.
      .catch(() => undefined);
  };
  return { save, error: change.error ?? hydrate.error, isPending: change.isPending || hydrate.isPending };
}
