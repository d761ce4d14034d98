import type { JWTPayload } from 'jose';

/** Claims of a client-credentials token with their values, all of them; `{client}` stands for the id of the client. */
export type ServiceMark = Readonly<Record<string, string>>;

/** Claims that come from a sign-in or describe a person. */
const OF_PEOPLE = [
  ...['act', 'sid', 'session_state', 'auth_time', 'nonce', 'amr'],
  ...['name', 'given_name', 'family_name', 'email', 'phone_number'],
];

export interface ServiceRules {
  serviceMarks: readonly ServiceMark[];
  organizationClaim: string;
}

/** Whether a token shows that its client called in its own name. What a token lacks is no proof: scopes can be left out. */
export function provesService(
  payload: JWTPayload,
  client: string,
  { serviceMarks, organizationClaim }: ServiceRules,
): boolean {
  if ([...OF_PEOPLE, organizationClaim].some((name) => payload[name] !== undefined)) return false;
  const matches = (mark: ServiceMark) =>
    Object.entries(mark).every(([name, value]) => payload[name] === value.replaceAll('{client}', () => client));
  const hasLogin = payload.preferred_username !== undefined;
  return serviceMarks.some((mark) => matches(mark) && (!hasLogin || 'preferred_username' in mark));
}
