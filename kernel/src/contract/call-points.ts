import type { KnownPrincipal, Principal, Tenant, WebhookPrincipal } from './caller.ts';
import { contributionPoint } from './contribution.ts';
import type { Endpoint } from './endpoint.ts';

/** A call that its route and its address say all about: nobody has looked at credential, parameters or body. */
export interface ArrivingCall {
  readonly endpoint: Endpoint;
  /** The address that the call came from: of the peer, or what proxies that are trusted say. */
  readonly address: string;
}

/** A call of a known caller for a known tenant, before parameters and body are checked. */
export interface AskedCall extends ArrivingCall {
  readonly principal: KnownPrincipal;
  /** Absent on routes that belong to no tenant. */
  readonly tenant: Tenant | undefined;
  /** Path parameters as they were sent. */
  readonly params: Readonly<Record<string, string>>;
}

/** Reads credentials of one form, told by how they begin; undefined when they are not, or no longer, good. */
export interface TokenReader {
  /** Such as `weir_`; no access token of an identity provider begins with it. */
  readonly prefix: string;
  read(token: string): Promise<{ principal: KnownPrincipal; expiresAt: Date } | undefined>;
}

/** Forms of bearer credentials beside the access tokens of the identity provider. */
export const TokenReaders = contributionPoint<TokenReader>('token.reader');

/** A request by its headers, names in lower case, and the bytes of its body. */
export interface SignedCall {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Tells who has signed a request to the routes of one permission; throws a problem when nobody has, or none is let in. */
export interface SignatureReader {
  readonly permission: string;
  read(call: SignedCall): Promise<WebhookPrincipal>;
}

/** What reads the signatures of webhooks. */
export const SignatureReaders = contributionPoint<SignatureReader>('signature.reader');

/** Forbids a call that table and roles allow, by throwing a problem. It cannot allow one that they forbid. */
export type AccessRule = (call: AskedCall) => Promise<void>;

/** Whatever may forbid a call beyond its role; asked by the kernel's one decision point, in boot order. */
export const AccessRules = contributionPoint<AccessRule>('access.rule');

/** Holds callers to a measure, by throwing a problem such as `rate_limited`. */
export interface CallLimit {
  /** Before a refused credential or right is answered with 401 or 403: for those who guess. */
  denying(call: ArrivingCall): void;
  /** After the call was allowed. */
  allowed(call: AskedCall): Promise<void>;
  /** After the call was answered with 401 or 403. */
  refused?(call: ArrivingCall): void;
}

/** Whatever holds callers to a measure. */
export const CallLimits = contributionPoint<CallLimit>('call.limit');

/** A call as a trail keeps it: no values of the caller's but ids that are well-formed. */
export interface AuditedCall {
  readonly endpoint: Endpoint;
  readonly principal: Principal;
  readonly tenant: Tenant | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly address: string;
  readonly requestId: string;
}

/** How a call ended: the status that was answered, and the code of the problem if it was one. */
export interface CallOutcome {
  readonly status: number;
  readonly code: string | undefined;
  /** What was made or started, as the answer's `Location` names it. */
  readonly location: string | undefined;
  /** Whether it was the remembered answer of an earlier call with the same idempotency key. */
  readonly repeated: boolean;
}

/** Keeps who did what. */
export interface AuditTrail {
  /**
   * Notes durably that a changing call begins, before anything is changed; throws when that is impossible, and nothing
   * is changed then. What it returns ends the entry; a call whose end never comes, as its process was killed, is ended as unknown later.
   */
  begin(call: AuditedCall): Promise<(outcome: CallOutcome) => Promise<void>>;
  /** Notes a call that was refused for lack of a credential or a right, for its tenant header, or by a limit. */
  denied(call: AuditedCall, outcome: CallOutcome): Promise<void>;
}

/** Who keeps an audit trail. */
export const AuditTrails = contributionPoint<AuditTrail>('audit.trail');
