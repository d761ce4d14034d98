import type { SchemaNode } from '../../form/schema-node.ts';

/** Members of a configuration that a failure is about, the likeliest first. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  ...of(['path'], 'folder_unreadable', 'folder_not_allowed', 'too_many_files'),
  ...of(['streams', 'glob', 'path'], 'path_outside_folder', 'no_files_matched', 'stream_names_alike'),
  ...of(['host', 'url', 'urls'], 'address_invalid', 'address_refused', 'server_unreachable', 'server_too_slow'),
  ...of(['url', 'urls'], 'address_not_found', 'address_forbidden'),
  ...of(['encoding', 'streams'], 'encoding_invalid'),
  ...of(['ssl_mode', 'url', 'urls'], 'tls_unsupported', 'tls_required', 'server_untrusted'),
  ...of(['username'], 'login_failed'),
  ...of(['database'], 'database_unknown'),
  ...of(['schemas'], 'schema_unknown', 'no_tables_found'),
  ...of(['publication'], 'publication_missing', 'publication_partial', 'table_unpublished'),
  ...of(['slot'], 'slot_foreign', 'slot_in_use'),
  ...of(['parallel_reads'], 'too_many_connections'),
};

function of(members: readonly string[], ...codes: string[]): Record<string, readonly string[]> {
  return Object.fromEntries(codes.map((code) => [code, members]));
}

interface Failure {
  code: string;
  origin: string;
  hint: string | null;
}

/**
 * The pointer of the field of a configuration that a failure is about: the one that its hint names first, else one that
 * failures of its code are about. Empty where only the configuration as a whole is known, undefined where it is not at fault. Pure.
 */
export function fieldAtFault({ code, origin, hint }: Failure, { properties = {} }: SchemaNode): string | undefined {
  const named = /^([\w-]+): /.exec(hint ?? '')?.[1];
  const found = [named ?? '', ...(FIELDS[code] ?? [])].find((name) => Object.hasOwn(properties, name));
  if (found !== undefined) return `/${found.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return origin === 'config' ? '' : undefined;
}
