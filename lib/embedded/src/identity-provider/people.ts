import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DEMO_USERS, type DemoUser } from './demo-users.ts';

/** The roles that a person who is added may have. */
export const ROLES = ['viewer', 'pipeline_editor', 'admin'] as const;

const CALLED = /^\p{L}[\p{L}\p{N} .'-]{0,39}$/u;
/** As the alias of a tenant is. */
const ORGANIZATION = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
const MAX_ADDED = 100;
const FILE = 'people.json';

/** A person as the page of the sign-in asks for them. */
export interface Wanted {
  called: string;
  organization: string;
  role: string;
}

/** Who can sign in: the people of the demo, and those who were added here. */
export interface People {
  named(name: string | undefined): DemoUser | undefined;
  all(): readonly DemoUser[];
  /** Adds a person, or gives one who was added another role; undefined for a value that a person cannot have. */
  add(wanted: Wanted): DemoUser | undefined;
}

/** The people of a provider; those who were added are kept beside its keys. */
export function openPeople(dataDir: string): People {
  const file = path.join(dataDir, FILE);
  let added = readAdded(file);
  const all = () => [...DEMO_USERS, ...added];
  return {
    all,
    named: (name) => all().find((user) => user.name === name),
    add({ called: given, organization, role }) {
      const called = given.trim();
      const isKnown = ROLES.some((one) => one === role);
      if (!CALLED.test(called) || !ORGANIZATION.test(organization) || !isKnown) return undefined;
      const name = `${called.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')}@${organization}`;
      const others = added.filter((user) => user.name !== name);
      if (DEMO_USERS.some((user) => user.name === name) || others.length >= MAX_ADDED) return undefined;
      const person = { name, called, organizations: [organization], roles: [role] };
      added = [...others, person];
      writeFileSync(file, `${JSON.stringify(added, null, 2)}\n`, { mode: 0o600 });
      return person;
    },
  };
}

/** Those of the file; empty without a file that can be read. */
function readAdded(file: string): readonly DemoUser[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DemoUser[];
  } catch {
    return [];
  }
}
