/** The command that makes a call; `weir api` makes every other. */
export const COMMANDS_OF_CALLS: Readonly<Record<string, string>> = {
  'GET /patterns/discover': 'weir patterns list',
  'GET /patterns/{pattern_id}': 'weir patterns get <pattern_id>',
  'GET /plugins': 'weir plugins list',
  'GET /tenants': 'weir tenants list',
  'PATCH /sources/{source_id}': 'weir sources update <source> --field <name>=@<file>',
  'PUT /sources/{source_id}/credentials': 'weir sources credentials rotate <source>',
  'POST /sources/{source_id}/credentials': 'weir sources credentials set <source>',
  'POST /sources/{source_id}/credentials/migrate': 'weir sources credentials migrate <source>',
  'DELETE /sources/{source_id}/credentials': 'weir sources credentials detach <source>',
  'PATCH /sources/{source_id}/streams/{stream_id}': 'weir sources streams set <source> <stream> --enable',
  'GET /transforms/{transform_id}/detail': 'weir transforms get <transform>',
  'POST /runs/{id}/cancel': 'weir runs cancel <run_id>',
};
/** Hints of codes that speak of headers or of documents of the API. */
const HINTS: Readonly<Record<string, string>> = {
  tenant_header_required:
    'weir tenants list shows yours; weir tenants use <tenant> chooses one, --tenant one for a command',
  not_acceptable: 'Choose another --output.',
  route_not_found: 'The server has no such path, or is of another version: weir ops status',
};
const CALL = /\b(GET|POST|PUT|PATCH|DELETE) (\/[\w{}/.-]*[\w}])/g;
const SCHEMA = /[;,] ?(and )?(the schema is in )?\/openapi\.json( the operations)?(?=[.;,]|$)/g;

/** A hint of the API for people at a terminal: calls as the commands that make them. */
export function inCommands(hint: string, code?: string): string {
  const own = code === undefined ? undefined : HINTS[code];
  if (own !== undefined) return own;
  return hint.replace(SCHEMA, '').replace(CALL, (_, method: string, path: string) => {
    const below = path.replace(/^\/api\/v1(?=\/)/, '');
    return COMMANDS_OF_CALLS[`${method} ${below}`] ?? `weir api ${method} ${below.replace(/\{(\w+)\}/g, '<$1>')}`;
  });
}
