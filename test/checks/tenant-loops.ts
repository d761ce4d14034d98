import { judge } from './check.ts';
import { listFiles, readTexts } from './files.ts';

/** Who may list tenants, and why it is no loop that a tenant could end for the others. */
const MAY_LIST: ReadonlySet<string> = new Set([
  // Rounds of duties.
  'kernel/src/duties/duty.ts',
  // The statement itself.
  'kernel/src/tenancy/tenant-store.ts',
  // Those of a client that names none, each asked by itself.
  'kernel/src/tenancy/resolve-tenant.ts',
  // Looks a tenant up by its id.
  'plugins/identity/src/api-token/read-tokens.ts',
  // Counts what is open of all tenants before a release is gone back to: without one of them the number is wrong.
  'plugins/ontology/src/service/route/sync-route.ts',
  // A page of them for platform admins: nothing is done with any.
  'plugins/platform/src/tenant/service.ts',
  // Commands of operators, which are done whole or not at all.
  'workers/src/operator.ts',
]);

/** Ways to the tenants of a deployment. */
const LISTS: readonly RegExp[] = [
  /\btenants\s*(\?\.|\.)\s*list\b/,
  /\btenants\s*(\?\.)?\[\s*['"`]list\b/,
  /\{[^{}]*\blist\b[^{}]*\}\s*=\s*[\w.()]*\btenants\b/,
  /\bselect\b[^;]*\bfrom\s+kernel\.tenant\b(?![^;]*\b(alias|tenant_id)(::text)? = \$)/i,
];

/** Lines of a file that list tenants. */
export function tenantLists(text: string): number[] {
  return text.split('\n').flatMap((line, at) => (LISTS.some((list) => list.test(line)) ? [at + 1] : []));
}

/** Nothing but a duty goes over tenants: a loop that is written by hand ends with the first tenant that fails. */
export async function tenantLoops(root: string): Promise<string> {
  const files = await listFiles(root, ':(glob)**/src/**/*.ts', ':!migrations', ':!ui');
  const texts = await readTexts(
    root,
    files.filter((file) => !MAY_LIST.has(file) && !/(^|\/)test(ing)?\//.test(file)),
  );
  const faults = texts.flatMap(([file, text]) =>
    tenantLists(text).map(
      (line) => `${file}:${line}: lists tenants; declare a \`duty\`, which passes over one that fails`,
    ),
  );
  return judge(faults, `${texts.length} files`);
}
