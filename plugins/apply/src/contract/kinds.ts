import type { TObject } from '@sinclair/typebox';
import { contributionPoint, type Endpoint, type Principal, type Tenant } from '@weir/kernel/contract';
import type { Action, ChangeView, ItemFaultView } from './plans.ts';

export type Json = Record<string, unknown>;

const REF = Symbol('ref');

/** What an earlier call of the plan answers: the id of a document, or another member of its answer. */
export interface Ref {
  readonly [REF]: true;
  /** `Kind/name` */
  readonly document: string;
  readonly member: string | undefined;
}

/** What the call that makes a document will answer, for the parameters or the body of a later call. */
export const refTo = (kind: string, name: string, member?: string): Ref => ({
  [REF]: true,
  document: `${kind}/${name}`,
  member,
});

export const isRef = (value: unknown): value is Ref => typeof value === 'object' && value !== null && REF in value;

/** A call of our own API that applying a document makes. */
export interface PlannedCall {
  readonly endpoint: Endpoint;
  readonly params?: Readonly<Record<string, string | Ref>>;
  /** May hold a `Ref` at any depth. */
  readonly body?: object;
  readonly ifMatch?: string | undefined;
  /** The member of the answer that is the id of the document. */
  readonly id?: string;
  /** A refusal is a warning and stops nothing: the call may be made later. */
  readonly optional?: true;
  /** What of a good answer is a warning. */
  readonly doubt?: (answer: Json) => { code: string; detail: string } | undefined;
}

/** Reads the API in the name of the caller; what it has read once it does not read again for the same plan. */
export interface Reader {
  /** Throws a `ReadRefused`. */
  get<T>(endpoint: Endpoint, params: Record<string, string>, query?: Record<string, string>): Promise<T>;
  /** All items of a list. Throws a `ReadRefused`. */
  all<T>(endpoint: Endpoint, asked?: { params?: Record<string, string>; query?: Record<string, string> }): Promise<T[]>;
}

/** A resource that is there. */
export interface Stored {
  readonly name: string;
  readonly id: string;
  readonly etag: string;
  /** What export writes: all but write-only members. */
  readonly spec: Json;
  /** What else the kind has read of it. */
  readonly view?: unknown;
  /** Why no document can change it. */
  readonly blocked?: ItemFault;
}

/** `pointer` into `spec`. */
export type ItemFault = ItemFaultView & { readonly conflict?: true };

export interface Asked {
  readonly tenant: Tenant;
  readonly principal: Principal;
  readonly name: string;
  readonly spec: Json;
  readonly stored: Stored | undefined;
  /** The id of the document, now or once it is made. */
  readonly self: string | Ref;
  readonly reader: Reader;
  readonly allowDeprecate: boolean;
  /** Documents are also checked against the ontology service, by reads alone. */
  readonly liveOntology: boolean;
  readonly signal: AbortSignal;
  /** What becomes of a document before this one. */
  planned(kind: string, name: string): { readonly action: Action; readonly calls: readonly PlannedCall[] } | undefined;
  /** What valid documents before this one of its kind ask for. */
  readonly earlier: readonly { readonly name: string; readonly spec: Json }[];
}

/** What a document asks for. `before` and `after` are compared and shown: no write-only member is in them. */
export interface Wanted {
  readonly faults?: readonly ItemFault[];
  readonly before: Json | undefined;
  readonly after: Json;
  /** Pointers of the write-only members that are given. */
  readonly set?: readonly string[];
  readonly streams?: readonly { readonly name: string; readonly action: 'create' | 'patch' | 'noop' | 'unmanaged' }[];
  /** Names, such as ids of tables: a document is applied after those that make what it needs. */
  readonly makes?: readonly string[];
  readonly needs?: readonly string[];
  readonly calls: (changes: readonly ChangeView[]) => readonly PlannedCall[];
}

/** A kind of documents, given by the plugin that has the resource. */
export interface ApplyKind {
  readonly kind: string;
  /** Kinds are exported by it: what others name comes first. */
  readonly order: number;
  readonly spec: TObject;
  /** The route that lists the resources; asked by name where it has that filter. */
  readonly list: Endpoint;
  /** Further lists of resources that have a name, such as archived ones. */
  readonly alsoListed?: readonly Readonly<Record<string, string>>[];
  /** It has what `live_ontology` checks. */
  readonly checksLive?: true;
  /** The name that documents have, where it is not the member `name` of an item. */
  nameOf?(item: Json): string;
  stored(item: Json & { name: string }, asked: { reader: Reader; tenant: Tenant }): Promise<Stored>;
  /** The spec with this scope in dataset ids in the place of the other one. */
  scoped?(spec: Json, from: string, to: string): Json;
  plan(asked: Asked): Promise<Wanted>;
}

/** Where plugins give the kinds of their resources. */
export const ApplyKinds = contributionPoint<ApplyKind>('apply.kind');
