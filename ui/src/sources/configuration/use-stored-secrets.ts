import { getCredentials, type SourceView } from '@weir/plugin-sources/contract';
import { useRead } from '../../api/queries.ts';
import { isCredentialAt } from '../../form/compose-config.ts';
import { agoText } from '../../parts/show-time.tsx';

/**
 * What is known of the stored secret at a pointer; undefined where none is stored. `isAgain`: none counts, as all have to be
 * given again.
 */
export function useStoredSecrets(
  source: SourceView,
  credentialFields: readonly string[],
  isAgain: boolean,
): (pointer: string) => string | undefined {
  const isVaulted = source.credential_ref !== null;
  const { data } = useRead(getCredentials, { params: { source_id: source.source_id } }, { enabled: isVaulted });
  return (pointer) => {
    if (isAgain || !source.has_credentials || !isCredentialAt(pointer, credentialFields)) return undefined;
    // Kept inline, only that there are some is known.
    if (data === undefined) return 'Stored';
    const isThere = data.fields.some(({ field, present }) => present && isCredentialAt(pointer, [field]));
    return isThere
      ? `Stored, version ${data.version}, rotated ${agoText(new Date(data.rotated_at), new Date())}`
      : undefined;
  };
}
