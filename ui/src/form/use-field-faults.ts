import { useEffect, useRef } from 'react';
import type { FieldValues, Path, UseFormSetError } from 'react-hook-form';
import { faultsByField } from '../faults/problem-faults.ts';

/** Shows the faults of a refused request at their fields. `pathOf` gives the field of a JSON pointer, if there is one. */
export function useFieldFaults<V extends FieldValues>(
  setError: UseFormSetError<V>,
  error: Error | null | undefined,
  pathOf: (pointer: string) => string | undefined,
): void {
  const shown = useRef<Error>(undefined);
  useEffect(() => {
    if (!error || shown.current === error) return;
    shown.current = error;
    for (const [pointer, message] of faultsByField(error)) {
      const path = pathOf(pointer);
      if (path === undefined) continue;
      setError(path as Path<V>, { type: 'server', message }, { shouldFocus: true });
    }
  }, [setError, error, pathOf]);
}
