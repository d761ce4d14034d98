import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The libraries of the system; where one is a link, its target is among them. */
const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64'];

/** The folders that a program of ours reads its code from: Node, libraries of the system, and the packages above it. */
export function programFolders(program: string): string[] {
  const found = new Set([...LIBRARIES, dirname(process.execPath)]);
  const { NODE_COMPILE_CACHE: compiled } = process.env;
  if (compiled !== undefined) found.add(compiled);
  let isWithin = false;
  for (let folder = dirname(program); folder !== dirname(folder); folder = dirname(folder)) {
    found.add(join(folder, 'node_modules'));
    const workspaces = workspacesOf(folder);
    // A folder of packages may hold anything else, such as data and keys: its packages are shown, and it is not.
    for (const each of workspaces ?? []) found.add(join(folder, each));
    if (workspaces?.length === 0 && !isWithin) found.add(folder);
    isWithin ||= workspaces !== undefined;
  }
  return [...found].filter((each) => existsSync(each));
}

/** Where a package's workspaces lie, undefined for a folder that is no package. */
function workspacesOf(folder: string): string[] | undefined {
  try {
    const { workspaces = [] } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Workspaces;
    return workspaces.flatMap((pattern) => pattern.split('/')[0] ?? []);
  } catch {
    return undefined;
  }
}

type Workspaces = { readonly workspaces?: readonly string[] };
